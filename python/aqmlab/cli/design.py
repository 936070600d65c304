"""`aqmlab design`: the rules by which authors of queue disciplines choose settings, at a link given."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab import _core
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.design.loops import Loop
    from aqmlab.figures.chart import Chart

POSITIVE = click.FloatRange(0, 1_000_000, min_open=True)
SHARE = click.FloatRange(0, 1, min_open=True)
FORMS = (".svg", ".pdf", ".png")
BYTES_OF_A_BIN = 12
"""A counter of bytes and a probability in double precision (Chung, Claypool, Kinicki 2004, section 4)."""


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
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --packet-bytes 1500 --misbehaving 5
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
def arc(
    *,
    flows: float,
    rtt_ms: float,
    link_mbps: float,
    interval_ms: float,
    mean_packet_bytes: float,
    utilization: float,
    alpha: float | None,
    plot: Path | None,
) -> None:
    """Print ARC's stable gains with TCP.

    Their gain margin is above 6 dB, their phase margin 30 to 60 degrees.

    \b
    Examples:
      aqmlab design arc --flows 60 --rtt-ms 500 --link-mbps 10
      aqmlab design arc --flows 10 --rtt-ms 500 --link-mbps 10 --alpha 1.42e-5 --plot region.svg
    """
    packets_per_second = link_mbps * 1e6 / (8 * mean_packet_bytes)
    admissible = _core.arc_admissible_gains(flows, rtt_ms / 1e3, packets_per_second, utilization)
    if admissible is None:
        message = f"no gain keeps {flows:g} flows over {rtt_ms:g} ms stable at {link_mbps:g} Mbit/s"
        raise click.UsageError(f"{message}; try fewer flows, a longer path or a faster link")
    lowest, highest = (gain * interval_ms / 1e3 for gain in admissible)
    say(
        f"arc at {link_mbps:g} Mbit/s, {flows:g} flows, {rtt_ms:g} ms, interval {interval_ms:g} ms, "
        f"packets of {mean_packet_bytes:g} bytes"
    )
    say(f"alpha is stable from {lowest:.4g} to {highest:.4g} per packet")
    say(f"gain = {{ fixed = {{ alpha = {math.sqrt(lowest * highest):.4g} }} }}")
    if alpha is not None:
        from aqmlab.design.loops import arc_loop

        place = "below" if alpha <= lowest else "above" if alpha >= highest else "inside"
        loop = arc_loop(flows, rtt_ms / 1e3, packets_per_second, utilization, alpha * 1e3 / interval_ms)
        say(f"alpha = {alpha:g} is {place}: {_margins_of(loop)}")

    def region() -> Chart:
        from aqmlab.design.charts import arc_region

        marked = () if alpha is None else (alpha,)
        return arc_region(rtt_ms / 1e3, packets_per_second, utilization, interval_ms / 1e3, marked)

    _draw(plot, region)


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
def sfg(
    *,
    link_mbps: float,
    rtt_ms: float,
    packet_bytes: float,
    low_watermark: float,
    misbehaving: float,
    trials: int,
    plot: Path | None,
) -> None:
    """Print SFG's bins, and how rarely a flow shares all of them.

    The number of bins follows from the rate of a TCP-friendly flow.

    \b
    Examples:
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --packet-bytes 1500 --misbehaving 5
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --misbehaving 5 --trials 10000 --plot sfg.svg
    """
    friendly_mbps = _core.sfg_tcp_friendly_rate(packet_bytes, rtt_ms / 1e3, low_watermark) * 8e-6
    bins = max(1, round(link_mbps / friendly_mbps))
    if trials and not (misbehaving.is_integer() and misbehaving <= 1e6 and bins <= 65_536):
        raise click.UsageError("--trials: for a whole number of misbehaving flows, and at most 65536 bins")
    say(f"sfg at {link_mbps:g} Mbit/s: a TCP-friendly flow sends {friendly_mbps:.3g} Mbit/s; bins = {bins}")
    for levels in range(1, 7):
        share = _core.sfg_false_positive(levels, bins, misbehaving)
        line = f"levels = {levels}: {share:.2%} of flows share all their bins with {misbehaving:g} others"
        if trials:
            tried = _core.sfg_false_positives(levels, bins, int(misbehaving), trials) / trials
            line += f", {tried:.2%} of {trials} tried"
        say(f"{line}; {levels * bins * BYTES_OF_A_BIN} bytes at a port")

    def wrong() -> Chart:
        from aqmlab.design.charts import false_positives

        return false_positives(bins, trials)

    _draw(plot, wrong)


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
def pi(
    *,
    flows: float,
    rtt_ms: float,
    link_mbps: float,
    mean_packet_bytes: float,
    sampling_hz: float,
    gains: tuple[float, float] | None,
    plot: Path | None,
) -> None:
    """Print PI's gains, and the margins of its loop with TCP.

    \b
    Examples:
      aqmlab design pi --flows 60 --rtt-ms 246 --link-mbps 15
      aqmlab design pi --flows 50 --rtt-ms 250 --link-mbps 100 --gains 1.822e-5 1.816e-5 --plot pi.svg
    """
    from aqmlab.design.loops import pi_loop

    rtt_s, packets_per_second = rtt_ms / 1e3, link_mbps * 1e6 / (8 * mean_packet_bytes)
    found = gains or _core.pi_designed_gains(flows, rtt_s, packets_per_second, sampling_hz)
    if found is None:
        path = rtt_s * packets_per_second
        raise click.UsageError(
            f"no design exists for {flows:g} flows over {rtt_ms:g} ms at {link_mbps:g} Mbit/s: it "
            f"needs fewer than {0.4301668 * path:.4g} flows and more than "
            f"{flows / (rtt_s * path):.4g} updates per second"
        )
    present, previous = found
    if present <= previous:
        raise click.BadParameter(
            f"{present:g} {previous:g}: the first must exceed the second", param_hint="--gains"
        )
    say(f"pi at {link_mbps:g} Mbit/s, {flows:g} flows, {rtt_ms:g} ms, packets of {mean_packet_bytes:g} bytes")
    say(f"gains = {{ fixed = {{ a = {present:.6g}, b = {previous:.6g} }} }}, sampling_hz = {sampling_hz:g}")
    say(_margins_of(pi_loop(flows, rtt_s, packets_per_second, found, sampling_hz)))

    def left() -> Chart:
        from aqmlab.design.charts import pi_margins

        return pi_margins(rtt_s, packets_per_second, found, sampling_hz)

    _draw(plot, left)


@design.command
@rtt_option
@plot_option
def pie(*, rtt_ms: float, plot: Path | None) -> None:
    """Print the stability margins of PIE's and PI2's loops with TCP.

    PIE's are printed with and without auto-tuning. The margins depend on the round-trip time and the share of
    signalled packets, not on the link rate or the number of flows.

    \b
    Examples:
      aqmlab design pie --rtt-ms 50
      aqmlab design pie --rtt-ms 100 --plot pie.svg
    """
    from aqmlab.design.charts import CONTROLS, delay_margins
    from aqmlab.design.loops import delay_loop

    say(f"long TCP flows over {rtt_ms:g} ms: gain and phase margins by share of signalled packets")
    for probability in (1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3):
        for name, control in CONTROLS.items():
            say(
                f"{probability:7.2%}  {name:24} {_margins_of(delay_loop(control, probability, rtt_ms / 1e3))}"
            )
    _draw(plot, lambda: delay_margins(rtt_ms / 1e3))


def _margins_of(loop: Loop) -> str:
    from aqmlab.design.loops import margins

    left = margins(loop)
    said = "stable" if left.stable else "unstable"
    return f"{said}: margins of {left.gain_db:.1f} dB and {left.phase_degrees:.1f} degrees"


def _draw(file: Path | None, chart: Callable[[], Chart]) -> None:
    if file is None:
        return
    from aqmlab.figures.drawn import Drawn

    say(str(Drawn.of("design", chart(), "").save_as(file)))
