"""`aqmlab export`: results in the formats of others."""

from __future__ import annotations

from pathlib import Path

import click

from aqmlab.cli.options import FOLDER
from aqmlab.terminal.console import say


@click.group
def export() -> None:
    """Write a result in the format of another tool.

    \b
    Examples:
      aqmlab export flent results/pi/seed-1 -o pi.flent.gz
    """


@export.command
@click.argument("folder", metavar="RESULT", type=FOLDER)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.flent.gz",
    help="Where to write.",
)
@click.option("--download", default="", metavar="LINK", help="By default the link that carries most.")
@click.option("--upload", default="", metavar="LINK", help="By default the link of the other direction.")
def flent(folder: Path, output: Path, download: str, upload: str) -> None:
    """Write the throughput of a link in both directions, and the delay in its queues, as a Flent data file.

    `flent` plots it, and `flent-gui` opens it, as measurements of the test tcp_bidirectional.

    \b
    Examples:
      aqmlab export flent results/pi/seed-1 -o pi.flent.gz
      flent -i pi.flent.gz -p totals -o pi.png
    """
    from aqmlab.result import Result
    from aqmlab.tables.flent import save_flent

    save_flent(Result.load(folder), output, download=download, upload=upload)
    say(str(output))
