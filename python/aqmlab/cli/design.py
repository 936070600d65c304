"""`aqmlab design`: the rules by which authors of queue disciplines choose settings, at a link given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.terminal.console import console, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.study.design.rules import Design

POSITIVE = click.FloatRange(0, 1_000_000, min_open=True)
SHARE = click.FloatRange(0, 1, min_open=True)
FORMS = (".svg", ".pdf", ".png")


def _form(_context: click.Context, _parameter: click.Parameter, file: Path | None) -> Path | None:
    if file is not None and file.suffix.lower() not in FORMS:
        raise click.BadParameter(f"{file}: legal endings: {', '.join(FORMS)}")
    return file


flows_option = click.option(
    "--flows", type=POSITIVE, required=True, metavar="N", help="Smallest expected number of long TCP flows."
)
rtt_option = click.option(
    "--rtt-ms", type=POSITIVE, required=True, metavar="MS", help="Largest expected round-trip time."
)
link_option = click.option(
    "--link-mbps", type=POSITIVE, required=True, metavar="MBPS", help="Rate of the link."
)
plot_option = click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    callback=_form,
    help="Also draw a figure; the file extension sets the format: .svg, .pdf or .png.",
)


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


@design.command
@flows_option
@rtt_option
@link_option
@click.option(
    "--interval-ms", type=POSITIVE, default=1000, show_default=True, metavar="MS", help="ARC's interval."
)
@click.option(
    "--mean-packet-bytes",
    type=POSITIVE,
    default=1000,
    show_default=True,
    metavar="BYTES",
    help="Packet size that alpha refers to.",
)
@click.option(
    "--utilization",
    type=SHARE,
    default=0.98,
    show_default=True,
    metavar="SHARE",
    help="Utilization of the link.",
)
@click.option("--alpha", type=POSITIVE, metavar="GAIN", help="A gain to check, per packet.")
@plot_option
@numbers_options
def arc(*, plot: Path | None, **link: float) -> Numbers:
    """Print ARC's stable gains with TCP.

    Their gain margin is above 6 dB, their phase margin 30 to 60 degrees.

    \b
    Examples:
      aqmlab design arc --flows 60 --rtt-ms 500 --link-mbps 10
      aqmlab design arc --flows 10 --rtt-ms 500 --link-mbps 10 --plot arc.svg
    """
    from aqmlab.study.design import rules

    return _follow(rules.arc, plot, **link)


@design.command
@link_option
@click.option(
    "--rtt-ms", type=POSITIVE, required=True, metavar="MS", help="Round-trip time of a TCP-friendly flow."
)
@click.option(
    "--packet-bytes",
    type=POSITIVE,
    default=1500,
    show_default=True,
    metavar="BYTES",
    help="Size of its packets.",
)
@click.option(
    "--low-watermark",
    type=SHARE,
    default=0.01,
    show_default=True,
    metavar="SHARE",
    help="SFG's low watermark.",
)
@click.option(
    "--misbehaving",
    type=POSITIVE,
    required=True,
    metavar="N",
    help="Largest expected number of misbehaving flows at a time.",
)
@click.option(
    "--trials",
    type=click.IntRange(0, 1_000_000),
    default=0,
    metavar="N",
    help="Also simulate this many filters with random hash functions; needs a whole number of "
    "misbehaving flows.",
)
@plot_option
@numbers_options
def sfg(*, plot: Path | None, **link: float) -> Numbers:
    """Print SFG's bins, and how rarely a flow shares all of them.

    The number of bins follows from the rate of a TCP-friendly flow.

    \b
    Examples:
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --misbehaving 5
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --misbehaving 5 --plot a.svg
    """
    from aqmlab.study.design import rules

    return _follow(rules.sfg, plot, **link)


@design.command
@flows_option
@rtt_option
@link_option
@click.option(
    "--mean-packet-bytes",
    type=POSITIVE,
    default=500,
    show_default=True,
    metavar="BYTES",
    help="Packet size that the gains refer to.",
)
@click.option(
    "--sampling-hz", type=POSITIVE, default=160, show_default=True, metavar="HZ", help="Updates per second."
)
@click.option("--gains", type=(POSITIVE, POSITIVE), metavar="A B", help="Check these gains instead.")
@plot_option
@numbers_options
def pi(*, gains: tuple[float, float] | None, plot: Path | None, **link: float) -> Numbers:
    """Print PI's gains, and the margins of its loop with TCP.

    \b
    Examples:
      aqmlab design pi --flows 60 --rtt-ms 246 --link-mbps 15
      aqmlab design pi --flows 50 --rtt-ms 250 --link-mbps 100 --plot pi.svg
    """
    from aqmlab.study.design import rules

    if gains is not None and gains[0] <= gains[1]:
        raise click.BadParameter(
            f"{gains[0]:g} {gains[1]:g}: the first must exceed the second", param_hint="--gains"
        )
    return _follow(rules.pi, plot, gains=gains, **link)


@design.command
@rtt_option
@plot_option
@numbers_options
def pie(*, rtt_ms: float, plot: Path | None) -> Numbers:
    """Print the stability margins of PIE's and PI2's loops with TCP.

    PIE's are printed with and without auto-tuning. The margins depend on the round-trip time and the share of
    signalled packets, not on the link rate or the number of flows.

    \b
    Examples:
      aqmlab design pie --rtt-ms 50
      aqmlab design pie --rtt-ms 100 --plot pie.svg
    """
    from aqmlab.study.design import rules

    return _follow(rules.pie, plot, rtt_ms=rtt_ms)


def _follow(rule: Callable[..., Design], file: Path | None, **link: object) -> Numbers:
    """Prints what a rule comes to at a link, and draws it where a file is named."""
    try:
        found = rule(**link)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    drawn = []
    if file is not None:
        from aqmlab.show.figures.design import chart_of
        from aqmlab.show.figures.drawn import Drawn

        drawn.append(str(Drawn.of("design", chart_of(found), "").save_as(file)))
    from aqmlab.show.tables import printed
    from aqmlab.statistics.tidy import tidy_numbers

    printed.on(console(), found.sentences)
    for line in drawn:
        say(line)

    return Numbers(
        lambda: tidy_numbers([(rule.__name__, None, found.numbers)]), lambda: {"sentences": found.sentences}
    )
