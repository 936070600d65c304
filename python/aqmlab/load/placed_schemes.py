"""A queue discipline at a place of a line."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from aqmlab.load.parametrized_scheme import ParametrizedScheme
from aqmlab.load.queue_place import PLACES
from aqmlab.load.queues import Queues

if TYPE_CHECKING:
    from aqmlab.load.queue_place import QueuePlace
    from aqmlab.scenario import Scenario


def warn_of_what_is_left_out(scenario: Scenario, place: QueuePlace) -> None:
    """Warns that a router's shapers do not act where schemes stand elsewhere."""
    if said := place.left_out(scenario):
        warnings.warn(said, stacklevel=4)


def placed(scenario: Scenario, scheme: str, place: QueuePlace, share: float | None) -> Scenario:
    """A scenario with a `[line]` and a scheme at a place of it, both ways.

    A scheme with a rate of its own, such as `cake bandwidth 9Mbit`, shapes by itself: the router does not.
    """
    place.require_share(share)
    shapes_itself = place.shaped and "rate_mbps" in ParametrizedScheme.of(scheme).parameters
    at = PLACES["router-unshaped"].at(scenario) if shapes_itself else place.at(scenario, share)
    return Queues.of(at, place.links).with_scheme(at, scheme)
