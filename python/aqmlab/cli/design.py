"""`aqmlab design`: the rules by which authors of queue disciplines choose settings, at a link given.

The options are the arguments of the rules (`aqmlab.study.design.rules`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aqmlab.cli.from_api import OfFunction, function_named
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import FILE, FORMS, require_ending
from aqmlab.terminal.console import console, say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_ABOVE_ZERO = click.FloatRange(0, 1_000_000, min_open=True)
_SHARE = {"type": click.FloatRange(0, 1, min_open=True), "metavar": "SHARE"}
_DIFFERING: Mapping[str, Mapping[str, Any]] = {
    "flows": {"type": _ABOVE_ZERO, "metavar": "N"},
    "misbehaving": {"type": _ABOVE_ZERO, "metavar": "N"},
    "rtt_ms": {"type": _ABOVE_ZERO, "metavar": "MS"},
    "link_mbps": {"type": _ABOVE_ZERO, "metavar": "MBPS", "names": ["--link-mbps"]},
    "interval_ms": {"type": _ABOVE_ZERO, "metavar": "MS"},
    "mean_packet_bytes": {"type": _ABOVE_ZERO, "metavar": "BYTES"},
    "packet_bytes": {"type": _ABOVE_ZERO, "metavar": "BYTES"},
    "sampling_hz": {"type": _ABOVE_ZERO, "metavar": "HZ"},
    "utilization": _SHARE,
    "low_watermark": _SHARE,
    "alpha": {"type": _ABOVE_ZERO, "metavar": "GAIN"},
    "gains": {"type": (_ABOVE_ZERO, _ABOVE_ZERO), "metavar": "A B"},
    "trials": {"type": click.IntRange(0, 1_000_000), "show_default": False, "metavar": "N"},
}
"""How the arguments of all rules are read."""


def _form(_context: click.Context, _parameter: click.Parameter, file: Path | None) -> Path | None:
    if file is not None:
        require_ending(file, FORMS, "'--plot'")
    return file


@click.group
def design() -> None:
    """Compute a scheme's parameters by its authors' rule.

    The rules are for a link of known rate and round-trip time.

    \b
    Examples:
      aqmlab design arc --flows 60 --rtt-ms 500 --link-mbps 10
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --misbehaving 5
      aqmlab design pi --flows 60 --rtt-ms 246 --link-mbps 15 --plot pi.svg
      aqmlab design pie --rtt-ms 50
    """


def _rule(command: Callable[..., Any]) -> click.Command:
    """The command of the rule of the same name."""
    plot = click.option(
        "--plot",
        type=FILE,
        metavar="FILE",
        callback=_form,
        help="Also draw a figure; the file extension sets the format: .svg, .pdf or .png.",
    )
    named = f"study.design.rules.{command.__name__}"
    make = design.command(cls=OfFunction, function=named, after={}, differing=_DIFFERING)
    return make(plot(numbers_options(command)))


@_rule
def arc(**link: Any) -> Numbers:  # noqa: ANN401
    """Print ARC's stable gains with TCP.

    Their gain margin is above 6 dB, their phase margin 30 to 60 degrees.

    \b
    Examples:
      aqmlab design arc --flows 60 --rtt-ms 500 --link-mbps 10
      aqmlab design arc --flows 10 --rtt-ms 500 --link-mbps 10 --plot arc.svg
    """
    return _follow("arc", **link)


@_rule
def sfg(**link: Any) -> Numbers:  # noqa: ANN401
    """Print SFG's bins, and how rarely a flow shares all of them.

    The number of bins follows from the rate of a TCP-friendly flow.

    \b
    Examples:
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --misbehaving 5
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --misbehaving 5 --plot a.svg
    """
    return _follow("sfg", **link)


@_rule
def pi(*, gains: tuple[float, float] | None, **link: Any) -> Numbers:  # noqa: ANN401
    """Print PI's gains, and the margins of its loop with TCP.

    \b
    Examples:
      aqmlab design pi --flows 60 --rtt-ms 246 --link-mbps 15
      aqmlab design pi --flows 50 --rtt-ms 250 --link-mbps 100 --plot pi.svg
    """
    if gains is not None and gains[0] <= gains[1]:
        raise click.BadParameter(
            f"{gains[0]:g} {gains[1]:g}: the first must exceed the second", param_hint="--gains"
        )
    return _follow("pi", gains=gains, **link)


@_rule
def pie(**link: Any) -> Numbers:  # noqa: ANN401
    """Print the stability margins of PIE's and PI2's loops with TCP.

    PIE's are printed with and without auto-tuning. The margins depend on the round-trip time and the share of
    signalled packets, not on the link rate or the number of flows.

    \b
    Examples:
      aqmlab design pie --rtt-ms 50
      aqmlab design pie --rtt-ms 100 --plot pie.svg
    """
    return _follow("pie", **link)


def _follow(name: str, *, plot: Path | None, **link: object) -> Numbers:
    """Prints what a rule comes to at a link, and draws it where a file is named."""
    try:
        found = function_named(f"study.design.rules.{name}")(**link)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    drawn = []
    if plot is not None:
        from aqmlab.show.figures.design import chart_of
        from aqmlab.show.figures.drawn import Drawn

        drawn.append(str(Drawn.of("design", chart_of(found), "").save_as(plot)))
    from aqmlab.show.tables import printed
    from aqmlab.statistics.tidy import tidy_numbers

    printed.on(console(), found.sentences)
    for line in drawn:
        say(line)

    return Numbers(
        lambda: tidy_numbers([(name, None, found.numbers)]), lambda: {"sentences": found.sentences}
    )
