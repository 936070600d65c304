"""Sections 4, figures 5 to 7: the length of a drop-tail queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import UNCONGESTED, le2003
from aqmlab.reproduce.claims.answers import answered
from aqmlab.reproduce.claims.curves import better, crossing, equivalent
from aqmlab.reproduce.claims.numbers import above
from aqmlab.statistics import mean_interval

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Cell, Study


def _fifo(packets: int) -> str:
    return f"drop-tail-{packets}"


@le2003("L05")
def drop_tail_at_80_percent(study: Study) -> list[Part]:
    """All three queues are indistinguishable from the uncongested network."""
    return [
        equivalent(
            study,
            f"drop-tail {packets} equals the uncongested network at 80 %",
            (_fifo(packets), 80.0),
            (UNCONGESTED, 80.0),
        )
        for packets in (24, 240, 2400)
    ]


@le2003("L06")
def drop_tail_at_90_percent(study: Study, *, split_s: float, near_s: tuple[float, float]) -> list[Part]:
    """Short queues serve short responses better, the long one long responses."""
    long_queue = (_fifo(2400), 90.0)
    parts = []
    for packets in (24, 240):
        short_queue = (_fifo(packets), 90.0)
        parts += [
            better(
                study,
                f"drop-tail {packets} beats 2400 below {split_s:g} s",
                short_queue,
                long_queue,
                between_s=(0.0, split_s),
            ),
            better(
                study,
                f"drop-tail 2400 beats {packets} above {split_s:g} s",
                long_queue,
                short_queue,
                between_s=(split_s, 2.0),
            ),
            crossing(
                study,
                f"the curves of {packets} and 2400 cross within a factor of two of {split_s:g} s",
                short_queue,
                long_queue,
                between_s=near_s,
            ),
        ]
    return parts


@le2003("L07")
def drop_tail_at_98_percent(study: Study, *, flat_s: float) -> list[Part]:
    """240 beats 2,400, and timeouts of at least a second leave a flat stretch before 1 s."""
    parts = [better(study, "drop-tail 240 beats 2400 at 98 %", (_fifo(240), 98.0), (_fifo(2400), 98.0))]
    return parts + [
        flat_before_one_second(
            study, f"the curve of drop-tail {packets} is flat before 1 s", (_fifo(packets), 98.0), flat_s
        )
        for packets in (24, 240)
    ]


@answered
def flat_before_one_second(study: Study, statement: str, cell: Cell, flat_s: float) -> Part:
    """More responses complete in a stretch after one second than in the stretch before it."""
    gains = []
    for times in study.times(*cell):
        before, at, after = times.cdf([1.0 - flat_s, 1.0, 1.0 + flat_s])
        gains.append(100.0 * float((after - at) - (at - before)))
    unit = f"points more in 1.0 to {1.0 + flat_s:g} s than in {1.0 - flat_s:g} to 1.0 s"
    return above(statement, mean_interval(gains), unit=unit)
