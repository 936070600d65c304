"""Section 7.11: a data centre's switch, with a short buffer and a threshold above which it marks.

M. Alizadeh et al., *Data Center TCP (DCTCP)* (SIGCOMM 2010), mark at 1 Gbit/s what finds 20 packets or more:
here what waited for as long as 20 packets take. What is not ECN-capable, such as a SYN, is dropped only where
the buffer is full. Delay, buffer and the answers to a question are chosen here. In a controlled environment
the operator chooses the controllers: which may stand beside CUBIC is for their authors to write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.statistics.observation import Observation
from aqmlab.statistics.quantities import quantity
from aqmlab.statistics.quantity import Measured
from aqmlab.study.evaluation.controller_cases import (
    CUBIC,
    GOODPUT_OF_CUBIC,
    GOODPUT_OF_SUBJECT,
    SUBJECT,
    flows,
    path,
    subject,
)
from aqmlab.study.evaluation.guideline import Case, Guideline
from aqmlab.study.evaluation.metrics import OfRun

if TYPE_CHECKING:
    from aqmlab.statistics.recorded import Recorded
    from aqmlab.study.evaluation.network import Table

_RATE_MBPS, _ROUND_TRIP_MS = 1_000.0, 0.2
_MARKED_MS, _LIMIT_PACKETS = 0.24, 128
_SWITCH: Table = {
    "scheme": "codel",
    "limit_packets": _LIMIT_PACKETS,
    "ecn": False,
    "ce_threshold_ms": _MARKED_MS,
}
"""Linux's threshold for DCTCP: CoDel itself never acts, as the full buffer waits for less than its target."""
_LINK: Table = {"queue": _SWITCH, "interface_rate_mbps": 10_000.0, "server_machines_per_side": 16}
_HOST = {"ecn": "on"}
_WARM_UP_S, _MEASURED_S, _COOL_DOWN_S = 0.2, 0.8, 2.0
"""The run ends as soon as all answers are there; one whose first packet is lost takes a second more."""
_START: Table = {"start_spread_s": 0.1}
_ANSWERS, _ANSWER_BYTES, _QUESTIONS = 16, 4 * 1_448, 8
"""So many machines answer each question at once: 64 packets, for which there is room behind a short queue."""
_QUESTION_S = _MEASURED_S / _QUESTIONS


def _switch(*traffic: Table) -> Table:
    return path(
        *traffic, rate_mbps=_RATE_MBPS, round_trip_ms=_ROUND_TRIP_MS, link=_LINK, measuring=(),
        warm_up_s=_WARM_UP_S, duration_s=_WARM_UP_S + _MEASURED_S + _COOL_DOWN_S, cool_down_s=_COOL_DOWN_S,
    )  # fmt: skip


def _two() -> Case:
    document = _switch(subject(2, host=_HOST, **_START))
    headlines = {"queue_mean_ms": "delay ms", "goodput_mbps": "Mbit/s"}
    return Case("2 flows", document, headlines=headlines, standard=CUBIC)


def _incast() -> Case:
    """Questions in the measured window, each answered by sixteen machines at once, beside a long flow."""
    answers = "answers"
    slowest = f"completion_p95_ms/flows.{answers}"

    def observe(result: Recorded) -> Observation:
        found = quantity(f"completion_p95_s/flows.{answers}").observed(Measured(result))
        return Observation(1e3 * found.lower, 1e3 * found.upper)

    starts_s = [_WARM_UP_S + number * _QUESTION_S for number in range(_QUESTIONS) for _ in range(_ANSWERS)]
    document = _switch(
        subject(host=_HOST, **_START),
        flows(answers, SUBJECT, len(starts_s), bytes=_ANSWER_BYTES, starts_s=starts_s, host=_HOST),
    )
    headlines = {slowest: "answers ms", GOODPUT_OF_SUBJECT: "long Mbit/s"}
    counted = (OfRun("2.1", slowest, "ms", observe),)
    return Case("incast", document, headlines=headlines, standard=CUBIC, counted=counted)


def _beside_cubic() -> Case:
    document = _switch(subject(host=_HOST, **_START), flows(CUBIC, CUBIC, host=_HOST, **_START))
    return Case("CUBIC", document, harmed={GOODPUT_OF_CUBIC: "harm, Mbit/s"}, standard=CUBIC)


GUIDELINE = Guideline(
    "7.11", "data centres",
    "At 1 Gbit/s with a round trip of 0.2 ms, in a switch that marks what waited for 0.24 ms: two flows; a "
    "long one beside the answers of 16 machines at once, 6 kB each, eight times; one beside a flow of CUBIC.",
    (_two(), _incast(), _beside_cubic()),
)  # fmt: skip
