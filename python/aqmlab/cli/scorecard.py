"""`aqmlab scorecard`."""

from __future__ import annotations

from pathlib import Path

import click

from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import FOLDER
from aqmlab.terminal.console import console, say


@click.command
@click.argument("folders", metavar="[RESULTS...]", nargs=-1, type=FOLDER)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.md",
    help="Also write counts and causes to this Markdown page; all numbers and claims to FILE-numbers.csv.",
)
@numbers_options
def scorecard(*, folders: tuple[Path, ...], output: Path | None) -> Numbers:
    """Compare all published numbers and claims with ours.

    Counts for each study what is reproduced, what differs with a known cause, what the paper's text does not
    determine, what differs for an unknown cause, and what the scale cannot judge. Reads the folders of
    `aqmlab reproduce`, by default those in `results`; runs nothing. Runs with other hosts (`--hosts`) have no
    scorecard.

    \b
    Examples:
      aqmlab reproduce le2003 && aqmlab scorecard
      aqmlab scorecard results/le2003-quick --output reproduction.md
    """
    from aqmlab.papers import scorecard as cards
    from aqmlab.show.papers import pages
    from aqmlab.show.tables.render import to_terminal

    found = folders or tuple(sorted(file.parent for file in Path("results").glob(f"*/{cards.FILE}")))
    if not found:
        raise click.UsageError(
            f"no folder in results contains a {cards.FILE}; `aqmlab reproduce` without --hosts writes it"
        )
    entries = cards.read_all(found)
    if output is not None:
        pages.write(entries, output)
    console().print(to_terminal(cards.summary(entries)))
    if output is not None:
        say(f"page: {output}")
    return Numbers(lambda: cards.tidy(entries))
