"""Which function checks which claim, and what it is told."""

from __future__ import annotations

import inspect
from importlib import import_module, util
from typing import TYPE_CHECKING, Any

from aqmlab.compare import ComparisonError
from aqmlab.errors import ExperimentError
from aqmlab.reproduce.claims.outcome import Outcome, Part, Verdict, combine
from aqmlab.statistics import MissingDataError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.reproduce.experiment import PublishedClaim
    from aqmlab.reproduce.study import Study

    Check = Callable[..., Sequence[Part]]

_CHECKS: dict[tuple[str, str], Check] = {}


def claims_of(experiment: str) -> Callable[[str], Callable[[Check], Check]]:
    """The decorator that registers the checks of an experiment's claims.

    A check takes a study and, by keyword, its criterion: the numbers that the claim's file gives for it.
    """

    def claim(identifier: str) -> Callable[[Check], Check]:
        def register(check: Check) -> Check:
            if (experiment, identifier) in _CHECKS:
                raise ValueError(f"claim {identifier} of {experiment} has two checks")
            _CHECKS[experiment, identifier] = check
            return check

        return register

    return claim


def registered(experiment: str) -> list[str]:
    """The claims of an experiment that have a check."""
    _load_checks(experiment)
    return sorted(identifier for owner, identifier in _CHECKS if owner == experiment)


def evaluate(study: Study) -> list[Outcome]:
    """One outcome for every published claim of the study's experiment.

    Raises:
        ExperimentError: The claim's file does not give the criterion that its check asks for.
    """
    _load_checks(study.experiment.name)
    return [_outcome(study, published) for published in study.experiment.published_claims]


def _load_checks(experiment: str) -> None:
    """Imports the code beside the experiment, which registers its checks."""
    name = f"aqmlab.experiments.{experiment}"
    if util.find_spec(name) is not None and util.find_spec(f"{name}.claims") is not None:
        import_module(f"{name}.claims")


def _outcome(study: Study, published: PublishedClaim) -> Outcome:
    verdict, reason, parts = _judged(study, published)
    decisive = next((part for part in parts if part.holds is not None), None)
    effect = decisive.evidence if decisive else ""
    return Outcome(published.identifier, published.where, published.claim, verdict, effect, reason, parts)


def _judged(study: Study, published: PublishedClaim) -> tuple[Verdict, str, tuple[Part, ...]]:
    check = _CHECKS.get((study.experiment.name, published.identifier))
    if check is None:
        return Verdict.CANNOT_BE_JUDGED, "no check has been written for this claim", ()
    criterion = criterion_of(check, published, study.experiment.words)
    try:
        parts = tuple(check(study, **criterion))
    except (MissingDataError, ComparisonError) as missing:
        return Verdict.CANNOT_BE_JUDGED, str(missing), ()
    verdict, reason = combine(parts)
    return verdict, reason, parts


def criterion_of(check: Check, published: PublishedClaim, words: Mapping[str, Any]) -> dict[str, Any]:
    """What a check is told: the claim's own criterion, and of the words of the paper those that it asks for.

    Raises:
        ExperimentError: A number is missing, or the check does not ask for it.
    """
    _, *asked = inspect.signature(check).parameters
    given = {**{word: value for word, value in words.items() if word in asked}, **published.criterion}
    place = f"claim {published.identifier}: criterion"
    for name in asked:
        if name not in given:
            raise ExperimentError(f"{place}: {name} is missing")
    for name in given:
        if name not in asked:
            raise ExperimentError(f"{place}.{name}: unknown (legal: {', '.join(asked) or 'none'})")
    return given
