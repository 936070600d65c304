"""`aqmlab new`: a scenario to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab import presets
from aqmlab.cli.from_api import from_api
from aqmlab.cli.options import FILE
from aqmlab.errors import RefusalError
from aqmlab.presets import TECHNOLOGIES
from aqmlab.terminal.console import say
from aqmlab.terminal.spelling import nearest, shortened

if TYPE_CHECKING:
    from pathlib import Path


@from_api(
    "new",
    after={"only_list": "preset"},
    preset={"required": False, "metavar": None},
    output={"type": FILE, "metavar": "FILE.toml"},
    technology={"metavar": "|".join(TECHNOLOGIES)},
    queue_in={"metavar": "PLACE"},
)
@click.option("--list", "only_list", is_flag=True, help="List the presets, one per line, and write nothing.")
def new(
    *,
    preset: str | None,
    only_list: bool,
    output: Path | None,
    down_mbps: float | None,
    up_mbps: float | None,
    technology: str | None,
    queue_in: str | None,
    downloads: tuple[str, ...],
) -> None:
    """Write a scenario to start from.

    Presets are a household, a building on a shared access line, and the links of studies. Without PRESET it
    lists them. Sources of the numbers: docs/reference/presets.md.

    \b
    Examples:
      aqmlab new --list
      aqmlab new home -o my-link.toml && aqmlab run my-link.toml
      aqmlab new home --down 50 --up 10 --technology vdsl -o my-vdsl.toml
      aqmlab new home --technology adsl --queue-in router -o my-adsl.toml
      aqmlab new home --downloads bbr,cubic -o my-two.toml
      aqmlab new building-docsis         print it
    """
    known = presets.names()
    if preset is None and output is not None:
        raise click.UsageError(f"missing preset; legal: {', '.join(known)}")
    if preset is not None and preset not in known:
        raise click.UsageError(
            f'no preset is called "{shortened(preset)}"; legal: {", ".join(known)}{nearest(preset, known)}'
        )
    line: dict[str, Any] = {
        "down_mbps": down_mbps,
        "up_mbps": up_mbps,
        "technology": technology,
        "queue_in": queue_in,
        "downloads": downloads,
    }
    if any(each not in (None, ()) for each in line.values()) and (preset != "home" or only_list):
        raise click.UsageError(
            "--down, --up, --technology, --queue-in and --downloads are of home: "
            "aqmlab new home --down 50 --up 10"
        )
    if preset is None or only_list:
        width = max(map(len, known))
        for name in known:
            click.echo(f"{name:{width}}  {presets.summary(name)}")
        return
    try:
        made = aqmlab.new(preset, output=output, **line)
    except RefusalError as error:
        if error.place not in line:
            raise
        said = str(error).removeprefix(f"{error.place}: ")
        hint = f"--{error.place.removesuffix('_mbps').replace('_', '-')}"
        raise click.BadParameter(said, param_hint=hint) from None
    if output is None:
        click.echo(str(made), nl=False)
    else:
        say(f"written: {output}; next: aqmlab compare {output}")
