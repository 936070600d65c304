"""The scenario of a fitted line: a household on it, with what could not be fitted marked in comments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.errors import RefusalError
from aqmlab.presets.household import LEAST_MBPS, MOST_MBPS, household
from aqmlab.study.line_fit.queue_fit import QueueKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.study.line_fit.fitting import FittedWay
    from aqmlab.study.line_fit.framing import Framing
    from aqmlab.study.line_fit.resampling import Fitted

_MOST_OF_A_LINE_MBPS = 100_000.0
_QUEUE = {"down": "provider_queue", "up": "modem_queue"}
_BASE = "base_rtt_ms = 20.0"
_HEAD = """\
# My line, fitted from {sources}
# Comments say how well; what is "not fitted" has what is usual. Keys: docs/reference/scenario/line.md
name = "my-line"
duration_s = 75.0
warm_up_s = 15.0
cool_down_s = 10.0

[line]
technology = "{technology}"  # {given}
"""


def scenario_text(
    sources: Sequence[str],
    technology: str | None,
    framing: Framing,
    round_trip: Fitted | None,
    ways: Mapping[str, FittedWay],
) -> str:
    """The text of the scenario."""
    given = "as given" if technology else "not given: rates count IP packets, without the line's own frames"
    lines = [_HEAD.format(sources=", ".join(sources), technology=technology or "other", given=given)]
    rates = {way: _rate(way, each, framing, lines) for way, each in ways.items()}
    _require_rates(rates)
    delay_ms = _delay(round_trip, framing, lines)
    for way, each in ways.items():
        _queue(way, each, rates[way], framing, lines)
    down, up = (min(max(rates[way], LEAST_MBPS), MOST_MBPS) for way in ("down", "up"))
    body = household(down, up, technology or "cable")
    people = body[body.index("\n[[devices]]") :]
    if round_trip is not None:
        behind = (
            f"base_rtt_ms = {max(round_trip.value - 2 * delay_ms, 0.0):.4g}  # the rest of the round trip"
        )
        people = people.replace(_BASE, behind)
    return "".join(lines) + people


def _require_rates(rates: Mapping[str, float]) -> None:
    """Refuses rates that no line has."""
    for way, rate_mbps in rates.items():
        if rate_mbps > _MOST_OF_A_LINE_MBPS:
            raise RefusalError(
                f"{way}: {rate_mbps:.3g} Mbit/s was measured; legal: at most {_MOST_OF_A_LINE_MBPS:g}",
                place=way,
                value=rate_mbps,
            )


def bound_in_words(fitted: Fitted, unit: str) -> str:
    """A bound such as `92.7 to 95.4 Mbit/s`, `93 Mbit/s or more`."""
    if math.isinf(fitted.high):
        return f"{fitted.low:.4g} {unit} or more"
    low, high = (f"{each:.4g}" for each in (fitted.low, fitted.high))
    if fitted.low == 0.0:
        return f"{high} {unit} or less"
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def _rate(way: str, fitted: FittedWay, framing: Framing, lines: list[str]) -> float:
    rate = fitted.rate_mbps
    if rate is None:
        usual = framing.number(f"{way}_mbps")
        said = "; ".join(fitted.notes) or f"no {way}load in these files"
        lines.append(f"# {way}_mbps = {usual:g}  # not fitted ({said}); this is usual, and holds\n")
        return usual
    lines.append(f"{way}_mbps = {rate.value:.4g}  # {bound_in_words(rate, 'Mbit/s')}{_noted(fitted)}\n")
    return rate.value


def _delay(round_trip: Fitted | None, framing: Framing, lines: list[str]) -> float:
    usual = framing.number("delay_ms")
    if round_trip is None:
        lines.append(f"# delay_ms = {usual:g}  # not fitted (no round trips in these files)\n")
        return usual
    delay_ms = min(usual, float(f"{round_trip.value / 2:.4g}"))
    lines.append(
        f"delay_ms = {delay_ms:g}  # usual; of the round trip of {round_trip.value:.4g} ms "
        f"({bound_in_words(round_trip, 'ms')}) the line's own part is not known\n"
    )
    return delay_ms


def _queue(way: str, fitted: FittedWay, rate_mbps: float, framing: Framing, lines: list[str]) -> None:
    key = _QUEUE[way]
    match fitted.kind:
        case QueueKind.TAIL_DROP | QueueKind.SHORT if fitted.buffer_ms is not None:
            held = framing.bytes_in(fitted.buffer_ms.value, rate_mbps)
            said = f"{fitted.buffer_ms.value:.3g} ms ({bound_in_words(fitted.buffer_ms, 'ms')})"
            if fitted.kind is QueueKind.SHORT:
                said += "; a controlled queue would look alike"
            lines.append(f'{key} = {{ scheme = "drop-tail", limit_bytes = {held} }}  # {said}\n')
        case QueueKind.CONTROLLED if fitted.kept_ms is not None:
            target = max(round(fitted.kept_ms.value), 1)
            queue = f'{{ scheme = "pie", target_ms = {target}.0, limit_packets = 1000 }}'
            said = (
                f"keeps {bound_in_words(fitted.kept_ms, 'ms')}; PIE or CoDel: not known which, nor its limit"
            )
            lines.append(f"{key} = {queue}  # {said}\n")
        case QueueKind.ISOLATED | QueueKind.QUIET:
            said = f"probes wait for nothing: {fitted.kind.value}; by what is not known"
            lines.append(f'{key} = {{ scheme = "fq-codel" }}  # {said}\n')
        case _:
            lines.append(f"# {key}: not fitted ({not_fitted(fitted)}); what is usual holds\n")


def not_fitted(fitted: FittedWay) -> str:
    """Why a queue was not fitted."""
    if fitted.kind is QueueKind.NONE:
        return "nothing waited"
    if fitted.rate_mbps is None:
        return "nothing filled it"
    return next((each for each in fitted.notes if "both ways" in each), "no round trips beside the load")


def _noted(fitted: FittedWay) -> str:
    return "".join(f"; {each}" for each in fitted.notes)
