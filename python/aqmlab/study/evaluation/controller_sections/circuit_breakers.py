"""Section 7.2: what opens a network circuit breaker, in which no controller should ever be found.

A breaker of RFC 8084 measures a flow or an aggregate over periods longer than a sender's reaction takes, and
opens if congestion is excessive for several of them. Periods of a second and a loss of 10 % are chosen here.
How many it takes is the operator's choice, so what counts is the longest such time. Nothing is cut off.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.files.columns import to_numpy
from aqmlab.statistics.loss import percent
from aqmlab.statistics.recorded import has_name, table
from aqmlab.study.evaluation.controller_cases import (
    COOL_DOWN_S,
    CUBIC,
    EQUAL,
    RATE_MBPS,
    SHALLOW,
    path,
    subject,
)
from aqmlab.study.evaluation.guideline import Case, Guideline
from aqmlab.study.evaluation.metrics import measured_as
from aqmlab.study.evaluation.network import DATA, Table, trace

if TYPE_CHECKING:
    from aqmlab.statistics.recorded import Recorded

_SECTION = "7.2"
_PERIOD_S, _LOSS_PERCENT = 1.0, 10.0
_FLOWS = 8
_RECORD = {"packets": False, "traffic_interval_ms": 1e3 * _PERIOD_S}
_FALL_S = 15


def longest_excess_s(result: Recorded, *, link: str) -> float:
    """The longest time during which in every period more than 10 % of a link's packets were lost."""
    rows = table(result, "traffic_series", setting="record.traffic_interval_ms")
    own = has_name(rows, "link", link)
    begun_s = result.run["measured_from_s"]
    period = np.rint((to_numpy(rows["from_s"])[own] - begun_s) / _PERIOD_S).astype(int)
    sent, lost = (
        np.bincount(period, weights=to_numpy(rows[name])[own].astype(float))
        for name in ("sent_packets", "discarded_packets")
    )
    longest = lasted = 0
    for out, gone in zip(sent, lost, strict=True):
        lasted = lasted + 1 if percent(gone, out + gone) > _LOSS_PERCENT else 0
        longest = max(longest, lasted)
    return longest * _PERIOD_S


def _case(name: str, document: Table) -> Case:
    number = "longest_excess_s"
    excess = measured_as(_SECTION, number, "s", partial(longest_excess_s, link=DATA))
    return Case(name, document, headlines={number: "breaker s"}, standard=CUBIC, counted=(excess,))


def _shallow() -> Case:
    return _case("¼ BDP", path(subject(_FLOWS), buffer=SHALLOW, record=_RECORD))


def _fallen() -> Case:
    """The link's rate falls to a tenth, for as long as it was whole."""
    text, mean_mbps = trace((RATE_MBPS, RATE_MBPS / 10), 1_000 * _FALL_S)
    link = {"rate_mbps": mean_mbps, "rate_trace_file": "path.trace", "rate_right_to_left_mbps": 100.0}
    document = path(
        subject(_FLOWS), buffer=EQUAL, link=link, files={"path.trace": text}, record=_RECORD,
        duration_s=2 * _FALL_S + COOL_DOWN_S,
    )  # fmt: skip
    return _case("rate to a tenth", document)


GUIDELINE = Guideline(
    _SECTION, "circuit breakers",
    "Eight flows with a quarter of what the path holds as buffer, and on a link whose rate falls to a tenth: "
    "the longest time in every second of which over 10 % of the packets are lost.",
    (_shallow(), _fallen()),
)  # fmt: skip
