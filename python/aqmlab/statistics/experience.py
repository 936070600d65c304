"""How good a call or a game is: the rule, its numbers and its limits, in one place.

A group of `[[datagrams]]` is judged by what its keys say it is:

- a **video call** or a **cloud game** if its application records frames, by who looks at them
  (`adaptive_video`, `cloud_game`);
- a **game** if a word of its name is "game" or "games" (`game-up`): by size and rate its packets are like
  those of a call, and nothing else tells them apart;
- a **call** if its sources send packets of one length at a rate from 20 to 2,000 kbit/s, as speech (G.711 in
  packets: 80 kbit/s) and pictures of constant bit rate do, whatever it is called;
- else, and if it is what was sent back (`NAME-echo`, `NAME-feedback`), it is not judged.

Each kind has its criteria, each criterion limits up to which it is good, fair and poor. **The worst of its
criteria is the quality of a group**: no short delay makes up for lost words. What has a bound is judged by
its better end, and a group of which nothing arrives is worse than any other.

| | good | fair | poor | from |
| --- | --- | --- | --- | --- |
| call: delay one way, 95 % | 150 ms | 400 ms | | ITU-T G.114: most uses unaffected; not to be exceeded |
| call: loss | 1 % | 5 % | 20 % | 1 %: G.1010 (video); 20 %: R = 50 of G.107 with G.711 |
| call: MOS | 4.0 | 3.6 | 2.6 | R = 80, 70, 50: the classes of G.109 |
| game: delay one way, 95 % | 50 ms | 100 ms | 200 ms | 3GPP TS 23.203, QCI 3; Claypool 2006; G.1010 |
| game: jitter | 50 ms | 100 ms | 200 ms | 50 ms: ITU-T Y.1541, class 0; it adds to the delay |
| game: loss | 1 % | 5 % | 20 % | 5 %: Beigbeder 2004; 1 %, 20 %: as of a call |
| video call: delay of frames, 95 % | 150 ms | 400 ms | | G.114 |
| video call: picture frozen | 1 % | 5 % | 20 % | as loss: what is not seen |
| cloud game: delay of frames, 95 % | 50 ms | 100 ms | 200 ms | as the delay of a game |
| cloud game: picture frozen | 1 % | 5 % | 20 % | as of a video call |

5 % of loss leaves a call fair by G.107 (R = 75). Claypool, Claypool: Latency and player actions in online
games (CACM 49, 2006): 100 ms where a player aims. Beigbeder and others: The effects of loss and latency on
user performance in Unreal Tournament 2003 (NetGames 2004): hardly any up to 5 %. Which of these were read in
their texts, and which are cited from memory: docs/explanation/statistics.md.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from aqmlab.statistics.datagrams import (
    application_of,
    datagram_groups,
    delay_ms_of,
    delay_variation_ms_of,
    goodput_kbps_of_datagrams,
    loss_percent_of_datagrams,
)
from aqmlab.statistics.video_call import call_frame_delay_ms_of, call_frozen_percent_of
from aqmlab.statistics.voice import voice_mos_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from aqmlab.statistics.observation import Observation
    from aqmlab.statistics.quantity import OfRun
    from aqmlab.statistics.recorded import Recorded

LEAST_MBPS, MOST_MBPS = 0.02, 2.0
"""Bit rates of a source that may be a call."""
_GAME = frozenset({"game", "games"})


class Grade(Enum):
    """How good it is; the value is the place, from the best."""

    GOOD = 0
    FAIR = 1
    POOR = 2
    UNUSABLE = 3

    @property
    def word(self) -> str:
        """As sentences say it."""
        return self.name.lower()


WORST_BADNESS = 5.0
"""The badness of what is dead, where badness is averaged or compared: worse than the worst that arrives."""


def grade_of(badness: float) -> Grade:
    """The grade of a badness: up to 1 good, to 2 fair, to 3 poor, above unusable."""
    return Grade(math.ceil(min(max(badness - 1.0, 0.0), len(Grade) - 1.0)))


@dataclass(frozen=True)
class Criterion:
    """A number by which a group is judged."""

    of: Callable[[str], OfRun]  # the quantity of a group, as `datagrams.NAME`
    best: float  # the best that there is
    # up to where it is good, fair, poor; falling for what is better if it is greater
    limits: tuple[float, float, float]
    worst: float  # the worst that there is, or no end

    @property
    def greater_is_better(self) -> bool:
        """Whether a greater number is a better one."""
        return self.best > self.limits[0]

    def badness(self, value: float) -> float:
        """How bad a value is: 0 to 1 good, to 2 fair, to 3 poor, to 4, the worst, unusable."""
        edges = (self.best, *self.limits)
        for place, (low, high) in enumerate(pairwise(edges)):
            if value >= high if self.greater_is_better else value <= high:
                return place + (value - low) / (high - low) if high != low else float(place)
        last = edges[-1]
        if math.isinf(self.worst):
            return len(self.limits) + 1.0 - last / value
        return len(self.limits) + (value - last) / (self.worst - last)


@dataclass(frozen=True)
class Kind:
    """What a group is."""

    name: str  # a call, a game, a video call
    criteria: tuple[Criterion, ...]  # what it is judged by
    shows_frames: bool = False


_LOSS = (0.0, (1.0, 5.0, 20.0), 100.0)
_OF_SPEECH = (0.0, (150.0, 400.0, 400.0), math.inf)
_OF_PLAYERS = (0.0, (50.0, 100.0, 200.0), math.inf)
CALL = Kind(
    "call",
    (
        Criterion(delay_ms_of(95), *_OF_SPEECH),
        Criterion(loss_percent_of_datagrams, *_LOSS),
        Criterion(voice_mos_of, 4.5, (4.0, 3.6, 2.6), 1.0),
    ),
)
GAME = Kind(
    "game",
    (
        Criterion(delay_ms_of(95), *_OF_PLAYERS),
        Criterion(delay_variation_ms_of, *_OF_PLAYERS),
        Criterion(loss_percent_of_datagrams, *_LOSS),
    ),
)
VIDEO_CALL = Kind(
    "video call",
    (
        Criterion(call_frame_delay_ms_of(95), *_OF_SPEECH),
        Criterion(call_frozen_percent_of, *_LOSS),
    ),
    shows_frames=True,
)
CLOUD_GAME = Kind(
    "cloud game",
    (
        Criterion(call_frame_delay_ms_of(95), *_OF_PLAYERS),
        Criterion(call_frozen_percent_of, *_LOSS),
    ),
    shows_frames=True,
)
_BY_VIEWERS: Mapping[str, Kind] = {"talking": VIDEO_CALL, "playing": CLOUD_GAME}
"""What records frames, by who looks at them."""
PACKETS = Kind(
    "packets", (Criterion(delay_ms_of(95), *_OF_SPEECH), Criterion(loss_percent_of_datagrams, *_LOSS))
)
"""What is not judged: its delay and loss say of which packets most is to be told, and no grade is."""

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (CALL, VIDEO_CALL, GAME, CLOUD_GAME)}
"""What is judged, by name."""


def kind_of(group: Mapping[str, Any]) -> Kind | None:
    """What a group of `[[datagrams]]` is, by its keys; none of those that are not judged."""
    application = application_of(group)
    if application is not None and application.viewers is not None:
        return _BY_VIEWERS[application.viewers]
    if _GAME & set(re.split(r"[^a-z]+", str(group.get("name", "")).lower())):
        return GAME
    rate_mbps = group.get("rate_mbps")
    return CALL if rate_mbps is not None and LEAST_MBPS <= float(rate_mbps) <= MOST_MBPS else None


def judged_groups(result: Recorded) -> dict[str, Kind]:
    """The groups of datagrams of a run that are judged, in its order, with what each is."""
    present = set(datagram_groups(result))
    groups = result.run["scenario"].get("datagrams", ())
    kinds = {str(each["name"]): kind_of(each) for each in groups if each.get("name") in present}
    return {name: kind for name, kind in kinds.items() if kind is not None}


@dataclass(frozen=True)
class Experience:
    """How good a group is."""

    group: str
    kind: Kind  # what it is
    values: Mapping[Criterion, float]  # the number of each criterion that is known, or its bound
    badness: float  # that of the worst criterion: 0 to 1 good, to 2 fair, to 3 poor, above unusable
    is_dead: bool = False  # whether nothing of it arrives

    @property
    def grade(self) -> Grade:
        """The quality of the group."""
        return grade_of(self.badness)

    @property
    def delay_p95_ms(self) -> float:
        """The delay it is judged by, 95 % one way, of packets or frames: each kind's first; else NaN."""
        return self.values.get(self.kind.criteria[0], math.nan)


def experience(group: str, kind: Kind, observed: Callable[[OfRun], Observation]) -> Experience | None:
    """How good a group is by the worst of its criteria; none where no criterion has a number.

    Of a number that lies between two ends the better one decides: so bad it is for certain.
    """
    part = f"datagrams.{group}"
    found = {each: observed(each.of(part)) for each in kind.criteria}
    ends = {each: seen.upper if each.greater_is_better else seen.lower for each, seen in found.items()}
    values = {each: end for each, end in ends.items() if not math.isnan(end)}
    if not values:
        return None
    is_dead = observed(goodput_kbps_of_datagrams(part)).upper == 0.0
    badness = max(each.badness(value) for each, value in values.items())
    return Experience(group, kind, values, math.inf if is_dead else badness, is_dead)


def worst(found: Iterable[Experience]) -> Experience | None:
    """The group that suffers most; the first of equal ones."""
    return max(found, key=lambda each: (each.badness, each.is_dead), default=None)
