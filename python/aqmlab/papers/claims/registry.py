"""The registry of checks: every function that a statement of a claim may name.

A check takes a study and, by name, what a statement of the claim's file gives: the cells `a` and `b`, and the
numbers that decide. It judges the statement, or splits it into several with their own checks. To add one that
several papers need, write the function and add a line to `COMMON`. To add one for a single paper, write it in
`python/aqmlab/experiments/<paper>/claims/` and add a line to `CHECKS` there. `NUMBERS` beside it lists
functions of a run that `of` may name besides the registered quantities.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module, util
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from aqmlab.errors import ExperimentError, UnknownQuantityError
from aqmlab.papers.claims import checks
from aqmlab.papers.claims.outcome import Answer, Question
from aqmlab.statistics.quantities import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.papers.documents import Claim, Statement
    from aqmlab.papers.study import Study
    from aqmlab.statistics import Recorded

Check: TypeAlias = Callable[..., Answer | Iterable[tuple[str, Question]]]
Number: TypeAlias = "Callable[[Recorded], float]"
Function = TypeVar("Function", bound=Callable[..., object])

COMMON: tuple[Check, ...] = (
    checks.better,
    checks.equivalent,
    checks.crossing,
    checks.little_difference,
    checks.no_worse,
    checks.much_better,
    checks.slightly_better,
    checks.higher,
    checks.alike,
    checks.above,
    checks.within,
    checks.no_slower,
    checks.slower,
)
"""The checks that statements of every paper may name."""


@dataclass(frozen=True)
class Registry:
    """What the statements of an experiment may name.

    Attributes:
        checks: Functions of a study and what a statement gives, by name.
        numbers: Functions of a run beside the registered quantities, by name: what `of` may say.
    """

    checks: Mapping[str, Check]
    numbers: Mapping[str, Number]

    @classmethod
    def of(cls, checks: Iterable[Check], numbers: Iterable[Number] = ()) -> Registry:
        """The registry of these functions."""
        return cls(_by_name(checks), _by_name(numbers))

    def require(self, claims: Iterable[Claim]) -> None:
        """Refuses claims with a statement that cannot be asked."""
        for claim in claims:
            for statement in claim.statements:
                self._arguments(statement)

    def question(self, statement: Statement, study: Study) -> Question:
        """The check of a statement with its arguments."""
        given = self._arguments(statement)
        return partial(self.checks[statement.check], study, **given)

    def _arguments(self, statement: Statement) -> dict[str, object]:
        if statement.check not in self.checks:
            raise ExperimentError.unknown(f"{statement.place}.check", statement.check, self.checks)
        _, *parameters = inspect.signature(self.checks[statement.check]).parameters.values()
        asked = [parameter.name for parameter in parameters]
        for key in statement.given:
            if key not in asked:
                raise ExperimentError.unknown(f"{statement.place}.{key}", key, asked)
        for parameter in parameters:
            if parameter.default is parameter.empty and parameter.name not in statement.given:
                raise ExperimentError(f"{statement.place}: {parameter.name} is missing")
        given = dict(statement.given)
        if "of" in given:
            given["of"] = self._number(str(given["of"]), statement.place)
        return given

    def _number(self, name: str, place: str) -> Number:
        """The number of a run that a statement names."""
        try:
            return self.numbers[name] if name in self.numbers else quantity(name)
        except UnknownQuantityError as error:
            raise ExperimentError(f"{place}.of: {error}") from None


def registry_of(experiment: str) -> Registry:
    """The common checks and those of one experiment, from the code beside it, if there is any."""
    package = f"aqmlab.experiments.{experiment}"
    if util.find_spec(package) is None or util.find_spec(f"{package}.claims") is None:
        return Registry.of(COMMON)
    own = import_module(f"{package}.claims")
    return Registry.of((*COMMON, *own.CHECKS), own.NUMBERS)


def _by_name(functions: Iterable[Function]) -> dict[str, Function]:
    known: dict[str, Function] = {}
    for function in functions:
        if function.__name__ in known:
            raise ValueError(f"two functions are called {function.__name__}")
        known[function.__name__] = function
    return known
