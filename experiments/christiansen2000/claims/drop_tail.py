"""Section 4, figure 7: the length of a FIFO queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from aqmlab.experiments.christiansen2000.claims.cells import christiansen2000, fifo
from aqmlab.reproduce.claims.curves import little_difference, much_better, no_worse, slightly_better
from aqmlab.reproduce.claims.numbers import no_slower, slower

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Study

Range: TypeAlias = "tuple[float, float]"

REASONABLE = (120, 190)
OTHERS = (30, 240)


@christiansen2000("C04")
def queue_length(
    study: Study, *, short_s: Range, long_s: Range, little: float, much: float, slack_s: float
) -> list[Part]:
    """Little effect at 80 %, a trade-off at 98 %, and 120 to 190 packets in the middle."""
    return [
        *_at_80(study, little),
        *_at_90(study, little),
        *_at_98(study, short_s, long_s, much),
        *_gain_nothing_more(study, slack_s),
        *_reasonable(study, slack_s),
        *_at_110(study),
    ]


def _at_80(study: Study, little: float) -> list[Part]:
    return [
        little_difference(
            study,
            f"at 80 % FIFO 30 and {packets} differ little",
            (fifo(30), 80.0),
            (fifo(packets), 80.0),
            margin=little,
        )
        for packets in (120, 240)
    ]


def _at_90(study: Study, little: float) -> list[Part]:
    return [
        no_worse(
            study,
            f"at 90 % FIFO 120 is a reasonable choice: not worse than {packets}",
            (fifo(120), 90.0),
            (fifo(packets), 90.0),
            margin=little,
        )
        for packets in (30, 190, 240)
    ]


def _at_98(study: Study, short_s: Range, long_s: Range, much: float) -> list[Part]:
    short, middle = (fifo(30), 98.0), (fifo(120), 98.0)
    return [
        slightly_better(
            study,
            "at 98 % from 30 to 120 packets short responses (up to 350 ms) lose slightly",
            short,
            middle,
            between_s=short_s,
            margin=much,
        ),
        much_better(
            study,
            "at 98 % from 30 to 120 packets long responses (beyond 1 s) gain much",
            middle,
            short,
            between_s=long_s,
            margin=much,
        ),
    ]


def _gain_nothing_more(study: Study, slack_s: float) -> list[Part]:
    return [
        no_slower(
            study,
            f"at 98 % {packets} packets gain nothing more: 120 is as good overall",
            (fifo(120), 98.0),
            (fifo(packets), 98.0),
            slack_s=slack_s,
        )
        for packets in (190, 240)
    ]


def _reasonable(study: Study, slack_s: float) -> list[Part]:
    """The text says overall: short and long responses together."""
    return [
        no_slower(
            study,
            f"at {load:g} % FIFO {packets} is as good overall as {other}",
            (fifo(packets), load),
            (fifo(other), load),
            slack_s=slack_s,
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
