"""Columns between NumPy and Arrow: what Arrow's own conversions make of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from aqmlab.files.columns import codes_of, of_numbers, of_texts, to_numpy

KINDS = [np.bool_, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]
SIZES = [0, 1, 7, 8, 9, 1000]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_numbers_become_what_arrow_makes_of_them(kind: type[np.generic], size: int) -> None:
    values = (np.random.default_rng(size).random(size) * 200.0).astype(kind)
    missing = np.arange(size) % 3 == 1
    for made, expected in (
        (of_numbers(values), pa.array(values)),
        (of_numbers(values[::-1]), pa.array(values[::-1].copy())),
        (of_numbers(values, missing=missing), pa.array(values, mask=missing)),
    ):
        made.validate(full=True)
        assert made.equals(expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_columns_become_what_arrow_makes_of_them(kind: type[np.generic], size: int) -> None:
    values = pa.array((np.random.default_rng(size).random(size) * 200.0).astype(kind))
    some = pa.array(values.to_pylist(), type=values.type, mask=np.arange(size) % 3 == 1)
    for chunks in ([], [values], [values, values.slice(size // 2)], [values.slice(size // 3, 2)], [some]):
        column = pa.chunked_array(chunks, type=values.type)
        expected = column.to_numpy()
        made = to_numpy(column)
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)


def test_texts_are_stored_as_they_are() -> None:
    for texts in ([], ["a", "", "ünï", "x" * 500]):
        made = of_texts(texts)
        made.validate(full=True)
        assert made.to_pylist() == texts


def test_a_missing_name_has_a_code_of_its_own() -> None:
    column = pa.array(["a", None, "b", "a"]).dictionary_encode()
    assert codes_of(column).tolist() == [0, -1, 1, 0]
    assert codes_of(column.slice(2)).tolist() == [1, 0]
