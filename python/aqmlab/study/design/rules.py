"""The rules by which authors of queue disciplines choose settings, at a link given: what they come to.

Each rule is a function of the link. It returns sentences with the settings, and the figure that shows them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.study.design.loops import CONTROLS, arc_loop, delay_loop, margins, pi_loop
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.study.design.loops import Loop

BYTES_OF_A_BIN = 12
"""A counter of bytes and a probability in double precision (Chung, Claypool, Kinicki 2004, section 4)."""
MOST_BINS, MOST_MISBEHAVING = 65_536, 1e6
"""What filters can be tried with."""
_PROBABILITIES = (1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3)


@dataclass(frozen=True, slots=True)
class Design:
    """What a rule comes to.

    Attributes:
        sentences: Settings and what is known of them.
        figure: Which figure shows them (`aqmlab.show.figures.design`).
        of: What the figure is drawn from: the arguments of its function.
        numbers: The settings and what is known of them, by names that end in their units.
    """

    sentences: tuple[str, ...]
    figure: str
    of: tuple[object, ...]
    numbers: Mapping[str, float]


def arc(
    *,
    flows: float,
    rtt_ms: float,
    link_mbps: float,
    interval_ms: float = 1000.0,
    mean_packet_bytes: float = 1000.0,
    utilization: float = 0.98,
    alpha: float | None = None,
) -> Design:
    """ARC's stable gains; with `alpha` also the margins of this gain.

    Args:
        flows: Smallest expected number of long TCP flows.
        rtt_ms: Largest expected round-trip time.
        link_mbps: Rate of the link.
        interval_ms: ARC's interval.
        mean_packet_bytes: Packet size that alpha refers to.
        utilization: Utilization of the link.
        alpha: A gain to check, per packet.
    """
    packets_per_second = _packets_per_second(link_mbps, mean_packet_bytes)
    admissible = _core.arc_admissible_gains(flows, rtt_ms / 1e3, packets_per_second, utilization)
    if admissible is None:
        message = f"no gain keeps {counted(flows, 'flow')} over {rtt_ms:g} ms stable at {link_mbps:g} Mbit/s"
        raise ValueError(f"{message}; try fewer flows, a longer path or a faster link")
    lowest, highest = (gain * interval_ms / 1e3 for gain in admissible)
    at = f"{link_mbps:g} Mbit/s, {counted(flows, 'flow')}, {rtt_ms:g} ms, interval {interval_ms:g} ms"
    sentences = [
        f"arc at {at}, packets of {mean_packet_bytes:g} bytes",
        f"alpha is stable from {lowest:.4g} to {highest:.4g} per packet",
        f"gain = {{ fixed = {{ alpha = {math.sqrt(lowest * highest):.4g} }} }}",
    ]
    numbers = {"alpha_lowest": lowest, "alpha_highest": highest, "alpha": math.sqrt(lowest * highest)}
    if alpha is not None:
        place = "below" if alpha <= lowest else "above" if alpha >= highest else "inside"
        loop = arc_loop(flows, rtt_ms / 1e3, packets_per_second, utilization, alpha * 1e3 / interval_ms)
        sentences.append(f"alpha = {alpha:g} is {place}: {_margins_of(loop)}")
        numbers |= _numbers_of(loop, f"alpha.{alpha:g}")

    marked = () if alpha is None else (alpha,)
    of = rtt_ms / 1e3, packets_per_second, utilization, interval_ms / 1e3, marked
    return Design(tuple(sentences), "arc_region", of, numbers)


def sfg(
    *,
    link_mbps: float,
    rtt_ms: float,
    misbehaving: float,
    packet_bytes: float = 1500.0,
    low_watermark: float = 0.01,
    trials: int = 0,
) -> Design:
    """SFG's bins for a TCP-friendly rate, and how rarely a flow shares all of its bins.

    Args:
        link_mbps: Rate of the link.
        rtt_ms: Round-trip time of a TCP-friendly flow.
        misbehaving: Largest expected number of misbehaving flows at a time.
        packet_bytes: Size of that flow's packets.
        low_watermark: SFG's low watermark.
        trials: Also simulate this many filters with random hash functions; needs a whole number of
            misbehaving flows.
    """
    friendly_mbps = _core.sfg_tcp_friendly_rate(packet_bytes, rtt_ms / 1e3, low_watermark) * 8e-6
    bins = max(1, round(link_mbps / friendly_mbps))
    if trials and not (misbehaving.is_integer() and misbehaving <= MOST_MISBEHAVING and bins <= MOST_BINS):
        raise ValueError(f"trials need a whole number of misbehaving flows, and at most {MOST_BINS} bins")
    sentences = [
        f"sfg at {link_mbps:g} Mbit/s: a TCP-friendly flow sends {friendly_mbps:.3g} Mbit/s; bins = {bins}"
    ]
    numbers = {"friendly_mbps": friendly_mbps, "bins": float(bins)}
    for levels in range(1, 7):
        share = _core.sfg_false_positive(levels, bins, misbehaving)
        others = counted(misbehaving, "other")
        line = f"levels = {levels}: {share:.2%} of flows share all their bins with {others}"
        numbers[f"shared_percent/levels.{levels}"] = 100.0 * share
        numbers[f"memory_bytes/levels.{levels}"] = float(levels * bins * BYTES_OF_A_BIN)
        if trials:
            tried = _core.sfg_false_positives(levels, bins, int(misbehaving), trials) / trials
            numbers[f"tried_shared_percent/levels.{levels}"] = 100.0 * tried
            line += f", {tried:.2%} of {trials} tried"
        sentences.append(f"{line}; {levels * bins * BYTES_OF_A_BIN} bytes at a port")

    return Design(tuple(sentences), "false_positives", (bins, trials), numbers)


def pi(
    *,
    flows: float,
    rtt_ms: float,
    link_mbps: float,
    mean_packet_bytes: float = 500.0,
    sampling_hz: float = 160.0,
    gains: tuple[float, float] | None = None,
) -> Design:
    """PI's gains by its authors' rule, or the given ones, with the margins of the loop.

    Args:
        flows: Smallest expected number of long TCP flows.
        rtt_ms: Largest expected round-trip time.
        link_mbps: Rate of the link.
        mean_packet_bytes: Packet size that the gains refer to.
        sampling_hz: Updates per second.
        gains: Check these gains instead.
    """
    rtt_s, packets_per_second = rtt_ms / 1e3, _packets_per_second(link_mbps, mean_packet_bytes)
    found = gains or _core.pi_designed_gains(flows, rtt_s, packets_per_second, sampling_hz)
    if found is None:
        path = rtt_s * packets_per_second
        raise ValueError(
            f"no design exists for {counted(flows, 'flow')} over {rtt_ms:g} ms at {link_mbps:g} Mbit/s: it "
            f"needs fewer than {0.4301668 * path:.4g} flows and more than "
            f"{flows / (rtt_s * path):.4g} updates per second"
        )
    present, previous = found
    at = f"{link_mbps:g} Mbit/s, {counted(flows, 'flow')}, {rtt_ms:g} ms"
    loop = pi_loop(flows, rtt_s, packets_per_second, found, sampling_hz)
    sentences = (
        f"pi at {at}, packets of {mean_packet_bytes:g} bytes",
        f"gains = {{ fixed = {{ a = {present:.6g}, b = {previous:.6g} }} }}, sampling_hz = {sampling_hz:g}",
        _margins_of(loop),
    )
    numbers = {"a": present, "b": previous, **_numbers_of(loop)}
    return Design(sentences, "pi_margins", (rtt_s, packets_per_second, found, sampling_hz), numbers)


def pie(*, rtt_ms: float) -> Design:
    """The margins of PIE's loop with TCP, with and without auto-tuning, and of PI2's.

    Args:
        rtt_ms: Largest expected round-trip time.
    """
    sentences = [f"long TCP flows over {rtt_ms:g} ms: gain and phase margins by share of signalled packets"]
    numbers: dict[str, float] = {}
    for probability in _PROBABILITIES:
        for name, control in CONTROLS.items():
            loop = delay_loop(control, probability, rtt_ms / 1e3)
            sentences.append(f"{probability:7.2%}  {name:24} {_margins_of(loop)}")
            numbers |= _numbers_of(loop, f"loops.{name} at {probability:.2%}")

    return Design(tuple(sentences), "delay_margins", (rtt_ms / 1e3,), numbers)


def _packets_per_second(link_mbps: float, mean_packet_bytes: float) -> float:
    return link_mbps * 1e6 / (8 * mean_packet_bytes)


def _numbers_of(loop: Loop, part: str = "") -> dict[str, float]:
    """The margins of a loop, of one of several by its part."""
    left, of = margins(loop), f"/{part}" if part else ""
    return {f"gain_margin_db{of}": left.gain_db, f"phase_margin_degrees{of}": left.phase_degrees}


def _margins_of(loop: Loop) -> str:
    left = margins(loop)
    said = "stable" if left.stable else "unstable"
    return f"{said}: margins of {left.gain_db:.1f} dB and {left.phase_degrees:.1f} degrees"
