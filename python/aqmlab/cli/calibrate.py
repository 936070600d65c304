"""`aqmlab calibrate`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.folders import calibration_folder
from aqmlab.cli.options import (
    FOLDER,
    execution_options,
    links_option,
    overrides_option,
    read_names,
    read_numbers,
    scenario_argument,
    seeds_option,
)
from aqmlab.files.folders import require_writable
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from aqmlab.files.toml_text import TomlText
    from aqmlab.load import Demand
    from aqmlab.runs.executors import Executor

STEPS = (0.4, 0.8, 1.2, 1.6, 2.0)
"""Sizes that are run by default, in parts of the scenario's own."""


@click.command
@scenario_argument
@click.option(
    "--sizes",
    "--users",
    callback=read_numbers,
    metavar="N,M,...",
    help="Sizes of the demand to run: users of its largest population (per side of a dumbbell), or "
    "flows of its largest group. By default five sizes, up to twice the scenario's.",
)
@click.option(
    "--loads",
    callback=read_numbers,
    default="50,80,90,100",
    show_default=True,
    metavar="N,M,...",
    help="Loads to print sizes for, in percent of the rate of the bottleneck with the highest load.",
)
@seeds_option(default="1", help="Seeds for each size; from six on the slope has a confidence interval.")
@click.option(
    "--output",
    type=FOLDER,
    default=Path("results/calibration"),
    show_default=True,
    metavar="FOLDER",
    help="Folder for the runs and calibration.json. If it holds another calibration, FOLDER-2 and so on.",
)
@click.option(
    "--demand",
    callback=read_names,
    metavar="NAME,...",
    help="The demand to change: users, flows, datagrams, or parts of them: populations.NAME, "
    "flows.NAME, datagrams.NAME, users.left. By default all users, or all flows if there are "
    "no users. Several change in proportion.",
)
@links_option
@overrides_option
@execution_options("threads")
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
    executor: Executor,
    quiet: bool,
) -> None:
    """Find how many users or flows cause a given load.

    Runs the scenario's uncongested twin with several sizes of a demand, fits a line to the throughput of
    every bottleneck on the routes of its data, and prints the lines, their R², and the size for each load.
    Flows that never end offer no load of their own: they are left out, and refused as a demand.

    \b
    Examples:
      aqmlab calibrate pi.toml
      aqmlab calibrate pi.toml --sizes 1000,2000,4000 --set duration_s=300
      aqmlab calibrate pi.toml --seeds 1-6 --loads 50,80,90
      aqmlab calibrate two-bottlenecks.toml --demand populations.readers
    """
    from aqmlab.errors import DemandError
    from aqmlab.load import Demand
    from aqmlab.load import calibrate as fit
    from aqmlab.load.calibration import CALIBRATION
    from aqmlab.runs import Execution
    from aqmlab.show.words.calibration import lines_in_words, sizes_in_words

    turned = Demand.of(Scenario.from_file(scenario_file, overrides=overrides), demand, links=links)
    if not sizes and not turned.size:
        raise DemandError(_nobody(turned))
    sizes = sizes or tuple(dict.fromkeys(max(1, round(turned.size * step)) for step in STEPS))
    if len(sizes) < 2:
        raise click.BadParameter("a line needs two different sizes", param_hint="--sizes")
    turned.require_offered_load()
    # The seed of the address is none of the runs': it stands for the scenario alone.
    asked = {
        "scenario": turned.scenario.content_address(0),
        "demand": str(turned),
        "links": list(links),
        "sizes": list(sizes),
        "seeds": list(seeds),
    }
    require_writable(output)
    place = calibration_folder(output, asked)
    runs = Execution(executor, store=place / "runs", progress=not quiet)
    calibration = fit(turned, sizes=sizes, seeds=seeds, run=runs.run_pairs)
    file = replace(calibration, asked=asked).save(place / CALIBRATION)
    for line in lines_in_words(turned, calibration):
        say(line)
    if any(each.rises for each in calibration.bottlenecks):
        for line in sizes_in_words(turned, calibration, loads):
            say(line)
    say(f"kept in {file}")
    calibration.require_rise(turned.scenario.name)


def _nobody(demand: Demand) -> str:
    """The message for a demand that the scenario does not have."""
    from aqmlab.load.demand import parts_of

    keys = ", ".join(f"{part.key} = 0" for part in demand.parts)
    others = [part.name for part in parts_of(demand.scenario) if part.size]
    return (
        f"demand {demand}: the scenario has no {demand.unit} ({keys}), and other traffic does not "
        f"count; legal: --sizes with numbers above 0{''.join(f', --demand {name}' for name in others)}"
    )
