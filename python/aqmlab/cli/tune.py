"""`aqmlab tune`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aqmlab.cli.folders import STORE
from aqmlab.cli.options import (
    FOLDER,
    execution_options,
    links_option,
    overrides_option,
    read_names,
    scenario_argument,
    seeds_option,
)
from aqmlab.errors import TuneError
from aqmlab.files.folders import folder_name, require_writable
from aqmlab.files.reading import parse_toml
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import console, say
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from aqmlab.files.toml_text import TomlText
    from aqmlab.runs.executors import Executor

OBJECTIVES = (
    "best-response-times",
    "highest-utilization",
    "lowest-drop-rate",
    "weighted",
    *(f"page-load-p{percent}" for percent in (50, 75, 90, 95, 99)),
)


def read_ranges(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, Any]:
    """Reads ranges such as `max_p=0.01:0.5:log`, and fixed values such as `limit_packets=480`."""
    del context
    ranges: dict[str, Any] = {}
    for text in texts:
        name, equals, given = text.partition("=")
        try:
            ranges[name.strip()] = _range(given if equals and name.strip() else "")
        except ValueError:
            raise click.BadParameter(
                f"{quoted(text)} is not of the form key=low:high, key=low:high:log or key=value",
                param=parameter,
            ) from None
    return ranges


def _range(given: str) -> object:
    low, colon, rest = given.partition(":")
    if not colon:
        return parse_toml(f"value = {given}", "value", TuneError)["value"]
    high, colon, scale = rest.partition(":")
    if colon and scale != "log":
        raise ValueError
    return {"low": _number(low), "high": _number(high), "log": bool(colon)}


def _number(text: str) -> float:
    return int(text) if re.fullmatch(r"\s*\d+\s*", text) else float(text)


def read_weights(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, float]:
    """Reads weights such as `response=1,idle=0.2,loss=5`."""
    del context
    weights: dict[str, float] = {}
    for part in text.split(",") if text else []:
        name, _, weight = part.partition("=")
        try:
            weights[name.strip()] = float(weight)
        except ValueError:
            raise click.BadParameter(
                f"{quoted(part)} is not of the form response=1, idle=1 or loss=1", param=parameter
            ) from None
    return weights


@click.command
@scenario_argument
@click.option("--scheme", default="red", show_default=True, metavar="NAME", help="Queue discipline to tune.")
@click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    default=OBJECTIVES[0],
    show_default=True,
    help="What to optimise; best-response-times minimises the mean of min(t, limit).",
)
@click.option(
    "--restricted-to",
    "restricted_to_s",
    type=float,
    default=2,
    show_default=True,
    metavar="SECONDS",
    help="The limit above: longer responses count as this.",
)
@click.option(
    "--weights",
    callback=read_weights,
    metavar="response=1,idle=1,loss=1",
    help="For weighted: weights of the mean response time (s), the idle share and the loss ratio; "
    "1 each by default.",
)
@click.option(
    "--range",
    "ranges",
    multiple=True,
    callback=read_ranges,
    metavar="KEY=LOW:HIGH[:log]",
    help="Search this range of a queue parameter, or fix it with KEY=VALUE; repeatable.",
)
@click.option(
    "--ranges",
    "ranges_file",
    type=click.Path(path_type=Path),
    metavar="FILE.toml",
    help="Ranges per scheme, in the format of aqmlab's ranges.toml.",
)
@click.option(
    "--trials",
    type=click.IntRange(1, 100_000),
    default=40,
    show_default=True,
    metavar="N",
    help="Number of candidates.",
)
@seeds_option(
    default="1-4",
    help="Seeds for comparing candidates; a clearly worse candidate is stopped after the first few.",
)
@seeds_option(
    "--fresh-seeds",
    help="Seeds for the printed results; by default the next eight after --seeds, or as many as --seeds.",
)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="RUNS",
    help="Stop proposing candidates after this many runs.",
)
@click.option(
    "--optimiser-seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, metavar="N",
    help="Seed of the optimiser; the same seed proposes the same candidates.",
)  # fmt: skip
@click.option(
    "--beside",
    metavar="EXPERIMENT[:CELL,...]",
    help="Also evaluate the settings of an experiment's cells, or of these cells or groups of cells.",
)
@click.option(
    "--queues",
    callback=read_names,
    metavar="LINK,...",
    help="Links whose queues are tuned, all alike; by default the judged links with a queue.",
)
@click.option(
    "--output",
    type=FOLDER,
    metavar="FOLDER",
    help="Folder for the results; by default results/tune-NAME-SCHEME-OBJECTIVE. If it holds another search, "
    "FOLDER-2 and so on.",
)
@click.option(
    "--store",
    type=FOLDER,
    default=STORE,
    show_default=True,
    metavar="FOLDER",
    help="Folder for finished runs.",
)
@links_option
@overrides_option
@execution_options("local")
def tune(
    *,
    scenario_file: Path,
    scheme: str,
    objective: str,
    restricted_to_s: float,
    weights: dict[str, float],
    ranges: dict[str, Any],
    ranges_file: Path | None,
    trials: int,
    seeds: tuple[int, ...],
    fresh_seeds: tuple[int, ...],
    budget: int | None,
    optimiser_seed: int,
    beside: str | None,
    queues: tuple[str, ...],
    output: Path | None,
    store: Path,
    links: tuple[str, ...],
    overrides: dict[str, TomlText],
    executor: Executor,
    quiet: bool,
) -> None:
    """Search for the best queue parameters for an objective.

    An optimiser (Optuna) proposes candidates, all run with the same seeds; a candidate that is clearly worse
    than the best so far is stopped early. The printed results (the winner, and the trade-off of response
    times, utilization and loss) are measured with seeds that the search did not use. Finished runs are kept:
    the same command resumes after Ctrl-C or kill -9 (docs/how-to/tuning.md).

    \b
    Examples:
      aqmlab tune web.toml --scheme red
      aqmlab tune web.toml --scheme pi --objective weighted --weights response=1,loss=5
      aqmlab tune web.toml --range limit_packets=480 --range max_p=0.02:0.3:log --trials 60
      aqmlab tune campus.toml --beside christiansen2000:weights --seeds 1-8
      aqmlab tune two-bottlenecks.toml --scheme pi --queues b-to-c
    """
    from aqmlab.show.tables import printed, tuning
    from aqmlab.study.tuning import tune as search

    scenario = Scenario.from_file(scenario_file, overrides=overrides)
    folder = (
        output or Path("results") / f"tune-{folder_name(scenario.name)}-{folder_name(scheme)}-{objective}"
    )
    require_writable(folder)
    outcome = search(
        scenario,
        scheme=scheme,
        objective=objective,
        restricted_to_s=restricted_to_s,
        weights=weights,
        ranges=ranges,
        ranges_file=ranges_file,
        trials=trials,
        seeds=seeds,
        fresh_seeds=fresh_seeds,
        budget_runs=budget,
        optimiser_seed=optimiser_seed,
        beside=beside,
        links=links,
        queues=queues,
        store=store,
        executor=executor,
        progress=not quiet,
    )
    files = outcome.save(folder)
    if quiet:
        say(str(next(iter(files.values())).parent))
        return
    screen = console()
    printed.on(screen, tuning.printed(outcome, screen.width))
    for name, file in files.items():
        say(f"{name}: {file}")
