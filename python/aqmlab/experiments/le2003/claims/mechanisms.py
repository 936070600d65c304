"""Section 6: why the schemes differ, seen in TCP's own events and in who loses packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import with_ecn
from aqmlab.papers.claims.checks import above, above_zero, within
from aqmlab.statistics.quantities import class_loss_percent, timeouts_per_thousand

if TYPE_CHECKING:
    from aqmlab.papers.claims import Answer
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded


def ecn_removes_extra_timeouts(study: Study, a: Cell, b: Cell, *, left_over: float) -> Answer:
    """The excess of timeouts of `a` over those of `b` is with ECN less than a share of what it is without."""
    excess = zip(_excess(study, a, b), _excess(study, with_ecn(a), with_ecn(b)), strict=True)
    to_spare = [left_over * without - ecn for without, ecn in excess]
    return above_zero(to_spare, unit="timeouts per thousand exchanges to spare")


def _excess(study: Study, a: Cell, b: Cell) -> list[float]:
    ours, theirs = (study.values(*cell, timeouts_per_thousand) for cell in (a, b))
    return [one - other for one, other in zip(ours, theirs, strict=True)]


def spared(study: Study, a: Cell, *, packet_class: str) -> Answer:
    """Packets of a class are lost less often than data."""

    def difference(result: Recorded) -> float:
        return class_loss_percent("data")(result) - class_loss_percent(packet_class)(result)

    return above(study, a, of=difference, unit="points")


def lost_like_data(study: Study, a: Cell, *, packet_class: str, bounds: tuple[float, float]) -> Answer:
    """The loss of packets of a class, divided by that of data, lies between the bounds."""

    def ratio(result: Recorded) -> float:
        data = class_loss_percent("data")(result)
        return class_loss_percent(packet_class)(result) / data if data > 0.0 else 1.0

    return within(study, a, of=ratio, bounds=bounds)
