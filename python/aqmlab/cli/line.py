"""`aqmlab line`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab.cli.from_api import from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import FILE
from aqmlab.cli.under_load import tell
from aqmlab.errors import RefusalError
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from pathlib import Path


@from_api(
    "line_from",
    after={"first": "files"},
    files={"nargs": -1, "required": False, "metavar": "FILE...", "type": FILE},
    output={"type": FILE, "metavar": "FILE.toml"},
    table={"type": FILE},
)
@click.option(
    "--from",
    "first",
    multiple=True,
    type=FILE,
    metavar="FILE...",
    help="The files; they may also stand without it.",
)
@numbers_options
def line(
    *,
    files: tuple[Path, ...],
    first: tuple[Path, ...],
    output: Path | None,
    table: Path | None,
    **asked: Any,  # noqa: ANN401
) -> Numbers:
    """Fit a [line] to what you have measured of yours.

    FILE is a data file of Flent, a result of crusader (crusader export), the CSV of Waveform's bufferbloat
    test, a log of ping, iperf3 --json, or a packet capture (pcap, pcapng) of a download or upload at home. It
    is recognised by its content. Of ping -D, iperf3 and captures several are put together by their times.

    It prints rates, round trip and queues with bounds and what these files cannot show, and writes a scenario
    that run, compare, bloat and sqm take. What was not fitted is marked by a comment.

    \b
    Examples:
      aqmlab line --from rrul.flent.gz
      aqmlab line --from ping.log download.json upload.json -o fitted.toml
      aqmlab line --from bufferbloat.csv --table fitted.csv
      aqmlab line --from ping.log download.json --json
    """
    from aqmlab.show.objects.line_fit import printed

    given = [*first, *files]
    if not given:
        raise click.UsageError(
            "which measurements? legal: --from FILE..., such as --from ping.log download.json"
        )
    try:
        found = aqmlab.line_from(given, output=output, table=table, **asked)
    except RefusalError as error:
        if error.place != "files":
            raise
        raise click.UsageError(str(error)) from None
    tell("", [each for each in (output, table) if each is not None], printed(found), quiet=False)
    if output is not None:
        say(f"next: aqmlab bloat {output}, or aqmlab sqm {output}")
    return Numbers.of(found)
