"""The tables of a run as one Arrow file (IPC, which Feather is too): one row, with a column for each table.

The value of a column is the table, as a list of its rows (structs). So a table is read without the others,
and programs that read Arrow need nothing of ours: in Polars `explode` and `unnest` give the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from aqmlab.files.columns import of_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_COMPRESSION = "lz4"
"""A third of Parquet's time to write and half as many bytes again: most tables are read once or never."""


def table_bytes(tables: Mapping[str, pa.Table]) -> pa.Buffer:
    """The file with these tables, in the order of their names."""
    names = sorted(tables)
    row = pa.record_batch([_as_value(tables[name]) for name in names], names=names)
    sink = pa.BufferOutputStream()
    options = ipc.IpcWriteOptions(compression=_COMPRESSION, use_threads=False)
    with ipc.new_file(sink, row.schema, options=options) as writer:
        writer.write_batch(row)
    return sink.getvalue()


def table_names(file: Path) -> list[str]:
    """The names of the tables in a file."""
    with pa.OSFile(str(file)) as opened:
        return list(ipc.open_file(opened).schema.names)


def read_table(file: Path, name: str) -> pa.Table:
    """One table of a file."""
    with pa.OSFile(str(file)) as opened:
        place = ipc.open_file(opened).schema.get_field_index(name)
        if place < 0:
            raise pa.ArrowKeyError(f"no table {name}")
        alone = ipc.IpcReadOptions(included_fields=[place], use_threads=False)
        lists = ipc.open_file(opened, options=alone).get_batch(0).column(0)
        # Whoever made the checksums fit may have written anything.
        lists.validate(full=True)
        if not pa.types.is_large_list(lists.type) or not pa.types.is_struct(lists.type.value_type):
            raise pa.ArrowInvalid(f"{name} is no table")
        rows = lists.flatten()
        return pa.Table.from_arrays(rows.flatten(), schema=pa.schema(list(rows.type)))


def _as_value(table: pa.Table) -> pa.Array:
    whole = table.combine_chunks()
    columns = [each.chunk(0) if each.num_chunks else pa.nulls(0, each.type) for each in whole.columns]
    rows = pa.StructArray.from_arrays(columns, fields=list(table.schema))
    return pa.LargeListArray.from_arrays(of_numbers(np.array([0, table.num_rows], dtype=np.int64)), rows)
