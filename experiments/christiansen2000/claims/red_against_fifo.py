"""Section 6, figure 15: RED and FIFO, each with the parameters that the study selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.christiansen2000.claims.cells import RECOMMENDED, TUNED_FOR_98, christiansen2000, fifo
from aqmlab.reproduce.claims.answers import attempt
from aqmlab.reproduce.claims.curves import better, little_difference, time_of_share

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Study

SELECTED = (120, 190)
"""Section 4 selects 120 to 190 packets; figure 15 does not say which it draws."""


@christiansen2000("C13")
def red_against_fifo(study: Study, *, shorter: float, little: float) -> list[Part]:
    """About equal at 90 and 110 %; at 98 % tuned RED is better for the shorter 80 % of responses."""
    parts = [
        little_difference(
            study,
            f"at {load:g} % RED 30/90 and FIFO {packets} differ little",
            (RECOMMENDED, load),
            (fifo(packets), load),
            margin=little,
        )
        for load in (90.0, 110.0)
        for packets in SELECTED
    ]
    return parts + [_shorter(study, packets, shorter) for packets in SELECTED]


def _shorter(study: Study, packets: int, share: float) -> Part:
    said = f"at 98 % tuned RED beats FIFO {packets} for the shorter {100 * share:g} % of responses"

    def ask() -> Part:
        slower = (fifo(packets), 98.0)
        # The figure ends at 2 s: where fewer than 80 % are complete by then, all of it is shorter ones.
        until_s = min(2.0, time_of_share(study, slower, share))
        return better(study, said, (TUNED_FOR_98, 98.0), slower, between_s=(0.0, until_s))

    return attempt(said, ask)
