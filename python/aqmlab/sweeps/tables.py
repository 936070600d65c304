"""A sweep as tables: its points with the means of their runs, and how far each point is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.comparison.change import Inference, Level, Values
from aqmlab.runs.store import State
from aqmlab.statistics.catalogue import headline_of_all
from aqmlab.statistics.quantities import Measured
from aqmlab.statistics.recorded import judged_links, said_of_links
from aqmlab.sweeps.file import described
from aqmlab.tables.comparison import level_in_print
from aqmlab.tables.model import Column, Table, number, text
from aqmlab.terminal.spelling import as_text, counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.result import Result
    from aqmlab.statistics.quantity import Quantity
    from aqmlab.sweeps.file import Point, Sweep
    from aqmlab.sweeps.status import Status
    from aqmlab.tables.model import TableCell

_MOST_ROWS = 50
_CONFIDENCE = 0.95


def sweep_table(status: Status, *, links: tuple[str, ...] = ()) -> Table:
    """A sweep's points, with the means of their finished runs."""
    runs: dict[int, list[Result]] = {point.index: [] for point in status.sweep.points}
    for point, _, address in status.sweep.runs:
        result = status.found[address].result
        if result is not None and result.content_address == address:
            runs[point.index].append(result)
    return results_table(status.sweep, runs, links=links)


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
    columns: list[Column[Point]] = [
        Column("point", lambda point: number(point.index, "d"), "point"),
        *(
            Column(
                key,
                lambda point, key=key: text(as_text(point.settings.get(key, ""))),  # type: ignore[misc]
                ending,
            )
            for key, ending in zip(sweep.keys, endings(sweep.keys), strict=True)
        ),
        *(
            Column(
                each.name,
                lambda point, each=each: _cell(levels[point.index, each.name], each),  # type: ignore[misc]
                each.title,
                each.short,
            )
            for each in shown
        ),
    ]
    return Table.of(
        sweep.points[:_MOST_ROWS],
        columns,
        title=f"{sweep.name}: means over {counted(len(sweep.seeds), 'seed')}",
        caption="\n".join(_sweep_caption(sweep, every, links, levels)),
    )


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
    """How many runs of each point are in which state."""
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
    """The shortest unique endings of dotted keys."""
    parts = [key.split(".") for key in keys]

    def ending(own: list[str]) -> str:
        for length in range(1, len(own)):
            if sum(other[-length:] == own[-length:] for other in parts) == 1:
                return ".".join(own[-length:])
        return ".".join(own)

    return [ending(own) for own in parts]


def _sweep_caption(
    sweep: Sweep, every: Sequence[Result], links: tuple[str, ...], levels: Mapping[tuple[int, str], Level]
) -> Iterator[str]:
    if len(sweep.points) > _MOST_ROWS:
        yield f"the first {_MOST_ROWS} points; --export writes all"
    yield "pages: those that began in the measured window; response: of objects; wait: mean in the queue"
    if any(level.beyond for level in levels.values()):
        yield ">, <: in some run only this bound is known"
    if any(0 < level.have < len(sweep.seeds) for level in levels.values()):
        yield "a mean is over the runs in which there was something to measure"
    yield said_of_links(", ".join(str(link["name"]) for link in judged_links(each, links)) for each in every)
