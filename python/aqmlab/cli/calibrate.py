"""`aqmlab calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import (
    FOLDER,
    demand_option,
    links_option,
    overrides_option,
    quiet_option,
    read_numbers,
    workers_option,
)
from aqmlab.files.folders import require_writable
from aqmlab.runs import Job, run_many
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.load import Calibration, Demand
    from aqmlab.result import Result
    from aqmlab.scenario import TomlText

STEPS = (0.4, 0.8, 1.2, 1.6, 2.0)
"""Sizes that are run by default, in parts of the scenario's own."""


@click.command
@click.argument("scenario_file", metavar="SCENARIO.toml", type=click.Path(path_type=Path))
@click.option(
    "--sizes",
    "--users",
    callback=read_numbers,
    metavar="N,M,...",
    help="Sizes of the demand that are run: users of its largest population (on each side of a dumbbell), or "
    "flows of its largest group. By default five, up to twice the scenario's.",
)
@click.option(
    "--loads",
    callback=read_numbers,
    default="50,80,90,100",
    show_default=True,
    metavar="N,M,...",
    help="Loads whose sizes are printed, in percent of the rate of the bottleneck that is full first.",
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
@demand_option
@links_option
@overrides_option
@workers_option
@quiet_option
def calibrate(
    *,
    scenario_file: Path,
    sizes: tuple[int, ...],
    loads: tuple[int, ...],
    seeds: tuple[int, ...],
    output: Path,
    demand: tuple[str, ...],
    links: tuple[str, ...],
    overrides: dict[str, TomlText],
    workers: int | None,
    quiet: bool,
) -> None:
    """Find how many users, or flows, offer how much load.

    Runs the uncongested twin of the scenario with different sizes of a demand, fits a line to the throughput
    of every bottleneck that carries its data, and prints the lines, their R², and the size for a load. The
    links judged are those on the routes of the demand's data. Flows without end offer what they are let
    through: they are left out unless they are the demand.

    \b
    Examples:
      aqmlab calibrate pi.toml
      aqmlab calibrate pi.toml --sizes 1000,2000,4000 --set duration_s=300
      aqmlab calibrate pi.toml --seeds 1-6 --loads 50,80,90
      aqmlab calibrate two-bottlenecks.toml --demand populations.readers
    """
    from aqmlab.load import Demand
    from aqmlab.load import calibrate as fit

    turned = Demand.of(Scenario.from_file(scenario_file, overrides=overrides), demand, links=links)
    sizes = sizes or tuple(dict.fromkeys(max(1, round(turned.size * step)) for step in STEPS))
    if len(sizes) < 2:
        raise click.BadParameter("a line needs two different sizes", param_hint="--sizes")
    require_writable(output)

    def run(pairs: Sequence[tuple[Scenario, int]], label: str) -> list[Result]:
        jobs = [Job(scenario, seed) for scenario, seed in pairs]
        return run_many(jobs, workers=workers, store=output / "runs", progress=not quiet, label=label)

    calibration = fit(turned, sizes=sizes, seeds=seeds, run=run)
    file = calibration.save(output / "calibration.json")
    _print(turned, calibration, loads)
    say(f"kept in {file}")


def _print(demand: Demand, calibration: Calibration, loads: tuple[int, ...]) -> None:
    say(f"size: {demand.unit} of {demand}{', of the largest' if len(demand.parts) > 1 else ''}")
    say(str(calibration))
    for load in loads:
        full = calibration.at_load(load / 100)
        where = f" (of {', '.join(full.links)})" if len(calibration.bottlenecks) > 1 else ""
        sizes = demand.sizes(full.size(load / 100))
        turned = [part for part in demand.parts if part.size or not demand.size]
        say(
            f"  {load:>3} % load{where}: " + ", ".join(f"{sizes[part.name]:,} {part.name}" for part in turned)
        )
