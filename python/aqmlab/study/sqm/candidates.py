"""What is tried on a line, what it does to those behind it, and which set-up of it is best for them.

Tried are queue disciplines in the router, each at several shares of the line's rate. Where the rate varies,
also CAKE behind shapers that follow it by cake-autorate's rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from aqmlab.comparison.verdict import PAGES, grades_of_all, grades_within, mean_of, suffering_most
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.load.queue_place import PLACES, ROUTER_LINKS, at_fixed_rates
from aqmlab.load.queues import Queues, placed
from aqmlab.presets.line import AS_IT_IS
from aqmlab.statistics.catalogue import LOADED_MEDIAN
from aqmlab.statistics.experience import grade_of
from aqmlab.statistics.traffic import goodput_mbps_of
from aqmlab.study.sqm.typed import RouterShaper, router_shapers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.scenario import Scenario
    from aqmlab.statistics.experience import Experience, Grade

PROVIDER_COULD = "PIE at the provider's and in the modem"
"""What nobody can type who does not own these boxes, to compare with."""
FOLLOWING = ((0.5, 1.0), (0.8, 1.5))
"""Base and highest rate of shapers that follow the line, as shares of its mean: careful, and bold. From its
README: the base is what the line nearly always carries, the maximum near the most that it does."""
_LEAST_FOLLOWING = 0.25
_VARYING = (
    "rates_vary", "medium_down", "medium_up", "rate_down_trace_file", "rate_up_trace_file", "conditions_file",
    "reconfigurations",
)  # fmt: skip
_ISOLATION = {"down": "dual_destination", "up": "dual_source"}
"""Fair between the devices of the home, which receive what comes down and send what goes up."""
_PRINTED = ("tins", "wash", "ack_filter", "ingress")


@dataclass(frozen=True)
class Candidate:
    """A way to set up a line.

    Attributes:
        name: Such as `CAKE at 95 % in your router`.
        scenario: The scenario with it.
        scheme: The queue discipline in the router; empty where there is nothing to type.
        share: The share of the line's rate that is left to it; where the shapers follow the line, at first.
        follows: Whether the shapers follow the line.
    """

    name: str
    scenario: Scenario
    scheme: str = ""
    share: float = 1.0
    follows: bool = False

    @property
    def shapers(self) -> tuple[RouterShaper, ...]:
        """What the router holds, both ways."""
        return router_shapers(self.scenario)


def candidates(own: Scenario, schemes: Sequence[str], shares: Sequence[float]) -> list[Candidate]:
    """The line as it is, what its provider could do, and each scheme at each share in the router."""
    of_provider = placed(own, "pie", PLACES["line"], None)
    in_router = [
        Candidate(
            f"{spelt(scheme)} at {100 * share:g} % in your router",
            _in_router(own, scheme, share),
            scheme,
            share,
        )
        for scheme in schemes
        for share in shares
    ]
    following = [_following(own, *each) for each in FOLLOWING] if varies(own) and "cake" in schemes else []
    return [Candidate(AS_IT_IS, own), Candidate(PROVIDER_COULD, of_provider), *in_router, *following]


def varies(scenario: Scenario) -> bool:
    """Whether the rate of a line varies."""
    line = scenario.resolved["line"]
    return any(line.get(key) for key in _VARYING)


def _following(own: Scenario, base: float, most: float) -> Candidate:
    """CAKE behind shapers that follow the line, whose limits are whole kbit/s as they can be typed."""
    fixed = _in_router(own, "cake", base)
    shaped = PLACES["router"].at(at_fixed_rates(own), base)
    rates = [base_mbps / base for base_mbps, *_ in shaped.core.shapers().values()]
    # One share for both ways: that of the slower one, whose kbit/s are the coarser.
    shares = {
        key: math.floor(share * min(rates) * 1e3 + 1e-6) / 1e3 / min(rates)
        for key, share in (("minimum_share", _LEAST_FOLLOWING), ("maximum_share", most))
    }
    follows = {"measures": "one-way", **shares}
    name = f"CAKE that follows the line, from {100 * base:g} % up to {100 * most:g} %"
    return Candidate(name, fixed.with_overrides({"line.cake_autorate": follows}), "cake", base, follows=True)


def _in_router(own: Scenario, scheme: str, share: float) -> Scenario:
    """The router with a scheme behind shapers of whole kbit/s, as they can be typed."""
    shaped = PLACES["router"].at(at_fixed_rates(own), share)
    rounded: dict[str, Any] = {}
    for link, (rate_mbps, *_) in shaped.core.shapers().items():
        way = link.removeprefix("router-")
        whole = math.floor(rate_mbps * 1e3 + 1e-6) / 1e3
        rounded[f"line.shaped_share_{way}"] = share * whole / rate_mbps
        # A table of its own, with those parameters of the scenario's queue that are printed.
        given = own.resolved["line"][f"router_queue_{way}"]
        kept = {key: given[key] for key in _PRINTED if given["scheme"] == "cake" and key in given}
        of_cake = {"scheme": "cake", "isolation": _ISOLATION[way], **kept}
        rounded[f"line.router_queue_{way}"] = of_cake if scheme == "cake" else {"scheme": "fq-codel"}
    held = shaped.with_overrides(rounded)
    return held if scheme == "cake" else Queues.of(held, ROUTER_LINKS).with_scheme(held, scheme)


NEARLY = 0.15
"""So much of a grade two candidates may differ and count as equally good: then what costs less is better."""


@dataclass(frozen=True)
class Judged:
    """A candidate with what it does to people.

    Attributes:
        candidate: The candidate.
        felt: How good the call or game is that suffers most; none without calls and games.
        page_s: The median page load time in seconds; NaN without pages.
        goodput_mbps: What long-lived flows carry, by group.
        shapers_mbps: Of shapers that follow the line, by way: the mean, the lowest and the highest rate.
        within: The best and the worst grade that chance leaves whoever suffers most; none without a grade.
    """

    candidate: Candidate
    felt: Experience | None
    page_s: float
    goodput_mbps: dict[str, float]
    shapers_mbps: dict[str, tuple[float, float, float]]
    within: tuple[Grade, Grade] | None = None

    @property
    def badness(self) -> float:
        """How bad it is for whoever suffers most: up to 1 good, to 2 fair, to 3 poor, above unusable.

        Where nobody calls or plays pages decide; without these nothing does.
        """
        if self.felt is not None:
            return self.felt.badness
        return 0.0 if math.isnan(self.page_s) else PAGES.criteria[0].badness(self.page_s)

    @property
    def share(self) -> float:
        """The share of the line's rate that is left to it: of shapers that follow, on average."""
        line = self.candidate.scenario.resolved["line"]
        means = [mean / line[f"{way}_mbps"] for way, (mean, *_) in self.shapers_mbps.items()]
        return min([*means, 1.0]) if means else self.candidate.share

    @property
    def grade(self) -> Grade:
        """The same as a grade."""
        return grade_of(self.badness) if self.felt is None else self.felt.grade


def judged(found: Comparison, tried: Sequence[Candidate]) -> list[Judged]:
    """What each candidate does to people, means over the seeds."""
    suffering = suffering_most(found, found.judged_groups)
    return [
        Judged(
            each,
            suffering.get(each.name),
            mean_of(found, each.name, LOADED_MEDIAN).upper if found.browsing_users else math.nan,
            {
                group: mean_of(found, each.name, goodput_mbps_of(f"flows.{group}")).lower
                for group in found.flow_groups
            },
            _shapers_mbps(found, each.name) if each.follows else {},
            _within(found, each.name, suffering.get(each.name)),
        )
        for each in tried
    ]


def _within(found: Comparison, name: str, felt: Experience | None) -> tuple[Grade, Grade] | None:
    """The best and the worst grade that chance leaves the group that suffers most, or the pages."""
    if felt is not None:
        return grades_of_all(found, name, [felt])
    page_s = mean_of(found, name, LOADED_MEDIAN).upper if found.browsing_users else math.nan
    if math.isnan(page_s):
        return None
    (criterion,) = PAGES.criteria
    return grades_within(found, name, [(criterion, LOADED_MEDIAN)], grade_of(criterion.badness(page_s)))


def _shapers_mbps(found: Comparison, name: str) -> dict[str, tuple[float, float, float]]:
    """What the shapers were set to in all runs of a configuration."""
    runs = [shaper for run in found.runs[name] for shaper in run.result.run["shapers"]]
    ways = {way: [shaper for shaper in runs if shaper["link"] == f"router-{way}"] for way in ("down", "up")}
    return {
        way: (
            fmean(shaper["mean_mbps"] for shaper in own),
            min(shaper["minimum_mbps"] for shaper in own),
            max(shaper["maximum_mbps"] for shaper in own),
        )
        for way, own in ways.items()
    }


def best(rows: Sequence[Judged]) -> Judged:
    """The row to recommend: of those that can be typed, and the line as it is.

    Whoever suffers most decides. Of rows under which even that is good, or that differ by little in it, the
    one that leaves the line most of its rate; of these the one with the least badness. The line as it is
    stays where it is as good as any.
    """
    own = next(row for row in rows if row.candidate.name == AS_IT_IS)
    in_router = [row for row in rows if row.candidate.scheme]
    least = min((row.badness for row in in_router), default=math.inf)
    enough = max(1.0, least + NEARLY)
    if own.badness <= enough:
        return own
    as_good = [row for row in in_router if row.badness <= enough]
    return min(as_good, key=lambda row: (-row.share, row.badness))
