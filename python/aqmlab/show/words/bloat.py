"""What a full line does to everybody, in a sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.show.words.amounts import delay, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.study.bloat import QueueUnderLoad


def not_filled_in_words(rows: Sequence[QueueUnderLoad]) -> list[str]:
    """Why there is no grade: loads that did not fill the line, such as one with a very long round trip."""
    return [
        f"{row.name}: no grade, since {phase}s kept the line busy {loaded.busy_percent[way]:.3g} % of the "
        "time: it was not full."
        for row in rows
        if row.grade is None
        for phase in row.not_filled
        for loaded in [row.phases[phase]]
        for way in loaded.goodput_mbps
    ]


def added_in_words(rows: Sequence[QueueUnderLoad]) -> str:
    """What the worse of downloads and uploads adds on the line as it is, and under each other queue."""
    own, *others = rows
    idle, *full = own.phases
    worst = max(full, key=own.added_ms)
    if math.isinf(own.added_ms(worst)):
        return "Half of the round trips on this line, or more, are lost."
    load = {"download": "downloads fill", "upload": "uploads fill"}.get(worst, "downloads and uploads fill")
    said = f"While {load} this line, every round trip takes {delay(own.added_ms(worst))} longer than on the"
    under = listed([f"{_longer(row.added_ms(worst))} with {row.name}" for row in others])
    return f"{said} {idle} line{f'; {under}' if others else ''}."


def _longer(added_ms: float) -> str:
    return "half of them lost" if math.isinf(added_ms) else delay(added_ms)
