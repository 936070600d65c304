"""Section 4, figure 7: the length of a FIFO queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.claims.christiansen2000.cells import LONG_S, SHORT_S, christiansen2000, fifo
from aqmlab.claims.christiansen2000.degrees import (
    little_difference,
    much_better,
    no_slower,
    no_worse,
    slightly_better,
    slower,
)

if TYPE_CHECKING:
    from aqmlab.claims.outcome import Part
    from aqmlab.study import Study

REASONABLE = (120, 190)
OTHERS = (30, 240)


@christiansen2000("C04")
def queue_length(study: Study) -> list[Part]:
    """Little effect at 80 %, a trade-off at 98 %, and 120 to 190 packets in the middle."""
    return [*_at_80(study), *_at_90(study), *_at_98(study), *_reasonable(study), *_at_110(study)]


def _at_80(study: Study) -> list[Part]:
    return [
        little_difference(
            study, f"at 80 % FIFO 30 and {packets} differ little", (fifo(30), 80.0), (fifo(packets), 80.0)
        )
        for packets in (120, 240)
    ]


def _at_90(study: Study) -> list[Part]:
    return [
        no_worse(
            study,
            f"at 90 % FIFO 120 is a reasonable choice: not worse than {packets}",
            (fifo(120), 90.0),
            (fifo(packets), 90.0),
        )
        for packets in (30, 190, 240)
    ]


def _at_98(study: Study) -> list[Part]:
    short, middle = (fifo(30), 98.0), (fifo(120), 98.0)
    parts = [
        slightly_better(
            study,
            "at 98 % from 30 to 120 packets short responses (up to 350 ms) lose slightly",
            short,
            middle,
            between_s=SHORT_S,
        ),
        much_better(
            study,
            "at 98 % from 30 to 120 packets long responses (beyond 1 s) gain much",
            middle,
            short,
            between_s=LONG_S,
        ),
    ]
    return parts + [
        no_slower(
            study,
            f"at 98 % {packets} packets gain nothing more: 120 is as good overall",
            middle,
            (fifo(packets), 98.0),
        )
        for packets in (190, 240)
    ]


def _reasonable(study: Study) -> list[Part]:
    """The text says overall: short and long responses together."""
    return [
        no_slower(
            study,
            f"at {load:g} % FIFO {packets} is as good overall as {other}",
            (fifo(packets), load),
            (fifo(other), load),
        )
        for load in (80.0, 90.0, 98.0)
        for packets in REASONABLE
        for other in OTHERS
        if (load, packets, other) != (98.0, 120, 240)  # said above
    ]


def _at_110(study: Study) -> list[Part]:
    return [
        slower(
            study, f"at 110 % FIFO {packets} is worse than 120", (fifo(packets), 110.0), (fifo(120), 110.0)
        )
        for packets in (190, 240)
    ]
