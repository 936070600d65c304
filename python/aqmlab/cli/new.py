"""`aqmlab new`: a scenario to start from."""

from __future__ import annotations

from pathlib import Path

import click

from aqmlab.errors import FolderError
from aqmlab.files.folders import write_whole
from aqmlab.terminal.console import say
from aqmlab.terminal.spelling import nearest, shortened


@click.command
@click.argument("preset", required=False)
@click.option("--list", "only_list", is_flag=True, help="List the presets, one per line, and write nothing.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.toml",
    help="Output file, which must not exist; by default the preset is printed.",
)
def new(*, preset: str | None, only_list: bool, output: Path | None) -> None:
    """Write a scenario to start from.

    Presets are a household, a building on a shared access line, and the links of studies. Without PRESET it
    lists them. Sources of the numbers: docs/reference/presets.md.

    \b
    Examples:
      aqmlab new --list
      aqmlab new home -o my-link.toml && aqmlab run my-link.toml
      aqmlab new building-docsis         print it
    """
    from aqmlab import presets

    known = presets.names()
    if preset is None and output is not None:
        raise click.UsageError(f"missing preset; legal: {', '.join(known)}")
    if preset is not None and preset not in known:
        raise click.UsageError(
            f'no preset is called "{shortened(preset)}"; legal: {", ".join(known)}{nearest(preset, known)}'
        )
    if preset is None or only_list:
        width = max(map(len, known))
        for name in known:
            click.echo(f"{name:{width}}  {presets.summary(name)}")
    elif output is None:
        click.echo(presets.text(preset), nl=False)
    else:
        _write(output, presets.text(preset))


def _write(file: Path, text: str) -> None:
    if file.exists():
        raise FolderError(f"{file}: exists already; choose another file or remove this one")
    say(
        f"written: {write_whole(file, text)}; next: aqmlab run {file}, or aqmlab compare {file} --schemes ..."
    )
