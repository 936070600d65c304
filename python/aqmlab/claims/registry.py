"""Which function checks which claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.claims.outcome import Outcome, Part, Verdict, combine
from aqmlab.compare import ComparisonError
from aqmlab.statistics import MissingDataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.experiment import PublishedClaim
    from aqmlab.study import Study

    Check = Callable[[Study], Sequence[Part]]

_CHECKS: dict[tuple[str, str], Check] = {}


def claim(experiment: str, identifier: str) -> Callable[[Check], Check]:
    """Registers the check of a claim of an experiment."""

    def register(check: Check) -> Check:
        if (experiment, identifier) in _CHECKS:
            raise ValueError(f"claim {identifier} of {experiment} has two checks")
        _CHECKS[experiment, identifier] = check
        return check

    return register


def registered(experiment: str) -> list[str]:
    """The claims of an experiment that have a check."""
    return sorted(identifier for owner, identifier in _CHECKS if owner == experiment)


def evaluate(study: Study) -> list[Outcome]:
    """One outcome for every published claim of the study's experiment."""
    return [_outcome(study, published) for published in study.experiment.published_claims]


def _outcome(study: Study, published: PublishedClaim) -> Outcome:
    verdict, reason, parts = _judged(study, published.identifier)
    decisive = next((part for part in parts if part.holds is not None), None)
    effect = decisive.evidence if decisive else ""
    return Outcome(published.identifier, published.where, published.claim, verdict, effect, reason, parts)


def _judged(study: Study, identifier: str) -> tuple[Verdict, str, tuple[Part, ...]]:
    check = _CHECKS.get((study.experiment.name, identifier))
    if check is None:
        return Verdict.CANNOT_BE_JUDGED, "no check has been written for this claim", ()
    try:
        parts = tuple(check(study))
    except (MissingDataError, ComparisonError) as missing:
        return Verdict.CANNOT_BE_JUDGED, str(missing), ()
    verdict, reason = combine(parts)
    return verdict, reason, parts
