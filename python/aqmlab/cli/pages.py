"""`aqmlab pages`: pages of one's own for the model of today's pages."""

from __future__ import annotations

from pathlib import Path

import click

from aqmlab.files.folders import write_whole
from aqmlab.terminal.console import say


@click.group
def pages() -> None:
    """Load pages of your own: what a browser recorded becomes a file for `model = "pages"`.

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
    help="Write the pages there, an object a line.",
)
def import_(*, har_files: tuple[Path, ...], output: Path) -> None:
    """Turn HAR files (saved by a browser's network panel) into a file of pages.

    Sizes are those on the wire, hosts and waves those that the browser saw; names and contents stay behind.

    \b
    Examples:
      aqmlab pages import front.har article.har -o own.csv
      aqmlab run household.toml --set 'users.model={ model = "pages", pages_file = "own.csv" }'
    """
    from aqmlab.files import har

    found = [page for file in har_files for page in har.read_pages(file)]
    write_whole(output, har.as_lines(found))
    for number, objects in enumerate(found):
        size = sum(each.response_bytes for each in objects)
        hosts = len({each.host for each in objects})
        say(f"page {number}: {len(objects)} objects of {size:,} bytes from {hosts} hosts")
    say(f'written: {output}; in a scenario: model = {{ model = "pages", pages_file = "{output.name}" }}')
