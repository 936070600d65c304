"""What a paper found by trial and error, to be run beside what the search finds."""

from __future__ import annotations

import csv
from fractions import Fraction
from importlib import resources
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from aqmlab.errors import TuneError
from aqmlab.spelling import unknown
from aqmlab.tune.candidates import Candidate
from aqmlab.tune.space import QUEUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aqmlab.scenario import Scenario

BESIDE = {"christiansen2000": ("published_table4.csv", "plausible_bad_settings.csv")}
"""Experiments with settings of RED: the best that they found, and plausible ones that they found bad."""

_LIMIT_PACKETS = 480
_RATE_MBPS = 10.0
_KIND = {"published_table4.csv": "table 4", "plausible_bad_settings.csv": "bad"}


def settings_of(experiment: str, base: Scenario) -> list[Candidate]:
    """The settings of a paper, laid over the queue of a scenario with RED; equal ones are one candidate.

    Raises:
        TuneError: There is no such experiment, or the scheme is another one.
    """
    if experiment not in BESIDE:
        raise TuneError(f"--beside {experiment}: {unknown(experiment, BESIDE)}")
    if base.resolved["dumbbell"]["queue"]["scheme"] != "red":
        raise TuneError(f"--beside {experiment}: its settings are of red; search with --scheme red")
    candidates: dict[tuple[Any, ...], Candidate] = {}
    for file in BESIDE[experiment]:
        for row in _rows(experiment, file):
            settings = _settings(row)
            key = tuple(settings.values())
            note = _note(row, _KIND[file])
            if key in candidates:
                candidates[key].note += f"; {note}"
                continue
            scenario = base.with_overrides({f"{QUEUE}.{name}": value for name, value in settings.items()})
            label = f"paper {ascii_uppercase[len(candidates)]}"
            candidates[key] = Candidate(label, settings, scenario, experiment, note)
    return list(candidates.values())


def chosen_beside(base: Scenario) -> str | None:
    """The experiment whose settings are meant for this link, if there is one: RED on 10 Mbit/s."""
    dumbbell = base.resolved["dumbbell"]
    fits = dumbbell["queue"]["scheme"] == "red" and dumbbell["rate_mbps"] == _RATE_MBPS
    return "christiansen2000" if fits else None


def _rows(experiment: str, file: str) -> Iterator[Mapping[str, str]]:
    source = resources.files("aqmlab").joinpath("experiments", experiment, file)
    with source.open(encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


def _settings(row: Mapping[str, str]) -> dict[str, Any]:
    return {
        "min_th_packets": int(row["min_th"]),
        "max_th_packets": int(row["max_th"]),
        "max_p": float(Fraction(row["max_p"])),
        "w_q": float(Fraction(row["w_q"])),
        "limit_packets": _LIMIT_PACKETS,
    }


def _note(row: Mapping[str, str], kind: str) -> str:
    load = f" at {row['offered_load_percent']} %" if row["offered_load_percent"] else ""
    return f"{kind}{load}: {row['note']}"
