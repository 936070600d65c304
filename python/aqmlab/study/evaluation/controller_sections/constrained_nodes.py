"""Section 7.4: links with a very low rate, and nodes that have little memory and pay for every packet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import TooLittleDataError
from aqmlab.study.evaluation.controller_cases import (
    COOL_DOWN_S,
    CUBIC,
    GOODPUT_OF_CUBIC,
    GOODPUT_OF_SUBJECT,
    SUBJECT,
    flows,
    path,
    subject,
)
from aqmlab.study.evaluation.guideline import Case, Guideline
from aqmlab.study.evaluation.metrics import measured_as
from aqmlab.study.evaluation.network import BACK, DATA

if TYPE_CHECKING:
    from aqmlab.statistics.recorded import Recorded

_SECTION = "7.4"
_SEGMENT_BYTES = 1_448
_SLOW_MBPS, _SLOW_PACKETS = 0.25, 10
_WARM_UP_S, _MEASURED_S = 20.0, 120.0
"""So long that some thousand packets pass."""
_WINDOW_SEGMENTS = 4


def packets_per_segment(result: Recorded) -> float:
    """Packets that came to the link, either way, for each full segment that was delivered.

    One and a half with delayed acknowledgements and without a loss.
    """
    [delivered] = [sum(each["delivered_bytes"]) for each in result.run["flows"] if each["name"] == SUBJECT]
    if not delivered:
        raise TooLittleDataError("nothing was delivered in the measured window")
    links = [each for each in result.run["links"] if each["name"] in {DATA, BACK}]
    return float(sum(each["counters"]["arrived"]["packets"] for each in links) * _SEGMENT_BYTES / delivered)


def _slow_link() -> Case:
    queue = {"scheme": "drop-tail", "limit_packets": _SLOW_PACKETS}
    document = path(
        subject(), flows(CUBIC, CUBIC), rate_mbps=_SLOW_MBPS, link={"queue": queue}, measuring=(),
        warm_up_s=_WARM_UP_S, duration_s=_WARM_UP_S + _MEASURED_S + COOL_DOWN_S,
    )  # fmt: skip
    return Case("0.25 Mbit/s", document, harmed={GOODPUT_OF_CUBIC: "harm, Mbit/s"}, standard=CUBIC)


def _little_memory() -> Case:
    host = {"window_bytes": _WINDOW_SEGMENTS * _SEGMENT_BYTES}
    number = "packets_per_segment"
    packets = measured_as(_SECTION, number, "", packets_per_segment)
    headlines = {GOODPUT_OF_SUBJECT: "Mbit/s", number: "packets/segment"}
    return Case(
        "4 segments", path(subject(host=host), measuring=()), headlines=headlines, standard=CUBIC,
        counted=(packets,),
    )  # fmt: skip


GUIDELINE = Guideline(
    _SECTION, "constrained nodes",
    "A flow beside one of CUBIC at 0.25 Mbit/s, and one to a receiver with room for four segments: its "
    "goodput, and the packets either way for each segment.",
    (_slow_link(), _little_memory()),
)  # fmt: skip
