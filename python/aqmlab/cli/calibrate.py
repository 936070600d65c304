"""`aqmlab calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab.cli.from_api import SCENARIO, from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import execution_options
from aqmlab.errors import DemandError
from aqmlab.terminal.console import console, say

if TYPE_CHECKING:
    from aqmlab.runs.executors import Executor


@from_api(
    "calibrate",
    scenario=SCENARIO,
    sizes={"names": ["--sizes", "--users"]},
    output={"default": Path("results/calibration"), "show_default": True},
)
@numbers_options
@execution_options("threads")
def calibrate(*, sizes: tuple[int, ...], executor: Executor, quiet: bool, **asked: Any) -> Numbers:  # noqa: ANN401
    """Find how many users or flows cause a given load.

    Runs the scenario's uncongested twin with several sizes of a demand, fits a line to the throughput of
    every bottleneck on the routes of its data, and prints the lines, their R², and the size for each load.
    Flows that never end offer no load: they are left out, and refused as a demand.

    \b
    Examples:
      aqmlab calibrate pi.toml
      aqmlab calibrate pi.toml --sizes 1000,2000,4000 --set duration_s=300
      aqmlab calibrate pi.toml --seeds 1-6 --loads 50,80,90
      aqmlab calibrate two-bottlenecks.toml --demand populations.readers
    """
    from aqmlab.show.tables import printed

    if len(sizes) == 1:
        raise click.BadParameter("a line needs two different sizes", param_hint="--sizes")
    try:
        found = aqmlab.calibrate(**asked, sizes=sizes or None, executor=executor, progress=not quiet)
    except DemandError as error:
        if error.place != "sizes":
            raise
        said = str(error).replace("legal: sizes", "legal: --sizes").replace(", demand ", ", --demand ")
        raise DemandError.of(error, said) from None
    printed.on(console(), str(found).splitlines())
    say(f"kept in {found.file}")
    found.require_rise()
    return Numbers.of(found, file=str(found.file))
