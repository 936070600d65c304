"""A table as data: columns that know their unit and digits, rows, and the files that programs read.

How it looks is `aqmlab.show.tables`.
"""

from aqmlab.tables.model import Column, Table
from aqmlab.tables.stored import save, to_arrow, to_csv

__all__ = ["Column", "Table", "save", "to_arrow", "to_csv"]
