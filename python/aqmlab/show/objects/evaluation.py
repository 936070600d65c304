"""What an evaluation by RFC 7928 looks like: printed, in a notebook, as a report."""

from __future__ import annotations

import html

from aqmlab import shown
from aqmlab.show.tables.evaluation import tables_of
from aqmlab.show.tables.render import as_plain_text, to_notebook
from aqmlab.show.words.evaluation import in_words
from aqmlab.study.evaluation import Evaluation


@shown.text.register(Evaluation)
def _text(evaluation: Evaluation) -> str:
    return "\n".join([*in_words(evaluation), *map(as_plain_text, tables_of(evaluation))])


@shown.html.register(Evaluation)
def _html(evaluation: Evaluation) -> str:
    words = "".join(f"<p>{html.escape(sentence)}</p>\n" for sentence in in_words(evaluation))
    return words + to_notebook(tables_of(evaluation))


@shown.report.register(Evaluation)
def _report(evaluation: Evaluation, *, title: str = "") -> str:  # noqa: ARG001 (its title is the scheme's)
    # Reports and Matplotlib are loaded when drawn.
    from aqmlab.show.report.evaluation import page_of  # noqa: PLC0415
    from aqmlab.show.report.page import render  # noqa: PLC0415

    return render(page_of(evaluation))
