"""What a scheme becomes in a case: itself, with ECN, behind a fair queue, or with a parameter changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from aqmlab.errors import AqmlabError, TuneError
from aqmlab.files.toml_text import toml_value
from aqmlab.load.parametrized_scheme import ParametrizedScheme
from aqmlab.load.queues import LIMITS, parameters_of_scheme
from aqmlab.study.tuning.space import space_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.load.queues import Queues
    from aqmlab.scenario import Scenario

Variation: TypeAlias = Callable[[str, "Scenario", "Queues"], "dict[str, str]"]
"""The schemes to run for one, by what tells them apart; called with its scenario and the queues there."""

_FACTORS = (0.5, 2.0)


class NotApplicableError(AqmlabError):
    """A case cannot be run with a scheme; the message says why."""


def as_asked(scheme: str, scenario: Scenario, queues: Queues) -> dict[str, str]:
    """The scheme itself."""
    del scenario, queues
    return {"": scheme}


def with_ecn(scheme: str, scenario: Scenario, queues: Queues) -> dict[str, str]:
    """The scheme, marking what it would drop."""
    del scenario, queues
    asked = ParametrizedScheme.of(scheme)
    known = parameters_of_scheme(asked.name)
    if known and "ecn" not in known:
        raise NotApplicableError(f"{asked.name} has no ecn: it marks nothing")
    return {"": with_parameters(scheme, {"ecn": True})}


def behind_fair_queue(scheme: str, scenario: Scenario, queues: Queues) -> dict[str, str]:
    """The scheme in every queue of a fair queue."""
    del scenario, queues
    asked = ParametrizedScheme.of(scheme)
    legal = [each["properties"]["scheme"]["const"] for each in parameters_of_scheme("fq")["inner"]["oneOf"]]
    if ":" not in asked.name and asked.name not in legal:
        raise NotApplicableError(f"the queues of fq cannot have {asked.name}")
    inner = "".join(f", {name} = {value}" for name, value in asked.parameters.items())
    return {"": f"fq:inner={{ scheme = {toml_value(asked.name)}{inner} }}"}


def with_neighbours(scheme: str, scenario: Scenario, queues: Queues) -> dict[str, str]:
    """The scheme, with each of its main parameters halved and doubled within the ranges that `tune` searches.

    The buffer stays, as it does between schemes.
    """
    asked = ParametrizedScheme.of(scheme)
    try:
        space = space_of(asked.name)
    except TuneError as error:
        raise NotApplicableError(str(error)) from None
    searched = [each for each in space.parameters if each.name not in LIMITS and not each.values]
    in_force = queues.settings_in_force(scenario, [each.name for each in searched])
    found: dict[str, str] = {}
    for each in searched:
        own = in_force[each.name]
        if not isinstance(own, int | float) or isinstance(own, bool) or not own:
            continue
        # Thresholds that are multiples of one another are given together.
        tied = {
            other.name: in_force[other.name]
            for other in searched
            if other.name == each.times or other.times == each.name
        }
        for value in (round(factor * own) if each.integer else factor * own for factor in _FACTORS):
            if each.times is not None or each.low <= value <= each.high:
                found[f"{each.name}={value:g}"] = with_parameters(scheme, {**tied, each.name: value})
    if not found:
        raise NotApplicableError(f"{asked.name}: no parameter with a value between two ends")
    return found


def with_parameters(scheme: str, changed: Mapping[str, Any]) -> str:
    """A scheme with other values of some parameters."""
    asked = ParametrizedScheme.of(scheme)
    values = {**asked.parameters, **{name: toml_value(value) for name, value in changed.items()}}
    return ":".join([asked.name, *(f"{name}={value}" for name, value in values.items())])
