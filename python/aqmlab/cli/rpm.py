"""`aqmlab rpm`."""

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


@from_api("rpm", line=LINE, load={"show_default": "all three"})
@numbers_options
@execution_options("threads")
def rpm(*, output: Path | None, executor: Executor, quiet: bool, **asked: Any) -> Numbers:  # noqa: ANN401
    """Show how responsive a full line is.

    Round trips per minute, as draft-ietf-ippm-responsiveness-09 defines them: every 5 s one more connection,
    up to 16, loads the line (CUBIC, Linux 6), until goodput, then responsiveness, are stable. Half of the
    score is measured on new connections, half on the loading ones; a lost probe counts as a second and a
    usual round trip. Below 300 is poor, below 1,000 fair, below 6,000 good; no line does more than its idle
    round trip allows: 3,000 at 20 ms.

    The line is the [line] or [dumbbell] of a scenario, or --down and --up, as of aqmlab bloat.

    \b
    Examples:
      aqmlab rpm --down 100 --up 10
      aqmlab rpm my-link.toml --load both --schemes fq-codel,cake --output rpm.csv
    """
    from aqmlab.show.objects.responsiveness import printed

    require_one_line(**asked)
    keep_nothing()
    found = aqmlab.rpm(**asked, output=output, executor=executor, progress=not quiet)
    tell(found.live_timing, () if output is None else [output], printed(found), quiet=quiet)
    return Numbers.of(found)
