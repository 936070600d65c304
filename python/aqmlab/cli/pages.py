"""`aqmlab pages`: pages of one's own for the model of today's pages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.files.folders import write_whole
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.files.har import Recording


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
      aqmlab run household.toml --set 'users.model={ model = "pages", pages_file = "own.csv" }'
    """
    from aqmlab.files import har

    recordings = [har.read_recording(file) for file in har_files]
    found = [page for recording in recordings for page in recording.pages]
    write_whole(output, har.as_lines(found))
    for number, objects in enumerate(found):
        size = sum(each.response_bytes for each in objects)
        hosts = len({each.host for each in objects})
        whole = f"{_counted(len(objects), 'object')} of {size:,} bytes"
        say(f"page {number}: {whole} from {_counted(hosts, 'host')}")
    for line in _origins(recordings):
        say(line)
    say(f'written: {output}; in a scenario: model = {{ model = "pages", pages_file = "{output.name}" }}')


def _origins(recordings: list[Recording]) -> Iterator[str]:
    """Where the sizes come from, and what was left out."""
    from aqmlab.files.har import MOST_OBJECTS

    sources = sum((recording.sources for recording in recordings), Counter())
    for source, objects in sources.items():
        yield f"sizes of {_counted(objects, 'object')}: {source.value}"
    if cached := sum(recording.cached for recording in recordings):
        yield f"left out: {_counted(cached, 'entry', 'entries')} from a cache or not from a server"
    if unknown := sum(recording.unknown for recording in recordings):
        entries = _counted(unknown, "entry", "entries")
        yield f"left out: {entries} of unknown size: no _transferSize, bodySize or content.size in the file"
    if surplus := sum(recording.surplus for recording in recordings):
        yield f"left out: {_counted(surplus, 'object')} after the first {MOST_OBJECTS:,} of a page"


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
