"""What results, their summaries and the results of sweeps look like in a notebook."""

from __future__ import annotations

from aqmlab import shown
from aqmlab.result import Result
from aqmlab.show.tables.render import to_notebook
from aqmlab.show.tables.results import result_tables
from aqmlab.show.tables.run_summary import summary_tables
from aqmlab.statistics.run_summary import RunSummary


@shown.html.register(Result)
def _of_result(result: Result) -> str:
    return to_notebook(result_tables(result))


@shown.html.register(RunSummary)
def _of_summary(summary: RunSummary) -> str:
    return to_notebook(summary_tables(summary))
