"""The configurations of an experiment: queues and what goes with them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aqmlab.errors import ExperimentError
from aqmlab.files.shape import distinct
from aqmlab.terminal.spelling import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Configuration:
    """A queue and what goes with it.

    Attributes:
        name: What `--cells` calls it.
        label: What figures and tables call it.
        group: Which part of the study it belongs to.
        overrides: Settings laid over the study's scenario, in order.
        twin: Whether it is the uncongested network itself.
        extends: The configuration it differs from in what matters, if any; ablations are compared with it.
        published: What the key columns of the published tables say where a row is of this configuration.
        loads_percent: The loads it is run at; empty: all.
        users: Users on each browsing side by load, instead of those that all configurations share.
    """

    name: str
    label: str
    group: str
    overrides: Mapping[str, Any] = field(default_factory=dict)
    twin: bool = False
    extends: str | None = None
    published: Mapping[str, Any] | None = None
    loads_percent: tuple[float, ...] = ()
    users: Mapping[float, int] = field(default_factory=dict)

    def runs_at(self, load_percent: float) -> bool:
        """Whether the configuration is run at a load."""
        return not self.loads_percent or load_percent in self.loads_percent


def configurations_of(
    entries: Sequence[Mapping[str, Any]], variants: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Configuration]:
    """The configurations of a checked document, by name: those that are written out, then the variants.

    Args:
        entries: The configurations.
        variants: Settings laid over several configurations at once: each makes one more of every
            configuration in its `of`, called by that one's name, a hyphen and the variant's `suffix`.

    Raises:
        ExperimentError: A name stands twice, or one extends what is not defined above it.
    """
    distinct([entry["name"] for entry in entries], "configurations", ExperimentError)
    entries = [*entries, *(each for variant in variants for each in _variants(entries, variant))]
    distinct([entry["name"] for entry in entries], "configurations and variants", ExperimentError)
    known: dict[str, Configuration] = {}
    for entry in entries:
        parent = entry.get("extends")
        if parent is not None and parent not in known:
            raise ExperimentError(f'{entry["name"]}: extends "{parent}", which is not defined above it')
        inherited = dict(known[parent].overrides) if parent else {}
        known[entry["name"]] = Configuration(
            name=entry["name"],
            label=entry["label"],
            group=entry["group"],
            overrides={**inherited, **entry.get("overrides", {})},
            twin=entry.get("twin", False),
            extends=parent,
            published=entry.get("published"),
            loads_percent=tuple(entry.get("loads_percent", ())),
            users={_load(load, entry["name"]): users for load, users in entry.get("users", {}).items()},
        )
    return known


def _variants(entries: Sequence[Mapping[str, Any]], variant: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What a variant makes of each configuration that it names, as if it had been written out."""
    known = {entry["name"]: entry for entry in entries}
    for parent in variant["of"]:
        if parent not in known:
            raise ExperimentError(
                f'variant {variant["suffix"]}: there is no configuration "{parent}"{nearest(parent, known)}'
            )
        own = {key: value for key, value in variant.items() if key not in ("suffix", "of")}
        yield {
            **own,
            "name": f"{parent}-{variant['suffix']}",
            "label": f"{known[parent]['label']}, {variant['label']}",
            "twin": known[parent].get("twin", False),
            "extends": parent,
        }


def _load(text: str, configuration: str) -> float:
    """A load that stands as a key, in per cent."""
    try:
        load = float(text)
    except ValueError:
        load = math.nan
    if not math.isfinite(load):
        raise ExperimentError(f"{configuration}: users: the keys are loads in per cent, not {quoted(text)}")
    return load
