"""What a comparison looks like: printed, in a notebook, as a report; and the difference of two curves."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.comparison import Comparison
from aqmlab.comparison.curve import CurveDifference
from aqmlab.comparison.verdict import verdict
from aqmlab.show.tables.comparison import comparison_table, of_cut_pages, printed
from aqmlab.show.tables.printed import as_text
from aqmlab.show.tables.render import to_notebook
from aqmlab.show.tables.verdict import thresholds, verdict_table
from aqmlab.show.words.comparison import sentences
from aqmlab.show.words.verdict import facts_of, what_changes_most

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

DRAWN_BY = ("aqmlab.show.report.comparison",)
"""What is loaded when a comparison is drawn."""

shown.sentences.register(Comparison)(sentences)


def in_words(found: Comparison) -> list[str]:
    """What is printed first: what to be careful about, how large the buffers are, the effects on people."""
    return [*found.cautions(), *found.buffers_in_words(), *sentences(found)]


@shown.text.register(Comparison)
def _text(found: Comparison) -> str:
    return as_text(printed(found, details=False), width=80)


@shown.details.register(Comparison)
def _details(found: Comparison) -> str:
    return as_text(printed(found, details=True), width=80)


@shown.facts.register(Comparison)
def _facts(found: Comparison) -> dict[str, Any]:
    """The verdict that is printed, with the limits of its words; warnings and cautions."""
    judged = {**facts_of(found, verdict(found)), "thresholds": thresholds(found)}
    return {
        "baseline": found.baseline,
        "seeds": list(found.seeds),
        "verdict": judged,
        "cautions": [*found.cautions(), *found.buffers_in_words(), *of_cut_pages(found)],
        "warnings": found.warnings_of_settings(),
    }


@shown.html.register(Comparison)
def _html(found: Comparison) -> str:
    """The verdict, with every sentence and number folded below it; where nobody is judged, these alone."""
    warnings = _paragraphs(f"warning: {each}" for each in found.warnings_of_settings())
    numbers = _paragraphs(in_words(found)) + to_notebook([comparison_table(found)])
    if not found.judges_anybody:
        return warnings + numbers
    first = _paragraphs(filter(None, [what_changes_most(found, found.verdict())]))
    folded = f"<details><summary>All numbers</summary>\n{numbers}</details>\n"
    return first + to_notebook([verdict_table(found)]) + warnings + folded


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(sentence)}</p>\n" for sentence in sentences)


@shown.report.register(Comparison)
def _report(found: Comparison, *, title: str = "") -> str:
    # Reports and Matplotlib are loaded when drawn: printing a comparison needs neither.
    from aqmlab.show.report.comparison import page_of  # noqa: PLC0415
    from aqmlab.show.report.page import render  # noqa: PLC0415

    return render(page_of(found, title=title))


@shown.plot.register(CurveDifference)
def _plot(difference: CurveDifference, axes: Axes | None = None) -> Axes:
    from aqmlab.show.figures.printed import draw_difference  # noqa: PLC0415

    return draw_difference(difference, axes)
