"""What the results of a sweep look like: printed, and in a notebook."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.comparison.change import Inference, Level, Values
from aqmlab.comparison.pooled_pages import carry
from aqmlab.errors import MissingDataError
from aqmlab.runs.store import State
from aqmlab.show.tables.comparison import level_in_print
from aqmlab.show.tables.headings import PAGES_IN_WORDS, SLOWEST_IN_WORDS, heading_of
from aqmlab.show.tables.printed import shows
from aqmlab.show.words.amounts import length_of_each
from aqmlab.statistics.catalogue import LOADED_P95, OF_PEOPLE, headline_of_all
from aqmlab.statistics.quantities import Measured
from aqmlab.statistics.recorded import judged_links, measured_window_s, said_of_links
from aqmlab.study.sweeps.file import described
from aqmlab.study.sweeps.running import SweepResults
from aqmlab.tables.model import Column, Line, Table, number, text
from aqmlab.terminal.spelling import as_text as as_typed
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aqmlab.result import Result
    from aqmlab.show.tables.headings import Heading
    from aqmlab.statistics.quantity import Quantity
    from aqmlab.study.sweeps.file import Point, Sweep
    from aqmlab.study.sweeps.status import Status
    from aqmlab.tables.model import TableCell

_MOST_ROWS = 50
_CONFIDENCE = 0.95


def sweep_table(status: Status, *, links: tuple[str, ...] = ()) -> Table:
    """A sweep's points, with the means of their finished runs."""
    return results_table(status.sweep, status.results(), links=links)


def results_table(
    sweep: Sweep, runs: Mapping[int, Sequence[Result]], *, links: tuple[str, ...] = ()
) -> Table:
    """The same of a sweep whose runs are all at hand, by the number of their point."""
    every = [result for each in runs.values() for result in each]
    measured = {index: [Measured(result, links) for result in each] for index, each in runs.items()}
    headline = headline_of_all(every, links)
    levels = {
        (index, quantity.name): _level(quantity, each)
        for index, each in measured.items()
        for quantity in headline
    }
    # Without anybody who loads pages there is nothing to say of them, at no point.
    shown = [each for each in headline if any(levels[index, each.name].have for index in measured)]
    names = sorted({str(link["name"]) for each in every for link in judged_links(each, links)})
    run_counts = {index: len(each) for index, each in runs.items()}
    carried = _slow_pages_are_carried(run for each in measured.values() for run in each)
    columns: list[Column[Point]] = [
        Column("point", lambda point: number(point.index, "d"), "point"),
        *(
            Column(
                key,
                lambda point, key=key: text(as_typed(point.settings.get(key, ""))),  # type: ignore[misc]
                ending,
            )
            for key, ending in zip(sweep.keys, endings(sweep.keys), strict=True)
        ),
        *(
            _column(each, heading_of(each, names, slow_pages_are_carried=carried), levels, run_counts)
            for each in shown
        ),
    ]
    return Table.of(
        sweep.points[:_MOST_ROWS],
        columns,
        title=f"{sweep.name}: means over {counted(len(sweep.seeds), 'seed')}",
        caption="\n".join(
            (*_of_pages(shown, every, carried=carried), *_of_runs(sweep, every, links, levels, run_counts))
        ),
    )


def _slow_pages_are_carried(runs: Iterable[Measured]) -> bool:
    """Whether every run that has pages has enough of them for their 95th percentile."""
    return all(carry(pages, LOADED_P95.share) for run in runs if (pages := _pages(run)))


def _pages(run: Measured) -> float:
    """How many pages were waited for; 0 where the run recorded none."""
    try:
        return run.followed_pages.pages
    except MissingDataError:
        return 0.0


def _column(
    quantity: Quantity,
    heading: Heading,
    levels: Mapping[tuple[int, str], Level],
    run_counts: Mapping[int, int],
) -> Column[Point]:
    """The level of a quantity at each point, with how many runs have it where not all do."""

    def cell(point: Point) -> TableCell:
        level, runs = levels[point.index, quantity.name], run_counts[point.index]
        found = _cell(level, quantity)
        if not 0 < level.have < runs:
            return found
        return replace(found, lines=(Line(f"{found.lines[0].text} ({level.have}/{runs})"),))

    return Column(quantity.name, cell, heading.what, group=heading.of, stacked=True)


def _level(quantity: Quantity, runs: Sequence[Measured]) -> Level:
    values = Values.observed(quantity.observed(run) for run in runs)
    return Level.of(values, Inference(_CONFIDENCE, on_logarithms=quantity.on_logarithms))


def _cell(level: Level, quantity: Quantity) -> TableCell:
    """The mean without its interval, which a row of many points has no room for; a bound with its sign."""
    mean = level.mean
    return (
        number(mean, f".{quantity.digits}f", absent="–")
        if not level.beyond
        else text(level_in_print(level, quantity), value=None)
    )


def status_table(status: Status) -> Table:
    columns: list[Column[tuple[Point, Counter[State]]]] = [
        Column("point", lambda found: number(found[0].index, "d"), "point"),
        Column(
            "settings", lambda found: text(described(found[0].settings)), "settings", words=True, wraps=True
        ),
        *(
            Column(state.value, lambda found, state=state: number(found[1][state], "d"), state.value)  # type: ignore[misc]
            for state in State
        ),
    ]
    return Table.of(status.by_point(), columns, title=f"{status.sweep.name}: {status.store}")


def endings(keys: Sequence[str]) -> list[str]:
    parts = [key.split(".") for key in keys]

    def ending(own: list[str]) -> str:
        for length in range(1, len(own)):
            if sum(other[-length:] == own[-length:] for other in parts) == 1:
                return ".".join(own[-length:])
        return ".".join(own)

    return [ending(own) for own in parts]


def _of_pages(shown: Sequence[Quantity], every: Sequence[Result], *, carried: bool) -> Iterator[str]:
    """Which pages count, as comparisons say it, and what the row of slow ones is."""
    if not any(each in OF_PEOPLE for each in shown):
        return
    windows = [measured_window_s(each) for each in every]
    yield f"{PAGES_IN_WORDS} {length_of_each(min(windows), max(windows))}."
    yield "95 %: the mean over runs of what each run has." if carried else SLOWEST_IN_WORDS


def _of_runs(
    sweep: Sweep,
    every: Sequence[Result],
    links: tuple[str, ...],
    levels: Mapping[tuple[int, str], Level],
    run_counts: Mapping[int, int],
) -> Iterator[str]:
    if len(sweep.points) > _MOST_ROWS:
        yield f"the first {_MOST_ROWS} points; --export writes all"
    if any(level.beyond for level in levels.values()):
        yield ">, < and a to b: in some run only these bounds are known"
    partly = {(level.have, run_counts[index]) for (index, _), level in levels.items()}
    for have, runs in sorted(each for each in partly if 0 < each[0] < each[1]):
        yield f"({have}/{runs}): in {have} of {runs} runs; the others have no such number"
    yield said_of_links(", ".join(str(link["name"]) for link in judged_links(each, links)) for each in every)


shows(SweepResults, lambda swept: [results_table(swept.sweep, swept.runs, links=swept.links)])


@shown.facts.register(SweepResults)
def _facts(swept: SweepResults) -> dict[str, Any]:
    names = dict(zip(swept.runs, swept.results, strict=True))
    return {
        "seeds": list(swept.sweep.seeds),
        "settings": {names[point.index]: dict(point.settings) for point in swept.sweep.points},
    }
