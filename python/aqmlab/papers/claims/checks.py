"""The functions that statements are checked by, and how they are asked.

A check takes a study and, by name, what a statement of the claim's file gives: the cells `a` and `b`, and the
numbers that decide. It judges the statement, or splits it into several with their own checks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib import import_module, util
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from aqmlab.errors import (
    ComparisonError,
    ExperimentError,
    MissingDataError,
    TooLittleDataError,
    UnknownQuantityError,
)
from aqmlab.papers.claims.outcome import Answer, Finding, Outcome, Part, combine
from aqmlab.statistics.quantities import quantity

if TYPE_CHECKING:
    from aqmlab.papers.statements import PublishedClaim, Statement
    from aqmlab.papers.study import Study
    from aqmlab.statistics import Recorded

Question: TypeAlias = Callable[[], "Answer | Iterable[tuple[str, Question]]"]
"""A check: judges a statement, or splits it into others with their checks."""

Function = TypeVar("Function", bound=Callable[..., object])


class Checks:
    """What the statements of an experiment may name.

    Attributes:
        checks: Functions of a study and what a statement gives, by name.
        numbers: Functions of a run beside the registered quantities, by name: what `of` may say.
    """

    def __init__(self) -> None:
        self.checks: dict[str, Callable[..., Answer | Iterable[tuple[str, Question]]]] = {}
        self.numbers: dict[str, Callable[[Recorded], float]] = {}

    def check(self, function: Function) -> Function:
        """Registers a check under its name."""
        return _once(self.checks, function)

    def number(self, function: Function) -> Function:
        """Registers a number of a run under its name."""
        return _once(self.numbers, function)


@cache
def checks_of(experiment: str = "") -> Checks:
    """The checks of one experiment, or without a name those that all share."""
    del experiment
    return Checks()


def evaluate(study: Study) -> list[Outcome]:
    """One outcome for every published claim of the study's experiment.

    Raises:
        ExperimentError: A statement has an unknown check, or lacks one of its arguments.
    """
    own = _own_checks(study.experiment.name)
    return [_outcome(study, own, published) for published in study.experiment.published_claims]


def _once(registered: dict[str, Any], function: Function) -> Function:
    if function.__name__ in registered:
        raise ValueError(f"two functions are called {function.__name__}")
    registered[function.__name__] = function
    return function


def _own_checks(experiment: str) -> Checks:
    """The checks of an experiment, from the code beside it, if there is any."""
    name = f"aqmlab.experiments.{experiment}"
    if util.find_spec(name) is not None and util.find_spec(f"{name}.claims") is not None:
        import_module(f"{name}.claims")
    return checks_of(experiment)


def _outcome(study: Study, own: Checks, published: PublishedClaim) -> Outcome:
    questions = [(each, _question(study, own, each)) for each in published.statements]
    parts = tuple(part for each, question in questions for part in _parts(each.says, question, each.number))
    verdict, reason = combine(parts)
    return Outcome(published.identifier, published.where, published.claim, verdict, reason, parts)


def _question(study: Study, own: Checks, statement: Statement) -> Question:
    """The check of a statement with its arguments."""
    known = {**checks_of().checks, **own.checks}
    if statement.check not in known:
        raise ExperimentError.unknown(f"{statement.place}.check", statement.check, known)
    check = known[statement.check]
    _, *parameters = inspect.signature(check).parameters.values()
    asked = [parameter.name for parameter in parameters]
    for key in statement.given:
        if key not in asked:
            raise ExperimentError.unknown(f"{statement.place}.{key}", key, asked)
    for parameter in parameters:
        if parameter.default is parameter.empty and parameter.name not in statement.given:
            raise ExperimentError(f"{statement.place}: {parameter.name} is missing")
    given = dict(statement.given)
    if "of" in given:
        given["of"] = _number(own, str(given["of"]), statement.place)
    return partial(check, study, **given)


def _number(own: Checks, name: str, place: str) -> Callable[[Recorded], float]:
    """The number of a run that a statement names."""
    try:
        return own.numbers[name] if name in own.numbers else quantity(name)
    except UnknownQuantityError as error:
        raise ExperimentError(f"{place}.of: {error}") from None


def _parts(says: str, question: Question, number: int) -> Iterator[Part]:
    """A statement with its answer; where something is missing it says what, and whether it was not run."""
    try:
        answer = question()
        answer = answer if isinstance(answer, Answer) else list(answer)
    except TooLittleDataError as little:
        answer = Answer(None, str(little))
    except (MissingDataError, ComparisonError) as missing:
        yield Part(says, Finding.NOT_RUN, Answer(None, str(missing)), number)
        return
    if isinstance(answer, Answer):
        yield Part.of(says, answer, number)
        return
    for each, inner in answer:
        yield from _parts(each, inner, number)
