"""What the commands that test a line share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aqmlab.terminal.console import console, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aqmlab.show.tables.printed import Part

LINE = {"metavar": "[LINE.toml]", "type": click.Path(path_type=Path, dir_okay=False)}


def require_one_line(
    *,
    line: Path | None,
    down_mbps: float | None,
    up_mbps: float | None,
    overrides: Mapping[str, object],
    **_: Any,  # noqa: ANN401 (the other arguments of the test)
) -> None:
    """Checks that the options name one line."""
    if line is not None:
        if down_mbps is not None or up_mbps is not None:
            raise click.UsageError("--down and --up are of a line without a file; legal: these, or the file")
    elif down_mbps is None or up_mbps is None:
        raise click.UsageError(
            "give the line: --down 100 --up 10, or a scenario file with a [line] or [dumbbell]"
        )
    elif overrides:
        raise click.UsageError("--set replaces values of a scenario, and there is none")


def tell(timing: str, written: Iterable[object], parts: Iterable[Part], *, quiet: bool) -> None:
    """Prints what a test has found, quietly only where it was not written."""
    from aqmlab.show.tables import printed

    if timing:
        say(timing)
    written = list(written)
    for each in written:
        say(f"written: {each}")
    if not written or not quiet:
        printed.on(console(), parts)
