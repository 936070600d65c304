"""`aqmlab pages`: pages of one's own for the model of today's pages."""

from __future__ import annotations

from pathlib import Path

import click

from aqmlab.files.folders import write_whole
from aqmlab.terminal.console import say


@click.group
def pages() -> None:
    """Use your own pages: convert browser recordings.

    The traffic model `pages` reads the converted file.

    \b
    Examples:
      aqmlab pages import front.har article.har -o own.csv
    """


@pages.command("import")
@click.argument("har_files", metavar="FILE.har...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.csv",
    help="Output file, one object per line.",
)
def import_(*, har_files: tuple[Path, ...], output: Path) -> None:
    """Convert HAR files to a page file.

    A browser's network panel saves HAR files. Sizes are transfer sizes if the browser recorded them; the
    command prints their source and the number of skipped entries. Hosts and waves of requests are kept; names
    and contents are not.

    \b
    Examples:
      aqmlab pages import front.har article.har -o own.csv
      aqmlab run household.toml \\
        --set 'populations.0.model={ model = "pages", pages_file = "own.csv" }'
    """
    from aqmlab.files import har
    from aqmlab.show.words.pages import origins_in_words, pages_in_words

    recordings = [har.read_recording(file) for file in har_files]
    found = [page for recording in recordings for page in recording.pages]
    write_whole(output, har.as_lines(found))
    for line in (*pages_in_words(found), *origins_in_words(recordings)):
        say(line)
    say(f'written: {output}; in a scenario: model = {{ model = "pages", pages_file = "{output.name}" }}')
