"""Section 6.1: drop-tail queues, and what is a trouble of theirs alone.

Every other section has them too, unless it says otherwise, so losses and delays by buffer are there. RFC 7567
(section 1.2) names what comes on top: a full buffer locks out flows that begin later.
"""

from __future__ import annotations

from aqmlab.study.evaluation.controller_cases import (
    COOL_DOWN_S,
    CUBIC,
    DEEP,
    EQUAL,
    GOODPUT_OF_CUBIC,
    flows,
    path,
    subject,
)
from aqmlab.study.evaluation.guideline import Case, Guideline

_BEGIN_S, _MEASURED_S = 10.0, 15.0


def _newcomer(name: str, buffer: float) -> Case:
    document = path(
        subject(), flows(CUBIC, CUBIC, starts_s=[_BEGIN_S]),
        buffer=buffer, warm_up_s=_BEGIN_S, duration_s=_BEGIN_S + _MEASURED_S + COOL_DOWN_S,
    )  # fmt: skip
    return Case(name, document, harmed={GOODPUT_OF_CUBIC: "harm, Mbit/s"}, standard=CUBIC)


GUIDELINE = Guideline(
    "6.1", "tail drop",
    "A flow of CUBIC that begins 10 s after one of the controller in a drop-tail queue: its first 15 s.",
    (_newcomer("newcomer, 1 BDP", EQUAL), _newcomer("newcomer, 4 BDP", DEEP)),
)  # fmt: skip
