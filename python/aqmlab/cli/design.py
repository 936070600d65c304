"""`aqmlab design`: the rules by which authors of queue disciplines choose settings, at a link given."""

from __future__ import annotations

import math

import click

from aqmlab import _core

POSITIVE = click.FloatRange(0, 1e12, min_open=True)
SHARE = click.FloatRange(0, 1, min_open=True)


@click.group
def design() -> None:
    """Design a queue discipline for a link, by the rule of its authors.

    \b
    Examples:
      aqmlab design arc --flows 60 --rtt-ms 500 --link-mbps 10
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --packet-bytes 1500 --misbehaving 5
    """


@design.command
@click.option("--flows", type=POSITIVE, required=True, help="Fewest long TCP flows that are expected.")
@click.option("--rtt-ms", type=POSITIVE, required=True, help="Longest round-trip time that is expected.")
@click.option("--link-mbps", type=POSITIVE, required=True, help="Rate of the link.")
@click.option("--interval-ms", type=POSITIVE, default=1000.0, show_default=True, help="ARC's interval.")
@click.option("--mean-packet-bytes", type=POSITIVE, default=1000.0, help="What alpha is per.")
@click.option("--utilization", type=SHARE, default=0.98, show_default=True)
def arc(
    *,
    flows: float,
    rtt_ms: float,
    link_mbps: float,
    interval_ms: float,
    mean_packet_bytes: float,
    utilization: float,
) -> None:
    """Print the gains under which ARC's loop with TCP is stable: more than 6 dB, 30 to 60 degrees of margin.

    \b
    Examples:
      aqmlab design arc --flows 60 --rtt-ms 500 --link-mbps 10
    """
    packets_per_second = link_mbps * 1e6 / (8 * mean_packet_bytes)
    admissible = _core.arc_admissible_gains(flows, rtt_ms / 1e3, packets_per_second, utilization)
    if admissible is None:
        message = f"no gain keeps {flows:g} flows over {rtt_ms:g} ms stable at {link_mbps:g} Mbit/s"
        raise click.UsageError(f"{message}: fewer flows, a longer path or a faster link have one")
    lowest, highest = (gain * interval_ms / 1e3 for gain in admissible)
    click.echo(
        f"arc at {link_mbps:g} Mbit/s, {flows:g} flows, {rtt_ms:g} ms, interval {interval_ms:g} ms, "
        f"packets of {mean_packet_bytes:g} bytes"
    )
    click.echo(f"alpha is stable from {lowest:.4g} to {highest:.4g} per packet")
    click.echo(f"gain = {{ fixed = {{ alpha = {math.sqrt(lowest * highest):.4g} }} }}")


@design.command
@click.option("--link-mbps", type=POSITIVE, required=True, help="Rate of the link.")
@click.option("--rtt-ms", type=POSITIVE, required=True, help="Round-trip time of a TCP-friendly flow.")
@click.option("--packet-bytes", type=POSITIVE, default=1500.0, help="Length of its packets.")
@click.option("--low-watermark", type=SHARE, default=0.01, show_default=True)
@click.option("--misbehaving", type=POSITIVE, required=True, help="Flows that may misbehave at a time.")
def sfg(
    *, link_mbps: float, rtt_ms: float, packet_bytes: float, low_watermark: float, misbehaving: float
) -> None:
    """Print the bins that hold flows to a TCP-friendly rate, and how rarely flows share them all.

    \b
    Examples:
      aqmlab design sfg --link-mbps 10 --rtt-ms 300 --packet-bytes 1500 --misbehaving 5
    """
    friendly_mbps = _core.sfg_tcp_friendly_rate(packet_bytes, rtt_ms / 1e3, low_watermark) * 8e-6
    bins = max(1, round(link_mbps / friendly_mbps))
    click.echo(
        f"sfg at {link_mbps:g} Mbit/s: a TCP-friendly flow sends {friendly_mbps:.3g} Mbit/s; bins = {bins}"
    )
    for levels in range(1, 7):
        share = _core.sfg_false_positive(levels, bins, misbehaving)
        click.echo(
            f"levels = {levels}: {share:.2%} of flows share all their bins with {misbehaving:g} others"
        )
