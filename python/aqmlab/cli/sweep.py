"""`aqmlab sweep`."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.folders import STORE
from aqmlab.cli.from_api import from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import FILE, FOLDER, execution_options
from aqmlab.terminal.console import console, say
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aqmlab.files.toml_text import TomlText
    from aqmlab.runs.executors import Executor
    from aqmlab.study.sweeps import Status, Sweep


@from_api(
    "sweep",
    after={"store": "export_file", "within_s": "store", "links": "within_s", "overrides": "links"},
    what={"metavar": "SWEEP.toml", "type": click.Path(path_type=Path)},
    store={
        "type": FOLDER,
        "metavar": "FOLDER",
        "help": f"Folder for finished runs; by default the sweep file's, or {STORE}.",
    },
    **dict.fromkeys(("grid", "points", "latin_hypercube", "random", "seeds", "measure_offered_load")),
)
@click.option(
    "--status", "show_status", is_flag=True, help="Run nothing; print which runs are finished or damaged."
)
@click.option("--resume", is_flag=True, help="Resume, as without it, and say so if no run has finished yet.")
@click.option(
    "--export",
    "export_file",
    type=FILE,
    metavar="TABLE",
    help="Run nothing; write one row per finished run, as .parquet or .csv.",
)
@numbers_options
@execution_options("local")
def sweep(
    *,
    what: Path,
    show_status: bool,
    resume: bool,
    export_file: Path | None,
    store: Path | None,
    within_s: float | None,
    links: tuple[str, ...],
    overrides: dict[str, TomlText],
    executor: Executor,
    quiet: bool,
) -> Numbers | None:
    """Run a scenario with many settings.

    All have the same seeds. The file names a scenario and a design: a grid, a list, random points or a Latin
    hypercube over any keys (docs/how-to/sweeps.md). Everything is checked before anything runs. Finished runs
    are stored by content: the same command resumes after Ctrl-C, kill -9 or a power failure, and runs points
    added to the file since.

    \b
    Examples:
      aqmlab sweep red.toml
      aqmlab sweep red.toml --status
      aqmlab sweep red.toml --resume --workers 8
      aqmlab sweep red.toml --executor dask      or dask://HOST:PORT, your cluster
      aqmlab sweep red.toml --within 5min
      aqmlab sweep red.toml --export red.parquet
    """
    from aqmlab.errors import SweepError
    from aqmlab.study.sweeps import export, read, status
    from aqmlab.study.sweeps.status import check_links
    from aqmlab.tables.stored import require_form

    if sum((show_status, resume, export_file is not None)) > 1:
        raise click.UsageError("--status, --resume and --export exclude each other")
    if export_file is not None:
        require_form(export_file, SweepError)
    checked = read(what, overrides=overrides)
    check_links(checked, links)
    place = store or checked.store or STORE
    if show_status:
        found = status(checked, place, progress=not quiet)
        _print_status(found)
        return _numbers(lambda: found, links)
    if export_file is not None:
        found = status(checked, place, progress=not quiet)
        count = export(found, export_file, links=links)
        _complain(found)
        say(f"{export_file}: {count} of {counted(len(found.found), 'run')}")
        return _numbers(lambda: found, links)
    from aqmlab.study.sweeps.running import checked_within

    checked = checked_within(checked, within_s, executor)
    return _run(checked, place, resume=resume, executor=executor, links=links, quiet=quiet)


def _run(
    checked: Sweep,
    place: Path,
    *,
    resume: bool,
    executor: Executor,
    links: tuple[str, ...],
    quiet: bool,
) -> Numbers:
    from aqmlab.study.sweeps import status
    from aqmlab.study.sweeps.running import each_run
    from aqmlab.study.sweeps.status import addresses_of, size_in_words

    # Looking is cheap here: whether a place exists. Every byte is checked when its result is used.
    addresses = addresses_of(checked)
    there = _finished(place, addresses)
    if resume and not there:
        say(f"aqmlab: warning: {place} has no run of {checked.name} to go on from: it starts", err=True)
    if not quiet:
        say(size_in_words(checked, finished=there), err=True)
    try:
        for _ in each_run(checked, store=place, executor=executor, progress=not quiet):
            pass  # thousands of results would not fit
    except KeyboardInterrupt:
        with suppress(OSError):  # the terminal may be gone
            say(f"{_finished(place, addresses)} of {counted(len(addresses), 'run')} finished", err=True)
        raise
    if not quiet:
        from aqmlab.show.objects.sweep import sweep_table
        from aqmlab.show.tables.render import to_terminal

        console().print(to_terminal(sweep_table(status(checked, place, progress=True), links=links)))
    say(f"kept in {place}")
    return _numbers(lambda: status(checked, place), links)


def _finished(place: Path, addresses: Iterable[str]) -> int:
    return sum((place / address).exists() for address in addresses)


def _numbers(found: Callable[[], Status], links: tuple[str, ...]) -> Numbers:
    """Those of the finished runs."""
    from aqmlab import shown
    from aqmlab.study.sweeps import SweepResults

    @cache
    def results() -> SweepResults:
        looked = found()
        return SweepResults(looked.sweep, looked.results(), links)

    return Numbers(lambda: results().tidy(), lambda: shown.facts(results()))


def _print_status(found: Status) -> None:
    from aqmlab.show.objects.sweep import status_table
    from aqmlab.show.tables.render import to_terminal

    screen = console()
    screen.print(to_terminal(status_table(found)))
    for line in found.summary():
        screen.print(line)
    _complain(found)


def _complain(found: Status) -> None:
    for complaint in found.complaints():
        say(f"aqmlab: warning: {complaint}", err=True)
