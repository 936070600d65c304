"""What the results of a sweep look like: printed, and in a notebook."""

from __future__ import annotations

from typing import Any

from aqmlab import shown
from aqmlab.show.tables.printed import as_text
from aqmlab.show.tables.render import to_notebook
from aqmlab.show.tables.sweep import results_table
from aqmlab.study.sweeps.running import SweepResults


@shown.text.register(SweepResults)
def _text(swept: SweepResults) -> str:
    return as_text([results_table(swept.sweep, swept.runs, links=swept.links)])


@shown.facts.register(SweepResults)
def _facts(swept: SweepResults) -> dict[str, Any]:
    """The settings of each point, by its configuration."""
    names = dict(zip(swept.runs, swept.results, strict=True))
    return {
        "seeds": list(swept.sweep.seeds),
        "settings": {names[point.index]: dict(point.settings) for point in swept.sweep.points},
    }


@shown.html.register(SweepResults)
def _html(swept: SweepResults) -> str:
    return to_notebook([results_table(swept.sweep, swept.runs, links=swept.links)])
