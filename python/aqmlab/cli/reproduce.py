"""`aqmlab reproduce` and `aqmlab scorecard`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import aqmlab
from aqmlab.cli.from_api import from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import FOLDER, execution_options, output_option, read_names, read_time
from aqmlab.files.folders import require_writable
from aqmlab.terminal.console import console, say
from aqmlab.terminal.spelling import nearest, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.papers.cost import Cost
    from aqmlab.papers.reproduction import Choice
    from aqmlab.runs.executors import Executor

ALL, STRANGERS = "all", "strangers"
_OF_STUDIES = {
    **{
        name: f"--{name}"
        for name in ("cells", "loads", "replications", "costs", "hosts", "proof", "artifact")
    },
    "within_s": "--within",
}
"""Options that the ledger of measurements by others does not take, by the names of the parameters."""


@from_api(
    "reproduce",
    after={"proof": "hosts", "costs": "output"},
    experiment={"metavar": "EXPERIMENT"},
    loads={"metavar": "N,..."},
    hosts={"metavar": "PROFILE"},
    artifact={"type": click.Path(path_type=Path), "metavar": "FILE.zip|FOLDER"},
    store=None,
)
@click.option(
    "--proof",
    metavar="NAME",
    help="Instead of the study, repeat the runs that prove why numbers or claims of it differ: a file in its "
    "folder proofs.",
)
@click.option(
    "--costs", is_flag=True, help="Print the run time of each scale on this machine, and run nothing."
)
@click.option(
    "--within",
    "within_s",
    callback=read_time,
    metavar="TIME",
    help="Time to do it in, by an estimate for this machine: the largest scale up to --scale that it has "
    "room for.",
)
@click.option(
    "--source",
    metavar="NAME",
    help="Of strangers, one source: l4s-tests, pam2025, ifip2025, ifip2025-many, cake-flowiso or kernel.",
)
@click.option(
    "--switch",
    "switches",
    callback=read_names,
    metavar="NAME,...",
    help="Of strangers, other readings of set-ups that are not printed whole, such as no-ecn.",
)
@numbers_options
@execution_options("threads")
def reproduce(
    *,
    experiment: str,
    scale: str,
    cells: tuple[str, ...],
    loads: tuple[int, ...],
    replications: int | None,
    seeds: tuple[int, ...],
    hosts: str | None,
    proof: str | None,
    output: Path | None,
    artifact: Path | None,
    costs: bool,
    within_s: float | None,
    source: str | None,
    switches: tuple[str, ...],
    executor: Executor,
    quiet: bool,
) -> Numbers:
    """Repeat a paper's experiments and compare the results.

    EXPERIMENT is a name that `aqmlab list` prints, `all`, or `strangers`: a table of what others measured on
    real kernels, with ours beside it (scales quick and full). Estimates the run time of each scale on this
    machine, runs every cell, prints the paper's tables next to ours, checks each of its claims, and writes a
    report (HTML, figures as PNG and SVG), which replaces an earlier one in the folder. Finished runs are
    kept, and interrupted commands resume.

    \b
    Examples:
      aqmlab reproduce le2003
      aqmlab reproduce le2003 --costs           run time of each scale
      aqmlab reproduce le2003 --cells pi-24,drop-tail-240 --loads 90 --workers 2
      aqmlab reproduce sfa --within 2min        the largest scale in that time
      aqmlab reproduce sfa --cells tcp-dt,tcp-sfa --replications 1
      aqmlab reproduce all --costs              the same of every study
      aqmlab reproduce multicl --hosts linux6-cubic --cells dt,pi
      aqmlab reproduce sfa --artifact sfa.zip     for an artifact evaluation
      aqmlab reproduce sfa --proof order-of-round-trips     why numbers differ
      aqmlab reproduce strangers --source cake-flowiso    measurements by others

    `aqmlab reproduce all --scale full` runs one study after the other, for hours, and ends with a scorecard.
    """
    from aqmlab.errors import ExperimentError
    from aqmlab.papers import experiments
    from aqmlab.papers.reproduction import choose

    choice: Choice = {
        "scale": scale,
        "cells": cells or None,
        "loads": loads or None,
        "replications": replications,
        "seeds": seeds or None,
    }
    others = bool(cells or loads or replications or costs or hosts or artifact)
    if experiment == STRANGERS or source or switches:
        _require_strangers(experiment)
        return _strangers(source, switches, choice, output, executor, quiet=quiet)
    if proof is not None:
        return _prove(experiment, proof, output, executor, alone=not (others or seeds), quiet=quiet)
    _require_one_study(experiment, cells=bool(cells or loads), artifact=bool(artifact), within=bool(within_s))
    if within_s is not None:
        choice["scale"] = scale = _scale_within(experiment, choice, hosts, within_s, executor)
    names = experiments.names() if experiment == ALL else [experiment]
    results = output or Path("results")
    alone = output is not None and experiment != ALL
    scale_of = scale if hosts is None else f"{scale}-{hosts}"
    folders = {name: results if alone else results / f"{name}-{scale_of}" for name in names}
    try:
        for name in names:
            choose(experiments.load(name), **choice)
        if costs:
            return _print_costs(names, choice, hosts, executor)
        made: list[aqmlab.Reproduction] = []
        for place, (name, folder) in enumerate(folders.items(), start=1):
            if experiment == ALL and not quiet:
                say(f"study {place} of {len(names)}: {name}, in {folder}")
            require_writable(folder)
            found = aqmlab.reproduce(
                name,
                **choice,
                hosts=hosts,
                executor=executor,
                output=folder,
                artifact=artifact,
                progress=not quiet,
            )
            made.append(found)
            _show(found, folder, quiet=quiet)
        if experiment == ALL and hosts is None:
            _scorecard_of([*folders.values()], results / f"scorecard-{scale}.md", quiet=quiet)
        return _numbers(made)
    except ExperimentError as error:
        raise click.UsageError(str(error)) from error


def _numbers(made: Sequence[aqmlab.Reproduction]) -> Numbers:
    """Those of all studies, and how each published number and claim fared."""
    import pyarrow as pa

    from aqmlab import shown

    return Numbers(
        lambda: pa.concat_tables([each.tidy() for each in made]),
        lambda: {"studies": [shown.facts(each) for each in made]},
    )


def _require_known(experiment: str) -> None:
    """Refuses a name that nothing here has, with the nearest of all that can be typed."""
    from aqmlab.papers import experiments

    known = [*experiments.names(), ALL, STRANGERS]
    if experiment not in known:
        raise click.UsageError(
            f'aqmlab has no experiment "{shortened(experiment)}"; there are: {", ".join(known)}'
            f"{nearest(experiment, known)}"
        )


def _require_one_study(experiment: str, *, cells: bool, artifact: bool, within: bool) -> None:
    """Refuses of all studies, or where only costs are printed, what is of one study that is run."""
    _require_known(experiment)
    is_all, costs = experiment == ALL, click.get_current_context().params["costs"]
    if is_all and cells:
        raise click.UsageError("--cells and --loads are those of one experiment")
    if artifact and (is_all or costs):
        raise click.UsageError("--artifact is of one study that is run")
    if within and (is_all or costs):
        raise click.UsageError("--within is of one study that is run; --costs prints what each scale takes")


def _require_strangers(experiment: str) -> None:
    """Refuses the ledger's options of a study, and a study's options of the ledger."""
    if experiment != STRANGERS:
        raise click.UsageError(f"--source and --switch are of {STRANGERS}, not of {experiment}")
    given = click.get_current_context().params
    of_studies = [option for name, option in _OF_STUDIES.items() if given.get(name)]
    if of_studies:
        raise click.UsageError(
            f"{', '.join(of_studies)}: not of {STRANGERS}; "
            "legal: --source, --switch, --scale, --seeds, --output"
        )


def _strangers(
    source: str | None,
    switches: tuple[str, ...],
    choice: Choice,
    output: Path | None,
    executor: Executor,
    *,
    quiet: bool,
) -> Numbers:
    """Sets measurements by others beside ours, prints a row for each source and where the files are."""
    from aqmlab.errors import ExperimentError
    from aqmlab.show.papers.strangers import folder_of

    folder = output or folder_of(source, choice["scale"], switches)
    require_writable(folder)
    try:
        found = aqmlab.strangers(
            source,
            scale=choice["scale"],
            switches=switches,
            seeds=choice["seeds"],
            output=folder,
            executor=executor,
            progress=not quiet,
        )
    except ExperimentError as error:
        raise click.UsageError(str(error)) from error
    _show(found, folder, quiet=quiet)
    return Numbers.of(found)


def _prove(
    study: str, name: str, output: Path | None, executor: Executor, *, alone: bool, quiet: bool
) -> Numbers:
    """Repeats a proof, prints the numbers under both settings, and says where its runs are."""
    if study == ALL or not alone:
        raise click.UsageError("--proof is of one study, and has its own cells, loads and seeds")
    from aqmlab.errors import ExperimentError
    from aqmlab.papers.proving import prove
    from aqmlab.show.tables.render import to_terminal

    folder = output or Path("results") / f"{study}-proof-{name}"
    require_writable(folder)
    try:
        found = prove(study, name, executor=executor, output=folder, progress=not quiet)
    except ExperimentError as error:
        raise click.UsageError(str(error)) from error
    if not quiet:
        console().print(to_terminal(found.table))
    say(str(found.file) if quiet else f"runs: {found.file}")
    return Numbers.of(found, runs=found.file)


def _scale_within(name: str, choice: Choice, hosts: str | None, within_s: float, executor: Executor) -> str:
    """The largest scale up to the chosen one that a time has room for, which is said."""
    from aqmlab.papers.reproduction import costs
    from aqmlab.runs.budget import in_words, workers_of

    found, workers = costs(name, **choice, hosts=hosts), workers_of(executor)
    times_s = {each.scale: each.core_s / workers for each in found.values()}
    legal = {scale: time_s for scale, time_s in times_s.items() if time_s <= times_s[choice["scale"]]}
    room = {scale: time_s for scale, time_s in legal.items() if time_s <= within_s}
    if not room:
        least = min(legal, key=legal.__getitem__)
        raise click.BadParameter(
            f"scale {least} takes about {in_words(legal[least])}; legal: that or more", param_hint="--within"
        )
    chosen = max(room, key=room.__getitem__)
    say(f"within {in_words(within_s)}: scale {chosen}, about {in_words(room[chosen])}", err=True)
    return chosen


def _print_costs(names: Sequence[str], choice: Choice, hosts: str | None, executor: Executor) -> Numbers:
    """Prints what each scale of some studies takes here; of several studies also the sum."""
    from aqmlab.papers.cost import costs_table, tidy_costs, total_of
    from aqmlab.papers.reproduction import costs
    from aqmlab.runs.budget import workers_of
    from aqmlab.show.tables.render import to_terminal

    scale, workers, chosen = choice["scale"], workers_of(executor), []
    every: list[tuple[str, Cost]] = []
    for name in names:
        found = costs(name, **choice, hosts=hosts)
        chosen.append(found[scale])
        every += [(name, cost) for cost in found.values()]
        table = costs_table([*found.values()], study=name, chosen=scale, workers=workers, hosts=hosts)
        console().print(to_terminal(table))
    if len(names) > 1:
        say(f"all {len(names)} studies, scale {scale}: {total_of(chosen, workers=workers)}")
    return Numbers(lambda: tidy_costs(every, workers=workers))


def _scorecard_of(folders: Sequence[Path], page: Path | None, *, quiet: bool = False) -> Numbers:
    """Prints how the studies fared, and writes page and table of them; quietly only the page's path."""
    from aqmlab.papers import scorecard as cards
    from aqmlab.show.papers import pages
    from aqmlab.show.tables.render import to_terminal

    entries = cards.read_all(folders)
    if page is not None:
        pages.write(entries, page)
    if not quiet:
        console().print(to_terminal(cards.summary(entries)))
    if page is not None:
        say(str(page) if quiet else f"page: {page}")
    return Numbers(lambda: cards.tidy(entries))


def _show(found: aqmlab.Reproduction | aqmlab.Strangers, folder: Path, *, quiet: bool) -> None:
    """Prints what was found and where its files are; quietly the folder alone."""
    if quiet:
        say(str(folder))
        return
    console().print(found)
    for name, file in found.files.items():
        say(f"{name}: {file}")


@click.command
@click.argument("folders", metavar="[RESULTS...]", nargs=-1, type=FOLDER)
@output_option(
    "FILE.md",
    "Also write counts and causes to this Markdown page; all numbers and claims to FILE-numbers.csv.",
)
@numbers_options
def scorecard(*, folders: tuple[Path, ...], output: Path | None) -> Numbers:
    """Compare all published numbers and claims with ours.

    Counts for each study what is reproduced, what differs with a known cause, what the paper's text does not
    determine, what differs for an unknown cause, and what the scale cannot judge. Reads the folders of
    `aqmlab reproduce`, by default those in `results`; runs nothing. Runs with other hosts (`--hosts`) have no
    scorecard.

    \b
    Examples:
      aqmlab reproduce le2003 && aqmlab scorecard
      aqmlab scorecard results/le2003-quick --output reproduction.md
    """
    from aqmlab.papers.scorecard import FILE

    found = folders or tuple(sorted(file.parent for file in Path("results").glob(f"*/{FILE}")))
    if not found:
        raise click.UsageError(
            f"no folder in results contains a {FILE}; `aqmlab reproduce` without --hosts writes it"
        )
    return _scorecard_of(found, output)
