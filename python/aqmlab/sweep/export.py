"""A sweep as one table: a row for every finished run, with the design's keys and the run's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from aqmlab.errors import DemandError, SweepError
from aqmlab.files.folders import require_writable, whole_file
from aqmlab.load.demand import named_links
from aqmlab.statistics import UnknownLinkError, judged_links
from aqmlab.statistics.summary import RESTRICTED_TO_S, figures
from aqmlab.sweep.file import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab.result import Result
    from aqmlab.statistics.summary import Figures
    from aqmlab.sweep.file import Sweep
    from aqmlab.sweep.status import Status

_FORMS = (".parquet", ".csv")


def rows(
    status: Status, *, restricted_to_s: float = RESTRICTED_TO_S, links: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """One row for every finished run of a sweep, point by point and seed by seed.

    Args:
        status: The sweep and what is finished of it.
        restricted_to_s: The limit of the restricted mean response time, in seconds.
        links: The links that figures are taken over; by default those that carry data in the run.

    Raises:
        SweepError: A link that was chosen is not monitored.
    """
    table = []
    for point, seed, address in status.sweep.runs:
        if (result := status.found[address].result) is None or result.content_address != address:
            continue
        judged, own = _figures(result, restricted_to_s, links)
        table.append({
            "point": point.index,
            **{key: point.settings.get(key) for key in status.sweep.keys},
            "seed": seed,
            "content_address": address,
            "offered_load_percent": (result.offered_load or {}).get("realised_percent"),
            "judged_links": ", ".join(judged),
            **own,
        })  # fmt: skip
    return table


def _figures(result: Result, restricted_to_s: float, links: Sequence[str]) -> tuple[list[str], Figures]:
    """The names of the judged links, and the run's figures."""
    try:
        judged = [str(link["name"]) for link in judged_links(result, links)]
        return judged, figures(result, restricted_to_s=restricted_to_s, links=judged)
    except UnknownLinkError as error:
        raise SweepError(str(error)) from None


def export(status: Status, file: Path, *, links: Sequence[str] = ()) -> int:
    """Writes the table as Parquet or CSV, by the ending of the file's name; returns the number of rows.

    Raises:
        SweepError: The ending is neither, no run has finished, or a link that was chosen is not monitored.
    """
    check_form(file)
    table = rows(status, links=links)
    if not table:
        raise SweepError(f"{status.sweep.name}: no run has finished, so there is nothing to export")
    write(table, file, as_text=status.sweep.keys)
    return len(table)


def check_form(file: Path) -> None:
    """Checks the ending of a table's name and its folder before any work.

    Raises:
        SweepError: It is neither .parquet nor .csv.
        FolderError: Nothing can be written there.
    """
    if file.suffix not in _FORMS:
        raise SweepError(f"{file}: a table ends in {' or '.join(_FORMS)}")
    require_writable(file)


def check_links(sweep: Sweep, links: Sequence[str]) -> None:
    """Checks that every point's scenario monitors the chosen links, before any work.

    Raises:
        SweepError: One does not; the message names the point and the links that there are.
    """
    for point in sweep.points:
        try:
            named_links(point.scenario, links)
        except DemandError as error:
            raise SweepError(f"{point}: {error}") from None


def write(table: Sequence[dict[str, Any]], file: Path, *, as_text: Sequence[str] = ()) -> None:
    """Writes rows; a column of `as_text` that holds tables, lists or mixed kinds is written as text."""
    names = list(dict.fromkeys(name for row in table for name in row))
    columns = {name: [row.get(name) for row in table] for name in names}
    for name in as_text:
        if name in columns and not _is_plain(columns[name]):
            columns[name] = [None if value is None else shown(value) for value in columns[name]]
    arrow = pa.table({name: _numbers_if_empty(pa.array(values)) for name, values in columns.items()})
    with whole_file(file) as partial:
        if file.suffix == ".csv":
            pa_csv.write_csv(arrow, partial)
        else:
            pq.write_table(arrow, partial, compression="zstd")


def _numbers_if_empty(column: pa.Array) -> pa.Array:
    """A column in which nothing is known is a column of numbers, as it is where something is known."""
    return column.cast(pa.float64()) if pa.types.is_null(column.type) else column


def _is_plain(values: Sequence[object]) -> bool:
    kinds = {type(value) for value in values if value is not None}
    return kinds <= {int, float} or kinds in ({str}, {bool})
