"""`aqmlab new`: a scenario to start from."""

from __future__ import annotations

from pathlib import Path

import click

from aqmlab.errors import FolderError, RefusalError
from aqmlab.files.folders import write_whole
from aqmlab.presets.household import TECHNOLOGIES, household
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
@click.option(
    "--down",
    "down_mbps",
    type=float,
    metavar="MBPS",
    help="Of home: its rate down, in Mbit/s; by default one that is usual for the technology.",
)
@click.option("--up", "up_mbps", type=float, metavar="MBPS", help="Of home: its rate up.")
@click.option(
    "--technology",
    metavar="|".join(TECHNOLOGIES),
    help="Of home: the kind of line, which has buffers, delay and framing of its own; by default cable.",
)
def new(
    *,
    preset: str | None,
    only_list: bool,
    output: Path | None,
    down_mbps: float | None,
    up_mbps: float | None,
    technology: str | None,
) -> None:
    """Write a scenario to start from.

    Presets are a household, a building on a shared access line, and the links of studies. Without PRESET it
    lists them. Sources of the numbers: docs/reference/presets.md.

    \b
    Examples:
      aqmlab new --list
      aqmlab new home -o my-link.toml && aqmlab run my-link.toml
      aqmlab new home --down 50 --up 10 --technology vdsl -o my-vdsl.toml
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
    line = (down_mbps, up_mbps, technology)
    if line != (None, None, None) and (preset != "home" or only_list):
        raise click.UsageError("--down, --up and --technology are of home: aqmlab new home --down 50 --up 10")
    if preset is None or only_list:
        width = max(map(len, known))
        for name in known:
            click.echo(f"{name:{width}}  {presets.summary(name)}")
        return
    text = presets.text(preset) if line == (None, None, None) else _household(*line)
    if output is None:
        click.echo(text, nl=False)
    else:
        _write(output, text)


def _household(down_mbps: float | None, up_mbps: float | None, technology: str | None) -> str:
    try:
        return household(down_mbps, up_mbps, technology or "cable")
    except RefusalError as error:
        said = str(error).removeprefix(f"{error.place}: ")
        raise click.BadParameter(said, param_hint=f"--{error.place}") from None


def _write(file: Path, text: str) -> None:
    if file.exists():
        raise FolderError(f"{file}: exists already; choose another file or remove this one")
    say(
        f"written: {write_whole(file, text)}; next: aqmlab run {file}, or aqmlab compare {file} --schemes ..."
    )
