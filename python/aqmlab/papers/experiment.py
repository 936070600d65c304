"""An experiment as data: scenario, configurations, scales, published numbers, claims, tolerances."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, TypeVar

from aqmlab.errors import ExperimentError
from aqmlab.files.records import ABSENT, NOT_EMPTY, Count, Made
from aqmlab.files.shape import distinct
from aqmlab.load.line import Line
from aqmlab.papers.documents import (
    Claim,
    Comparisons,
    Configuration,
    Difference,
    Figure,
    Loads,
    Scale,
    Tolerance,
    Variant,
    WhoseResponses,
)
from aqmlab.papers.published import Column, Published
from aqmlab.terminal.spelling import nearest, quoted

T = TypeVar("T")


def _by_name(entries: Sequence[Configuration]) -> dict[str, Configuration]:
    known: dict[str, Configuration] = {}
    for entry in entries:
        if entry.name in known:
            raise ExperimentError(f"{quoted(entry.name)} appears twice")
        known[entry.name] = entry
    return known


@dataclass(frozen=True)
class Experiment:
    """The contents of an experiment's folder: `experiment.toml`, and below what is in other files.

    Attributes:
        scenario: The file of the scenario that all configurations share.
        configurations: By name; once read, the variants are among them, with what each inherits.
        folder: Where it is.
        scenario_toml: The scenario.
        notes: What the paper leaves open.
        hosts: The profile of hosts in the place of its own; empty: its own.
    """

    title: str
    paper: str
    scenario: str
    loads_percent: Annotated[Loads, NOT_EMPTY]
    published: Published
    scales: Mapping[str, Scale]
    configurations: Annotated[
        Mapping[str, Configuration], Made(Annotated[tuple[Configuration, ...], NOT_EMPTY], _by_name)
    ]
    figures: tuple[Figure, ...]
    users_per_side_at_100_percent: Count | None = None
    variants: tuple[Variant, ...] = ()
    comparisons: Comparisons | None = None
    response_times: WhoseResponses | None = None

    name: str = field(default="", metadata={ABSENT: True})
    folder: Traversable = field(default=Path(), metadata={ABSENT: True})
    scenario_toml: str = field(default="", metadata={ABSENT: True})
    published_claims: tuple[Claim, ...] = field(default=(), metadata={ABSENT: True})
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict, metadata={ABSENT: True})
    differences: tuple[Difference, ...] = field(default=(), metadata={ABSENT: True})
    notes: str = field(default="", metadata={ABSENT: True})
    hosts: str = field(default="", metadata={ABSENT: True})

    @property
    def drawn_line(self) -> Line | None:
        """The published line of the load, for figures beside the paper's own: not with other hosts."""
        return None if self.hosts else self.published.line

    @property
    def responses_of(self) -> str | None:
        """The population whose response times are judged; none if all are, together."""
        return None if self.response_times is None else self.response_times.of

    def scale(self, name: str) -> Scale:
        """The scale of this name."""
        return look_up(self.scales, name, "scale", self.name)

    @property
    def groups(self) -> list[str]:
        """The groups of configurations, in the order of the study."""
        return list(dict.fromkeys(configuration.group for configuration in self.configurations.values()))

    def cells_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """The configurations of these names; the name of a group stands for all of its own."""
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
        """The configuration of this name."""
        return look_up(self.configurations, name, "cell", self.name)

    @property
    def statements(self) -> dict[str, list[str]]:
        """The identifiers of the statements of each claim, such as "S05.2"."""
        return {
            claim.identifier: [
                *dict.fromkeys(f"{claim.identifier}.{each.number}" for each in claim.statements)
            ]
            for claim in self.published_claims
        }

    def tolerance_of(self, column: Column, published: float) -> float:
        """How far ours may be from a published number of a column, in the quantity's own unit."""
        return self.tolerances[column.tolerance].around(published)


def configurations_of(declared: Experiment) -> dict[str, Configuration]:
    """The configurations of a document, by name: those that are written out, then the variants."""
    entries = [*declared.configurations.values()]
    entries += [each for variant in declared.variants for each in _variants(declared.configurations, variant)]
    distinct([entry.name for entry in entries], "configurations and variants", ExperimentError)
    known: dict[str, Configuration] = {}
    for entry in entries:
        if entry.extends is not None and entry.extends not in known:
            raise ExperimentError(f'{entry.name}: extends "{entry.extends}", which is not defined above it')
        for load in entry.users:
            _check_load(load, entry.name)
        inherited = known[entry.extends].overrides if entry.extends else {}
        known[entry.name] = replace(entry, overrides={**inherited, **entry.overrides})
    return known


def _variants(known: Mapping[str, Configuration], variant: Variant) -> Iterator[Configuration]:
    """What a variant makes of each configuration that it names, as if it had been written out."""
    for name in variant.of:
        if name not in known:
            raise ExperimentError(
                f'variant {variant.suffix}: there is no configuration "{name}"{nearest(name, known)}'
            )
        parent = known[name]
        yield Configuration(
            name=f"{name}-{variant.suffix}",
            label=f"{parent.label}, {variant.label}",
            group=variant.group,
            twin=parent.twin,
            extends=name,
            overrides=variant.overrides,
            loads_percent=variant.loads_percent,
        )


def _check_load(text: str, configuration: str) -> None:
    """Refuses a key that is no load in per cent."""
    try:
        load = float(text)
    except ValueError:
        load = math.nan
    if not math.isfinite(load):
        raise ExperimentError(f"{configuration}: users: the keys are loads in per cent, not {quoted(text)}")


def chosen(known: Iterable[str], wanted: Sequence[str], *, kind: str, experiment: str) -> tuple[str, ...]:
    """The wanted names, each checked against the known ones."""
    table = dict.fromkeys(known)
    for name in wanted:
        look_up(table, name, kind, experiment)
    return tuple(wanted)


def look_up(table: Mapping[str, T], name: str, kind: str, owner: str) -> T:
    """What has this name."""
    if name in table:
        return table[name]
    raise ExperimentError(
        f'{owner} has no {kind} "{name}"; there are: {", ".join(table)}{nearest(name, table)}'
    )
