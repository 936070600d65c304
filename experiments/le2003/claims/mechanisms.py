"""Section 6: why the schemes differ, seen in TCP's own events and in who loses packets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import SCHEMES, called, cell, le2003
from aqmlab.reproduce.claims.answers import answered, attempt
from aqmlab.reproduce.claims.numbers import above, higher, within
from aqmlab.statistics import mean_interval
from aqmlab.statistics.quantities import (
    class_loss_percent,
    multiple_drop_share,
    timeouts_per_episode,
    timeouts_per_thousand,
)

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Study
    from aqmlab.statistics import Recorded

TARGET = 24
LOADS_WITH_LOSS = (90.0, 98.0)


@le2003("L28")
def rem_causes_timeouts(study: Study, *, removed: float) -> list[Part]:
    """REM loses several packets of one window, and so causes more timeouts than PI; ECN ends that."""
    parts = []
    for load in LOADS_WITH_LOSS:
        rem, pi = (cell("rem", TARGET), load), (cell("pi", TARGET), load)
        parts += [
            higher(
                study,
                f"REM has more episodes with several drops than PI at {load:g} %",
                rem,
                pi,
                multiple_drop_share,
            ),
            higher(
                study,
                f"REM causes more timeouts per loss episode than PI at {load:g} %",
                rem,
                pi,
                timeouts_per_episode,
            ),
            gap_removed(study, f"ECN removes most of REM's extra timeouts at {load:g} %", load, removed),
        ]
    return parts


@answered
def gap_removed(study: Study, statement: str, load: float, left_over: float) -> Part:
    """REM's excess of timeouts over PI's is with ECN less than a share of what it is without."""
    left = [
        left_over * without - ecn
        for without, ecn in zip(_excess(study, load, ecn=False), _excess(study, load, ecn=True), strict=True)
    ]
    return above(statement, mean_interval(left), unit="timeouts per thousand exchanges to spare")


def _excess(study: Study, load: float, *, ecn: bool) -> list[float]:
    rem, pi = (
        study.values(cell(scheme, TARGET, ecn=ecn), load, timeouts_per_thousand) for scheme in ("rem", "pi")
    )
    return [one - other for one, other in zip(rem, pi, strict=True)]


@le2003("L29")
def small_packets_are_spared(study: Study, *, alike: tuple[float, float]) -> list[Part]:
    """In byte mode SYNs and pure ACKs are lost less often than data; in packet mode as often."""
    parts = []
    for scheme in SCHEMES:
        for packet_class, words in (("syn", "SYNs"), ("pure_ack", "pure ACKs")):
            parts.append(_class_part(study, scheme, packet_class, words, alike))
    return parts


def _class_part(study: Study, scheme: str, packet_class: str, words: str, alike: tuple[float, float]) -> Part:
    name, load = cell(scheme, TARGET), 98.0
    if scheme == "ared":
        statement = f"under ARED (packet mode) {words} are lost about as often as data at {load:g} %"
        ratio = partial(_loss_against_data, packet_class=packet_class)
        return attempt(statement, lambda: within(statement, study.measure(name, load, ratio), *alike))
    statement = f"under {called(scheme)} (byte mode) {words} are lost less often than data at {load:g} %"
    spared = partial(_data_minus, packet_class=packet_class)
    return attempt(statement, lambda: above(statement, study.measure(name, load, spared), unit="points"))


def _data_minus(result: Recorded, *, packet_class: str) -> float:
    return class_loss_percent("data")(result) - class_loss_percent(packet_class)(result)


def _loss_against_data(result: Recorded, *, packet_class: str) -> float:
    data = class_loss_percent("data")(result)
    return class_loss_percent(packet_class)(result) / data if data > 0.0 else 1.0
