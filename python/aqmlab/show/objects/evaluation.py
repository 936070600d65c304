"""What an evaluation by RFC 7928 looks like: printed, in a notebook, as a report."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from aqmlab import shown
from aqmlab.show.tables.evaluation import printed
from aqmlab.show.tables.printed import as_html, as_text
from aqmlab.show.words.evaluation import in_words
from aqmlab.study.evaluation import Evaluation


@shown.text.register(Evaluation)
def _text(evaluation: Evaluation) -> str:
    return as_text(printed(evaluation))


@shown.facts.register(Evaluation)
def _facts(evaluation: Evaluation) -> dict[str, Any]:
    """What was found in sentences, and what was not run."""
    return {
        "sentences": in_words(evaluation),
        "not_run": [asdict(each) for each in evaluation.not_run],
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
