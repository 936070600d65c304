"""What the results of a sweep look like in a notebook."""

from __future__ import annotations

from aqmlab import shown
from aqmlab.show.tables.render import to_notebook
from aqmlab.show.tables.sweep import results_table
from aqmlab.study.sweeps.running import SweepResults


@shown.html.register(SweepResults)
def _html(swept: SweepResults) -> str:
    return to_notebook([results_table(swept.sweep, swept.runs, links=swept.links)])
