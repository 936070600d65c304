"""Which group of calls and games suffers most under each configuration of a comparison."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aqmlab.statistics.experience import experience, worst
from aqmlab.statistics.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.comparison.comparison import Comparison
    from aqmlab.statistics.experience import Experience, Kind
    from aqmlab.statistics.quantities import Quantity


def suffering_most(found: Comparison, kinds: Mapping[str, Kind]) -> dict[str, Experience]:
    """Under each configuration the group that suffers most; none of one without a number.

    Args:
        found: The comparison.
        kinds: The groups that are asked about, with what each is.
    """
    suffering = {}
    for name in found.names:
        felt = [experience(group, kind, partial(mean_of, found, name)) for group, kind in kinds.items()]
        if (most := worst(each for each in felt if each is not None)) is not None:
            suffering[name] = most
    return suffering


def mean_of(found: Comparison, name: str, quantity: Quantity) -> Observation:
    """Between what the mean over the runs lies; nothing where none has it."""
    values = found.values(name, quantity)
    if not values.known.any():
        return Observation.nothing()
    return Observation(*(float(each[values.known].mean()) for each in (values.lower, values.upper)))
