"""What a search looks like: printed, in a notebook, and as its folder with the figure of the trade-off."""

from __future__ import annotations

from typing import Any

from aqmlab import shown
from aqmlab.show.tables.printed import as_html, as_text
from aqmlab.show.tables.tuning import candidates_table, printed
from aqmlab.show.tuning_folder import save
from aqmlab.study.tuning.outcome import Outcome

shown.save.register(Outcome)(save)


@shown.text.register(Outcome)
def _text(outcome: Outcome) -> str:
    return as_text(printed(outcome))


@shown.facts.register(Outcome)
def _facts(outcome: Outcome) -> dict[str, Any]:
    """The winner and every other candidate with its settings, and which seeds are fresh."""
    every = dict.fromkeys((*outcome.candidates, outcome.given, *outcome.published))
    return {
        "objective": outcome.objective.name,
        "unit": outcome.objective.unit,
        "seeds": list(outcome.plan.seeds),
        "fresh_seeds": list(outcome.plan.fresh_seeds),
        "winner": outcome.winner.label,
        "candidates": {
            each.label: {
                "role": outcome.role(each),
                "state": each.state.value,
                "settings": each.shown_settings,
            }
            for each in every
        },
        "summary": outcome.summary().splitlines(),
    }


@shown.html.register(Outcome)
def _html(outcome: Outcome) -> str:
    return as_html([candidates_table(outcome, outcome.shown), *outcome.summary().splitlines()])
