"""`aqmlab compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import links_option, read_names
from aqmlab.errors import ResultError
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from aqmlab.result import Result


@click.command
@click.argument("folders", metavar="FOLDER FOLDER", nargs=2, type=click.Path(path_type=Path))
@click.option(
    "--names",
    callback=read_names,
    metavar="A,B",
    help="What the two are called; by default what their folders are.",
)
@links_option
def compare(*, folders: tuple[Path, Path], names: tuple[str, ...], links: tuple[str, ...]) -> None:
    """Compare what two configurations did to the same users, replication by replication.

    A folder is what `aqmlab run --output` wrote: one result, or one for each of several seeds. Results are
    paired by seed; other windows or other users on one side are refused. Throughput and loss are those of the
    links that carry data, each by name. From six seeds on there are intervals and a verdict
    (docs/statistics.md).

    \b
    Examples:
      aqmlab compare results/pi results/drop-tail
      aqmlab compare results/pi results/drop-tail --links b-to-c --names PI,drop-tail
    """
    from aqmlab.compare import compare as compared
    from aqmlab.statistics import MissingDataError, UnknownLinkError

    if names and len(names) != len(folders):
        raise click.BadParameter("two names, such as PI,drop-tail", param_hint="--names")
    a, b = (_results(folder) for folder in folders)
    called = (names[0], names[1]) if names else (folders[0].name, folders[1].name)
    try:
        say(str(compared(a, b, names=called, links=links)))
    except (UnknownLinkError, MissingDataError) as error:
        raise ResultError(f"{folders[0]}, {folders[1]}: {error}") from None


def _results(folder: Path) -> list[Result]:
    """The result in a folder, or all those in the folders inside it."""
    from aqmlab.result import Result

    if (folder / "run.json").exists():
        return [Result.load(folder)]
    found = [Result.load(file.parent) for file in sorted(folder.glob("*/run.json"))]
    if not found:
        raise ResultError(f"{folder}: holds no result; legal: what aqmlab run --output wrote")
    return found
