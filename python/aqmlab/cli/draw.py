"""`aqmlab draw`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import FORMS, output_option, overrides_option, require_ending, scenario_argument
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command
@scenario_argument
@overrides_option
@click.option("--title", default="", metavar="TEXT", help="Title; by default the scenario's name.")
@output_option(
    "FILE",
    "Output file; the extension sets the format: .svg, .pdf or .png. By default SCENARIO.svg "
    "in the current folder.",
)
def draw(*, scenario_file: Path, overrides: Mapping[str, object], title: str, output: Path | None) -> None:
    """Draw the network of a scenario.

    Shows rates, delays, queue disciplines, and who sends data to whom; nothing is run. Identical machines of
    a group are one box; groups without traffic are left out. The report of `aqmlab compare` has the same
    picture with utilization and loss.

    \b
    Examples:
      aqmlab draw my-link.toml
      aqmlab draw my-link.toml --output my-link.png
      aqmlab draw my-link.toml --set line.technology=adsl --title "on ADSL"
    """
    from aqmlab.show.figures.network import draw_network

    scenario = Scenario.from_file(scenario_file, overrides=overrides)
    file = output or Path(f"{scenario_file.stem}.svg")
    require_ending(file, FORMS, "--output")
    say(str(draw_network(scenario.resolved, title=title).save_as(file)))
