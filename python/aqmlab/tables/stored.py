"""What programs read of a table: CSV, Parquet, Arrow. Values are as they are, nothing where there is none."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pyarrow as pa

from aqmlab.arguments import TABLE_ENDINGS
from aqmlab.errors import RefusalError
from aqmlab.files.folders import require_writable, whole_file, write_whole
from aqmlab.tables.model import Medium, Table
from aqmlab.terminal.spelling import as_text

if TYPE_CHECKING:
    from pathlib import Path


def to_csv(table: Table) -> str:
    """The table as CSV: values as they are, nothing where there is none."""
    part = table.shown_in(Medium.CSV)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([column.name for column in part.columns])
    writer.writerows([cell.value for cell in row] for row in part.rows)
    return file.getvalue()


def save(table: Table, file: Path) -> Path:
    """Writes what programs read of a table, as Parquet or CSV by the ending of the name."""
    if file.suffix == ".csv":
        return write_whole(file, to_csv(table))
    from pyarrow import parquet  # noqa: PLC0415 (slow to import)

    with whole_file(file) as partial:
        parquet.write_table(to_arrow(table), partial, compression="zstd")
    return file


def require_form(file: Path, refusal: type[RefusalError] = RefusalError) -> None:
    """Checks the ending of a table's name and its folder before any work."""
    if file.suffix not in TABLE_ENDINGS:
        legal = " or ".join(TABLE_ENDINGS)
        raise refusal(f"{file}: a table ends in {legal}", place=str(file), value=file.suffix, legal=legal)
    require_writable(file)


def to_arrow(table: Table) -> pa.Table:
    """What programs read of a table, as an Arrow table."""
    part = table.shown_in(Medium.CSV)
    return pa.table(
        {
            column.name: _stored([row[place].value for row in part.rows])
            for place, column in enumerate(part.columns)
        }
    )


def _stored(values: list[object]) -> pa.Array:
    """A column of one kind: numbers, also where nothing is known, texts or flags; mixed ones as texts."""
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return pa.array(values, type=pa.float64())
    if kinds <= {int, float} or kinds in ({str}, {bool}):
        return pa.array(values)
    return pa.array([None if value is None else as_text(value) for value in values])
