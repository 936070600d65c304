"""`aqmlab results`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from aqmlab.cli.folders import RESULTS
from aqmlab.cli.options import FOLDER, REPORT
from aqmlab.terminal.console import console, say
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab.comparison.kept import Kept
    from aqmlab.tables.model import Table


@click.command
@click.argument("folder", metavar="[FOLDER]", type=FOLDER, default=RESULTS)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, for programs.")
def results(*, folder: Path, as_json: bool) -> None:
    """List what was run: scenario, schemes, seeds, time, folder.

    Looks in `results`, or in FOLDER. Runs and comparisons are never replaced: an edited scenario, other
    schemes or other seeds go to a folder beside it (-2, -3 and so on), and the same command finds its own
    folder again. Only `aqmlab reproduce` replaces its report; its finished runs stay.

    `aqmlab report`, `aqmlab plot` and `aqmlab compare` read a folder of the list. An interrupted comparison
    is listed with the runs it has; the same command finishes it. A store holds runs by their content for all
    commands. Every folder stands alone and may be removed or copied.

    Where two have the same scenario's name, schemes and seeds, the newer one is listed with the settings that
    differ: dumbbell.rate_mbps 50 instead of 100.

    \b
    Examples:
      aqmlab results
      aqmlab results results
      aqmlab results --json
    """
    from aqmlab.comparison.kept import kept_in

    if folder == RESULTS and not folder.is_dir():
        found: Sequence[Kept] = ()
    else:
        found = kept_in(folder)
    if as_json:
        say(json.dumps([_as_plain(each) for each in found], indent=1, ensure_ascii=False))
    elif not found:
        say(f"nothing in {folder}; `aqmlab run` and `aqmlab compare` keep their results there")
    else:
        from aqmlab.show.tables.render import to_terminal

        console().print(to_terminal(_table(found)))


def _as_plain(kept: Kept) -> dict[str, object]:
    report = kept.folder / REPORT
    return {
        "what": kept.what,
        "scenario": kept.scenario,
        "schemes": list(kept.schemes),
        "seeds": list(kept.seeds),
        "runs": kept.runs,
        "finished": kept.finished,
        "when": datetime.fromtimestamp(kept.modified_s, UTC).isoformat(timespec="seconds"),
        "folder": str(kept.folder),
        "report": str(report) if report.is_file() else None,
        "differs": kept.differs or None,
    }


def _table(found: Sequence[Kept]) -> Table:
    from aqmlab.tables.model import Column, Table, text

    columns: list[Column[Kept]] = [
        Column("what", lambda kept: text(_what(kept)), "what", words=True),
        Column("scenario", lambda kept: text(kept.scenario), "scenario", words=True, wraps=True),
        Column("schemes", lambda kept: text(", ".join(kept.schemes)), "schemes", words=True, wraps=True),
        Column("seeds", lambda kept: text(str(kept.seeds)), "seeds", words=True, wraps=True),
        Column("when", lambda kept: text(_when(kept)), "when", words=True),
        Column("folder", lambda kept: text(str(kept.folder)), "folder", words=True, wraps=True),
    ]
    if any(kept.differs for kept in found):
        columns.append(
            Column("differs", lambda kept: text(kept.differs), "differs in", words=True, wraps=True)
        )
    return Table.of(found, columns)


def _what(kept: Kept) -> str:
    if kept.what == "store":
        return f"store of {counted(kept.runs, 'run')}"
    if not kept.finished:
        return f"{kept.what}, begun"
    return "run" if (kept.what, kept.runs) == ("runs", 1) else kept.what


def _when(kept: Kept) -> str:
    return datetime.fromtimestamp(kept.modified_s, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
