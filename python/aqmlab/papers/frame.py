"""What a study has of each published number, tidy: a row for each table, cell and quantity.

A row has ours (mean and bounds over the seeds, and which runs), the paper's value, its tolerance and the
verdict. The paper's tables, the scorecard and the claims about whole tables select from it. Whether a
number is reproduced is judged by our mean, against tolerances that were fixed before the runs. A window
that is shorter than the table asks for cannot show that the networks differ: what lies outside then is held
against our own numbers at the paper's length, where the experiment keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from aqmlab.inference import RunToRun, mean_interval, run_to_run
from aqmlab.statistics import data_links, measured_window_s
from aqmlab.statistics.quantities import OfLinks
from aqmlab.tables.model import bounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aqmlab.inference import Interval, NotEnoughReplications
    from aqmlab.papers.published import Column, PublishedTable
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.quantities import Quantity

LEVEL = 0.05


class Agreement(StrEnum):
    """How numbers of ours compare with the published ones."""

    WITHIN = "within"
    WITHIN_HERE_ALONE = "within here alone"
    SCALE = "scale"
    DIFFERS = "differs"
    SCALE_CANNOT_JUDGE = "scale cannot judge"


@dataclass(frozen=True)
class Number:
    """One quantity of one cell: ours, the paper's, how far apart they may be, and how our runs scatter.

    Attributes:
        quantity: Which.
        ours: The mean over the seeds, with its bounds where the seeds are enough.
        published: What the paper prints, in the same unit; none where it prints nothing.
        tolerance: How far apart the two may be.
        scatter: How single runs of ours scatter, where the paper's numbers look like single runs.
        at_length: Our mean at the paper's length, where the experiment keeps it.
        long_enough: Whether the measured window is one whose numbers are judged beside the paper's.
        fitted: The inputs of the models that were chosen by it.
        can_fail: Whether it tests more than the load (`PublishedTable.can_fail`).
        by_link: Our mean in each direction, where both carry data.
    """

    quantity: Quantity
    ours: Interval | NotEnoughReplications
    published: float | None = None
    tolerance: float | None = None
    scatter: RunToRun | None = None
    at_length: float | None = None
    long_enough: bool = True
    fitted: Sequence[str] = ()
    can_fail: bool = True
    by_link: Mapping[str, float] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """Our mean over replications; not a number where one of them has no value."""
        return float("nan") if self.ours.mean is None else self.ours.mean

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.published is None else self.mean - self.published

    @property
    def within(self) -> bool | None:
        """Whether ours lies within the tolerance; none where nothing was published."""
        return self.near(self.mean)

    def near(self, value: float | None) -> bool | None:
        """Whether a value lies within the tolerance of the published one; none where there is none."""
        if self.published is None or self.tolerance is None or value is None:
            return None
        return abs(value - self.published) <= self.tolerance

    @property
    def surely_within(self) -> bool:
        """Whether the whole interval over replications lies within the tolerance; not where there is none."""
        ends = [end for end in bounds(self.ours) if end is not None]
        return bool(ends) and all(self.near(end) for end in ends)

    @property
    def p_value(self) -> float | None:
        """How often a single run of ours would lie as far from our mean as the published number does."""
        if self.scatter is None or self.published is None:
            return None
        return self.scatter.p_value(self.published)

    @property
    def like_a_run(self) -> bool | None:
        """Whether the published number lies where 95 % of single runs of ours do; none with too few."""
        return None if self.p_value is None else self.p_value >= LEVEL

    @property
    def agreement(self) -> Agreement | None:
        """How it compares with the published number; none if nothing was published."""
        return agreement_of([self])


@dataclass(frozen=True)
class Row:
    """The numbers of one cell in one table.

    Attributes:
        cell: The configuration's name and the nominal load in per cent.
        label: What the configuration is called in print.
        numbers: By quantity, in the table's order.
        runs: The content addresses of its replications, by seed.
        realised_percent: Offered load of the uncongested twins, mean of the replications, if it is known.
    """

    cell: Cell
    label: str
    numbers: Mapping[str, Number]
    runs: Sequence[str] = ()
    realised_percent: float | None = None

    @property
    def name(self) -> str:
        """What the cell is called in print, with its load."""
        return f"{self.label} at {self.cell[1]:g} %"

    @property
    def agreement(self) -> Agreement | None:
        """How the cell as a whole compares with the published one; none if nothing was published."""
        return agreement_of(self.numbers.values())

    @property
    def within(self) -> bool | None:
        """Whether every number lies within its tolerance; none where nothing was published."""
        judged = [number.within for number in self.numbers.values()]
        return None if None in judged else all(judged)

    @property
    def in_sample(self) -> tuple[str, ...]:
        """The inputs of the models that were chosen by published numbers of the cell."""
        return tuple(dict.fromkeys(each for number in self.numbers.values() for each in number.fitted))

    @property
    def like_a_run(self) -> bool | None:
        """Whether the row as a whole could be a single run of ours.

        Its numbers come from one run, so each is tested at 5 % divided by their number.
        """
        values = [number.p_value for number in self.numbers.values()]
        known = [value for value in values if value is not None]
        return min(known) >= LEVEL / len(known) if known and len(known) == len(values) else None


def agreement_of(numbers: Iterable[Number]) -> Agreement | None:
    """How numbers of one cell together compare with the published ones; none if one was not published."""
    found = list(numbers)
    if any(each.within is None for each in found):
        return None
    within, long_enough = (
        all(each) for each in zip(*((n.within, n.long_enough) for n in found), strict=True)
    )
    if long_enough or any(each.at_length is None for each in found):
        differs = Agreement.DIFFERS if long_enough else Agreement.SCALE_CANNOT_JUDGE
        return Agreement.WITHIN if within else differs
    at_length = all(each.near(each.at_length) for each in found)
    if within:
        return Agreement.WITHIN if at_length else Agreement.WITHIN_HERE_ALONE
    return Agreement.SCALE if at_length else Agreement.DIFFERS


def frame_of(study: Study, table: PublishedTable) -> list[Row]:
    """The numbers of every cell of a table that was run, in its order, or in that of the experiment."""
    cells: Iterable[Cell] = table.rows
    if table.every_cell:
        cells = [(name, load) for name in study.experiment.configurations for load in study.loads_percent]
    return [_row(study, table, cell) for cell in cells if study.has(*cell)]


def published_rows(rows: Iterable[Row]) -> list[Row]:
    """The rows that the paper's table has too."""
    return [row for row in rows if row.within is not None]


def _row(study: Study, table: PublishedTable, cell: Cell) -> Row:
    results = study.results(*cell)
    long_enough = table.judges_window(
        after_s=min(float(result.run["measured_from_s"]) for result in results),
        length_s=min(map(measured_window_s, results)),
    )
    can_fail = table.can_fail(*cell, study.experiment.tolerances)
    return Row(
        cell=cell,
        label=study.configuration(cell[0]).label,
        numbers={
            column.quantity.name: _number(
                study, table, column, cell, long_enough=long_enough, can_fail=can_fail
            )
            for column in table.columns
        },
        runs=[str(result.run.get("content_address", "")) for result in results],
        realised_percent=study.realised_percent(*cell),
    )


def _number(
    study: Study, table: PublishedTable, column: Column, cell: Cell, *, long_enough: bool, can_fail: bool
) -> Number:
    quantity, name = column.quantity, column.quantity.name
    values = study.values(*cell, quantity)
    row, kept = table.row(*cell), table.at_length.values.get(cell)
    published = None if row is None else row.values[name]
    return Number(
        quantity=quantity,
        ours=mean_interval(values),
        published=published,
        tolerance=None if published is None else study.experiment.tolerance_of(column, published),
        scatter=run_to_run(values) if table.run_to_run else None,
        at_length=None if kept is None else kept[name],
        long_enough=long_enough,
        fitted=table.inputs_fitted_to(*cell, name),
        can_fail=can_fail,
        by_link=_mean_by_link(study.results(*cell), quantity),
    )


def _mean_by_link(results: Sequence[Recorded], quantity: Quantity) -> dict[str, float]:
    if not isinstance(quantity, OfLinks) or len(data_links(results[0])) < 2:
        return {}
    each = [quantity.by_link(result) for result in results]
    return {name: sum(values[name] for values in each) / len(each) for name in each[0]}
