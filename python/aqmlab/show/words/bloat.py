"""What a full line does to everybody, in a sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.show.words.amounts import bit_rate, delay, listed
from aqmlab.show.words.configurations import under
from aqmlab.study.bloat.phases import LOADED, Phase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.study.bloat import QueueUnderLoad

_LOADS = {
    Phase.DOWNLOAD: "downloads",
    Phase.UPLOAD: "uploads",
    Phase.BOTH: "downloads and uploads",
}
_MOST = 0.5
"""Less than this of its own rate is worth a sentence."""


def not_filled_in_words(rows: Sequence[QueueUnderLoad]) -> list[str]:
    """Why there is no grade: loads that did not fill the line, such as one with a very long round trip."""
    return [
        f"No grade {under(row.name)}: {_LOADS[phase]} kept the line busy only {busy:.3g} % of the time."
        for row in rows
        if row.grade is None
        for phase in row.not_filled
        for loaded in [row.phases[phase]]
        for busy in [max(loaded.busy_percent[way] for way in loaded.goodput_mbps)]
    ]


def collapsed_in_words(rows: Sequence[QueueUnderLoad]) -> list[str]:
    """What becomes of downloads beside uploads, and of uploads beside downloads, where most of it is lost."""
    found = []
    for way, alone, other in (("down", Phase.DOWNLOAD, "uploads"), ("up", Phase.UPLOAD, "downloads")):
        rates = {
            row.name: [row.phases[each].goodput_mbps[way] for each in (alone, Phase.BOTH)] for row in rows
        }
        fallen = [
            f"from {bit_rate(own).partition(' ')[0]} to {bit_rate(beside)} {under(name)}"
            for name, (own, beside) in rates.items()
            if beside < _MOST * own
        ]
        if fallen:
            found.append(f"While {other} run, {_LOADS[alone]} fall {listed(fallen)}.")
    return found


def added_in_words(rows: Sequence[QueueUnderLoad]) -> str:
    """What the worse of downloads and uploads adds on the line as it is, and under each other queue."""
    own, *others = rows
    worst = max(LOADED, key=own.added_ms)
    if math.isinf(own.added_ms(worst)):
        return "At least half of the round trips on this line are lost."
    longer = delay(own.added_ms(worst))
    said = (
        f"While {_LOADS[worst]} fill this line, every round trip takes {longer} longer than on an idle line"
    )
    for_others = listed([f"{_longer(row.added_ms(worst))} {under(row.name)}" for row in others])
    return f"{said}{f'; {for_others}' if others else ''}."


def _longer(added_ms: float) -> str:
    return "half of them lost" if math.isinf(added_ms) else delay(added_ms)
