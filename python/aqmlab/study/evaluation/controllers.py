"""Congestion controllers by RFC 9743: how a controller takes its place in a case, and the case without it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aqmlab.errors import Mistake, ScenarioError
from aqmlab.load.controllers import ParametrizedController, spelt_controller
from aqmlab.scenario import Scenario
from aqmlab.study.evaluation.controller_cases import (
    CUBIC,
    RATE_MBPS,
    RENO,
    ROUND_TRIP_MS,
    SUBJECT,
    packets_of,
)
from aqmlab.study.evaluation.controller_guidelines import CONTROLLER_GUIDELINES
from aqmlab.study.evaluation.evaluation import ALONE, NotRun, Trial
from aqmlab.study.evaluation.guideline import Method
from aqmlab.study.evaluation.metrics import metrics_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.study.evaluation.guideline import Case, Guideline


def _require_legal(controllers: Sequence[str]) -> None:
    """Refuses a controller before anything is run."""
    document = next(case.document for each in CONTROLLER_GUIDELINES for case in each.cases)
    for controller in controllers:
        with_controller(document, controller)


def with_controller(document: Mapping[str, Any], controller: str) -> Scenario:
    """The scenario of a case with this controller, and its other settings, in the place of the subject."""
    asked = ParametrizedController.of(controller)
    flows: list[Any] = []
    overrides: dict[str, Any] = {}
    for place, group in enumerate(document["flows"]):
        is_subject = group["host"]["congestion"] == SUBJECT
        own = {**group, "host": {**group["host"], "congestion": asked.congestion}}
        flows.append(own if is_subject else group)
        if is_subject:
            overrides |= {f"flows.{place}.host.{key}": value for key, value in asked.host.items()}
    try:
        return Scenario.of({**document, "flows": flows}, overrides=overrides)
    except ScenarioError as error:
        told = error.lines(Mistake.without_override)
        raise ScenarioError.of(error, f"controller {controller}: {told}") from None


def without_controller(document: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of a case without the subject's flows: what others have alone."""
    flows = [each for each in document["flows"] if each["host"]["congestion"] != SUBJECT]
    return {**document, "flows": flows}


def _trials(guideline: Guideline, case: Case, controller: str) -> Iterator[Trial | NotRun]:
    """The case with the controller, and without where the harm to others is asked for."""
    title = guideline.title(case)
    metrics = tuple(metrics_of(case))
    try:
        own = with_controller(case.document, controller)
    except ScenarioError as error:
        yield NotRun(guideline.section, title, controller, str(error))
        return
    yield Trial(guideline, case, case.name, title, controller, own, metrics)
    if case.harmed:
        alone = replace(case, document=without_controller(case.document), counted=(), ratio=None)
        solo, metrics = Scenario.of(alone.document), tuple(metrics_of(alone))
        yield Trial(guideline, case, case.name, title, ALONE, solo, metrics)


CONTROLLERS = Method(
    document="RFC 9743",
    kind="controller",
    guidelines=CONTROLLER_GUIDELINES,
    beside=(CUBIC, RENO),
    line=f"a link of {RATE_MBPS:g} Mbit/s, round trips of {ROUND_TRIP_MS:g} ms, a buffer of "
    f"{packets_of(RATE_MBPS, ROUND_TRIP_MS, 1.0)} packets",
    require_legal=_require_legal,
    trials=_trials,
    spelt=spelt_controller,
    shown={},
)
"""Congestion controllers by RFC 9743."""
