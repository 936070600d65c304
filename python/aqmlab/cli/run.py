"""`aqmlab run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aqmlab import _core
from aqmlab.cli.folders import RESULTS, RunFolder, shared_store
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import (
    captured_option,
    captured_ports,
    execution_options,
    output_option,
    overrides_option,
    read_seeds,
    scenario_argument,
    scheme_option,
    with_scheme,
)
from aqmlab.errors import FolderError
from aqmlab.files.folders import folder_name
from aqmlab.runs import SEED_MAX
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import console, say, shown, wrapped
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rich.console import Console

    from aqmlab.files.toml_text import TomlText
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor


@click.command
@scenario_argument
@click.option("--seed", type=click.IntRange(0, SEED_MAX), metavar="N", help="Seed of the run; default 1.")
@click.option("--seeds", callback=read_seeds, metavar="A-B,C", help="Several seeds, such as 1-8 or 1,3,5-7.")
@scheme_option
@overrides_option
@output_option(
    "FOLDER",
    "Folder for the result; with several seeds FOLDER/seed-N. By default results/<name of the "
    "scenario>/seed-N. If it holds runs of another scenario, FOLDER-2 and so on.",
)
@click.option(
    "--offered-load/--no-offered-load",
    default=True,
    show_default=True,
    help="Measure the offered load by also running the uncongested twin.",
)
@captured_option
@numbers_options
@execution_options("threads")
def run(
    *,
    scenario_file: Path,
    seed: int | None,
    seeds: tuple[int, ...],
    scheme: str | None,
    overrides: dict[str, TomlText],
    output: Path | None,
    offered_load: bool,
    pcap: tuple[str, ...],
    executor: Executor,
    quiet: bool,
) -> Numbers:
    """Run a scenario and store the results.

    The scenario is checked completely before it runs. A result is a folder with run.json and tables.arrow,
    written atomically. Interrupted commands resume. No result is replaced: that of an edited scenario goes to
    a folder beside it, and `aqmlab results` lists them all.

    \b
    Examples:
      aqmlab run pi.toml
      aqmlab run pi.toml --seeds 1-8 --workers 2
      aqmlab run pi.toml --scheme fq-codel
      aqmlab run pi.toml --json
      aqmlab run pi.toml --set dumbbell.queue.q_ref_packets=240 -o results/pi-240
      aqmlab run pi.toml --scheme drop-tail:limit_packets=240 -o results/dt
      aqmlab run pi.toml --pcap left-to-right --output results/pi-packets
    """
    from aqmlab.presets.line import warn_of_assumed_rates
    from aqmlab.runs import Job, run_many

    if seed is not None and seeds:
        raise click.UsageError("--seed and --seeds exclude each other")
    scenario = Scenario.from_file(scenario_file, overrides=overrides)
    warn_of_assumed_rates(scenario)
    scenario = with_scheme(scenario, scheme)
    ports = captured_ports(pcap, lambda ports: _core.Run(scenario.core, 0, ports))
    wanted = seeds or (1 if seed is None else seed,)
    alone = output is not None and len(wanted) == 1
    named = output or RESULTS / folder_name(scenario.name)
    own = RunFolder(scenario, wanted, named, alone=alone, pcap=ports)

    def made_in(folder: Path) -> list[Result]:
        jobs = [
            Job(scenario, number, own.place(folder, number), measure_offered_load=offered_load, pcap=ports)
            for number in wanted
        ]
        return run_many(jobs, store=shared_store(folder), progress=not quiet, executor=executor)

    made, folder = _made(own, made_in)
    screen = console()
    if not quiet and len(made) > 1:
        _print_together(screen, scenario.name, made, folder)
    else:
        for result in made:
            _print(screen, result, quiet=quiet)
    return _numbers(scenario.name, made)


def _numbers(name: str, made: list[Result]) -> Numbers:
    """Those of all seeds, and how each application fares."""
    from aqmlab import frame
    from aqmlab import shown as shows
    from aqmlab.comparison import Comparison
    from aqmlab.errors import MissingDataError

    def facts() -> dict[str, Any]:
        warnings = list(dict.fromkeys(warning for result in made for warning in result.warnings))
        try:
            verdict = shows.facts(Comparison.of({name: made}))["verdict"]
        except MissingDataError:
            verdict = None  # no link carries data
        return {"verdict": verdict, "folders": [str(each.folder) for each in made], "warnings": warnings}

    return Numbers(lambda: frame({name: made}), facts)


def _made(own: RunFolder, made_in: Callable[[Path], list[Result]]) -> tuple[list[Result], Path]:
    """The results, and their folder: another one if somebody else has taken it meanwhile."""
    folder = own.find()
    while True:
        try:
            return made_in(folder), folder
        except FolderError:
            taken, folder = folder, own.find()
            if folder == taken:
                raise


def _print_together(screen: Console, name: str, results: list[Result], folder: Path) -> None:
    """What several seeds say together; each keeps its own figures in its folder."""
    from aqmlab.comparison import Comparison
    from aqmlab.comparison.run_warnings import warnings_in_words
    from aqmlab.errors import MissingDataError
    from aqmlab.show.tables import printed
    from aqmlab.show.tables.comparison import brief_table, notes
    from aqmlab.show.tables.printed import Warned
    from aqmlab.show.tables.render import to_terminal
    from aqmlab.show.words.comparison import answer

    try:
        found = Comparison.of({name: results})
    except MissingDataError as error:
        screen.print(shown(f"{name}: {error}"))
    else:
        for sentence in answer(found):
            screen.print(wrapped(sentence, screen.width))
        screen.print(to_terminal(brief_table(found), title=f"{name}, {counted(len(results), 'seed')}"))
        for note in notes(found, brief=True):
            screen.print(shown(note))
    printed.on(screen, map(Warned, warnings_in_words({name: [result.warnings for result in results]})))
    screen.print(shown(f"kept in {folder}"), soft_wrap=True)


def _print_answer(screen: Console, result: Result) -> None:
    """What people behind the line feel, in sentences, before any table."""
    from aqmlab.comparison import Comparison
    from aqmlab.errors import MissingDataError
    from aqmlab.show.words.comparison import answer

    try:
        sentences = answer(Comparison.of({result.scenario["name"]: [result]}))
    except MissingDataError:
        return  # no link carries data: the tables show what there is
    for sentence in sentences:
        screen.print(wrapped(sentence, screen.width))


def _print(screen: Console, result: Result, *, quiet: bool) -> None:
    if quiet:
        say(str(result.folder))
        return
    from aqmlab.show.tables import printed
    from aqmlab.show.tables.printed import Warned
    from aqmlab.show.tables.render import to_terminal
    from aqmlab.show.tables.results import result_tables
    from aqmlab.show.words.line import offered_load

    _print_answer(screen, result)
    for table in result_tables(result):
        screen.print(to_terminal(table))
    if (load := offered_load(result)) is not None:
        screen.print(wrapped(load, screen.width))
    printed.on(screen, map(Warned, result.warnings))
    screen.print(shown(f"kept in {result.folder}"), soft_wrap=True)
