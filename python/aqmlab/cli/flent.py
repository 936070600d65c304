"""`aqmlab flent`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.line_options import line_options, read_line, schemes_option
from aqmlab.cli.live_option import live_name, live_option, over_linux
from aqmlab.cli.options import execution_options, seeds_option, table_option
from aqmlab.terminal.console import console, say

if TYPE_CHECKING:
    from aqmlab.files.toml_text import TomlText
    from aqmlab.runs.executors import Executor
    from aqmlab.study.flent_tests import Measured
    from aqmlab.tables.model import Table

TESTS = ("rrul", "rrul_be", "tcp_nup", "tcp_ndown", "rtt_fair")


@click.command
@click.argument("test", metavar="TEST", type=click.Choice(TESTS))
@line_options
@schemes_option("fq-codel,cake")
@seeds_option(default="1", help="Random seeds; numbers are over all of them.")
@click.option(
    "--length",
    "length_s",
    type=click.FloatRange(1, 3600),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="How long the streams last.",
)
@click.option(
    "--flent",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Also write a data file of Flent for each queue and seed into this folder, for flent and flent-gui.",
)
@live_option("70 s for each queue and seed, with streams of 60 s")
@table_option("Also write what each stream carried, and the median, 95 and 99 % of each probe.")
@execution_options("threads")
def flent(
    *,
    test: str,
    scenario_file: Path | None,
    down_mbps: float | None,
    up_mbps: float | None,
    round_trip_ms: float | None,
    schemes: tuple[str, ...],
    seeds: tuple[int, ...],
    length_s: float,
    overrides: dict[str, TomlText],
    folder: Path | None,
    output: Path | None,
    live: bool,
    executor: Executor,
    quiet: bool,
) -> None:
    """Run one of Flent's tests on a line.

    TEST is rrul (four streams each way, one in each class of service, beside probes in three of them),
    rrul_be (the same without classes), tcp_nup and tcp_ndown (four streams one way), or rtt_fair (streams to
    hosts once, twice, four and eight times as far). Probes go up each 0.2 s and come back; streams (CUBIC,
    Linux 6) begin after 5 s. It prints what the streams carried and how long probes took before and beside
    them.

    The line is the [dumbbell] of a scenario, or --down and --up, as of aqmlab bloat.

    \b
    Examples:
      aqmlab flent rrul --down 100 --up 10
      aqmlab flent tcp_nup my-link.toml --schemes codel,fq-codel --length 20 --flent flent/
    """
    from dataclasses import replace
    from functools import partial

    from aqmlab.show.tables.render import to_terminal
    from aqmlab.study import flent_tests
    from aqmlab.tables.stored import save

    line = read_line(scenario_file, (down_mbps, up_mbps), round_trip_ms, overrides)
    run_test = partial(
        flent_tests.measure, flent_tests.TESTS[test], line, schemes, seeds=seeds, length_s=length_s
    )
    found = run_test(executor=executor, progress=not quiet)
    if live:
        of_linux = over_linux(lambda run: run_test(run=run), progress=not quiet)
        found += [replace(row, queue=live_name(row.queue)) for row in of_linux]
    table = _table(found, f"{test}: {line.in_words()}")
    if folder is not None:
        _write(found, folder)
    if output is not None:
        say(f"written: {save(table, output)}")
    if (folder is None and output is None) or not quiet:
        console(minimum_columns=80).print(to_terminal(table))


def _table(found: list[Measured], title: str) -> Table:
    from aqmlab.show.tables.flent_tests import flent_table

    caption = (
        "Mbit/s: of all streams of a direction, without headers; ms: the round trips of all probes, before "
        "the streams (median) and beside them (median, 99 %); lost probes are left out"
    )
    return flent_table(found, title=title, caption=caption)


def _write(found: list[Measured], folder: Path) -> None:
    from aqmlab.files.folders import folder_names
    from aqmlab.study.flent_tests.data_file import save_flent_test

    names = folder_names([measured.queue for measured in found])
    for measured in found:
        name = f"{measured.test.name}-{names[measured.queue]}-seed-{measured.seed}.flent.gz"
        save_flent_test(measured, folder / name)
    say(f"written: {len(found)} files in {folder}")
