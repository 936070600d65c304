"""The rates of a `[line]` that nobody has given."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.scenario import Scenario

_WAYS = ("down", "up")


def assumed_rates(scenario: Scenario) -> str | None:
    """What is assumed of the rates of a line that its file leaves out, in a sentence; None if it has them."""
    line: Mapping[str, Any] | None = scenario.resolved.get("line")
    if not line or scenario.written is None:
        return None
    try:
        given = scenario.written.document().get("line", {})
    except ValueError:  # TOML that Python does not read
        return None
    if "conditions_file" in given:
        return None
    missing = [way for way in _WAYS if not {f"{way}_mbps", f"rate_{way}_trace_file"} & given.keys()]
    if not missing:
        return None
    rates = " and ".join(f"{line[f'{way}_mbps']:g} Mbit/s {way}" for way in missing)
    keys = " and ".join(f"line.{way}_mbps" for way in missing)
    verb = "is" if len(missing) == 1 else "are"
    return (
        f"{scenario.name}: {rates} {verb} assumed, as usual for {line['technology']}; "
        f"set {keys} to the rates of your line"
    )


def warn_of_assumed_rates(scenario: Scenario) -> None:
    """Warns of rates that are assumed."""
    if said := assumed_rates(scenario):
        warnings.warn(said, stacklevel=3)
