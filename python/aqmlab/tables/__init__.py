"""Tables for people and programs: each of a paper's tables beside ours, ablations, loads."""

from aqmlab.tables.ablations import AblationRow, ablation_rows, ablations_to_csv, ablations_to_html
from aqmlab.tables.best import BestRow, best_rows
from aqmlab.tables.cells import (
    Entry,
    Row,
    caption,
    cell_rows,
    published_rows,
    to_csv,
    to_html,
    to_rich,
)
from aqmlab.tables.filled import Filled, fill
from aqmlab.tables.loads import loads_to_csv

__all__ = [
    "AblationRow",
    "BestRow",
    "Entry",
    "Filled",
    "Row",
    "ablation_rows",
    "ablations_to_csv",
    "ablations_to_html",
    "best_rows",
    "caption",
    "cell_rows",
    "fill",
    "loads_to_csv",
    "published_rows",
    "to_csv",
    "to_html",
    "to_rich",
]
