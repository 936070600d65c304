"""`aqmlab sqm`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab._startup import keep_nothing
from aqmlab.cli.from_api import from_api
from aqmlab.cli.line_options import LINE, tell
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import execution_options

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.runs.executors import Executor


def _shares(_context: click.Context, _parameter: click.Parameter, given: str) -> tuple[float, ...]:
    try:
        return tuple(float(each) for each in given.split(","))
    except ValueError:
        raise click.BadParameter(f"{given}: legal: numbers above 0, to 1, such as 0.95,0.9") from None


@from_api("sqm", line=LINE, shares={"callback": _shares, "metavar": "SHARE,..."})
@numbers_options
@execution_options("threads")
def sqm(*, output: Path | None, executor: Executor, quiet: bool, **asked: Any) -> Numbers:  # noqa: ANN401
    """Say what to set in your router, and what to type.

    The household is on the line with everybody at once: calls, a game, a meeting, pages, a backup and a
    download. It tries queue disciplines in the router at several shares of the line's rate, counted as the
    line counts, and recommends what is best for whoever suffers most; of several, what costs least.

    \b
    Examples:
      aqmlab sqm --technology vdsl --down 50 --up 10
      aqmlab sqm --technology adsl --down 6 --up 0.5 --device eth1 --seeds 1-2
      aqmlab sqm my-link.toml --seeds 1 --output tried.csv
    """
    from aqmlab.show.objects.sqm import printed

    keep_nothing()
    found = aqmlab.sqm(**asked, output=output, executor=executor, progress=not quiet)
    tell("", () if output is None else [output], printed(found), quiet=quiet)
    return Numbers.of(found)
