"""Section 4.4, figures 11 to 13: all schemes with packet drops beside one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import BASELINE, TARGETS, UNCONGESTED, called, cell, le2003
from aqmlab.reproduce.claims.curves import better, equivalent

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Study

BEST_AT_98 = ("drop-tail-240", "pi-24", "rem-24", "ared-24")


@le2003("L11")
def pi_240_at_90_percent(study: Study, *, above_s: float) -> list[Part]:
    """For the slower responses PI 240 is the best of all."""
    return [
        better(
            study,
            f"PI 240 beats {study.configuration(other).label} above {above_s:g} s at 90 %",
            (cell("pi", 240), 90.0),
            (other, 90.0),
            between_s=(above_s, 2.0),
        )
        for other in (BASELINE, cell("rem", 24), cell("ared", 24))
    ]


@le2003("L12")
def pi_24_at_98_percent(study: Study) -> list[Part]:
    """PI 24 is the best of all, and even it is far from the uncongested network."""
    parts = [
        better(
            study,
            f"PI 24 beats {study.configuration(other).label} at 98 %",
            (cell("pi", 24), 98.0),
            (other, 98.0),
        )
        for other in (BASELINE, cell("rem", 24), cell("ared", 24))
    ]
    return parts + [
        better(
            study,
            f"the uncongested network beats {study.configuration(other).label} at 98 %",
            (UNCONGESTED, 98.0),
            (other, 98.0),
        )
        for other in BEST_AT_98
    ]


@le2003("L24")
def at_80_percent(study: Study) -> list[Part]:
    """Every scheme but ARED equals the uncongested network, and ECN changes nothing."""
    parts = [
        equivalent(
            study,
            f"{called(scheme, target)} equals the uncongested network at 80 %",
            (cell(scheme, target), 80.0),
            (UNCONGESTED, 80.0),
        )
        for scheme in ("drop-tail", "pi", "rem")
        for target in TARGETS
    ]
    return parts + [
        equivalent(
            study,
            f"{called(scheme, target)} with and without ECN are equal at 80 %",
            (cell(scheme, target, ecn=True), 80.0),
            (cell(scheme, target), 80.0),
        )
        for scheme in ("pi", "rem", "ared")
        for target in TARGETS
    ]


@le2003("L25")
def from_98_to_105_percent(study: Study) -> list[Part]:
    """Everything degrades from 98 to 105 %."""
    return [
        better(
            study,
            f"{study.configuration(name).label} is better at 98 than at 105 %",
            (name, 98.0),
            (name, 105.0),
        )
        for name in BEST_AT_98
    ]
