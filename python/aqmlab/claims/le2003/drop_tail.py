"""Sections 4, figures 5 to 7: the length of a drop-tail queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.claims.evidence import answered, better, crossing, equivalent, positive
from aqmlab.claims.le2003.cells import UNCONGESTED, le2003
from aqmlab.statistics import mean_interval

if TYPE_CHECKING:
    from aqmlab.claims.outcome import Part
    from aqmlab.study import Cell, Study

HALF_SECOND = 0.5
NEAR_HALF_SECOND = (0.25, 1.0)
"""What counts as near 0.5 s: within a factor of two."""
FLAT_S = 0.3
"""Length of the stretches before and after 1 s that are compared."""


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
def drop_tail_at_90_percent(study: Study) -> list[Part]:
    """Short queues serve short responses better, the long one long responses."""
    long_queue = (_fifo(2400), 90.0)
    parts = []
    for packets in (24, 240):
        short_queue = (_fifo(packets), 90.0)
        parts += [
            better(
                study,
                f"drop-tail {packets} beats 2400 below 0.5 s",
                short_queue,
                long_queue,
                between_s=(0.0, HALF_SECOND),
            ),
            better(
                study,
                f"drop-tail 2400 beats {packets} above 0.5 s",
                long_queue,
                short_queue,
                between_s=(HALF_SECOND, 2.0),
            ),
            crossing(
                study,
                f"the curves of {packets} and 2400 cross within a factor of two of 0.5 s",
                short_queue,
                long_queue,
                between_s=NEAR_HALF_SECOND,
            ),
        ]
    return parts


@le2003("L07")
def drop_tail_at_98_percent(study: Study) -> list[Part]:
    """240 beats 2,400, and timeouts of at least a second leave a flat stretch before 1 s."""
    parts = [better(study, "drop-tail 240 beats 2400 at 98 %", (_fifo(240), 98.0), (_fifo(2400), 98.0))]
    return parts + [
        flat_before_one_second(
            study, f"the curve of drop-tail {packets} is flat before 1 s", (_fifo(packets), 98.0)
        )
        for packets in (24, 240)
    ]


@answered
def flat_before_one_second(study: Study, statement: str, cell: Cell) -> Part:
    """More responses complete in the 0.3 s after one second than in the 0.3 s before it."""
    gains = []
    for times in study.times(*cell):
        before, at, after = times.cdf([1.0 - FLAT_S, 1.0, 1.0 + FLAT_S])
        gains.append(100.0 * float((after - at) - (at - before)))
    return positive(statement, mean_interval(gains), unit="points more in 1.0 to 1.3 s than in 0.7 to 1.0 s")
