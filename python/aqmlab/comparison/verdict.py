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
from typing import TYPE_CHECKING, Any

from aqmlab.errors import MissingDataError
from aqmlab.inference import Interval
from aqmlab.statistics.catalogue import LOADED_MEDIAN
from aqmlab.statistics.datagrams import delay_ms_of
from aqmlab.statistics.experience import WORST_BADNESS, Criterion, Grade, Kind, experience, grade_of, worst
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.quantity import OfRun
from aqmlab.statistics.recorded import measured_window_s
from aqmlab.statistics.traffic import goodput_mbps_of
from aqmlab.statistics.transfers import OF_TRANSFERS
from aqmlab.statistics.video import bitrate_mbps_of, least_window_s, stalled_percent_of
from aqmlab.statistics.video_call import call_bitrate_mbps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aqmlab.comparison.comparison import Comparison
    from aqmlab.statistics.experience import Experience
    from aqmlab.statistics.quantities import Quantity
    from aqmlab.statistics.recorded import Recorded

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
        differs: Whether the application fares otherwise than with the baseline, beyond chance.
        within: The best and the worst grade that chance leaves (`grades_within`); none of what is not judged.
        may_be_worse: Whether only a bound is known, behind which lies a worse grade.
        needs_s: How long a measured window has to be to judge it, of what is not judged as it is shorter.
        visible: Without a difference beyond chance, the smallest one of the number that these seeds would
            have shown, in its unit; none where nothing says so.
    """

    group: str
    quantity: Quantity
    number: Observation
    grade: Grade | None = None
    badness: float = math.nan
    differs: bool = False
    within: tuple[Grade, Grade] | None = None
    may_be_worse: bool = False
    needs_s: float | None = None
    visible: float | None = None

    @property
    def way(self) -> str:
        """Which way of the application it is, of those that have two: `up` or `down`."""
        return way_of(self.group)

    @property
    def is_dead(self) -> bool:
        """Whether nothing of it arrives."""
        return math.isinf(self.badness)


@dataclass(frozen=True)
class Application:
    """What somebody uses."""

    name: str  # what it is called
    kind: str  # what it is: call, game, video call, cloud game, pages, video, flows, packets
    fares: Mapping[str, Fares]  # how it fares, by configuration; nothing of one that says nothing of it


def application_name(group: str) -> str:
    """What the application of a group is called: `call-up` and `call-down` are the call."""
    return _WAY.sub("", group)


def way_of(group: str) -> str:
    """Which way of its application a group is, of those that have two: `up` or `down`; else empty."""
    found = _WAY.search(group)
    return found[1] if found else ""


def verdict(found: Comparison) -> list[Application]:
    """Every application of a comparison, in the order in which people are told: what is judged is first."""
    made = [*_judged(found), *_pages(found), *_videos(found), *_flows(found), *_transfers(found)]
    made += _packets(found)
    return [_with_what_would_show(found, each) for each in made if each.fares]


def _with_what_would_show(found: Comparison, application: Application) -> Application:
    """The application with the smallest difference that would have shown, where there is none."""
    fares = {
        name: own if own.differs else replace(own, visible=_visible(found, name, own.quantity))
        for name, own in application.fares.items()
    }
    return replace(application, fares=fares)


def _visible(found: Comparison, configuration: str, quantity: Quantity) -> float | None:
    if configuration == found.baseline:
        return None
    visible = found.change(configuration, quantity).visible
    return visible if visible and math.isfinite(visible) else None


def _judged(found: Comparison) -> Iterator[Application]:
    """Calls and games, both ways together; of video calls the bit rate as well."""
    for name, groups in _by_name(found.judged_groups).items():
        kinds = {group: found.judged_groups[group] for group in groups}
        kind = next(iter(kinds.values()))
        yield _application(found, name, kind.name, kinds)
        if kind.shows_frames:
            # A line for each way: the worse one of both would hide that the other one gets worse.
            for group in groups:
                picture = {"": call_bitrate_mbps_of(f"datagrams.{group}")}
                yield _told(found, f"{name} picture {way_of(group)}".rstrip(), kind.name, picture, min)


def _by_name(groups: Mapping[str, object]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group in groups:
        found.setdefault(application_name(group), []).append(group)
    return found


def _application(found: Comparison, name: str, kind: str, kinds: Mapping[str, Kind]) -> Application:
    felt = _felt(name, kinds)
    fares = {}
    for each in found.names:
        if (own := _worst(found, each, kinds)) is not None:
            fares[each] = replace(own, differs=_differs(found, each, felt))
    return Application(name, kind, fares)


def _worst(found: Comparison, configuration: str, kinds: Mapping[str, Kind]) -> Fares | None:
    """The part that suffers most under a configuration, by the worst of its criteria.

    Where even that is good the delays are told, of which the longer one.
    """
    felt = [experience(group, kind, partial(mean_of, found, configuration)) for group, kind in kinds.items()]
    known = [each for each in felt if each is not None]
    if not known:
        return None
    suffering = max(known, key=lambda each: each.badness)
    if suffering.grade is Grade.GOOD:
        first = [each for each in known if each.kind.criteria[0] in each.values]
        told = max(
            first, key=lambda each: each.kind.criteria[0].badness(each.delay_p95_ms), default=suffering
        )
        criterion = told.kind.criteria[0] if first else _deciding(told)
    else:
        told, criterion = suffering, _deciding(suffering)
    quantity = criterion.of(f"datagrams.{told.group}")
    number = found.level(configuration, quantity).observed
    return Fares(
        told.group,
        quantity,
        number,
        suffering.grade,
        suffering.badness,
        within=grades_of_all(found, configuration, known),
        may_be_worse=_may_be_worse(criterion, number, suffering.grade),
    )


def grades_of_all(found: Comparison, configuration: str, groups: Sequence[Experience]) -> tuple[Grade, Grade]:
    """The best and the worst grade that chance leaves of groups of which the one worst off decides."""
    if any(each.is_dead for each in groups):
        return Grade.UNUSABLE, Grade.UNUSABLE
    of = [
        (criterion, criterion.of(f"datagrams.{each.group}")) for each in groups for criterion in each.values
    ]
    return grades_within(found, configuration, of, grade_of(max(each.badness for each in groups)))


def grades_within(
    found: Comparison, configuration: str, judged: Sequence[tuple[Criterion, Quantity]], own: Grade
) -> tuple[Grade, Grade]:
    """The best and the worst grade that chance leaves, by the worst of some criteria; `own` is of the means.

    Those at the ends of each interval; with too few seeds for intervals those of single seeds.
    """
    ends = [each for of in judged if (each := _ends(found, configuration, *of)) is not None]
    if not ends:
        return own, own
    grades = [own, *(grade_of(max(each[end] for each in ends)) for end in (0, 1))]
    return min(grades, key=lambda each: each.value), max(grades, key=lambda each: each.value)


def _ends(
    found: Comparison, configuration: str, criterion: Criterion, quantity: Quantity
) -> tuple[float, float] | None:
    """The least and the greatest badness that chance leaves; of what is a bound that of its better end."""
    estimate = found.level(configuration, quantity).estimate
    if isinstance(estimate, Interval):
        numbers = [estimate.lower, estimate.upper]
    else:
        values = found.values(configuration, quantity)
        better = values.upper if criterion.greater_is_better else values.lower
        numbers = [float(each) for each in better if math.isfinite(each)]
    badness = [criterion.badness(max(each, 0.0)) for each in numbers]
    return (min(badness), max(badness)) if badness else None


def _deciding(felt: Experience) -> Criterion:
    return max(felt.values, key=lambda each: each.badness(felt.values[each]))


def _may_be_worse(criterion: Criterion, number: Observation, grade: Grade) -> bool:
    """Whether what is not known of a number leaves a worse grade open."""
    end = number.lower if criterion.greater_is_better else number.upper
    return not math.isnan(end) and grade_of(criterion.badness(end)).value > grade.value


def _felt(name: str, kinds: Mapping[str, Kind]) -> OfRun:
    """How bad an application is in a run, whichever part of it is worst: what differences are taken of."""

    def badness(result: Recorded) -> float:
        felt = [experience(group, kind, lambda of: of.observed_in(result)) for group, kind in kinds.items()]
        known = [min(each.badness, WORST_BADNESS) for each in felt if each is not None]
        if not known:
            raise MissingDataError(f"nothing is known of {name}")
        return max(known)

    return OfRun(f"badness_of_{name}", "", f"badness of {name}", name, 2, badness)


def _differs(found: Comparison, configuration: str, quantity: Quantity) -> bool:
    return configuration != found.baseline and found.change(configuration, quantity).direction != 0


def _pages(found: Comparison) -> Iterator[Application]:
    if found.tells_pages:
        yield Application("pages", PAGES.name, dict(_of_one(found, "pages", PAGES, LOADED_MEDIAN)))


def _videos(found: Comparison) -> Iterator[Application]:
    """Videos: for how long they stand still, and where they hardly do, at which bit rate they are shown."""
    for name in found.viewers:
        if (needs_s := video_needs_s(found, name)) is not None:
            rate = bitrate_mbps_of(f"populations.{name}")
            too_short = {
                each: Fares(name, rate, found.level(each, rate).observed, needs_s=needs_s)
                for each in found.names
            }
            yield Application(name, VIDEO.name, too_short)
            continue
        rates = _told(found, name, VIDEO.name, {name: bitrate_mbps_of(f"populations.{name}")}, min).fares
        fares = dict(_of_one(found, name, VIDEO, stalled_percent_of(f"populations.{name}")))
        for each, own in fares.items():
            if each in rates:
                differs = own.differs or rates[each].differs
                shows_rate = own.grade is Grade.GOOD
                number = rates[each] if shows_rate else own
                fares[each] = replace(
                    own,
                    quantity=number.quantity,
                    number=number.number,
                    differs=differs,
                    may_be_worse=number.may_be_worse,
                )
        yield Application(name, VIDEO.name, fares)


def video_needs_s(found: Comparison, population: str) -> float | None:
    """How long measured windows have to be to judge a population's videos; none where they are as long."""
    runs = [run.result for each in found.runs.values() for run in each]
    needs_s = max((least_window_s(run, population) for run in runs), default=0.0)
    return needs_s if any(measured_window_s(run) < needs_s for run in runs) else None


def _of_one(found: Comparison, group: str, kind: Kind, quantity: Quantity) -> Iterator[tuple[str, Fares]]:
    (criterion,) = kind.criteria
    for name in found.names:
        number = found.level(name, quantity).observed
        if math.isnan(number.lower):
            continue
        # Of what lies between two ends the better one decides: so bad it is for certain.
        badness = criterion.badness(max(number.lower, 0.0))
        grade, differs = grade_of(badness), _differs(found, name, quantity)
        within = grades_within(found, name, [(criterion, quantity)], grade)
        open_end = _may_be_worse(criterion, number, grade)
        yield name, Fares(group, quantity, number, grade, badness, differs, within, may_be_worse=open_end)


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
    quantities: Mapping[str, OfRun],
    worse: Callable[..., Any],
) -> Application:
    """What has no grade: of several parts the number of the worse one."""
    fares = {}
    (first, *others) = quantities.values()
    both = _worse_part(name, list(quantities.values()), worse) if others else first
    for each in found.names:
        numbers = {part: found.level(each, own).observed for part, own in quantities.items()}
        known = [(part, number) for part, number in numbers.items() if not math.isnan(number.lower)]
        if known:
            part, number = worse(known, key=lambda one: one[1].lower)
            fares[each] = Fares(part, quantities[part], number, differs=_differs(found, each, both))
    return Application(name, kind, fares)


def _worse_part(name: str, quantities: Sequence[OfRun], worse: Callable[..., float]) -> OfRun:
    """The worse one of several parts in each run: what differences are taken of."""

    def number(result: Recorded) -> float:
        return worse(each.compute(result) for each in quantities)

    return OfRun(f"worse_part_of_{name}", "", f"worse part of {name}", name, 2, number)


def suffering_most(found: Comparison, kinds: Mapping[str, Kind]) -> dict[str, Experience]:
    """Under each configuration the group that suffers most; none of one without a number."""
    suffering = {}
    for name in found.names:
        felt = [experience(group, kind, partial(mean_of, found, name)) for group, kind in kinds.items()]
        if (most := worst(each for each in felt if each is not None)) is not None:
            suffering[name] = most
    return suffering


def mean_of(found: Comparison, name: str, quantity: Quantity) -> Observation:
    """Between what the mean over the runs lies; nothing where none has it."""
    values = found.values(name, quantity)
    if not values.known.any():
        return Observation.nothing()
    return Observation(*(float(each[values.known].mean()) for each in (values.lower, values.upper)))
