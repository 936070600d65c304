"""Tables in print and for programs: one model of a table, three renderers, and a module for each table.

A module knows what its table says (`cells`, `runs`, `best`, `ablations`, `comparisons`, `claims`, `loads`);
`model` defines tables; `render` writes them as CSV, HTML and terminal text.
"""

from aqmlab.tables.ablations import AblationRow, ablation_rows
from aqmlab.tables.best import BestRow, best_rows
from aqmlab.tables.cells import Entry, Row, caption, cell_rows, published_rows
from aqmlab.tables.filled import Filled, fill
from aqmlab.tables.model import Column, Medium, Standing, Table, TableCell
from aqmlab.tables.render import save, to_arrow, to_csv, to_html, to_notebook, to_terminal

__all__ = [
    "AblationRow",
    "BestRow",
    "Column",
    "Entry",
    "Filled",
    "Medium",
    "Row",
    "Standing",
    "Table",
    "TableCell",
    "ablation_rows",
    "best_rows",
    "caption",
    "cell_rows",
    "fill",
    "published_rows",
    "save",
    "to_arrow",
    "to_csv",
    "to_html",
    "to_notebook",
    "to_terminal",
]
