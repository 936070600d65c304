"""Tables for people and programs: table 2 beside the published one, ablations, loads."""

from aqmlab.tables.ablations import AblationRow, ablation_rows, ablations_to_csv, ablations_to_html
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
from aqmlab.tables.loads import loads_to_csv

__all__ = [
    "AblationRow",
    "Entry",
    "Row",
    "ablation_rows",
    "ablations_to_csv",
    "ablations_to_html",
    "caption",
    "cell_rows",
    "loads_to_csv",
    "published_rows",
    "to_csv",
    "to_html",
    "to_rich",
]
