"""Sections 4.1 to 4.3, figures 8 to 10: each scheme by itself, with packet drops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import LOADS, TARGETS, UNCONGESTED, cell, le2003
from aqmlab.reproduce.claims import curves
from aqmlab.reproduce.claims.answers import answered
from aqmlab.reproduce.claims.curves import better, equivalent
from aqmlab.reproduce.claims.numbers import above
from aqmlab.statistics import mean_interval
from aqmlab.statistics.quantities import restricted_mean_s

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Study

OTHER_ARED_SETTINGS = ("ared-24-wq-1024", "ared-24-wq-16384", "ared-120")


@le2003("L08")
def pi_targets(study: Study, *, split_s: float, no_worse: float) -> list[Part]:
    """Which target suits PI at which load."""
    short, long = cell("pi", 24), cell("pi", 240)
    below, above_it = (0.0, split_s), (split_s, 2.0)
    return [
        equivalent(study, "PI 24 and 240 are equal at 80 %", (short, 80.0), (long, 80.0)),
        equivalent(
            study, "PI 24 and 240 are equal below 0.5 s at 90 %", (short, 90.0), (long, 90.0), between_s=below
        ),
        better(study, "PI 240 beats 24 above 0.5 s at 90 %", (long, 90.0), (short, 90.0), between_s=above_it),
        better(study, "PI 24 beats 240 below 0.5 s at 98 %", (short, 98.0), (long, 98.0), between_s=below),
        curves.no_worse(
            study,
            "PI 24 is no worse than 240 above 0.5 s at 98 %",
            (short, 98.0),
            (long, 98.0),
            between_s=above_it,
            margin=no_worse,
        ),
    ]


@le2003("L09")
def rem_targets(study: Study) -> list[Part]:
    """REM wants the short target, above all at 90 %."""
    short, long = cell("rem", 24), cell("rem", 240)
    return [
        better(study, "REM 24 beats 240 at 90 %", (short, 90.0), (long, 90.0)),
        better(study, "REM 24 beats 240 at 98 %", (short, 98.0), (long, 98.0)),
        larger_gain_at_90_percent(study, 'the gain is larger at 90 % ("much") than at 98 % ("slightly")'),
    ]


@answered
def larger_gain_at_90_percent(study: Study, statement: str) -> Part:
    """The area between the curves of REM 24 and 240 is larger at 90 than at 98 %."""
    areas = {
        load: [
            long - short
            for short, long in zip(
                study.values("rem-24", load, restricted_mean_s()),
                study.values("rem-240", load, restricted_mean_s()),
                strict=True,
            )
        ]
        for load in (90.0, 98.0)
    }
    gaps = [1000.0 * (at_90 - at_98) for at_90, at_98 in zip(areas[90.0], areas[98.0], strict=True)]
    return above(statement, mean_interval(gaps), unit="ms of mean response time up to 2 s")


@le2003("L10")
def ared_alone(study: Study, *, no_worse: float) -> list[Part]:
    """ARED degrades at 80 % already, whatever its target or weight."""
    parts = [
        better(
            study,
            f"the uncongested network beats ARED {target} at 80 %",
            (UNCONGESTED, 80.0),
            (cell("ared", target), 80.0),
        )
        for target in TARGETS
    ]
    parts += [
        equivalent(
            study,
            f"ARED 24 and 240 barely differ at {load:g} %",
            (cell("ared", 24), load),
            (cell("ared", 240), load),
        )
        for load in LOADS
    ]
    return parts + [
        curves.no_worse(
            study,
            f"{study.configuration(other).label} is no improvement at {load:g} %",
            (cell("ared", 24), load),
            (other, load),
            margin=no_worse,
        )
        for other in OTHER_ARED_SETTINGS
        for load in (90.0, 98.0)
    ]
