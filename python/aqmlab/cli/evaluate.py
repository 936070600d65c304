"""`aqmlab evaluate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab._startup import keep_nothing
from aqmlab.cli.from_api import from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import FILE, execution_options
from aqmlab.terminal.console import console, say

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.runs.executors import Executor


@from_api(
    "evaluate",
    what={"metavar": "SCHEME|CONTROLLER"},
    only={"metavar": "SECTION,..."},
    report={"type": FILE, "metavar": "FILE.html"},
)
@numbers_options
@execution_options("threads")
def evaluate(
    *,
    output: Path | None,
    report: Path | None,
    executor: Executor,
    quiet: bool,
    **asked: Any,  # noqa: ANN401
) -> Numbers:
    """Run a scheme or controller by RFC 7928 or RFC 9743.

    SCHEME is built in, perhaps with parameters (codel:target_ms=20), or your own (my_red.py:MyRed). The
    scenarios are friendly, aggressive and unresponsive senders, round trips, bursts, levels of congestion,
    varying capacity, parameters, mixes, both directions, several queues on a path, packet sizes, ECN and
    scheduling, at 10 Mbit/s, round trips of 100 ms and a buffer of their product.

    CONTROLLER is a congestion controller (cubic, bbr-linux-v3), perhaps with keys of its hosts
    (cubic:pacing=true), or your own (my_aimd.py:Aimd:left_share=0.7). It runs with itself, beside CUBIC and
    Reno, over buffers, round trips, rates, random losses and queue disciplines, beside short flows and calls,
    in a tunnel, with misbehaving nodes and in a data centre, at 20 Mbit/s and round trips of 40 ms unless a
    section is about another path. Harm is what others lose beside it, of what they have alone (Ware
    et al. 2019): a star marks where it is more than what CUBIC or Reno does itself there.

    It prints what matters in each scenario, with 95 % intervals over the seeds, and what was not run and why:
    about a minute of processor time in all.

    \b
    Examples:
      aqmlab evaluate pie:target_ms=5 --only 5.1.1,8.2.4
      aqmlab evaluate my_red.py:MyRed --schemes red --only 8.2.2 --report red.html
      aqmlab evaluate bbr-linux-v3 --only 5.2.1,5.2.2
      aqmlab evaluate cubic:pacing=true --controllers cubic --only 5.1
    """
    from aqmlab.show.objects.evaluation import printed as parts_of
    from aqmlab.show.tables import printed

    if report is not None and report.suffix != ".html":
        raise click.UsageError(f"{report}: a report ends in .html")
    for kind in ("schemes", "controllers"):  # not given: those of the guideline
        asked[kind] = asked[kind] or None
    keep_nothing()
    found = aqmlab.evaluate(**asked, output=output, report=report, executor=executor, progress=not quiet)
    for file in filter(None, (output, report)):
        say(f"written: {file}")
    if not quiet or (output is None and report is None):
        printed.on(console(), parts_of(found))
    return Numbers.of(found)
