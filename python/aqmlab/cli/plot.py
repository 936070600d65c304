"""`aqmlab plot`."""

from __future__ import annotations

from pathlib import Path

import click

from aqmlab.cli.options import output_option, require_ending, results_argument
from aqmlab.errors import ResultError
from aqmlab.terminal.console import say

WHAT = (
    "cdf", "ccdf", "pages", "queue", "waiting", "utilization",
    "delay", "delay-ccdf", "delay-bars", "jitter", "mos", "goodput", "shares", "page-bars",
    "cwnd", "ssthresh", "rtt", "rto", "state",
)  # fmt: skip


@click.command
@results_argument
@click.option(
    "--what",
    type=click.Choice(WHAT),
    required=True,
    metavar="NAME",
    help="delay: a minute of the call's delay, and when packets were lost; delay-ccdf: its "
    "distribution (both need record.datagrams, which `aqmlab compare` sets for its first "
    "seed). delay-bars: median, 95th and 99th percentile of each application over datagrams; "
    "jitter, mos: its other numbers. shares: of each device; goodput: of each group of flows. "
    "pages, page-bars: page load times. cdf, ccdf: response times. queue, waiting, "
    "utilization: a link over time (packets, queueing delay, utilization). cwnd, ssthresh, "
    "rtt, rto: of long flows (needs record.congestion_window_interval_ms). state: an internal "
    "variable of a scheme (needs record.scheme_state_interval_ms).",
)
@click.option(
    "--link", default="", metavar="NAME", help="The link; by default the first one that carries data."
)
@click.option(
    "--group",
    default="",
    metavar="NAME",
    help="With --what delay or delay-ccdf: the group of datagrams; by default the call, the way that is "
    "slower under the first configuration.",
)
@click.option("--quantity", default="", metavar="NAME", help="With --what state: the name of the variable.")
@click.option(
    "--flows",
    default="",
    metavar="GROUP[:N],...",
    help="With --what cwnd, ssthresh, rtt or rto: one line for each of these groups of flows, or "
    "flows, counted from 0; by default one for all.",
)
@click.option("--title", default="", metavar="TEXT", help="Title of the figure.")
@output_option(
    "FILE",
    "Output file; the extension sets the format: .svg, .pdf, .png, .pgf, or .csv for the numbers. "
    "By default WHAT.svg.",
)
@click.option(
    "--width",
    metavar="LENGTH",
    help="How wide it is printed: 3.33in (a column of many papers), 8.5cm, 85mm, 241pt; by default 5.6in.",
)
@click.option(
    "--font", "font_points", type=float, metavar="POINTS", help="The size of its letters; by default 9."
)
@click.option(
    "--tex",
    is_flag=True,
    help="Write WHAT.pgf for \\input in LaTeX, with the fonts of the paper. Needs LaTeX on this machine.",
)
def plot(
    *,
    results: tuple[Path, ...],
    what: str,
    link: str,
    group: str,
    quantity: str,
    flows: str,
    title: str,
    output: Path | None,
    width: str | None,
    font_points: float | None,
    tex: bool,
) -> None:
    """Draw one figure of results, ready for publication.

    Takes and rejects the same folders as `aqmlab report`. Bars and distributions are means over seeds, with
    95 % intervals from six seeds on; figures over time show the first seed. A figure of live runs is marked
    if the timing of a run is suspect.

    \b
    Examples:
      aqmlab plot results/compare-link --what pages --output pages.pdf
      aqmlab plot results/compare-home --what delay --width 3.33in --font 8
      aqmlab plot results/compare-home --what shares --output shares.png
      aqmlab plot results/pi/seed-1 --what queue --output queue.svg
      aqmlab plot results/compare-link --what ccdf --output tails.csv
      aqmlab plot results/bulk/seed-1 --what cwnd --flows bulk:0,bulk:1
      aqmlab plot results/sfg/seed-1 --what state --quantity notification_rate
    """
    from aqmlab.errors import MissingDataError, UnknownLinkError
    from aqmlab.show.figures.drawn import PrintSize, require_latex
    from aqmlab.show.figures.over_time import OF_SENDERS
    from aqmlab.show.figures.plots import ENDINGS, OF_DATAGRAMS
    from aqmlab.show.figures.plots import plot as draw

    file = output or Path(f"{what}.pgf" if tex else f"{what}.svg")
    require_ending(file, ENDINGS, "--output")
    if tex and file.suffix.lower() != ".pgf":
        raise click.BadParameter(f"{file}: with --tex a .pgf", param_hint="--output")
    PrintSize.of(width, font_points)  # what is refused is refused before anything is read
    if file.suffix.lower() == ".pgf":
        require_latex()
    if group and what not in OF_DATAGRAMS:
        raise click.BadParameter(
            f"{group}: only with --what {' or '.join(OF_DATAGRAMS)}", param_hint="--group"
        )
    if quantity and what != "state":
        raise click.BadParameter(f"{quantity}: only with --what state", param_hint="--quantity")
    if flows and what not in OF_SENDERS:
        raise click.BadParameter(f"{flows}: only with --what {', '.join(OF_SENDERS)}", param_hint="--flows")
    chosen = [each.strip() for each in flows.split(",") if each.strip()]
    try:
        drawn = draw(results, what, link=link, group=group, quantity=quantity, flows=chosen, title=title)
    except (UnknownLinkError, MissingDataError) as error:
        raise ResultError(f"{', '.join(map(str, results))}: {error}") from None
    for warning in drawn.warnings:
        say(f"warning: {warning}", err=True)
    say(str(drawn.save(file, width=width, font_points=font_points)))
