"""A sweep as one table: a row for every finished run, with the design's keys and the run's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.errors import SweepError, UnknownLinkError
from aqmlab.load.demand import named_links
from aqmlab.statistics import judged_links
from aqmlab.statistics.summary import RESTRICTED_TO_S, figures
from aqmlab.tables import Table, save
from aqmlab.tables.render import require_form

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab.result import Result
    from aqmlab.statistics.summary import Figures
    from aqmlab.sweeps.file import Point, Sweep
    from aqmlab.sweeps.status import Status


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
        row = row_of(point, result, restricted_to_s=restricted_to_s, links=links)
        settings = {key: point.settings.get(key) for key in status.sweep.keys}
        table.append({"point": point.index, **settings, "seed": seed, **row})
    return table


def row_of(
    point: Point, result: Result, *, restricted_to_s: float = RESTRICTED_TO_S, links: Sequence[str] = ()
) -> dict[str, Any]:
    """The figures of one run of a point.

    Raises:
        SweepError: A link that was chosen is not monitored.
    """
    judged, own = _figures(result, restricted_to_s, links)
    return {
        "point": point.index,
        "content_address": result.content_address,
        "offered_load_percent": (result.offered_load or {}).get("realised_percent"),
        "judged_links": ", ".join(judged),
        **own,
    }


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
    require_form(file, SweepError)
    table = rows(status, links=links)
    if not table:
        raise SweepError(f"{status.sweep.name}: no run has finished, so there is nothing to export")
    save(Table.of_records(table), file)
    return len(table)


def check_links(sweep: Sweep, links: Sequence[str]) -> None:
    """Checks that every point's scenario monitors the chosen links, before any work.

    Raises:
        SweepError: One does not; the message names the point and the links that there are.
    """
    for point in sweep.points:
        try:
            named_links(point.scenario, links)
        except UnknownLinkError as error:
            raise SweepError.of(error, f"{point}: {error}") from None
