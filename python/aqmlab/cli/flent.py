"""`aqmlab flent`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import aqmlab
from aqmlab._startup import keep_nothing
from aqmlab.cli.from_api import from_api
from aqmlab.cli.line_options import LINE, require_one_line, tell
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import execution_options

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.runs.executors import Executor


@from_api("flent", test={"metavar": "TEST"}, line=LINE)
@numbers_options
@execution_options("threads")
def flent(
    *,
    flent: Path | None,
    output: Path | None,
    executor: Executor,
    quiet: bool,
    **asked: Any,  # noqa: ANN401
) -> Numbers:
    """Run one of Flent's tests on a line.

    TEST is rrul (four streams each way, one in each class of service, beside probes in three of them),
    rrul_be (the same without classes), tcp_nup and tcp_ndown (four streams one way), or rtt_fair (streams to
    hosts once, twice, four and eight times as far). Probes go up each 0.2 s and come back; streams (CUBIC,
    Linux 6) begin after 5 s. It prints what the streams carried and how long probes took before and beside
    them.

    The line is the [line] or [dumbbell] of a scenario, or --down and --up, as of aqmlab bloat.

    \b
    Examples:
      aqmlab flent rrul --down 100 --up 10
      aqmlab flent tcp_nup my-link.toml --schemes codel --flent flent/
    """
    from aqmlab.show.objects.flent_tests import printed

    require_one_line(**asked)
    keep_nothing()
    found = aqmlab.flent(**asked, flent=flent, output=output, executor=executor, progress=not quiet)
    files = [] if flent is None else [f"{len(found.runs)} files in {flent}"]
    tell(found.live_timing, files if output is None else [*files, output], printed(found), quiet=quiet)
    return Numbers.of(found)
