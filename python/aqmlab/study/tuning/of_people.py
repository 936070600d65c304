"""Objectives of people: the call, the game or the meeting that is worst off, and whoever suffers most.

Several groups of a kind, as both ways of a call, count by the worse one. Where nothing of a group arrives its
number is the bad end of its scale; of a delay that is the measured window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.statistics.datagrams import (
    delay_ms_of,
    delay_variation_ms_of,
    goodput_kbps_of_datagrams,
    loss_percent_of_datagrams,
)
from aqmlab.statistics.experience import (
    CALL,
    CLOUD_GAME,
    GAME,
    KINDS,
    VIDEO_CALL,
    WORST_BADNESS,
    experience,
    kind_of,
)
from aqmlab.statistics.recorded import measured_window_s
from aqmlab.statistics.video_call import call_frame_delay_ms_of, call_frozen_percent_of
from aqmlab.statistics.voice import voice_mos_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aqmlab.statistics.experience import Kind
    from aqmlab.statistics.quantity import OfRun
    from aqmlab.statistics.recorded import Recorded

BEST_MOS = 4.5
"""The best mean opinion score of the E-model: what a call falls short of it by is a cost."""


@dataclass(frozen=True)
class OfPeople:
    """A number of the groups of one kind, or how bad it is for whoever suffers most.

    Attributes:
        kinds: Whose number it is.
        of: The number of a group; none where all criteria decide.
        unit: Of its cost.
        worst: The bad end of its scale; none of a delay, which the window bounds.
    """

    kinds: tuple[Kind, ...]
    of: Callable[[str], OfRun] | None
    unit: str
    worst: float | None = None

    @property
    def figure(self) -> str:
        """What tables call the cost."""
        if self.of is None:
            return "badness_of_the_worst_off"
        return f"worst_{self.kinds[0].name.replace(' ', '_')}_{self.of('datagrams.NAME').base}"

    def groups_in(self, resolved: Mapping[str, Any]) -> dict[str, Kind]:
        """The groups of a scenario that it is of."""
        kinds = {str(group["name"]): kind_of(group) for group in resolved.get("datagrams", ())}
        return {name: kind for name, kind in kinds.items() if kind in self.kinds}

    def cost(self, result: Recorded) -> float | None:
        """The cost of a run, of the group that is worst off; none where nothing is known of any."""
        costs = [
            self._badness(result, name, kind) if self.of is None else self._number(result, name, self.of)
            for name, kind in self.groups_in(result.run["scenario"]).items()
        ]
        return max((cost for cost in costs if not math.isnan(cost)), default=None)

    def _badness(self, result: Recorded, name: str, kind: Kind) -> float:
        felt = experience(name, kind, lambda quantity: quantity.observed_in(result))
        return math.nan if felt is None else min(felt.badness, WORST_BADNESS)

    def _number(self, result: Recorded, name: str, of: Callable[[str], OfRun]) -> float:
        part = f"datagrams.{name}"
        is_score = of is voice_mos_of
        worst = 1e3 * measured_window_s(result) if self.worst is None else self.worst
        seen = of(part).observed_in(result)
        number = seen.upper if is_score else seen.lower
        if goodput_kbps_of_datagrams(part).observed_in(result).upper == 0.0:
            number = worst
        return BEST_MOS - number if is_score else min(number, worst)


_MOS = OfPeople((CALL,), voice_mos_of, f"MOS below {BEST_MOS:g}", worst=1.0)
OF_PEOPLE: Mapping[str, OfPeople] = {
    "call-delay-p95": OfPeople((CALL,), delay_ms_of(95), "ms"),
    "call-loss": OfPeople((CALL,), loss_percent_of_datagrams, "%", worst=100.0),
    "mos": _MOS,
    "game-delay-p95": OfPeople((GAME,), delay_ms_of(95), "ms"),
    "game-jitter": OfPeople((GAME,), delay_variation_ms_of, "ms"),
    "game-loss": OfPeople((GAME,), loss_percent_of_datagrams, "%", worst=100.0),
    "meeting-delay-p95": OfPeople((VIDEO_CALL,), call_frame_delay_ms_of(95), "ms"),
    "meeting-frozen": OfPeople((VIDEO_CALL,), call_frozen_percent_of, "%", worst=100.0),
    "cloud-game-delay-p95": OfPeople((CLOUD_GAME,), call_frame_delay_ms_of(95), "ms"),
    "worst-off": OfPeople(tuple(KINDS.values()), None, "badness"),
}
"""What is sought for people, by the name of the objective."""
