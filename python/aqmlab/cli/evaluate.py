"""`aqmlab evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import execution_options, read_names, read_schemes, seeds_option, table_option
from aqmlab.terminal.console import console, say, wrapped

if TYPE_CHECKING:
    from aqmlab.runs.executors import Executor
    from aqmlab.study.evaluation import Evaluation

_COLUMNS = 100


@click.command
@click.argument("scheme")
@click.option(
    "--schemes",
    callback=read_schemes,
    default="pie,codel,drop-tail",
    show_default=True,
    metavar="NAME[:KEY=VALUE...],...",
    help="Schemes beside it, in the same scenarios.",
)
@click.option(
    "--only",
    callback=read_names,
    metavar="SECTION,...",
    help="Sections of RFC 7928, such as 8.2.4; 8.2 means all below it. By default all.",
)
@seeds_option(default="1-6", help="Random seeds to run (at least 6 for 95 % intervals).")
@table_option(
    "Also write every metric: section, scenario, case, scheme, metric, unit, value, at_least, at_most, low, "
    "high, seeds."
)
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Also write a page with the summary, delay and goodput as ellipses, and every metric.",
)
@execution_options("threads")
def evaluate(
    *,
    scheme: str,
    schemes: tuple[str, ...],
    only: tuple[str, ...],
    seeds: tuple[int, ...],
    output: Path | None,
    report: Path | None,
    executor: Executor,
    quiet: bool,
) -> None:
    """Run a scheme through the scenarios of RFC 7928.

    SCHEME is built in, perhaps with parameters (codel:target_ms=20), or your own (my_red.py:MyRed). The
    scenarios are friendly, aggressive and unresponsive senders, round trips, bursts, levels of congestion,
    varying capacity, parameters, mixes, both directions, several queues on a path, packet sizes, ECN and
    scheduling, on a link of 10 Mbit/s with round trips of 100 ms and a buffer of their product.

    It prints mean queueing delay, goodput and what else matters in each scenario, with 95 % intervals over
    the seeds, and what was not run and why. All of it takes about a minute of processor time.

    \b
    Examples:
      aqmlab evaluate pie:target_ms=5 --only 5.1.1,8.2.4
      aqmlab evaluate my_red.py:MyRed --schemes red --only 8.2.2 --report red.html
    """
    from aqmlab.files.folders import require_writable
    from aqmlab.study.evaluation import evaluate as evaluated
    from aqmlab.study.evaluation.table import figures_table
    from aqmlab.tables.stored import save

    if report is not None:
        if report.suffix != ".html":
            raise click.UsageError(f"{report}: a report ends in .html")
        require_writable(report)
    found = evaluated(scheme, schemes=schemes, only=only, seeds=seeds, executor=executor, progress=not quiet)
    written = [] if output is None else [save(figures_table(found), output)]
    written += [] if report is None else [found.report(report)]
    for file in written:
        say(f"written: {file}")
    if not quiet or (output is None and report is None):
        _show(found)


def _show(found: Evaluation) -> None:
    from aqmlab.show.tables.evaluation import tables_of
    from aqmlab.show.tables.render import to_terminal
    from aqmlab.show.words.evaluation import in_words

    screen = console(minimum_columns=_COLUMNS)
    for sentence in in_words(found):
        screen.print(wrapped(sentence, screen.width))
    for table in tables_of(found):
        screen.print(to_terminal(table))
