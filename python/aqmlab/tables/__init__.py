"""Tables of runs, comparisons and sweeps: one model of a table, three renderers, and a module for each table.

A module knows what its table shows (`results`, `comparison`, `charts`, `crossvalidation`); `model` defines
tables; `render` writes them as CSV, HTML and terminal text. A paper's tables are in `aqmlab.papers.tables`.
"""

from aqmlab.tables.model import Column, Medium, Standing, Table, TableCell
from aqmlab.tables.render import save, to_arrow, to_csv, to_html, to_notebook, to_terminal

__all__ = [
    "Column",
    "Medium",
    "Standing",
    "Table",
    "TableCell",
    "save",
    "to_arrow",
    "to_csv",
    "to_html",
    "to_notebook",
    "to_terminal",
]
