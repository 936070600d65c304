"""`aqmlab bloat`."""

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


@from_api("bloat", line=LINE)
@numbers_options
@execution_options("threads")
def bloat(*, output: Path | None, executor: Executor, quiet: bool, **asked: Any) -> Numbers:  # noqa: ANN401
    """Show how much a full line delays everybody.

    Probes of 64 bytes cross the line 50 times a second each way, while it is idle, while four downloads fill
    it, four uploads, and both (CUBIC, Linux 6). It prints the idle round trip, what each load adds to it
    (medians) with its grade, the worst of the three grades, and what downloads and uploads carry alone and
    beside each other, for the line as it is and with other queue disciplines at both ends.

    The line is the [line] or [dumbbell] of a scenario, whose users and flows are left out (down is left to
    right), or --down and --up, with buffers as in modems without queue management: 100 ms down and 250 ms up.

    \b
    Examples:
      aqmlab bloat --down 100 --up 10
      aqmlab bloat my-link.toml --schemes fq-codel,cake --output delays.csv
    """
    from aqmlab.show.objects.bloat import printed

    require_one_line(**asked)
    keep_nothing()
    found = aqmlab.bloat(**asked, output=output, executor=executor, progress=not quiet)
    tell(found.live_timing, () if output is None else [output], printed(found), quiet=quiet)
    return Numbers.of(found)
