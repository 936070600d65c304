"""`aqmlab bundle`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab._startup import keep_nothing
from aqmlab.cli.from_api import from_api
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from pathlib import Path


@from_api(
    "bundle",
    results={"metavar": "FOLDER...", "nargs": -1, "required": True},
    output={"type": click.Path(), "metavar": "FILE.zip|FOLDER"},
    with_runs={
        "names": ["--runs/--no-runs"],
        "is_flag": True,
        "default": True,
        "help": "Whether the runs are packed; without them there are their digests.",
    },
)
def bundle(*, results: tuple[Path, ...], **asked: Any) -> None:  # noqa: ANN401
    """Pack results for publication, with the commands that repeat them.

    Takes folders written by `aqmlab run` and `aqmlab compare`. The archive has the scenarios (complete, with
    the files that they name), the seeds, the runs, every number as CSV, figures, the report, an entry for
    BibTeX, and a README.md with the version and the commands. Nothing is run. The same results make the same
    bytes. Packing again replaces a .zip; a folder has to be new.

    \b
    Examples:
      aqmlab bundle results/compare-link
      aqmlab bundle results/pi results/drop-tail --output pi.zip --title "PI"
      aqmlab bundle results/compare-link --no-runs --output supplement
    """
    given = results[0] if len(results) == 1 else list(results)
    keep_nothing()
    say(str(aqmlab.bundle(given, **asked)))
