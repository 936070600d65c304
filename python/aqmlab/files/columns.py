"""Columns between NumPy and Arrow, and no byte of them copied where that is possible.

Arrow's own conversions import pandas first wherever it is installed, which takes longer than many a run.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def to_numpy(column: pa.ChunkedArray) -> NDArray[Any]:
    """The numbers of a column; not a number where one is missing."""
    chunks = [_values(chunk) for chunk in column.chunks if len(chunk)]
    if not chunks:
        return np.zeros(0, dtype=column.type.to_pandas_dtype())
    return chunks[0] if len(chunks) == 1 else np.concatenate(chunks)


def codes_of(column: pa.DictionaryArray) -> NDArray[np.int32]:
    """The places of its values in the dictionary, row by row; -1 where one is missing."""
    codes = np.asarray(_stored(column.indices), dtype=np.int32)
    return codes if column.indices.null_count == 0 else np.where(_known(column.indices), codes, -1)


def of_numbers(values: NDArray[Any], *, missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """A column of numbers or flags, without the values that are missing."""
    kind = pa.from_numpy_dtype(values.dtype)
    stored = _bits(values) if pa.types.is_boolean(kind) else np.ascontiguousarray(values)
    known = None if missing is None else pa.py_buffer(_bits(~missing))
    return pa.Array.from_buffers(kind, len(values), [known, pa.py_buffer(stored)])


def of_texts(texts: Sequence[str]) -> pa.StringArray:
    """A column of texts."""
    stored = [text.encode() for text in texts]
    ends = np.fromiter(accumulate(map(len, stored), initial=0), dtype=np.int32)
    return pa.StringArray.from_buffers(len(stored), pa.py_buffer(ends), pa.py_buffer(b"".join(stored)))


def _values(chunk: pa.Array) -> NDArray[Any]:
    if pa.types.is_integer(chunk.type) or pa.types.is_floating(chunk.type):
        stored = _stored(chunk)
        return stored if chunk.null_count == 0 else np.where(_known(chunk), stored, np.nan)
    if pa.types.is_boolean(chunk.type) and chunk.null_count == 0:
        return _flags(chunk.buffers()[1], chunk)
    return np.asarray(chunk.to_numpy(zero_copy_only=False))


def _stored(chunk: pa.Array) -> NDArray[Any]:
    """The numbers of a chunk as they are stored; anything where one is missing."""
    buffers = [None, chunk.buffers()[1]]
    return np.from_dlpack(pa.Array.from_buffers(chunk.type, len(chunk), buffers, offset=chunk.offset))


def _known(chunk: pa.Array) -> NDArray[np.bool_]:
    """Which values of a chunk are not missing, where any is."""
    return _flags(chunk.buffers()[0], chunk)


def _flags(bits: pa.Buffer, chunk: pa.Array) -> NDArray[np.bool_]:
    flags = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little")
    return flags[chunk.offset : chunk.offset + len(chunk)].view(np.bool_)


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")
