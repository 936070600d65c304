"""The verdict of a comparison: how each application fares under each configuration, in a word and a number.

An application is what somebody uses: both ways of a call together, of which the worse one is told; pages,
videos, downloads and uploads. What is judged has a grade (`aqmlab.statistics.experience`); of the others the
number is told alone.

| | good | fair | poor | from |
| --- | --- | --- | --- | --- |
| half of the pages load in | 2.5 s | 4 s | 10 s | Web Vitals (largest contentful paint); 10 s: Nielsen 1993 |
| a video stands still | 1 % | 5 % | 20 % | 1 %: Krishnan, Sitaraman 2012; as a frozen picture |

Web Vitals are of the largest object and of three visits in four; here they are applied to whole pages and
half of them. Nielsen, *Usability Engineering* (1993): after 10 s attention is lost. Krishnan and Sitaraman
(IMC 2012): viewers to whom a video stands still for 1 % of its length watch 5 % less of it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.comparison.suffering import mean_of
from aqmlab.statistics.catalogue import LOADED_MEDIAN
from aqmlab.statistics.datagrams import delay_ms_of
from aqmlab.statistics.experience import Criterion, Grade, Kind, experience
from aqmlab.statistics.traffic import goodput_mbps_of
from aqmlab.statistics.transfers import OF_TRANSFERS
from aqmlab.statistics.video import bitrate_mbps_of, stalled_percent_of
from aqmlab.statistics.video_call import call_bitrate_mbps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aqmlab.comparison.comparison import Comparison
    from aqmlab.statistics.observation import Observation
    from aqmlab.statistics.quantities import Quantity

PAGES = Kind("pages", (Criterion(lambda _: LOADED_MEDIAN, 0.0, (2.5, 4.0, 10.0), math.inf),))  # type: ignore[arg-type,return-value]
VIDEO = Kind("video", (Criterion(stalled_percent_of, 0.0, (1.0, 5.0, 20.0), 100.0),))
"""What is judged beside calls and games."""

_WAY = re.compile(r"-(up|down)$")


@dataclass(frozen=True)
class Fares:
    """How an application fares under a configuration.

    Attributes:
        group: Its part that is told, of several the one that suffers most.
        quantity: The number that decides.
        number: What is known of its mean over the runs.
        grade: The grade; none of what is not judged.
        badness: How bad it is, where it is judged (`Criterion.badness`); infinite where nothing arrives.
        differs: Whether the number differs from the baseline's, beyond chance.
    """

    group: str
    quantity: Quantity
    number: Observation
    grade: Grade | None = None
    badness: float = math.nan
    differs: bool = False

    @property
    def way(self) -> str:
        """Which way of the application it is, of those that have two: `up` or `down`."""
        found = _WAY.search(self.group)
        return found[1] if found else ""

    @property
    def is_dead(self) -> bool:
        """Whether nothing of it arrives."""
        return math.isinf(self.badness)


@dataclass(frozen=True)
class Application:
    """What somebody uses.

    Attributes:
        name: What it is called.
        kind: What it is: call, game, video call, cloud game, pages, video, flows, packets.
        fares: How it fares, by configuration; nothing of one that says nothing of it.
    """

    name: str
    kind: str
    fares: Mapping[str, Fares]


def verdict(found: Comparison) -> list[Application]:
    """Every application of a comparison, in the order in which people are told: what is judged is first."""
    made = [*_judged(found), *_pages(found), *_videos(found), *_flows(found), *_transfers(found)]
    made += _packets(found)
    return [each for each in made if each.fares]


def _judged(found: Comparison) -> Iterator[Application]:
    """Calls and games, both ways together; of video calls the bit rate as well."""
    for name, groups in _by_name(found.judged_groups).items():
        kinds = {group: found.judged_groups[group] for group in groups}
        kind = next(iter(kinds.values()))
        yield _application(found, name, kind.name, kinds)
        if kind.shows_frames:
            pictures = [call_bitrate_mbps_of(f"datagrams.{group}") for group in groups]
            yield _told(found, f"{name}, picture", kind.name, dict(zip(groups, pictures, strict=True)), min)


def _by_name(groups: Mapping[str, object]) -> dict[str, list[str]]:
    """Groups by what their application is called: `call-up` and `call-down` are the call."""
    found: dict[str, list[str]] = {}
    for group in groups:
        found.setdefault(_WAY.sub("", group), []).append(group)
    return found


def _application(found: Comparison, name: str, kind: str, kinds: Mapping[str, Kind]) -> Application:
    fares = {each: own for each in found.names if (own := _worst(found, each, kinds)) is not None}
    return Application(name, kind, fares)


def _worst(found: Comparison, configuration: str, kinds: Mapping[str, Kind]) -> Fares | None:
    """The part that suffers most under a configuration, by the worst of its criteria."""
    suffering: Fares | None = None
    for group, kind in kinds.items():
        felt = experience(group, kind, partial(mean_of, found, configuration))
        if felt is None or (suffering is not None and felt.badness <= suffering.badness):
            continue
        # Of what is good the first criterion is told, which is the delay.
        first = felt.grade is Grade.GOOD and kind.criteria[0] in felt.values
        worst = max(felt.values, key=lambda each: each.badness(felt.values[each]))
        worst = kind.criteria[0] if first else worst
        quantity = worst.of(f"datagrams.{group}")
        number = found.level(configuration, quantity).observed
        differs = _differs(found, configuration, quantity)
        suffering = Fares(group, quantity, number, felt.grade, felt.badness, differs)
    return suffering


def _differs(found: Comparison, configuration: str, quantity: Quantity) -> bool:
    return configuration != found.baseline and found.change(configuration, quantity).direction != 0


def _pages(found: Comparison) -> Iterator[Application]:
    if found.tells_pages:
        yield Application("pages", PAGES.name, dict(_of_one(found, "pages", PAGES, LOADED_MEDIAN)))


def _videos(found: Comparison) -> Iterator[Application]:
    """Videos: for how long they stand still, and where they hardly do, at which bit rate they are shown."""
    for name in found.viewers:
        rates = _told(found, name, VIDEO.name, {name: bitrate_mbps_of(f"populations.{name}")}, min).fares
        fares = dict(_of_one(found, name, VIDEO, stalled_percent_of(f"populations.{name}")))
        for each, own in fares.items():
            if own.grade is Grade.GOOD and each in rates:
                fares[each] = replace(rates[each], grade=own.grade, badness=own.badness)
        yield Application(name, VIDEO.name, fares)


def _of_one(found: Comparison, group: str, kind: Kind, quantity: Quantity) -> Iterator[tuple[str, Fares]]:
    (criterion,) = kind.criteria
    for name in found.names:
        number = found.level(name, quantity).observed
        if math.isnan(number.lower):
            continue
        # Of what lies between two ends the better one decides: so bad it is for certain.
        badness = criterion.badness(max(number.lower, 0.0))
        grade = Grade(math.ceil(min(max(badness - 1.0, 0.0), len(Grade) - 1.0)))
        yield name, Fares(group, quantity, number, grade, badness, _differs(found, name, quantity))


def _flows(found: Comparison) -> Iterator[Application]:
    for group in found.flow_groups:
        yield _told(found, group, "flows", {group: goodput_mbps_of(f"flows.{group}")}, min)


def _transfers(found: Comparison) -> Iterator[Application]:
    """Transfers of a size: within which time half of them are done."""
    for group in found.transfer_groups:
        made = OF_TRANSFERS["completion_p50_s"](f"flows.{group}")
        yield _told(found, group, "transfers", {group: made}, max)


def _packets(found: Comparison) -> Iterator[Application]:
    """What is neither judged nor a report of what is."""
    apart = {*found.judged_groups, *found.feedback_groups}
    groups = {group: None for group in found.datagram_groups if group not in apart}
    for name, parts in _by_name(groups).items():
        delays = {part: delay_ms_of(95)(f"datagrams.{part}") for part in parts}
        yield _told(found, name, "packets", delays, max)


def _told(
    found: Comparison,
    name: str,
    kind: str,
    quantities: Mapping[str, Quantity],
    worse: Callable[..., tuple[str, Observation]],
) -> Application:
    """What has no grade: of several parts the number of the worse one."""
    fares = {}
    for each in found.names:
        numbers = {part: found.level(each, own).observed for part, own in quantities.items()}
        known = [(part, number) for part, number in numbers.items() if not math.isnan(number.lower)]
        if known:
            part, number = worse(known, key=lambda one: one[1].lower)
            fares[each] = Fares(
                part, quantities[part], number, differs=_differs(found, each, quantities[part])
            )
    return Application(name, kind, fares)
