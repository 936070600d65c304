"""A sweep as one table: a row for every finished run, with the design's keys and the run's figures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from aqmlab.errors import SweepError, UnknownLinkError
from aqmlab.load.demand import named_links
from aqmlab.statistics import judged_links
from aqmlab.statistics.catalogue import shown_of
from aqmlab.statistics.quantities import RESTRICTED_TO_S, Measured
from aqmlab.statistics.run_summary import figures
from aqmlab.tables import Table, save
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab.result import Result
    from aqmlab.statistics.run_summary import Figures
    from aqmlab.study.sweeps.file import Point, Sweep
    from aqmlab.study.sweeps.status import Status


def rows(
    status: Status, *, restricted_to_s: float = RESTRICTED_TO_S, links: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """One row for every finished run of a sweep, point by point and seed by seed."""
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
    """The figures of one run of a point."""
    judged, own = _figures(result, restricted_to_s, links)
    shown = _shown(result, judged)
    return {
        "point": point.index,
        "content_address": result.content_address,
        "offered_load_percent": (result.offered_load or {}).get("realised_percent"),
        "judged_links": ", ".join(judged),
        **{name: value for name, value in own.items() if name not in shown},
        **shown,
    }


def _shown(result: Result, judged: Sequence[str]) -> Figures:
    """What is shown of the run; of a number of which only a bound is known, the bound beside it."""
    run = Measured(result, judged)
    row: Figures = {}
    for quantity in shown_of(result, judged):
        seen = quantity.observed(run)
        row[quantity.name] = seen.lower if seen.is_exact else None
        if seen.bound:
            ends = {"at_least": seen.lower, "at_most": seen.upper}
            row |= {f"{quantity.name}.{end}": each for end, each in ends.items() if math.isfinite(each)}
    return row


def _figures(result: Result, restricted_to_s: float, links: Sequence[str]) -> tuple[list[str], Figures]:
    """The names of the judged links, and the run's figures."""
    try:
        judged = [str(link["name"]) for link in judged_links(result, links)]
        return judged, figures(result, restricted_to_s=restricted_to_s, links=judged)
    except UnknownLinkError as error:
        raise SweepError(str(error)) from None


def export(status: Status, file: Path, *, links: Sequence[str] = ()) -> int:
    """Writes the table as Parquet or CSV, by the ending of the file's name; returns the number of rows."""
    require_form(file, SweepError)
    table = rows(status, links=links)
    if not table:
        raise SweepError(f"{status.sweep.name}: no run has finished, so there is nothing to export")
    save(Table.of_records(table), file)
    return len(table)


def check_links(sweep: Sweep, links: Sequence[str]) -> None:
    """Checks that every point's scenario monitors the chosen links, before any work."""
    for point in sweep.points:
        try:
            named_links(point.scenario, links)
        except UnknownLinkError as error:
            raise SweepError.of(error, f"{point}: {error}") from None
