"""The data file of Flent, the FLExible Network Tester.

Source of the format: Flent's documentation, "The Data File Format" (https://flent.org), and the version
number and the keys of `raw_values` as Flent 2.3 reads them.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.files.folders import whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT_VERSION = 4
_BEGINNING = "1970-01-01T00:00:00.000000Z"
"""Simulated time has no date: a run begins when clocks do."""
_UNUSED = ("BATCH_NAME", "BATCH_TIME", "BATCH_TITLE", "BATCH_UUID", "HTTP_GETTER_DNS", "HTTP_GETTER_URLLIST")


@dataclass(frozen=True, slots=True)
class Heading:
    """What a file says of its test.

    Attributes:
        test: Flent's name of the test.
        title: What tells this file from others.
        note: How its numbers were made.
        version: Of aqmlab.
        host: The machine at the other end.
        length_s: How long the streams lasted.
        total_s: How long the test lasted.
        step_s: From sample to sample.
    """

    test: str
    title: str
    note: str
    version: str
    host: str
    length_s: float
    total_s: float
    step_s: float


def document(
    heading: Heading,
    at_s: NDArray[np.float64],
    series: Mapping[str, NDArray[np.float64]],
    of_series: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """The content of a file: a value of each series at each instant, not a number where there is none."""
    return {
        "version": FORMAT_VERSION,
        "metadata": _metadata(heading) | {"SERIES_META": of_series},
        "x_values": at_s.tolist(),
        "results": {
            name: [None if np.isnan(value) else value for value in values.tolist()]
            for name, values in series.items()
        },
        "raw_values": {
            name: [
                {"t": t, "val": value}
                for t, value in zip(at_s.tolist(), values.tolist(), strict=True)
                if not np.isnan(value)
            ]
            for name, values in series.items()
        },
    }


def write(content: dict[str, Any], file: Path) -> None:
    """Writes the content of a file, which by Flent's custom is named `*.flent.gz`.

    Raises:
        StorageError: The file could not be written.
    """
    named = content | {"metadata": content["metadata"] | {"DATA_FILENAME": file.name}}
    packed = gzip.compress(json.dumps(named, allow_nan=False).encode(), mtime=0)
    with whole_file(file) as partial:
        partial.write_bytes(packed)


def _metadata(heading: Heading) -> dict[str, Any]:
    unused: dict[str, Any] = dict.fromkeys(_UNUSED)
    return {
        **unused,
        "NAME": heading.test,
        "TITLE": heading.title,
        "NOTE": heading.note,
        "TIME": _BEGINNING,
        "T0": _BEGINNING,
        "HOST": heading.host,
        "HOSTS": [heading.host],
        "LOCAL_HOST": "aqmlab",
        "LENGTH": heading.length_s,
        "TOTAL_LENGTH": heading.total_s,
        "STEP_SIZE": heading.step_s,
        "IP_VERSION": 4,
        "TEST_PARAMETERS": {},
        "FLENT_VERSION": f"aqmlab {heading.version}",
    }
