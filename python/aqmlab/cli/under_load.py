"""`aqmlab bloat`, `aqmlab sqm`, `aqmlab rpm` and `aqmlab flent`: a line under load."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab._startup import keep_nothing
from aqmlab.cli.from_api import from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import FILE, execution_options
from aqmlab.terminal.console import console, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from aqmlab.runs.executors import Executor
    from aqmlab.show.tables.printed import Part

_LINE = {"metavar": "[LINE.toml]", "type": FILE}
_TABLES = {"bloat": "bloat", "sqm": "sqm", "rpm": "responsiveness", "flent": "flent_tests"}
"""The modules of `aqmlab.show.objects` with what the commands print."""


@from_api("bloat", line=_LINE)
@numbers_options
@execution_options("threads")
def bloat(**asked: Any) -> Numbers:  # noqa: ANN401
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
    _require_one_line(**asked)
    return _test("bloat", **asked)


def _shares(_context: click.Context, _parameter: click.Parameter, given: str) -> tuple[float, ...]:
    try:
        return tuple(float(each) for each in given.split(","))
    except ValueError:
        raise click.BadParameter(f"{given}: legal: numbers above 0, to 1, such as 0.95,0.9") from None


@from_api("sqm", line=_LINE, shares={"callback": _shares, "metavar": "SHARE,..."})
@numbers_options
@execution_options("threads")
def sqm(**asked: Any) -> Numbers:  # noqa: ANN401
    """Say what to set in your router, and what to type.

    The household is on the line with everybody at once: calls, a game, a meeting, pages, a backup and a
    download. It tries queue disciplines in the router at several shares of the line's rate, counted as the
    line counts, and recommends what is best for whoever suffers most; of several, what costs least.

    \b
    Examples:
      aqmlab sqm --technology vdsl --down 50 --up 10
      aqmlab sqm --technology adsl --down 6 --up 0.5 --device eth1 --seeds 1-2
      aqmlab sqm my-link.toml --seeds 1 --output tried.csv
    """
    return _test("sqm", **asked)


@from_api("rpm", line=_LINE, load={"show_default": "all three"})
@numbers_options
@execution_options("threads")
def rpm(**asked: Any) -> Numbers:  # noqa: ANN401
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
    _require_one_line(**asked)
    return _test("rpm", **asked)


@from_api("flent", test={"metavar": "TEST"}, line=_LINE)
@numbers_options
@execution_options("threads")
def flent(**asked: Any) -> Numbers:  # noqa: ANN401
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
    _require_one_line(**asked)
    return _test("flent", **asked)


def _require_one_line(
    *,
    line: Path | None,
    down_mbps: float | None,
    up_mbps: float | None,
    overrides: Mapping[str, object],
    **_: Any,  # noqa: ANN401 (the other arguments of the test)
) -> None:
    """Checks that the options name one line."""
    if line is not None:
        if down_mbps is not None or up_mbps is not None:
            raise click.UsageError("--down and --up are of a line without a file; legal: these, or the file")
    elif down_mbps is None or up_mbps is None:
        raise click.UsageError(
            "give the line: --down 100 --up 10, or a scenario file with a [line] or [dumbbell]"
        )
    elif overrides:
        raise click.UsageError("--set replaces values of a scenario, and there is none")


def _test(name: str, *, output: Path | None, executor: Executor, quiet: bool, **asked: Any) -> Numbers:  # noqa: ANN401
    """Makes a test, and prints what it has found."""
    printed_of = import_module(f"aqmlab.show.objects.{_TABLES[name]}").printed
    keep_nothing()
    found = getattr(aqmlab, name)(**asked, output=output, executor=executor, progress=not quiet)
    folder = asked.get("flent")
    files = [f"{len(found.runs)} files in {folder}"] if folder is not None else []
    written = [*files, *([output] if output is not None else [])]
    tell(getattr(found, "live_timing", ""), written, printed_of(found), quiet=quiet)
    return Numbers.of(found)


def tell(timing: str, written: Iterable[object], parts: Iterable[Part], *, quiet: bool) -> None:
    """Prints what a test has found, quietly only where it was not written."""
    from aqmlab.show.tables import printed

    if timing:
        say(timing)
    written = list(written)
    for each in written:
        say(f"written: {each}")
    if not written or not quiet:
        printed.on(console(), parts)
