"""Configurations compared with a baseline, replication by replication.

All are run with the same seeds. With common random numbers the same users ask for the same pages, so the
difference of a pair is what the queue did. Every difference is the configuration less the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from aqmlab import arguments, shown
from aqmlab.comparison.change import Change, Inference, Level, Values
from aqmlab.comparison.comparability import Decides, Difference, listed
from aqmlab.comparison.curve import CurveDifference
from aqmlab.comparison.early_reading import EarlyReading
from aqmlab.comparison.link_queues import LinkQueue, buffers_in_words, default_cautions, queues_of
from aqmlab.comparison.page_ratio import MatchedPages, PageRatio
from aqmlab.comparison.pairing import differing, paired, require_population, same_links
from aqmlab.comparison.pooled_pages import PooledPages, carry, change_of
from aqmlab.comparison.run_warnings import warnings_in_words, warnings_of_scenario
from aqmlab.errors import ComparisonError, TooLittleDataError, UnknownQuantityError
from aqmlab.files.columns import to_numpy
from aqmlab.inference import MINIMUM_REPLICATIONS
from aqmlab.inference.replication import replications_for
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.scenario import clouds_of
from aqmlab.statistics.catalogue import (
    LOADED_MEDIAN,
    LOADED_P95,
    OF_PEOPLE,
    OF_THE_LINK,
    flow_groups,
    shown_of,
)
from aqmlab.statistics.datagrams import datagram_groups, echo_groups, feedback_groups
from aqmlab.statistics.experience import judged_groups
from aqmlab.statistics.observation import Bound
from aqmlab.statistics.pages import Pages
from aqmlab.statistics.quantities import Measured, OfPages, by_name
from aqmlab.statistics.recorded import SAID, judged_links, measured_window_s, viewers
from aqmlab.statistics.tidy import Tidy, as_pandas, require_known_part, tidy_table
from aqmlab.statistics.transfers import transfer_groups
from aqmlab.statistics.video_call import editions, video_call_groups
from aqmlab.terminal.spelling import counted, quoted
from aqmlab.traffic_control import DISCIPLINES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import TypeGuard

    import pandas as pd
    import pyarrow as pa
    from matplotlib.axes import Axes

    from aqmlab.comparison.verdict import Application
    from aqmlab.result import Result
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.experience import Kind
    from aqmlab.statistics.quantities import Quantity

CONFIDENCE = 0.95
_FLOATS = {"float", "double"}
_SLOW_SHARE = 0.9
"""From this share on a quantile of page load times is one of slow pages, which few runs hold."""


@dataclass(frozen=True, eq=False)
class Comparison(Tidy):
    """Configurations by name, run with the same seeds; differences are from the first, the baseline.

    Attributes:
        names: Their names, the baseline first.
        seeds: The replications, in order.
        links: The judged links.
        runs: The runs of each configuration, in the order of the seeds.
        first_stage: The first seeds that decided the number of seeds; 0 if it was fixed.
        differing: For each configuration, the settings that differ from the baseline.
        folder: The folder that its runs were made in; none if it is of results at hand.
        unfinished: What an interrupted comparison lacks, in a sentence; empty if it lacks nothing.
    """

    names: tuple[str, ...]
    seeds: tuple[int, ...]
    links: tuple[str, ...]
    runs: Mapping[str, Sequence[Measured]] = field(repr=False)
    first_stage: int = 0
    differing: Mapping[str, Sequence[Difference]] = field(default_factory=dict, repr=False)
    folder: Path | None = field(default=None, repr=False)
    unfinished: str = field(default="", repr=False)
    _population: str | None = field(default=None, repr=False)
    _values: dict[tuple[str, str], Values] = field(default_factory=dict, repr=False)
    _levels: dict[tuple[str, str], Level] = field(default_factory=dict, repr=False)
    _changes: dict[tuple[str, str, str], Change] = field(default_factory=dict, repr=False)
    _matched: dict[tuple[str, str], list[MatchedPages]] = field(default_factory=dict, repr=False)
    _pooled: dict[str, PooledPages] = field(default_factory=dict, repr=False)

    @classmethod
    @arguments.checked(ComparisonError, baseline=arguments.optional(arguments.text))
    def of(
        cls,
        results: Mapping[str, Sequence[Recorded]],
        *,
        baseline: str | None = None,
        links: Sequence[str] = (),
        population: str | None = None,
        same_users: bool = True,
        first_stage: int = 0,
        unfinished: str = "",
    ) -> Comparison:
        """Compares the results of several configurations.

        Args:
            results: Of each configuration its results, one for each seed, in any order.
            baseline: The baseline configuration of the differences; by default the first.
            links: The judged links; by default those that carry data.
            population: The population whose response times are compared; by default all together.
            same_users: Whether different users on one side are an error; only a comparison of loads turns
                this off.
            first_stage: How many of the seeds decided how many there are (`seeds_for`); 0: no figure did.
            unfinished: What an interrupted comparison lacks, in a sentence.

        Raises:
            ComparisonError: There is no such baseline, or seeds, versions, users, what is measured or links
                that carry data differ from those of the baseline.
            UnknownLinkError: A link is not monitored.
            MissingDataError: None is chosen, and none carries data.
        """
        reading = EarlyReading(links, population=population)
        return compared(
            results,
            reading,
            baseline=baseline,
            same_users=same_users,
            first_stage=first_stage,
            unfinished=unfinished,
        )

    # ------------------------------------------------------------------------------------- what was compared

    @property
    def baseline(self) -> str:
        """The baseline configuration of the differences."""
        return self.names[0]

    @property
    def shortest_window_s(self) -> float:
        """Length of the shortest measured window in seconds; `end_after` ends each run at its own instant."""
        return min(self._windows_s)

    @property
    def longest_window_s(self) -> float:
        """Length of the longest measured window in seconds."""
        return max(self._windows_s)

    @cached_property
    def _windows_s(self) -> list[float]:
        return [measured_window_s(run.result) for runs in self.runs.values() for run in runs]

    @arguments.checked(ComparisonError, baseline=arguments.text)
    def against(self, baseline: str) -> Comparison:
        """The same comparison with another baseline.

        Raises:
            ComparisonError: There is no such configuration.
        """
        self._known(baseline)
        names = (baseline, *(name for name in self.names if name != baseline))
        runs = {name: self.runs[name] for name in names}
        pairs = {name: self._pairs(name, baseline) for name in names}
        differ = {name: differing(each) for name, each in pairs.items()}
        return replace(self, names=names, runs=runs, differing=differ)

    def _pairs(self, name: str, baseline: str) -> list[tuple[Recorded, Recorded]]:
        sides = zip(self.runs[name], self.runs[baseline], strict=True)
        return [(own.result, other.result) for own, other in sides]

    def beyond_the_queue(self, name: str) -> list[Difference]:
        """The settings of a configuration that differ from the baseline, except those of queues."""
        return [each for each in self.differing.get(name, ()) if each.decides is not Decides.QUEUE]

    def queues_in_words(self) -> list[str]:
        """The differing queue settings of each configuration whose name does not show them."""
        of_queue = {
            name: [each for each in found if each.decides is Decides.QUEUE]
            for name, found in self.differing.items()
            if not {name, name.partition(":")[0]} & {each.after for each in found}
            and name.partition(" ")[0] not in DISCIPLINES
        }
        return [f"{spelt(name)} has {listed(found)}." for name, found in of_queue.items() if found]

    def cautions(self) -> list[str]:
        """Whether runs are lacking, and for each configuration its differences besides the queue."""
        return [self.unfinished] * bool(self.unfinished) + [
            f"Not only the queue differs between {spelt(name)} and {spelt(self.baseline)}: {listed(found)}."
            for name in self.names
            if (found := self.beyond_the_queue(name))
        ]

    def buffers_in_words(self) -> list[str]:
        """The buffer of each configuration, if the buffers differ."""
        return buffers_in_words(self._queues())

    def default_cautions(self) -> list[str]:
        """For each configuration, the default parameters that were chosen for another link."""
        return default_cautions(self._queues())

    def warnings(self) -> list[str]:
        """The runs' warnings, once per configuration, except those on the timing of live runs."""
        return warnings_in_words(
            {
                name: [_without_timing(run.result.run["warnings"]) for run in runs]
                for name, runs in self.runs.items()
            }
        )

    def warnings_of_settings(self) -> list[str]:
        """Warnings about settings: default parameters for another link, and problems known before any run.

        Warnings on queues of links that are not judged are left out.
        """
        if not self.runs:
            return []
        others = {str(link["name"]) for link in self._first.run["links"]} - set(self.links)
        of_scenarios = warnings_in_words(
            {
                name: [warnings_of_scenario(runs[0].result.run["scenario"], besides=others)]
                for name, runs in self.runs.items()
            }
        )
        return [*self.default_cautions(), *of_scenarios]

    def _queues(self) -> dict[str, list[LinkQueue]]:
        """The queues of the judged links, of each configuration; none of a router that shapes nothing."""
        return {name: self._queues_of(runs[0].result) for name, runs in self.runs.items()}

    def _queues_of(self, result: Recorded) -> list[LinkQueue]:
        scenario, links = result.run["scenario"], result.run["links"]
        wires = {link["name"] for link in links if not link["carries_data"]} if scenario.get("line") else ()
        return queues_of(scenario, [link for link in self.links if link not in wires])

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The compared quantities: of people, calls and games, flows, links."""
        return shown_of(self._first, self.links)

    @property
    def of_people(self) -> tuple[Quantity, Quantity]:
        """What people notice: the median and the 95th percentile of page load times."""
        return OF_PEOPLE

    @property
    def of_the_link(self) -> tuple[Quantity, Quantity]:
        """Utilization and loss of the judged links."""
        return OF_THE_LINK

    @property
    def tells_pages(self) -> bool:
        """Whether any run of any configuration has pages."""
        return any(self.values(name, LOADED_MEDIAN).known.any() for name in self.names)

    @property
    def browsing_users(self) -> int:
        """How many users browse under the baseline; connections of clouds are no users."""
        if not self.runs or "page_histogram" not in self._first.tables:
            return 0
        no_readers = {*clouds_of(self._first.run["scenario"]), *viewers(self._first)}
        populations = self._first.run["populations"]
        return sum(int(each["users"]) for each in populations if each["name"] not in no_readers)

    def rates_mbps(self, link: str) -> list[float]:
        """The rates of a judged link in Mbit/s, each once; of links whose rate varies, the means."""
        found = {
            float(each["rate_mbps"]): None
            for runs in self.runs.values()
            for each in judged_links(runs[0].result, [link])
        }
        return list(found)

    @property
    def datagram_groups(self) -> list[str]:
        """The groups of UDP sources, such as calls and games."""
        return datagram_groups(self._first) if self.runs else []

    @property
    def echo_groups(self) -> list[str]:
        """Those of what was sent back, whose delays are round trips."""
        return echo_groups(self._first) if self.runs else []

    @property
    def video_call_groups(self) -> list[str]:
        """Those whose frames were recorded: video calls, cloud games."""
        return video_call_groups(self._first) if self.runs else []

    @property
    def video_call_editions(self) -> list[str]:
        """The texts of congestion control that these follow, of all configurations."""
        return list(dict.fromkeys(each for runs in self.runs.values() for each in editions(runs[0].result)))

    @property
    def feedback_groups(self) -> list[str]:
        """Those of the reports of receivers of video calls."""
        return feedback_groups(self._first) if self.runs else []

    @property
    def judged_groups(self) -> dict[str, Kind]:
        """The calls and games, with what each is (`aqmlab.statistics.experience`)."""
        return judged_groups(self._first) if self.runs else {}

    @property
    def judges_anybody(self) -> bool:
        """Whether there are calls, games, pages or videos, which have grades."""
        return bool(self.judged_groups or self.viewers or self.tells_pages)

    @property
    def viewers(self) -> list[str]:
        """The populations that watch videos."""
        return viewers(self._first) if self.runs else []

    @property
    def flow_groups(self) -> list[str]:
        """The groups of flows that never end."""
        return list(flow_groups(self._first)) if self.runs else []

    @property
    def transfer_groups(self) -> list[str]:
        """The groups of flows with a size."""
        return transfer_groups(self._first) if self.runs else []

    @property
    def _first(self) -> Recorded:
        return self.runs[self.baseline][0].result

    # ------------------------------------------------------------------------------------- numbers

    @property
    def results(self) -> dict[str, list[Result]]:
        """The results of each configuration, in the order of the seeds."""
        # What was handed over, which users make with `aqmlab.run` or read from folders.
        return {name: [cast("Result", run.result) for run in runs] for name, runs in self.runs.items()}

    def _known(self, name: str) -> str:
        if name not in self.names:
            raise ComparisonError.not_among("configuration", name, self.names)
        return name

    def values(self, name: str, quantity: Quantity | str) -> Values:
        """A quantity of one configuration, by itself or its name, replication by replication.

        Raises:
            ComparisonError: There is no such configuration.
            UnknownQuantityError: No quantity has this name, or no run the group that it is of.
        """
        quantity = by_name(quantity)
        key = name, quantity.name
        if key not in self._values:
            require_known_part(quantity, (run.result for runs in self.runs.values() for run in runs))
            runs = self.runs[self._known(name)]
            self._values[key] = Values.observed(run.observation(quantity) for run in runs)
        return self._values[key]

    @arguments.checked(ComparisonError, name=arguments.text)
    def level(self, name: str, quantity: Quantity | str) -> Level:
        """The mean of a quantity over the replications that have it."""
        quantity = by_name(quantity)
        key = name, quantity.name
        if key not in self._levels:
            how = self._how(CONFIDENCE, self._known(name), quantity=quantity)
            self._levels[key] = (
                self._pages_of(self._known(name)).level(quantity.share, how)
                if self._is_pooled(quantity)
                else Level.of(self.values(name, quantity), how)
            )
        return self._levels[key]

    @arguments.checked(ComparisonError, name=arguments.text)
    def change(self, name: str, quantity: Quantity | str) -> Change:
        """What a configuration changes: its own value less the baseline's, seed by seed."""
        quantity = by_name(quantity)
        key = self.baseline, name, quantity.name
        if key not in self._changes:
            sides = self.baseline, self._known(name)
            how = self._how(self.confidence_of_each, *sides, quantity=quantity)
            if self._runs_as_the_baseline(name):
                self._changes[key] = Change.of_the_same(quantity, self.level(self.baseline, quantity), how)
            elif self._is_pooled(quantity):
                before, after = map(self._pages_of, sides)
                self._changes[key] = change_of(quantity, before, after, how)
            else:
                old, new = (self.values(each, quantity) for each in sides)
                self._changes[key] = Change.of(quantity, old, new, how)
        return self._changes[key]

    def _runs_as_the_baseline(self, name: str) -> bool:
        """Whether all runs of a configuration are the baseline's, to the last digit."""
        if name == self.baseline or not self.runs:
            return name == self.baseline
        return all(_is_same_run(own, other) for own, other in self._pairs(name, self.baseline))

    def _how(self, confidence: float, *names: str, quantity: Quantity | None = None) -> Inference:
        on_logarithms = quantity is not None and quantity.on_logarithms
        identical = all(self._identical.get(name, False) for name in names)
        return Inference(confidence, self.first_stage, on_logarithms, identical)

    @property
    def nothing_is_random(self) -> bool:
        """Whether all seeds give the same run, under every configuration."""
        return bool(self._identical) and all(self._identical.values())

    @cached_property
    def _identical(self) -> dict[str, bool]:
        """Of each configuration whether the runs of all seeds are one and the same."""
        return {
            name: len(runs) > 1 and all(_is_same_run(runs[0].result, each.result) for each in runs[1:])
            for name, runs in self.runs.items()
        }

    @property
    def slow_pages(self) -> str:
        """What the 95th percentile of page load times is called: of too few pages the slowest one."""
        return "95 % of the pages" if self._is_pooled(LOADED_P95) else "the slowest page"

    @property
    def slow_pages_are_carried(self) -> bool:
        """Whether the pages of all seeds are enough for their 95th percentile, under every configuration."""
        return self._is_pooled(LOADED_P95)

    def pages_in_all(self, name: str) -> float:
        """How many followed pages the runs of a configuration have together."""
        return self._pages_of(self._known(name)).together.pages

    def runs_with_open_pages(self, name: str) -> int:
        """In how many runs of a configuration followed pages had not loaded at the end."""
        return sum(each.unfinished > 0 for each in self._pages_of(self._known(name)).of_seeds)

    def _is_pooled(self, quantity: Quantity) -> TypeGuard[OfPages]:
        """Whether it is taken over the pages of all seeds: a quantile of slow pages that they carry."""
        if not isinstance(quantity, OfPages) or quantity.pages is not Pages.FOLLOWED or not self.tells_pages:
            return False
        if not self.runs:
            return False
        share = quantity.share
        pages = [self._pages_of(name).together.pages for name in self.names]
        return share >= _SLOW_SHARE and all(carry(each, share) for each in pages if each)

    def _pages_of(self, name: str) -> PooledPages:
        """The followed pages of one configuration, over all seeds."""
        if name not in self._pooled:
            self._pooled[name] = PooledPages.of([run.followed_pages for run in self.runs[name]])
        return self._pooled[name]

    def page_ratio(self, name: str) -> PageRatio:
        """How many times as long the same page takes as with the baseline.

        No page is matched where users differ, or where a run kept no rows of pages.
        """
        key = self.baseline, self._known(name)
        if key not in self._matched:
            self._matched[key] = self._match(name)
        return PageRatio.of(self._matched[key], self._how(self.confidence_of_each, *key))

    def _match(self, name: str) -> list[MatchedPages]:
        if any(each.decides is Decides.USERS for each in self.differing.get(name, ())):
            return []
        pairs = self._pairs(name, self.baseline) if self.runs else []
        return [MatchedPages.of(own, other, population=self._population) for own, other in pairs]

    @property
    def confidence_of_each(self) -> float:
        """Of each difference, so that all statements on pages hold together (Bonferroni).

        Of each configuration they tell how much sooner half of the pages and 95 % load, and the ratio of
        matched pages.
        """
        return 1.0 - (1.0 - CONFIDENCE) / max(1, (len(self.names) - 1) * (len(OF_PEOPLE) + 1))

    def curve(self, name: str) -> CurveDifference:
        """Response times compared with the baseline's: the whole curve, and a verdict.

        Raises:
            ComparisonError: In some run no exchange ended.
            MissingDataError: A run recorded no response times.
        """
        sides = [[run.times for run in self.runs[self._known(each)]] for each in (name, self.baseline)]
        for side, each in zip(sides, (name, self.baseline), strict=True):
            for seed, times in zip(self.seeds, side, strict=True):
                if times.ended == 0:
                    raise ComparisonError(
                        f"{each}, seed {seed}: no exchange ended in the measured window; "
                        "legal: runs with users and a window that some of their responses fall into"
                    )
        return CurveDifference.of((name, self.baseline), *sides)

    def seeds_for(self, width_s: float) -> int:
        """Seeds that make the interval of each median page load difference this narrow.

        Args:
            width_s: From the lower bound of the interval to the upper one, in seconds.

        Raises:
            TooLittleDataError: There are too few seeds to say, or in some run too few pages ended.
        """
        if len(self.seeds) < MINIMUM_REPLICATIONS:
            raise TooLittleDataError(
                f"{counted(len(self.seeds), 'seed')} are too few to estimate the number of seeds; legal: "
                f"{MINIMUM_REPLICATIONS} or more"
            )
        wanted = []
        for name in self.names[1:]:
            before, after = (self.values(each, LOADED_MEDIAN) for each in (self.baseline, name))
            logarithms = [np.log(each.values) for each in (before, after)]
            if not np.isfinite(logarithms).all():
                raise TooLittleDataError("in some run too few pages ended for a median load time")
            # At the level that the configuration has, an interval of the ratio from -h to h about its
            # logarithm is 2 sinh(h) levels wide.
            level_s = math.exp(float(logarithms[1].mean()))
            width = 2.0 * math.asinh(width_s / (2.0 * level_s))
            difference = logarithms[1] - logarithms[0]
            wanted.append(replications_for(difference, width, confidence=self.confidence_of_each))
        return max(wanted)

    # ------------------------------------------------------------------------------------- for people

    def sentences(self) -> list[str]:
        """The effects on people, in sentences."""
        return shown.sentences(self)

    def verdict(self) -> list[Application]:
        """How each application fares under each configuration: a grade and the number that decides."""
        from aqmlab.comparison.verdict import verdict  # noqa: PLC0415 (which stands on comparisons)

        return verdict(self)

    def details(self) -> str:
        """Every number with its interval, as text."""
        return shown.details(self)

    @arguments.checked(ComparisonError, file=arguments.path)
    def report(self, file: str | Path, *, title: str = "") -> Path:
        """Writes the report, one HTML page that needs no network; returns its path.

        Args:
            file: Where to write it.
            title: What stands at its top; by default the name of the first scenario.
        """
        from pathlib import Path  # noqa: PLC0415

        from aqmlab.files.folders import write_whole  # noqa: PLC0415

        return write_whole(Path(file), shown.report(self, title=title))

    def plot(self, name: str | None = None, axes: Axes | None = None) -> Axes:
        """Draws the difference of response times of a configuration (or the second) from the first."""
        return self.curve(name or self.names[-1 if len(self.names) == 1 else 1]).plot(axes)

    def to_pandas(self, quantities: Sequence[Quantity | str] | None = None) -> pd.DataFrame:
        """A tidy data frame: one row per configuration, seed and quantity, with value and unit.

        Where a run has only one bound of a value, the value is infinite and the bound is in `at_least` or
        `at_most`; between two bounds it is missing, and both stand there.
        """
        return as_pandas(self.to_arrow(quantities))

    @arguments.checked(UnknownQuantityError)
    def to_arrow(self, quantities: Sequence[Quantity | str] | None = None) -> pa.Table:
        """The same as an Arrow table.

        Args:
            quantities: Quantities by name; by default those that are compared.

        Raises:
            UnknownQuantityError: No quantity has one of the names, or no run the group that it is of.
        """
        wanted = self.quantities if quantities is None else [by_name(each) for each in quantities]
        return tidy_table(self.names, self.seeds, wanted, lambda name, each: self.values(name, each).each)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the verdict, levels and differences of all available quantities."""
        return {
            **shown.facts(self),
            "baseline": self.baseline,
            "seeds": list(self.seeds),
            "shortest_window_s": self.shortest_window_s,
            "longest_window_s": self.longest_window_s,
            "links": list(self.links),
            "configurations": {name: self._numbers(name) for name in self.names},
        }

    def _numbers(self, name: str) -> dict[str, Any]:
        settings = self.differing.get(name, ())
        told = {each.key: {"baseline": each.before, "own": each.after} for each in settings}
        numbers: dict[str, Any] = {"differing": told}
        for quantity in self.quantities:
            level = self.level(name, quantity)
            if level.have:
                numbers[quantity.name] = {"level": _level(level)}
                if name != self.baseline:
                    change = self.change(name, quantity)
                    difference = change.difference.to_dict()
                    difference |= {"mean": None} if change.is_between else {}
                    numbers[quantity.name]["difference"] = _plain(difference)
        if name != self.baseline and (ratio := self.page_ratio(name)).pages:
            numbers["page_time_ratio"] = _plain(ratio.to_dict())
        return numbers

    def __repr__(self) -> str:
        seeds = counted(len(self.seeds), "seed")
        return f"Comparison({', '.join(self.names)}; {seeds}; differences from {self.baseline})"

    def __str__(self) -> str:
        return shown.text(self)

    def _repr_html_(self) -> str:
        """What notebooks show: what happens to people in words, then levels and differences."""
        return shown.html(self)


def compared(
    results: Mapping[str, Sequence[Recorded]],
    reading: EarlyReading,
    *,
    baseline: str | None = None,
    same_users: bool = True,
    first_stage: int = 0,
    unfinished: str = "",
) -> Comparison:
    """The results of several configurations, as far as they were read already (`Comparison.of`)."""
    if not isinstance(results, Mapping) or not results:
        raise ComparisonError(f"a dict of lists of results, by name, not {quoted(results)}")
    base = next(iter(results)) if baseline is None else baseline
    if base not in results:
        raise ComparisonError.not_among("configuration", base, results)
    in_order = {base: results[base], **results}
    pairs = {
        name: paired(each, results[base], names=(name, base), same_users=same_users)
        for name, each in in_order.items()
    }
    judged = same_links([pair for each in pairs.values() for pair in each], reading.links)
    require_population(reading.population, results[base][0])
    measured = {name: [reading.of(run, judged) for run, _ in each] for name, each in pairs.items()}
    return Comparison(
        tuple(in_order),
        tuple(int(run.result.run["seed"]) for run in measured[base]),
        judged,
        measured,
        first_stage,
        {name: differing(each) for name, each in pairs.items()},
        unfinished=unfinished,
        _population=reading.population,
    )


def _level(level: Level) -> dict[str, Any]:
    """A level as plain data; a mean that is a bound is no mean, and stands under what it is."""
    numbers = _plain(level.estimate.to_dict())
    if level.bound is Bound.EXACT:
        return numbers
    known = level.observed
    ends = {"at_least": known.lower, "at_most": known.upper}
    return {**numbers, "mean": None, **{end: each for end, each in ends.items() if math.isfinite(each)}}


def _plain(numbers: dict[str, Any]) -> dict[str, Any]:
    """Without infinities, which JSON has none of, and without the mean where one end alone is known."""
    if any(isinstance(value, float) and math.isinf(value) for value in numbers.values()):
        numbers = {**numbers, "mean": None}
    return {
        key: None if isinstance(value, float) and not np.isfinite(value) else value
        for key, value in numbers.items()
    }


def _is_same_run(one: Recorded, other: Recorded) -> bool:
    """Whether two runs of other seeds measured the same to the last digit."""
    summaries = (
        [each.run.get(key) for key in ("links", "populations", "flows", "tcp")] for each in (one, other)
    )
    first, second = summaries
    return first == second and all(
        name in other.tables and _are_same_rows(rows, other.tables[name]) for name, rows in one.tables.items()
    )


def _are_same_rows(one: pa.Table, other: pa.Table) -> bool:
    """Whether two tables hold the same; what is not a number is the same as what is none either."""
    if one.equals(other):
        return True
    if one.schema != other.schema or one.num_rows != other.num_rows:
        return False
    columns = zip(one.columns, other.columns, strict=True)
    return all(
        own.equals(others)
        or (str(own.type) in _FLOATS and np.array_equal(to_numpy(own), to_numpy(others), equal_nan=True))
        for own, others in columns
    )


def _without_timing(warnings: Sequence[str]) -> list[str]:
    return [each for each in warnings if not each.startswith(SAID)]
