"""What a cross-validation looks like: printed, and in a notebook."""

from __future__ import annotations

from aqmlab import shown
from aqmlab.show.tables.crossvalidation import printed
from aqmlab.show.tables.printed import as_html, as_text
from aqmlab.study.crossvalidation import CrossValidation


@shown.text.register(CrossValidation)
def _text(found: CrossValidation) -> str:
    return as_text(printed(found))


@shown.html.register(CrossValidation)
def _html(found: CrossValidation) -> str:
    return as_html(printed(found))
