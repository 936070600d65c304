"""What an evaluation looks like: printed, in a notebook, as a report."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from aqmlab import shown
from aqmlab.show.tables.evaluation import printed
from aqmlab.show.tables.printed import as_html, as_text
from aqmlab.show.words.evaluation import in_words
from aqmlab.study.evaluation import Evaluation
from aqmlab.study.evaluation.harm import Judgement, judgements_of


@shown.text.register(Evaluation)
def _text(evaluation: Evaluation) -> str:
    return as_text(printed(evaluation))


@shown.facts.register(Evaluation)
def _facts(evaluation: Evaluation) -> dict[str, Any]:
    """What was found in sentences, a controller's numbers against the standard's, and what was not run."""
    judged = [_judged(each) for each in judgements_of(evaluation)]
    return {
        "sentences": in_words(evaluation),
        **({"judged": judged} if judged else {}),
        "not_run": [asdict(each) for each in evaluation.not_run],
    }


def _judged(found: Judgement) -> dict[str, Any]:
    return {
        "section": found.trial.guideline.section,
        "scenario": found.trial.title,
        "metric": found.own.metric.name,
        "standard": found.trial.case.standard,
        "value": found.own.interval.mean,
        "standard_value": found.standard.interval.mean,
        "difference": found.difference.to_dict(),
        "is_worse": found.is_worse,
        "is_better": found.is_better,
    }


@shown.html.register(Evaluation)
def _html(evaluation: Evaluation) -> str:
    return as_html(printed(evaluation))


@shown.report.register(Evaluation)
def _report(evaluation: Evaluation, *, title: str = "") -> str:  # noqa: ARG001 (its title is the scheme's)
    # Reports and Matplotlib are loaded when drawn.
    from aqmlab.show.report.evaluation import page_of  # noqa: PLC0415
    from aqmlab.show.report.page import render  # noqa: PLC0415

    return render(page_of(evaluation))
