"""Published claims as functions of stored results: the findings on its statements make one outcome a claim.

A claim stands in its experiment's `claims.toml` as statements: what has to be true, in words, the check that
answers, the cells that it looks at and the numbers that decide. Checks that several papers need are in
`checks`, of response times and of numbers of runs; those of one paper lie beside its file, in
`python/aqmlab/experiments/<paper>/claims/`. `registry` lists what a statement may name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import ComparisonError, MissingDataError, TooLittleDataError
from aqmlab.papers.claims.outcome import Answer, Finding, Outcome, Part, Question, Verdict, combine
from aqmlab.papers.claims.registry import registry_of
from aqmlab.papers.study import Study

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.papers.claims.registry import Registry
    from aqmlab.papers.documents import Claim

__all__ = [
    "Answer",
    "Finding",
    "Outcome",
    "Part",
    "Question",
    "Verdict",
    "decided_without_runs",
    "evaluate",
    "registry_of",
]


def evaluate(study: Study) -> list[Outcome]:
    """One outcome for every published claim of the study's experiment."""
    registry = registry_of(study.experiment.name)
    return [_outcome(study, registry, published) for published in study.experiment.published_claims]


def decided_without_runs(study: Study) -> frozenset[tuple[str, Part]]:
    """The statements that no run can change, such as values of a formula, each with its claim.

    They are those that are decided although nothing was run.
    """
    nothing = Study(study.experiment, study.scale, cells={})
    return frozenset(
        (outcome.identifier, part) for outcome in evaluate(nothing) for part in outcome.parts if part.judged
    )


def _outcome(study: Study, registry: Registry, published: Claim) -> Outcome:
    questions = [(each, registry.question(each, study)) for each in published.statements]
    parts = tuple(part for each, question in questions for part in _parts(each.says, question, each.number))
    verdict, reason = combine(parts)
    return Outcome(published.identifier, published.where, published.claim, verdict, reason, parts)


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
