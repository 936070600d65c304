"""Several configurations of one link beside each other: levels, and what each changes against the first.

All are run with the same seeds, and with common random numbers the same users ask for the same pages, so
that differences are taken replication by replication. Levels and differences stand side by side: a difference
alone says neither whether it matters nor from where it starts.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.comparison import ComparisonError, paired, same_links
from aqmlab.errors import ResultError
from aqmlab.files.folders import write_whole
from aqmlab.files.reading import read_json
from aqmlab.files.shape import NUMBER, SEED, ListOf, Table, conform
from aqmlab.result import Result
from aqmlab.statistics import (
    MINIMUM_REPLICATIONS,
    Interval,
    MissingDataError,
    NotEnoughReplications,
    TooLittleDataError,
    mean_interval,
)
from aqmlab.statistics.pages import Pages
from aqmlab.statistics.quantities import (
    Measured,
    loss_percent,
    marked_percent,
    page_quantile_s,
    quantile_s,
    queue_mean_packets,
    utilization_percent,
)
from aqmlab.statistics.stopping import replications_for, two_stage_interval
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aqmlab.statistics import Recorded
    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.quantities import Quantity

PAGE_MEDIAN = page_quantile_s(0.5, Pages.FOLLOWED)
PAGE_P95 = page_quantile_s(0.95, Pages.FOLLOWED)
OF_PEOPLE = (PAGE_MEDIAN, PAGE_P95)
"""What people notice: the usual page, and the slow one in twenty. Both of pages that began in the window."""
RESPONSE_MEDIAN = quantile_s(0.5)
OF_THE_LINK = (utilization_percent, loss_percent)
QUANTITIES: tuple[Quantity, ...] = (
    *OF_PEOPLE, RESPONSE_MEDIAN, quantile_s(0.95), *OF_THE_LINK, marked_percent, queue_mean_packets,
)  # fmt: skip
"""What is told of each configuration."""
CONFIDENCE = 0.95
FIRST_STAGE = "first_stage.json"
"""Stands beside the results of a comparison whose first seeds decided how many there are: says which."""
_FIRST_STAGE_SHAPE = Table({"seeds": ListOf(SEED, shortest=MINIMUM_REPLICATIONS), "width_s": NUMBER})
_MILLISECONDS = 1000.0


@dataclass(frozen=True)
class Change:
    """What a configuration changes against the first one, in one quantity.

    Attributes:
        quantity: Which.
        before: The mean of the first configuration over the replications.
        after: That of this one.
        difference: The mean difference with its interval, after less before; none where a replication lacks
            one of the two.
    """

    quantity: Quantity
    before: float
    after: float
    difference: Interval | NotEnoughReplications

    def __str__(self) -> str:
        level = f"{_seconds(self.after)} instead of {_seconds(self.before)}"
        if self.difference.mean is None:
            return level
        if not isinstance(self.difference, Interval):
            return f"{level} (too few seeds to say more)"
        lower, upper = (_MILLISECONDS * bound for bound in (self.difference.lower, self.difference.upper))
        if lower > 0.0:
            return f"{level}, later by {lower:,.0f} to {upper:,.0f} ms"
        if upper < 0.0:
            return f"{level}, sooner by {-upper:,.0f} to {-lower:,.0f} ms"
        return (
            f"{level}, no difference that {self.difference.replications} seeds can tell "
            f"({-lower:,.0f} ms sooner to {upper:,.0f} ms later)"
        )


@dataclass(frozen=True)
class Alternatives:
    """Configurations by name, run with the same seeds.

    Attributes:
        names: What they are called; differences are against the first.
        seeds: The replications, in order.
        links: The links that were judged.
        values: Of each configuration each quantity, replication by replication; not a number where there is
            none.
        runs: The runs of each configuration, in the order of the seeds.
        first_stage: How many of the seeds, the first ones, decided how many there are; 0: no figure did.
    """

    names: tuple[str, ...]
    seeds: tuple[int, ...]
    links: tuple[str, ...]
    values: Mapping[str, Mapping[str, FloatArray]]
    runs: Mapping[str, Sequence[Measured]] = field(default_factory=dict, repr=False, compare=False)
    first_stage: int = 0

    @classmethod
    def of(
        cls,
        results: Mapping[str, Sequence[Recorded]],
        *,
        links: Sequence[str] = (),
        first_stage: int = 0,
    ) -> Alternatives:
        """Puts the results of several configurations beside each other.

        Args:
            results: Of each configuration its results, one for each seed, in any order.
            links: The links whose figures are told; by default those that carry data.
            first_stage: How many of the seeds decided how many there are (`seeds_for`); 0: no figure did.

        Raises:
            ComparisonError: Seeds, windows, users or links that carry data differ from those of the first.
            UnknownLinkError: A link is not monitored.
            MissingDataError: None is chosen, and none carries data.
        """
        first = next(iter(results.values()))
        base = next(iter(results))
        pairs = {name: paired(each, first, names=(name, base)) for name, each in results.items()}
        judged = same_links([pair for each in pairs.values() for pair in each], links)
        measured = {name: [Measured(run, judged) for run, _ in each] for name, each in pairs.items()}
        of_first = next(iter(measured.values()))
        return cls(
            names=tuple(results),
            seeds=tuple(int(run.result.run["seed"]) for run in of_first),
            links=judged,
            values={
                name: {each.name: np.array([_known(each, run) for run in runs]) for each in QUANTITIES}
                for name, runs in measured.items()
            },
            runs=measured,
            first_stage=first_stage,
        )

    @property
    def of_people(self) -> tuple[Quantity, Quantity]:
        """What people notice: the usual page, and the slow one in twenty."""
        return OF_PEOPLE

    @property
    def tells_pages(self) -> bool:
        """Whether anybody waited for a page."""
        return bool(np.isfinite(self.values[self.names[0]][PAGE_MEDIAN.name]).any())

    def level(self, name: str, quantity: Quantity) -> Interval | NotEnoughReplications:
        """The mean of a quantity over the replications, with its interval, where all have it."""
        return self._mean(self.values[name][quantity.name], CONFIDENCE)

    def change(self, name: str, quantity: Quantity) -> Change:
        """What a configuration changes against the first."""
        before, after = (self.values[each][quantity.name] for each in (self.names[0], name))
        known = np.isfinite(before) & np.isfinite(after)
        difference = self._mean(
            np.where(known, after, np.nan) - np.where(known, before, 0.0), self.confidence_of_each
        )
        return Change(quantity, float(before.mean()), float(after.mean()), difference)

    @property
    def confidence_of_each(self) -> float:
        """Of each difference, so that all that the sentences tell hold together (Bonferroni)."""
        return 1.0 - (1.0 - CONFIDENCE) / max(1, (len(self.names) - 1) * len(OF_PEOPLE))

    def _repr_html_(self) -> str:
        """What notebooks show: what happens to people in words, then levels and differences."""
        from aqmlab.tables import to_notebook  # noqa: PLC0415 (tables are loaded when shown)
        from aqmlab.tables.alternatives import alternatives_table  # noqa: PLC0415

        words = "".join(f"<p>{html.escape(sentence)}</p>\n" for sentence in self.sentences())
        return words + to_notebook([alternatives_table(self)])

    def seeds_for(self, width_s: float) -> int:
        """How many seeds make each difference of the usual page's load time this narrow, from those at hand.

        Args:
            width_s: From the lower bound of the interval to the upper one, in seconds.

        Raises:
            TooLittleDataError: There are too few seeds to say, or in some run too few pages ended.
        """
        base = self.values[self.names[0]][PAGE_MEDIAN.name]
        differences = [self.values[name][PAGE_MEDIAN.name] - base for name in self.names[1:]]
        if len(self.seeds) < MINIMUM_REPLICATIONS:
            seeds = counted(len(self.seeds), "seed")
            raise TooLittleDataError(
                f"{seeds} cannot say how many it takes; legal: {MINIMUM_REPLICATIONS} or more"
            )
        if not np.isfinite(differences).all():
            raise TooLittleDataError(
                "in some run too few pages ended to tell how soon half of them are there"
            )
        confidence = self.confidence_of_each
        return max(replications_for(each, width_s, confidence=confidence) for each in differences)

    def _mean(self, values: FloatArray, confidence: float) -> Interval | NotEnoughReplications:
        """The mean with its interval, where all seeds have a value."""
        if not np.isfinite(values).all():
            return NotEnoughReplications(have=0)
        if self.first_stage:
            return two_stage_interval(values, self.first_stage, confidence=confidence)
        return mean_interval(values, confidence=confidence)

    def sentences(self) -> list[str]:
        """What happens to people, in words, one line for each configuration but the first."""
        if not self.tells_pages:
            return []
        return [
            f"{name} against {self.names[0]}: half of the pages load in {self.change(name, PAGE_MEDIAN)}; "
            f"95 % in {self.change(name, PAGE_P95)}."
            for name in self.names[1:]
        ]


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if np.isfinite(value) else "more than the run can tell"


def _known(quantity: Quantity, run: Measured) -> float:
    try:
        return quantity.of(run)
    except MissingDataError:
        return float("nan")


def read_alternatives(folders: Sequence[Path]) -> dict[str, list[Result]]:
    """The results in some folders, by alternative: the seeds of one scenario are one alternative.

    Args:
        folders: Each holds a result, or folders of results to any depth, as `aqmlab run` and `compare` leave
            them.

    Returns:
        Alternatives in the order in which they were found, by the name of their scenario; where several have
        one name, by that of the folder that holds their seeds.

    Raises:
        ResultError: A folder holds no result.
        ComparisonError: Two results are of the same scenario and seed.
    """
    groups: dict[str, list[Result]] = {}
    by_place = {place.resolve(): place for folder in folders for place in _places_in(folder)}
    for place in by_place.values():
        result = Result.load(place)
        groups.setdefault(_scenario_in_short(result), []).append(result)
    for results in groups.values():
        places = {result.seed: result.folder for result in results}
        if len(places) < len(results):
            twice = next(each for each in results if places[each.seed] != each.folder)
            raise ComparisonError(
                f"{twice.folder} and {places[twice.seed]} are of the same scenario and seed: a replication "
                "counts once"
            )
    return dict(zip(_names(list(groups.values())), groups.values(), strict=True))


def keep_first_stage(folder: Path, seeds: Sequence[int], width_s: float) -> None:
    """Notes beside the results which seeds decided how many there are, and for which width."""
    text = json.dumps({"seeds": list(seeds), "width_s": width_s})
    write_whole(folder / FIRST_STAGE, f"{text}\n")


def read_first_stage(folders: Sequence[Path], results: Mapping[str, Sequence[Result]]) -> int:
    """How many of the seeds in some folders, the first ones, decided how many there are; 0: none did.

    Raises:
        ResultError: The note cannot be read, is of other seeds than the first ones, or these folders are told
            together with others.
    """
    noted = [folder / FIRST_STAGE for folder in folders if (folder / FIRST_STAGE).exists()]
    if not noted:
        return 0
    if len(folders) > 1:
        raise ResultError(
            f"{noted[0].parent}: its first seeds decided how many there are (--until-width), which holds for "
            "its own comparison; legal: this folder alone"
        )
    note = read_json(noted[0], ResultError)
    conform(note, _FIRST_STAGE_SHAPE, str(noted[0]), ResultError)
    seeds = sorted(note["seeds"])
    of_results = sorted({result.seed for each in results.values() for result in each})
    if of_results[: len(seeds)] != seeds:
        raise ResultError(
            f"{noted[0]}: seeds {seeds} decided how many there are, and the first in the folder are "
            f"{of_results[: len(seeds)]}; legal: without runs of other seeds, or without this file"
        )
    return len(seeds)


def _places_in(folder: Path) -> list[Path]:
    """The folder itself if it is a result, or those in it that are."""
    if (folder / "run.json").exists():
        return [folder]
    found = [file.parent for file in sorted(folder.glob("**/run.json"))]
    if not found:
        absent = "is a file" if folder.exists() else "there is no such folder"
        what = "holds no result" if folder.is_dir() else absent
        raise ResultError(f"{folder}: {what}; legal: a folder that aqmlab run or compare left")
    return found


def _scenario_in_short(result: Result) -> str:
    """What tells a scenario from others, its name and description aside."""
    said = {key: value for key, value in result.scenario.items() if key not in {"name", "description"}}
    return json.dumps(said, sort_keys=True)


def _names(groups: Sequence[Sequence[Result]]) -> list[str]:
    """A name for each group: that of its scenario, or else of its folder, or else both with a number."""
    of_scenarios = [str(results[0].scenario["name"]) for results in groups]
    of_folders = [_folder_of_seeds(results[0]) for results in groups]
    for names in (of_scenarios, of_folders):
        if len(set(names)) == len(names):
            return names
    return [f"{name} {place}" for place, name in enumerate(of_folders, start=1)]


def _folder_of_seeds(result: Result) -> str:
    folder = result.folder
    if folder is None:
        return str(result.scenario["name"])
    return folder.resolve().parent.name if folder.name == f"seed-{result.seed}" else folder.resolve().name
