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
from aqmlab.scenario import Scenario

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
    help="Users on one side (as many on the other) whose throughput is measured.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, metavar="N", help="Seed.")
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
    seed: int,
    output: Path,
    overrides: dict[str, TomlText],
    workers: int | None,
    quiet: bool,
) -> None:
    r"""Find how many users offer how much load.

    Runs the uncongested twin of the scenario with different numbers of users, fits a line to the throughput
    of one direction, and prints the line, its R², and the users for a load.

    \b
    Examples:
      aqmlab calibrate pi.toml
      aqmlab calibrate pi.toml --users 1000,2000,4000 --set duration_s=300
    """
    from aqmlab.calibration import calibrate as fit

    scenario = Scenario.from_file(scenario_file, overrides=overrides)
    calibration = fit(
        scenario, users=list(users), seed=seed, workers=workers, store=output / "runs", progress=not quiet
    )
    click.echo(calibration)
