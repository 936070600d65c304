"""How a statement of a claim is answered: yes, no, or not to be judged, and why not."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from aqmlab.compare import ComparisonError
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import MissingDataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.reproduce.study import Study

P = ParamSpec("P")


def answered(
    question: Callable[Concatenate[Study, str, P], Part],
) -> Callable[Concatenate[Study, str, P], Part]:
    """Turns what is missing into a part that cannot be judged."""

    @functools.wraps(question)
    def ask(study: Study, statement: str, /, *args: P.args, **kwargs: P.kwargs) -> Part:
        return attempt(statement, lambda: question(study, statement, *args, **kwargs))

    return ask


def attempt(statement: str, question: Callable[[], Part]) -> Part:
    """A part, or one that cannot be judged where something is missing."""
    try:
        return question()
    except (MissingDataError, ComparisonError) as missing:
        return Part(statement, None, str(missing))


def decided(shown: bool, excluded: bool) -> bool | None:
    """Whether something holds: it is shown, it is excluded, or neither."""
    return True if shown else (False if excluded else None)
