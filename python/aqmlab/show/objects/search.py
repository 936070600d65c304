"""What a search looks like: printed, in a notebook, and as its folder with the figure of the trade-off."""

from __future__ import annotations

from aqmlab import shown
from aqmlab.show.tables.printed import WIDTH, as_html, as_text
from aqmlab.show.tables.tuning import candidates_table, printed
from aqmlab.show.tuning_folder import save
from aqmlab.study.tuning.outcome import Outcome

shown.save.register(Outcome)(save)


@shown.text.register(Outcome)
def _text(outcome: Outcome) -> str:
    return as_text(printed(outcome, WIDTH))


@shown.html.register(Outcome)
def _html(outcome: Outcome) -> str:
    return as_html([candidates_table(outcome, outcome.shown), *outcome.summary().splitlines()])
