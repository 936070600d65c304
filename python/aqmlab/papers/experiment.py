"""An experiment as data: scenario, configurations, scales, published numbers, claims, tolerances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from aqmlab.errors import ExperimentError
from aqmlab.terminal.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aqmlab.papers.differences import Difference
    from aqmlab.papers.documents import Comparisons, Configuration, Figure, Scale, Tolerance, WhoseResponses
    from aqmlab.papers.proofs import Bearings
    from aqmlab.papers.published import Column, Published
    from aqmlab.papers.statements import PublishedClaim

T = TypeVar("T")


@dataclass(frozen=True)
class Experiment:
    """The contents of an experiment's folder."""

    name: str
    title: str
    paper: str
    scenario_toml: str
    configurations: Mapping[str, Configuration]
    scales: Mapping[str, Scale]
    loads_percent: tuple[float, ...]
    users_per_side_at_100_percent: int | None
    published: Published
    published_claims: tuple[PublishedClaim, ...]
    tolerances: Mapping[str, Tolerance]
    figures: tuple[Figure, ...]
    notes: str
    bearings: Bearings
    comparisons: Comparisons | None = None
    response_times: WhoseResponses | None = None
    differences: tuple[Difference, ...] = ()

    @property
    def responses_of(self) -> str | None:
        """The population whose response times are judged; none if all are, together."""
        return None if self.response_times is None else self.response_times.of

    def scale(self, name: str) -> Scale:
        """The scale of this name.

        Raises:
            ExperimentError: There is none.
        """
        return look_up(self.scales, name, "scale", self.name)

    @property
    def groups(self) -> list[str]:
        """The groups of configurations, in the order of the study."""
        return list(dict.fromkeys(configuration.group for configuration in self.configurations.values()))

    def cells_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """The configurations of these names; the name of a group stands for all of its own.

        Raises:
            ExperimentError: A name is neither.
        """
        cells: dict[str, None] = {}
        for name in names:
            members = [cell for cell, entry in self.configurations.items() if entry.group == name]
            if not members:
                look_up({**self.configurations, **dict.fromkeys(self.groups)}, name, "cell", self.name)
            cells.update(dict.fromkeys(members or [name]))
        return tuple(cells)

    def run_at(self, scale: Scale, load_percent: float) -> list[Configuration]:
        """The configurations that a scale runs at a load."""
        configurations = map(self.configuration, scale.cells)
        return [each for each in configurations if each.runs_at(load_percent)]

    def configuration(self, name: str) -> Configuration:
        """The configuration of this name.

        Raises:
            ExperimentError: There is none.
        """
        return look_up(self.configurations, name, "cell", self.name)

    def tolerance_of(self, column: Column, published: float) -> float:
        """How far ours may be from a published number of a column, in the quantity's own unit."""
        return self.tolerances[column.tolerance].around(published)


def chosen(known: Iterable[str], wanted: Sequence[str], *, kind: str, experiment: str) -> tuple[str, ...]:
    """The wanted names, each checked against the known ones."""
    table = dict.fromkeys(known)
    for name in wanted:
        look_up(table, name, kind, experiment)
    return tuple(wanted)


def look_up(table: Mapping[str, T], name: str, kind: str, owner: str) -> T:
    """What has this name.

    Raises:
        ExperimentError: Nothing has; the message lists the names that there are.
    """
    if name in table:
        return table[name]
    raise ExperimentError(
        f'{owner} has no {kind} "{name}"; there are: {", ".join(table)}{nearest(name, table)}'
    )
