"""A run of a test as Flent's own data file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.files.flent_file import Heading, document, write
from aqmlab.study.flent_tests.definitions import DELAY_S, STEP_S

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from aqmlab.study.flent_tests.measuring import Measured

_WAYS = ("up", "down")


def save_flent_test(measured: Measured, file: Path) -> None:
    """Writes a run as Flent's data file, with the sums and means that Flent adds."""
    write(flent_test_document(measured), file)


def flent_test_document(measured: Measured) -> dict[str, Any]:
    """The content of Flent's data file; as of `save_flent_test`."""
    total_s = measured.length_s + 2 * DELAY_S
    at_s = STEP_S * np.arange(1, round(total_s / STEP_S) + 1, dtype=np.float64)
    lasted = (at_s > DELAY_S) & (at_s <= DELAY_S + measured.length_s)
    streams = {name: np.where(lasted, series.values, np.nan) for name, series in measured.streams.items()}
    probes = {}
    for name, probe in measured.probes.items():
        probes[name] = np.full(len(at_s), np.nan)
        # A probe is sent at the beginning of a step, and stands with what streams carried in it.
        # What never came back has no value there, as in Flent's own files.
        answered = np.where(np.isfinite(probe.values), probe.values, np.nan)
        probes[name][np.rint(probe.at_s / STEP_S).astype(int)] = answered
    series = {**streams, **_derived(measured, streams), **probes}
    if len(probes) > 1:
        series["Ping (ms) avg"] = _mean(list(probes.values()))
    units = {name: {"UNITS": "ms" if name.startswith("Ping") else "Mbits/s"} for name in series}
    result = measured.result
    note = (
        f"Simulated by aqmlab {result.version}, seed {measured.seed}, queues: {measured.queue}. Streams: "
        "what their packets carried over the line, without headers."
    )
    heading = Heading(
        measured.test.name,
        f"{measured.queue}, seed {measured.seed}",
        note,
        result.version,
        host="server",
        length_s=measured.length_s,
        total_s=total_s,
        step_s=STEP_S,
    )
    return document(heading, at_s, series, units)


def _derived(measured: Measured, streams: dict[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """Sums and means of each direction, and the sum of both, as Flent names them."""
    found = {}
    for way in _WAYS:
        own = [streams[stream.series] for stream in measured.test.streams if stream.way == way]
        if own:
            found[f"TCP {way}load avg"] = np.mean(own, axis=0)
            found[f"TCP {way}load sum"] = np.sum(own, axis=0)
    if len(found) > len(_WAYS):
        found["TCP totals"] = np.sum(list(streams.values()), axis=0)
    return found


def _mean(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The mean of those that there are at each instant."""
    return np.asarray(np.ma.masked_invalid(parts).mean(axis=0).filled(np.nan))
