"""`aqmlab export`: results in the formats of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import FOLDER, output_option
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from pathlib import Path


@click.group
def export() -> None:
    """Write a result in the format of another tool.

    \b
    Examples:
      aqmlab export flent results/pi/seed-1 -o pi.flent.gz
      aqmlab export parquet results/pi -o pi-parquet
    """


@export.command
@click.argument("folder", metavar="FOLDER", type=FOLDER)
@output_option("FOLDER", "A new folder.", required=True)
def parquet(folder: Path, output: Path) -> None:
    """Write the tables of results as Parquet files, one for each table.

    FOLDER is a result or holds results, such as that of a comparison; each gets the same place below the
    output.

    \b
    Examples:
      aqmlab export parquet results/pi/seed-1 -o seed-1
      aqmlab export parquet results/pi -o pi-parquet
    """
    from aqmlab.runs.store import save_as_parquet

    for place in save_as_parquet(folder, output):
        say(str(place))


@export.command
@click.argument("folder", metavar="RESULT", type=FOLDER)
@output_option("FILE.flent.gz", "Output file.", required=True)
@click.option(
    "--download",
    default="",
    metavar="LINK",
    help="Link for downloads; by default the one with the most traffic.",
)
@click.option(
    "--upload", default="", metavar="LINK", help="Link for uploads; by default the opposite direction."
)
def flent(folder: Path, output: Path, download: str, upload: str) -> None:
    """Write a Flent data file of a link.

    It contains the throughput in both directions and the queueing delay. `flent` and `flent-gui` show it as a
    measurement of the test tcp_bidirectional.

    \b
    Examples:
      aqmlab export flent results/pi/seed-1 -o pi.flent.gz
      flent -i pi.flent.gz -p totals -o pi.png
    """
    from aqmlab.result import Result
    from aqmlab.show.tables.flent import save_flent

    save_flent(Result.load(folder), output, download=download, upload=upload)
    say(str(output))
