"""Section 6.2: tunnels, in which routers see neither the flow nor, with some tunnels, the ECN field.

Two things happen to what a tunnel carries. Queues that keep flows apart take all of it for one flow: here
FQ-CoDel sorts by codepoint, and what is outside of the tunnel has one of its own. And a tunnel whose entry
hides that packets are ECN-capable (the limited functionality of RFC 3168, section 9.1, and RFC 6040, section
4.1) has packets dropped that would have been marked.
"""

from __future__ import annotations

from aqmlab.study.evaluation.controller_cases import (
    CUBIC,
    GOODPUT_OF_CUBIC,
    beside,
    flows,
    path,
    subject,
)
from aqmlab.study.evaluation.guideline import Case, Guideline

_OUTSIDE, _OUTSIDE_DSCP = "outside", 8
_ECN = {"ecn": "on"}


def _one_queue() -> Case:
    """The tunnel's flows share a queue, a flow of CUBIC outside of it has the other."""
    document = path(
        subject(), flows(CUBIC, CUBIC), flows(_OUTSIDE, CUBIC, dscp=_OUTSIDE_DSCP),
        link={"queue": {"scheme": "fq-codel", "classify": "dscp"}},
    )  # fmt: skip
    harmed = {GOODPUT_OF_CUBIC: "harm, inside", f"goodput_mbps/flows.{_OUTSIDE}": "harm, outside"}
    return Case("fq-codel", document, harmed=harmed, standard=CUBIC)


def _hidden_ecn() -> Case:
    queue = {"scheme": "dualpi2", "limit_packets": 1_000}
    return beside("dualpi2, ECN hidden", CUBIC, host=_ECN, link={"queue": queue, "ecn_field": "cleared"})


GUIDELINE = Guideline(
    "6.2", "tunnels",
    "A flow and one of CUBIC in a tunnel: in one queue of FQ-CoDel, beside another of CUBIC outside, and in "
    "DualPI2, from which the tunnel hides that both are ECN-capable.",
    (_one_queue(), _hidden_ecn()),
)  # fmt: skip
