"""`aqmlab tune`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab.cli.from_api import SCENARIO, from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import execution_options, output_option
from aqmlab.errors import TuneError
from aqmlab.files.folders import folder_name, require_writable
from aqmlab.files.reading import parse_toml
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import console, say
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from aqmlab.files.toml_text import TomlText
    from aqmlab.runs.executors import Executor


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


_WEIGHTS = {"callback": read_weights, "metavar": "response=1,idle=1,loss=1"}
_RANGES = {"names": ["--range"], "multiple": True, "callback": read_ranges, "metavar": "KEY=LOW:HIGH[:log]"}


@from_api(
    "tune",
    after={"output": "queues"},
    scenario=SCENARIO,
    restricted_to_s={"type": float},
    objective={"metavar": "NAME"},
    weights=_WEIGHTS,
    ranges=_RANGES,
    ranges_file={"names": ["--ranges"], "metavar": "FILE.toml"},
    beside={"metavar": "EXPERIMENT[:CELL,...]"},
    queues={"metavar": "LINK,..."},
)
@output_option(
    "FOLDER",
    "Folder for the results; by default results/tune-NAME-SCHEME-OBJECTIVE. If it holds another search, "
    "FOLDER-2 and so on.",
)
@numbers_options
@execution_options("local")
def tune(
    *,
    scenario: Path,
    overrides: dict[str, TomlText],
    output: Path | None,
    executor: Executor,
    quiet: bool,
    **asked: Any,  # noqa: ANN401
) -> Numbers:
    """Search for the best queue parameters for an objective.

    An optimiser (Optuna) proposes candidates, all run with the same seeds; one that is clearly worse than the
    best so far is stopped early. The printed results (the winner, and the trade-off of response times,
    utilization and loss) come from seeds that the search did not use. The same command resumes after Ctrl-C
    or kill -9 (docs/how-to/tuning.md).

    \b
    Examples:
      aqmlab tune web.toml --scheme red
      aqmlab tune web.toml --objective weighted --weights response=1,loss=5
      aqmlab tune web.toml --range max_p=0.02:0.3:log --trials 60
      aqmlab tune campus.toml --beside christiansen2000:weights --seeds 1-8
      aqmlab tune two-bottlenecks.toml --scheme pi --queues b-to-c
    """
    from aqmlab.show.objects import search
    from aqmlab.show.tables import printed

    checked = Scenario.from_file(scenario, overrides=overrides)
    named = "-".join(folder_name(each) for each in (checked.name, asked["scheme"]))
    folder = output or Path("results") / f"tune-{named}-{asked['objective']}"
    require_writable(folder)
    outcome = aqmlab.tune(checked, **asked, executor=executor, progress=not quiet)
    files = outcome.save(folder)
    numbers = Numbers.of(outcome, files={name: str(file) for name, file in files.items()})
    if quiet:
        say(str(next(iter(files.values())).parent))
        return numbers
    printed.on(console(), search.printed(outcome))
    for name, file in files.items():
        say(f"{name}: {file}")
    return numbers
