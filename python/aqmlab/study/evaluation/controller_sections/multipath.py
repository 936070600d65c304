"""Section 7.10: what a transport with several paths does with the controller where its paths meet.

No transport here has several paths. With a controller on each path, and nothing that couples them, subflows
are flows: two that share a bottleneck, and several that leave a broken path at once. Coupled ones should take
no more than one flow (RFC 6356): where CUBIC is beside itself that would be a harm of 0.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.study.evaluation.controller_cases import (
    COOL_DOWN_S,
    CUBIC,
    GOODPUT_OF_CUBIC,
    flows,
    path,
    subject,
)
from aqmlab.study.evaluation.guideline import Case, Guideline

if TYPE_CHECKING:
    from aqmlab.study.evaluation.network import Table

_MOVED, _MOVE_S, _AFTER_S = 4, 15.0, 10.0


def _case(name: str, document: Table) -> Case:
    return Case(name, document, harmed={GOODPUT_OF_CUBIC: "harm, Mbit/s"}, standard=CUBIC)


def _meeting_paths() -> Case:
    return _case("2 subflows", path(subject(2), flows(CUBIC, CUBIC)))


def _moved() -> Case:
    """They begin within an instant, as on a path that none of them knows."""
    document = path(
        subject(_MOVED, starts_s=[_MOVE_S] * _MOVED), flows(CUBIC, CUBIC),
        warm_up_s=_MOVE_S, duration_s=_MOVE_S + _AFTER_S + COOL_DOWN_S,
    )  # fmt: skip
    return _case("fail-over", document)


GUIDELINE = Guideline(
    "7.10", "multipath",
    "A flow of CUBIC beside two of the controller, as of one transport whose paths meet, and beside four "
    "that begin at once, as of transports that leave a broken path: the 10 s from there on.",
    (_meeting_paths(), _moved()),
)  # fmt: skip
