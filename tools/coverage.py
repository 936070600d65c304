"""How often the 95 % intervals of eight seeds hold the truth, on real runs: of levels and of differences.

    aqmlab compare home.toml --schemes drop-tail,pie,fq-codel --seeds 1-400 --output results/coverage
    python tools/coverage.py results/coverage

The truth is the number over all seeds of the folder. The seeds are put into disjoint groups of eight, in
their order, and each group says what `compare` would print of it. Of few seeds in all the truth is that of
the groups themselves, and intervals cover it a little too often; 400 seeds or more make that small.

Printed is a table in Markdown: for each quantity how many of the intervals held the number over all seeds, in
percent, of how many groups that have an interval; levels of each configuration, then differences from the
first.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aqmlab
from aqmlab.comparison import Change, Level, Values
from aqmlab.comparison.change import Inference
from aqmlab.comparison.page_ratio import MatchedPages, PageRatio
from aqmlab.comparison.pooled_pages import PooledPages, change_of
from aqmlab.inference import Interval
from aqmlab.statistics.catalogue import LOADED_P95

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.inference import NotEnoughReplications
    from aqmlab.statistics.quantities import Quantity

    Estimate = Interval | NotEnoughReplications
    OfSeeds = Callable[[Sequence[int]], Estimate]
    """The estimate over the seeds in some places."""

SIZE = 8
CONFIDENCE = 0.95
PLAIN = Inference(CONFIDENCE)


@dataclass
class Count:
    """How many intervals held the truth, and how many there were."""

    held: int = 0
    had: int = 0

    def __str__(self) -> str:
        return f"{100.0 * self.held / self.had:.0f} of {self.had}" if self.had else "none"


def coverage(of_seeds: OfSeeds, seeds: int) -> Count:
    """Of the groups of eight those whose interval holds the number over all seeds."""
    truth, found = of_seeds(range(seeds)).mean, Count()
    for start in range(0, seeds - SIZE + 1, SIZE):
        estimate = of_seeds(range(start, start + SIZE))
        if truth is not None and isinstance(estimate, Interval) and estimate.lower < estimate.upper:
            found.had += 1
            found.held += estimate.lower <= truth <= estimate.upper
    return found


def of_places(values: Values, places: Sequence[int]) -> Values:
    """A quantity in some of the replications."""
    return Values(values.lower[list(places)], values.upper[list(places)])


def level_of(found: Comparison, quantity: Quantity, name: str) -> OfSeeds:
    """The level of a configuration."""
    values = found.values(name, quantity)
    how = Inference(CONFIDENCE, on_logarithms=quantity.on_logarithms)
    return lambda places: Level.of(of_places(values, places), how).estimate


def difference_of(found: Comparison, quantity: Quantity, name: str) -> OfSeeds:
    """The difference from the baseline; of times the ratio."""
    before, after = (found.values(each, quantity) for each in (found.baseline, name))

    def estimate(places: Sequence[int]) -> Estimate:
        change = Change.of(quantity, of_places(before, places), of_places(after, places), PLAIN)
        return change.difference if change.ratio is None else change.ratio

    return estimate


def slow_level_of(found: Comparison, name: str) -> OfSeeds:
    """The 95th percentile of the pages of all seeds together."""
    pages = [run.followed_pages for run in found.runs[name]]
    return lambda places: PooledPages.of([pages[each] for each in places]).level(0.95, PLAIN).estimate


def slow_ratio_of(found: Comparison, name: str) -> OfSeeds:
    """Its ratio to that of the baseline."""
    before, after = ([run.followed_pages for run in found.runs[each]] for each in (found.baseline, name))

    def estimate(places: Sequence[int]) -> Estimate:
        old, new = (PooledPages.of([each[place] for place in places]) for each in (before, after))
        change = change_of(LOADED_P95, old, new, PLAIN)
        return change.difference if change.ratio is None else change.ratio

    return estimate


def same_page_of(found: Comparison, name: str) -> OfSeeds:
    """How many times as long the same page takes as with the baseline."""
    pairs = zip(found.results[name], found.results[found.baseline], strict=True)
    matched = [MatchedPages.of(own, other) for own, other in pairs]
    return lambda places: PageRatio.of([matched[each] for each in places], PLAIN).estimate


def rows(found: Comparison) -> Iterator[tuple[str, list[OfSeeds | None]]]:
    """What is printed: each quantity with the levels of all configurations, then the differences."""
    others = found.names[1:]
    for quantity in found.quantities:
        if quantity is LOADED_P95:
            levels = [slow_level_of(found, name) for name in found.names]
            yield quantity.name, [*levels, *(slow_ratio_of(found, name) for name in others)]
            yield (
                "same page, ratio",
                [*(None for _ in found.names), *(same_page_of(found, n) for n in others)],
            )
        elif any(found.values(name, quantity).values.any() for name in found.names):
            yield (
                quantity.name,
                [
                    *(level_of(found, quantity, name) for name in found.names),
                    *(difference_of(found, quantity, name) for name in others),
                ],
            )


def table(found: Comparison) -> str:
    """The table; the last row sums up its columns."""
    heads = [*found.names, *(f"{name} − {found.baseline}" for name in found.names[1:])]
    lines = [f"| quantity | {' | '.join(heads)} |", f"|{' --- |' * (len(heads) + 1)}"]
    sums = [Count() for _ in heads]
    for title, columns in rows(found):
        counts = [Count() if each is None else coverage(each, len(found.seeds)) for each in columns]
        lines.append(f"| {title} | {' | '.join(map(str, counts))} |")
        for total, each in zip(sums, counts, strict=True):
            total.held += each.held
            total.had += each.had
    lines.append(f"| all | {' | '.join(map(str, sums))} |")
    return "\n".join(lines)


def main() -> None:
    """Prints the table of a folder."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("folder", help="the folder of a comparison with many seeds")
    print(table(aqmlab.compare(arguments.parse_args().folder)))


if __name__ == "__main__":
    main()
