"""`aqmlab rpm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aqmlab.cli.line_options import line_options, read_line, schemes_option
from aqmlab.cli.live_option import live_name, live_option, over_linux
from aqmlab.cli.options import execution_options, seeds_option, table_option
from aqmlab.terminal.console import console, say

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.files.toml_text import TomlText
    from aqmlab.runs.executors import Executor
    from aqmlab.study.responsiveness import Responsiveness
    from aqmlab.tables.model import Table

LOADS = ("down", "up", "both")


@click.command
@line_options
@click.option(
    "--load",
    "ways",
    type=click.Choice(LOADS),
    multiple=True,
    default=LOADS,
    show_default="all three",
    help="Where connections load the line: down, up, or both at once; may be repeated, one test for each.",
)
@schemes_option("fq-codel,cake,pie,dualpi2")
@seeds_option(default="1", help="Random seeds; round trips per minute are means over them.")
@table_option("Also write goodput, duration and confidence of each test.")
@live_option("80 s for each queue, load and seed")
@execution_options("threads")
def rpm(
    *,
    scenario_file: Path | None,
    down_mbps: float | None,
    up_mbps: float | None,
    round_trip_ms: float | None,
    ways: tuple[str, ...],
    schemes: tuple[str, ...],
    seeds: tuple[int, ...],
    overrides: dict[str, TomlText],
    output: Path | None,
    live: bool,
    executor: Executor,
    quiet: bool,
) -> None:
    """Show how responsive a full line is.

    Round trips per minute, as draft-ietf-ippm-responsiveness-09 defines them: every 5 s one more connection,
    up to 16, loads the line (CUBIC, Linux 6), until goodput and then responsiveness stand still. Half of it
    are round trips on connections of their own, half on those that load; a lost one takes a second and a
    usual round trip. Below 300 is poor, below 1,000 fair, below 6,000 good; no line does more than its idle
    round trip allows: 3,000 at 20 ms.

    The line is the [dumbbell] of a scenario, or --down and --up, as of aqmlab bloat.

    \b
    Examples:
      aqmlab rpm --down 100 --up 10
      aqmlab rpm my-link.toml --load both --schemes fq-codel,cake --output rpm.csv
    """
    from dataclasses import replace
    from functools import partial

    from aqmlab.show.tables.render import to_terminal
    from aqmlab.study.responsiveness import Way, measure
    from aqmlab.tables.stored import save

    line = read_line(scenario_file, (down_mbps, up_mbps), round_trip_ms, overrides)
    test = partial(measure, line, schemes, ways=[Way(way) for way in dict.fromkeys(ways)], seeds=seeds)
    found = test(executor=executor, progress=not quiet)
    if live:
        of_linux = over_linux(lambda run: test(run=run), progress=not quiet)
        found += [replace(row, queue=live_name(row.queue)) for row in of_linux]
    table = _table(found, f"the line: {line.in_words()}")
    if output is not None:
        say(f"written: {save(table, output)}")
    if output is None or not quiet:
        console(minimum_columns=80).print(to_terminal(table))


def _table(found: list[Responsiveness], title: str) -> Table:
    from aqmlab.show.tables.responsiveness import responsiveness_table
    from aqmlab.study.responsiveness import EDITION, Confidence, class_of

    caption = (
        f"RPM: round trips per minute while connections load the line ({EDITION}), poor below 300, fair "
        "below 1,000, good below 6,000; confidence: high if they stood still at the end, medium if they "
        "still changed"
    )
    return responsiveness_table(
        found, class_of=class_of, confidences=list(Confidence), title=title, caption=caption
    )
