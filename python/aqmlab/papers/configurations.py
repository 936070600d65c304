"""The configurations of an experiment: queues and what goes with them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError
from aqmlab.files.shape import distinct
from aqmlab.papers.documents import Configuration
from aqmlab.terminal.spelling import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.papers.documents import Variant


def configurations_of(
    entries: Sequence[Configuration], variants: Sequence[Variant] = ()
) -> dict[str, Configuration]:
    """The configurations of a checked document, by name: those that are written out, then the variants.

    Args:
        entries: The configurations.
        variants: Settings laid over several configurations at once: each makes one more of every
            configuration in its `of`, called by that one's name, a hyphen and the variant's `suffix`.

    Raises:
        ExperimentError: A name stands twice, or one extends what is not defined above it.
    """
    entries = [*entries, *(each for variant in variants for each in _variants(entries, variant))]
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


def _variants(entries: Sequence[Configuration], variant: Variant) -> Iterator[Configuration]:
    """What a variant makes of each configuration that it names, as if it had been written out."""
    known = {entry.name: entry for entry in entries}
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
