"""Section 5, figures 15 to 23: what ECN does to response times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import BASELINE, LOADS, TARGETS, UNCONGESTED, called, cell, le2003
from aqmlab.reproduce.claims.answers import answered, attempt
from aqmlab.reproduce.claims.curves import better, equivalent, no_worse, time_of_share
from aqmlab.reproduce.claims.numbers import above, higher, within
from aqmlab.statistics import completed_per_90_minutes, loss_percent, mean_interval
from aqmlab.statistics.quantities import restricted_mean_s, share_within

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Study


def _with(scheme: str, target: int) -> str:
    return cell(scheme, target, ecn=True)


def _improves(study: Study, scheme: str, target: int, load: float) -> Part:
    statement = f"ECN improves {called(scheme, target)} at {load:g} %"
    return better(study, statement, (_with(scheme, target), load), (cell(scheme, target), load))


@le2003("L15")
def ecn_with_pi(study: Study) -> list[Part]:
    """PI gains at 98 % with both targets, at 90 % with the short one only."""
    unchanged = "ECN changes little for PI 240 at 90 %"
    return [
        _improves(study, "pi", 24, 98.0),
        _improves(study, "pi", 240, 98.0),
        _improves(study, "pi", 24, 90.0),
        equivalent(study, unchanged, (_with("pi", 240), 90.0), (cell("pi", 240), 90.0)),
    ]


@le2003("L16")
def ecn_with_rem(study: Study) -> list[Part]:
    """REM gains most, and then equals PI."""
    parts = [_improves(study, "rem", target, load) for target in TARGETS for load in (90.0, 98.0)]
    parts += [
        equivalent(
            study,
            f"PI {target} + ECN and REM {target} + ECN are similar at {load:g} %",
            (_with("pi", target), load),
            (_with("rem", target), load),
        )
        for target in TARGETS
        for load in (90.0, 98.0)
    ]
    return parts + [
        gains_more(
            study,
            f"REM {target} gains more from ECN than {called(other, target)} at {load:g} %",
            other,
            target,
            load,
        )
        for other in ("pi", "ared")
        for target in TARGETS
        for load in (90.0, 98.0)
    ]


@answered
def gains_more(study: Study, statement: str, other: str, target: int, load: float) -> Part:
    """The mean response time up to 2 s falls more with ECN for REM than for another scheme."""
    gains = {}
    for scheme in ("rem", other):
        without = study.values(cell(scheme, target), load, restricted_mean_s())
        ecn = study.values(_with(scheme, target), load, restricted_mean_s())
        gains[scheme] = [one - other for one, other in zip(without, ecn, strict=True)]
    more = [1000.0 * (rem - its) for rem, its in zip(gains["rem"], gains[other], strict=True)]
    return above(statement, mean_interval(more), unit="ms")


@le2003("L17")
def ecn_with_ared(study: Study) -> list[Part]:
    """ARED does not gain."""
    return [
        equivalent(
            study,
            f"ECN changes little for ARED {target} at {load:g} %",
            (_with("ared", target), load),
            (cell("ared", target), load),
        )
        for target in TARGETS
        for load in LOADS
    ]


@le2003("L18")
def close_to_uncongested(study: Study, *, about: float, close: float) -> list[Part]:
    """At 90 % nine in ten responses complete within 500 ms, where 95 % do without congestion."""
    parts = [_share_at_half_second(study, UNCONGESTED, 0.95, about)]
    for scheme in ("pi", "rem"):
        name = _with(scheme, 24)
        parts.append(_share_at_half_second(study, name, 0.90, about))
        statement = (
            f"{called(scheme, 24, ecn=True)} lies at most {close:.0%} below the uncongested network anywhere"
        )
        parts.append(no_worse(study, statement, (name, 90.0), (UNCONGESTED, 90.0), margin=close))
    return parts


def _share_at_half_second(study: Study, name: str, expected: float, about: float) -> Part:
    statement = (
        f"about {expected:.0%} of responses of {study.configuration(name).label} complete within 500 ms"
    )

    def ask() -> Part:
        share = study.measure(name, 90.0, share_within(0.5))
        return within(statement, share, expected - about, expected + about)

    return attempt(statement, ask)


@le2003("L19")
def superior_to_drop_tail(study: Study) -> list[Part]:
    """Near saturation PI and REM with ECN beat drop-tail and lose far less."""
    parts = []
    for load in (98.0, 105.0):
        for scheme in ("pi", "rem"):
            ours, theirs = (_with(scheme, 24), load), (BASELINE, load)
            who = called(scheme, 24, ecn=True)
            parts += [
                better(study, f"{who} beats drop-tail 240 at {load:g} %", ours, theirs),
                higher(
                    study,
                    f"drop-tail 240 loses more than {who} at {load:g} %",
                    theirs,
                    ours,
                    loss_percent,
                    unit="points",
                ),
            ]
    return parts


@le2003("L26")
def at_105_percent(study: Study, *, marginal: float, few_more: float) -> list[Part]:
    """Beyond saturation PI and REM with ECN are alike, and hardly worse than at 98 %."""
    pi, rem = _with("pi", 24), _with("rem", 24)
    parts = [equivalent(study, "PI + ECN and REM + ECN are equal at 105 %", (pi, 105.0), (rem, 105.0))]
    for name in (pi, rem):
        label = study.configuration(name).label
        parts += [
            no_worse(
                study,
                f"{label} is only marginally worse at 105 than at 98 %",
                (name, 105.0),
                (name, 98.0),
                margin=marginal,
            ),
            changes_little(
                study, f"{label} completes few more exchanges at 105 than at 98 %", name, few_more
            ),
        ]
    return parts


@answered
def changes_little(study: Study, statement: str, name: str, share: float) -> Part:
    """Completed exchanges change by a few per cent between 98 and 105 % load."""
    lower, upper = (study.values(name, load, completed_per_90_minutes) for load in (98.0, 105.0))
    changes = [more / fewer - 1.0 for fewer, more in zip(lower, upper, strict=True)]
    return within(statement, mean_interval(changes), -share, share)


@le2003("L30")
def ared_with_ecn_is_worse(study: Study, *, shortest: float) -> list[Part]:
    """ARED + ECN is worse than PI and REM + ECN except for the shortest 40 % of responses."""
    parts = []
    for load in (90.0, 98.0, 105.0):
        for scheme in ("pi", "rem"):
            parts += _against_ared(study, scheme, load, shortest)
    return parts


def _against_ared(study: Study, scheme: str, load: float, share: float) -> list[Part]:
    best, ared = (_with(scheme, 24), load), (_with("ared", 24), load)
    who = called(scheme, 24, ecn=True)
    shortest = f"ARED + ECN equals {who} for the shortest {100 * share:g} % at {load:g} %"
    others = f"{who} beats ARED + ECN for the other {100 * (1.0 - share):g} % at {load:g} %"

    def split_s() -> float:
        return round(time_of_share(study, best, share), 2)

    return [
        attempt(shortest, lambda: equivalent(study, shortest, ared, best, between_s=(0.0, split_s()))),
        attempt(others, lambda: better(study, others, best, ared, between_s=(split_s(), 2.0))),
    ]
