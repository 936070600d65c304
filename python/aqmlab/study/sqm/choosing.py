"""Which way to set up a line is best for those behind it, and what it costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from aqmlab.comparison.verdict import PAGES, mean_of, suffering_most
from aqmlab.presets.line import AS_IT_IS
from aqmlab.statistics.catalogue import LOADED_MEDIAN
from aqmlab.statistics.experience import grade_of
from aqmlab.statistics.traffic import goodput_mbps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.statistics.experience import Experience, Grade
    from aqmlab.study.sqm.candidates import Candidate

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
    """

    candidate: Candidate
    felt: Experience | None
    page_s: float
    goodput_mbps: dict[str, float]
    shapers_mbps: dict[str, tuple[float, float, float]]

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
        )
        for each in tried
    ]


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
