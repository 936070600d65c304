"""Linux's fq in its own words: at a router, where no packet belongs to a socket of the machine.

Words, units and defaults were read in iproute2 7 (`tc/q_fq.c`, tc-fq(8)).
"""

from __future__ import annotations

from aqmlab.traffic_control.units import MASK, NUMBER, PACKETS, RATE, SIZE, TIME
from aqmlab.traffic_control.words import Discipline, Word, not_modelled, same_here

_PACED = "passed over: senders pace themselves"
_ONE_BAND = "passed over: there is one band"


def _queues(mask: int) -> int:
    """In how many queues a mask of hashes sorts packets."""
    return 1 << mask.bit_count()


FQ = Discipline(
    scheme="linux-fq",
    words={
        "limit": Word(argument=PACKETS, key="limit_packets"),
        "flow_limit": Word(argument=PACKETS, key="flow_limit_packets"),
        "quantum": Word(argument=SIZE, key="quantum_bytes"),
        "initial_quantum": Word(argument=SIZE, key="initial_quantum_bytes"),
        "maxrate": not_modelled("flows of a router are not paced", RATE),
        "defrate": same_here(_PACED, RATE),
        "low_rate_threshold": same_here(_PACED, RATE),
        "buckets": same_here("passed over: a table's size, which sorts nothing", NUMBER),
        "orphan_mask": Word(argument=MASK, key="flows", value=_queues, note="flows, one less"),
        "pacing": same_here(_PACED),
        "nopacing": same_here(_PACED),
        "refill_delay": Word(argument=TIME, key="refill_delay_ms", value=lambda us: us / 1e3),
        "ce_threshold": Word(argument=TIME, key="ce_threshold_ms", value=lambda us: us / 1e3),
        "timer_slack": same_here(_PACED, TIME),
        "horizon": same_here(_PACED, TIME),
        "horizon_cap": same_here(_PACED),
        "horizon_drop": same_here(_PACED),
        "offload_horizon": same_here(_PACED, TIME),
        "bands": same_here(_ONE_BAND, NUMBER),
        "priomap": same_here(_ONE_BAND, NUMBER, arguments=16),
        "weights": same_here(_ONE_BAND, NUMBER, arguments=3),
    },
    always={
        "limit_packets": 10_000,
        "flow_limit_packets": 100,
        "flows": 1_024,
        "quantum_bytes": 3_028,
        "initial_quantum_bytes": 15_140,
        "refill_delay_ms": 40.0,
    },
    remark="flows are those of a router, sorted by hash; Linux also paces those of its own machine",
)
