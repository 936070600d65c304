"""`aqmlab calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import (
    FOLDER,
    overrides_option,
    quiet_option,
    read_numbers,
    workers_option,
)
from aqmlab.errors import ScenarioError
from aqmlab.folders import require_writable
from aqmlab.scenario import Scenario
from aqmlab.terminal import say

if TYPE_CHECKING:
    from aqmlab.scenario import TomlText


@click.command
@click.argument("scenario_file", metavar="SCENARIO.toml", type=click.Path(path_type=Path))
@click.option(
    "--users",
    callback=read_numbers,
    default="3500,7000,10500,14000,17500",
    show_default=True,
    metavar="N,M,...",
    help="Users on each side that has any, whose throughput is measured.",
)
@click.option(
    "--loads",
    callback=read_numbers,
    default="80,90,98,105",
    show_default=True,
    metavar="N,M,...",
    help="Loads whose users are printed, in percent of the bottleneck's rate.",
)
@click.option(
    "--seeds",
    callback=read_numbers,
    default="1",
    show_default=True,
    metavar="A-B,C",
    help="Replications of each point; with six and more the slope has an interval.",
)
@click.option(
    "--output",
    type=FOLDER,
    default=Path("results/calibration"),
    show_default=True,
    metavar="FOLDER",
    help="Where to keep the runs and calibration.json.",
)
@overrides_option
@workers_option
@quiet_option
def calibrate(
    *,
    scenario_file: Path,
    users: tuple[int, ...],
    loads: tuple[int, ...],
    seeds: tuple[int, ...],
    output: Path,
    overrides: dict[str, TomlText],
    workers: int | None,
    quiet: bool,
) -> None:
    """Find how many users offer how much load.

    Runs the uncongested twin of the scenario with different numbers of users, fits a line to the throughput
    of one direction, and prints the line, its R², and the users for a load.

    \b
    Examples:
      aqmlab calibrate pi.toml
      aqmlab calibrate pi.toml --users 1000,2000,4000 --set duration_s=300
      aqmlab calibrate pi.toml --seeds 1-6 --loads 50,80,90
    """
    from aqmlab.calibration import browsing_sides
    from aqmlab.calibration import calibrate as fit

    scenario = Scenario.from_file(scenario_file, overrides=overrides)
    if len(users) < 2:
        raise click.BadParameter("a line needs two different numbers of users", param_hint="--users")
    if "dumbbell" not in scenario.resolved:
        raise ScenarioError(f"{scenario_file}: load is a share of the rate of [dumbbell], and there is none")
    require_writable(output)
    calibration = fit(
        scenario, users=users, seeds=seeds, workers=workers, store=output / "runs", progress=not quiet
    )
    file = calibration.save(output / "calibration.json")
    say(str(calibration))
    where = "on each side" if all(browsing_sides(scenario)) else "on one side"
    for load in loads:
        count = calibration.users_per_side(load / 100 * scenario.resolved["dumbbell"]["rate_mbps"])
        say(f"  {load:>3} % load: {count:,} users {where}")
    say(f"kept in {file}")
