"""The queue disciplines of Linux by name: their words, or why there is none here.

Words, their units and the defaults of `tc` were read in iproute2 7 (`tc/q_*.c` and the manual pages beside
them); the kernel's defaults are those of `crates/live/src/kernel_queue/words.rs` and the manual pages. From
memory are that a fifo without a limit takes an Ethernet device's `txqueuelen` of 1000, that fq_pie drops
the arrival when it is full, that sfq puts new flows last, and the words of cobalt, which only its authors'
tree has.
"""

from __future__ import annotations

from typing import Any

from aqmlab.traffic_control.cake import CAKE, CAKE_MQ, DEVICE_BYTES
from aqmlab.traffic_control.red import CHOKE, RED
from aqmlab.traffic_control.units import (
    GAIN,
    MASK,
    MILLISECONDS,
    NUMBER,
    PACKETS,
    PERCENT,
    PROBABILITY,
    RATE,
    SECONDS,
    SIZE,
    TIME,
    Unit,
)
from aqmlab.traffic_control.words import Discipline, Word, not_modelled, refusal, same_here

_TRANSMIT_QUEUE_PACKETS = 1_000
_ECN = {"ecn": Word(sets={"ecn": True}), "noecn": Word(sets={"ecn": False})}
_LIMIT = Word(argument=PACKETS, key="limit_packets")


def _ms(key: str) -> Word:
    """A time, which parameters have in milliseconds."""
    return Word(argument=TIME, key=key, value=lambda us: us / 1e3)


def _concerned(said: str) -> str | None:
    """Which packets a selector and its mask choose by the two bits of ECN; all where there are others."""
    selector, _, mask = (NUMBER.read(part) for part in said.partition("/"))
    if selector is None or mask is None or max(selector, mask) > _LARGEST_DSFIELD:
        return None
    return "ect1" if (selector, mask) in _ECT1 else "any"


def _beside_selector(said: str) -> str:
    if _concerned(said) == "ect1" or NUMBER.read(said.partition("/")[2]) == 0:
        return ""
    return f"{said} is not modelled: ce_threshold concerns all packets that can be marked; modelled: 0x1/0x3"


_LARGEST_DSFIELD = 255
_ECT1 = {(1, 3), (1, 1)}
"""Selector and mask of ECT(1); without the higher bit CE is chosen too, which stays as it is."""
_SELECTOR = Unit("VALUE/MASK", "a byte and its mask such as 0x1/0x3", _concerned, beside=_beside_selector)
CODEL = Discipline(
    scheme="codel",
    words={
        "limit": _LIMIT,
        "target": _ms("target_ms"),
        "interval": _ms("interval_ms"),
        **_ECN,
        "ce_threshold": _ms("ce_threshold_ms"),
    },
    always={"limit_packets": 1_000, "mtu_bytes": DEVICE_BYTES, "ecn": False},
)


def _without_threshold(parameters: dict[str, Any]) -> list[str]:
    """Takes a selector away that no threshold goes with, as the kernel passes it over."""
    if "ce_threshold_ms" in parameters or parameters.pop("ce_threshold_ecn", None) is None:
        return []
    return ["ce_threshold_selector changes nothing without ce_threshold"]


FQ_CODEL = Discipline(
    scheme="fq-codel",
    words={
        "limit": _LIMIT,
        "flows": Word(argument=NUMBER, key="flows"),
        "quantum": Word(argument=NUMBER, key="quantum_bytes"),
        "target": _ms("target_ms"),
        "interval": _ms("interval_ms"),
        **_ECN,
        "memory_limit": Word(argument=SIZE, key="memory_limit_bytes"),
        "drop_batch": Word(argument=NUMBER, key="drop_batch_packets"),
        "ce_threshold": _ms("ce_threshold_ms"),
        "ce_threshold_selector": Word(
            argument=_SELECTOR, key="ce_threshold_ecn", note='ce_threshold_ecn: "ect1" of 0x1/0x3'
        ),
    },
    always={
        "limit_packets": 10_240,
        "memory_limit_bytes": 32 << 20,
        "quantum_bytes": DEVICE_BYTES,
        "mtu_bytes": DEVICE_BYTES,
        "emptied_new_queue": "becomes_old_behind_others",
        "count_overflows": True,
        "nearly_empty": "all_queues",
        "ecn": True,
    },
    complete=_without_threshold,
)

_PIE_PARTS = 16.0


def _sixteenths(key: str) -> Word:
    """A gain of Linux's PIE, in sixteenths per second."""
    return Word(argument=NUMBER, key=key, value=lambda parts: parts / _PIE_PARTS)


_PIE_WORDS = {
    "limit": _LIMIT,
    "target": _ms("target_ms"),
    "tupdate": _ms("update_interval_ms"),
    "alpha": _sixteenths("alpha_hz"),
    "beta": _sixteenths("beta_hz"),
    **_ECN,
    "bytemode": Word(sets={"scale_probability": "max", "max_packet_bytes": DEVICE_BYTES}),
    "nobytemode": Word(sets={"scale_probability": "none"}),
    "dq_rate_estimator": Word(sets={"latency": "departure_rate"}),
    "no_dq_rate_estimator": Word(sets={"latency": "sojourn"}),
}
_PIE_ALWAYS = {
    "target_ms": 15.0,
    "update_interval_ms": 15.0,
    "alpha_hz": 2 / _PIE_PARTS,
    "beta_hz": 20 / _PIE_PARTS,
    "max_burst_ms": 150.0,
    "derandomize": True,
    "cap_adjustment": True,
    "high_delay_step": True,
    "largest_probability": 256.0,
    "mean_packet_bytes": DEVICE_BYTES,
    "ecn": False,
}
PIE = Discipline(
    scheme="pie", words=_PIE_WORDS, always={**_PIE_ALWAYS, "limit_packets": _TRANSMIT_QUEUE_PACKETS}
)


def _inner(scheme: str, of_port: set[str], found: dict[str, Any]) -> list[str]:
    """Puts what does not belong to the fair queue itself into the scheme of its queues."""
    inner = {key: found.pop(key) for key in [*found] if key not in of_port}
    found["inner"] = {"scheme": scheme, **inner}
    return []


_OF_FQ = {
    "limit_packets",
    "memory_limit_bytes",
    "flows",
    "quantum_bytes",
    "emptied_new_queue",
    "drop_batch_packets",
}
FQ_PIE = Discipline(
    scheme="fq",
    words={
        **_PIE_WORDS,
        "flows": Word(argument=NUMBER, key="flows"),
        "quantum": Word(argument=SIZE, key="quantum_bytes"),
        "memory_limit": Word(argument=SIZE, key="memory_limit_bytes"),
        "ecn_prob": Word(argument=PERCENT, key="mark_ecn_threshold", value=lambda percent: percent / 100.0),
    },
    always={
        **_PIE_ALWAYS,
        "limit_packets": 10_240,
        "memory_limit_bytes": 32 << 20,
        "quantum_bytes": DEVICE_BYTES,
        "emptied_new_queue": "becomes_old_behind_others",
    },
    remark="when it is full, the longest queue pays; in Linux the packet that arrives",
    complete=lambda found: _inner("pie", _OF_FQ, found),
)

_OF_RED_IN_SFQ = "queues of flows are drop-tail, without RED"


def _complete_sfq(found: dict[str, Any]) -> list[str]:
    period_s, depth = found.pop("perturb", 0), found.pop("depth")
    _inner("drop-tail", _OF_FQ, found)
    found["inner"]["limit_packets"] = depth
    return [f"perturb {period_s} is not modelled: flows keep their queue"] if period_s else []


SFQ = Discipline(
    scheme="fq",
    words={
        "limit": _LIMIT,
        "quantum": Word(argument=SIZE, key="quantum_bytes"),
        "divisor": Word(argument=NUMBER, key="flows"),
        "depth": Word(argument=PACKETS, key="depth", note="limit_packets of inner"),
        "flows": not_modelled("as many flows may wait as there are queues", NUMBER),
        "perturb": Word(
            argument=SECONDS,
            key="perturb",
            note="not modelled: flows keep their queue, as with perturb 0",
        ),
        "headdrop": not_modelled("of a flow beyond depth the packet that arrives is dropped"),
        "redflowlimit": not_modelled(_OF_RED_IN_SFQ, SIZE),
        "min": not_modelled(_OF_RED_IN_SFQ, SIZE),
        "max": not_modelled(_OF_RED_IN_SFQ, SIZE),
        "avpkt": not_modelled(_OF_RED_IN_SFQ, SIZE),
        "burst": not_modelled(_OF_RED_IN_SFQ, PACKETS),
        "probability": not_modelled(_OF_RED_IN_SFQ, PROBABILITY),
        "ecn": not_modelled(_OF_RED_IN_SFQ),
        "harddrop": not_modelled(_OF_RED_IN_SFQ),
    },
    always={
        "limit_packets": 127,
        "flows": 1_024,
        "quantum_bytes": DEVICE_BYTES,
        "drop_batch_packets": 1,
        "depth": 127,
    },
    remark="flows that send little go first; in Linux a new flow goes last",
    complete=_complete_sfq,
)

_PACED = "passed over: senders pace themselves"
_ONE_BAND = "passed over: there is one band"


def _queues(mask: int) -> int:
    """In how many queues a mask of hashes sorts packets."""
    return 1 << mask.bit_count()


FQ = Discipline(
    scheme="linux-fq",
    words={
        "limit": _LIMIT,
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
        "refill_delay": _ms("refill_delay_ms"),
        "ce_threshold": _ms("ce_threshold_ms"),
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


_MOST_BANDS = 16
_USUAL_BANDS = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]


def _complete_prio(found: dict[str, Any]) -> list[str]:
    """A queue of a device's length in each band."""
    bands, highest = found["bands"], max(found["priomap"])
    if not 2 <= bands <= _MOST_BANDS:
        raise refusal("prio", f"bands {bands}", f"from 2 to {_MOST_BANDS}", value=bands)
    if highest >= bands:
        said = f"priomap has band {highest}, and bands are counted from 0 to {bands - 1}"
        raise refusal("prio", said, f"priomap and {len(_USUAL_BANDS)} numbers below {bands}", value=highest)
    fifo = {"scheme": "drop-tail", "limit_packets": _TRANSMIT_QUEUE_PACKETS}
    found["bands"] = [{"queue": fifo} for _ in range(bands)]
    return []


PRIO = Discipline(
    scheme="prio",
    words={
        "bands": Word(argument=NUMBER, key="bands", note="as many tables in bands"),
        "priomap": Word(argument=NUMBER, arguments=len(_USUAL_BANDS), key="priomap", value=list),
    },
    always={"bands": 3, "priomap": _USUAL_BANDS},
    complete=_complete_prio,
)


_SFB_PARTS = 65_535
"""What probabilities of Linux's SFB are parts of."""


def _step(key: str) -> Word:
    """A step of a probability, to the nearest part."""
    return Word(argument=PROBABILITY, key=key, value=lambda step: _sfb_parts(round(step * _SFB_PARTS)))


def _sfb_parts(parts: int) -> float:
    return round(parts / _SFB_PARTS, 9)


SFB = Discipline(
    scheme="sfb",
    words={
        "limit": _LIMIT,
        "target": Word(
            argument=PACKETS,
            key="bin_packets",
            value=lambda packets: max(packets - 1, 1),
            note="bin_packets, less one",
        ),
        "max": not_modelled("a bin is full from target on", PACKETS),
        "increment": _step("increment"),
        "decrement": _step("decrement"),
        "rehash": Word(argument=MILLISECONDS, key="rehash_ms", value=float),
        "db": Word(argument=MILLISECONDS, key="warm_up_ms", value=float),
        "penalty_rate": Word(argument=NUMBER, key="penalty.tokens.rate_hz", value=float),
        "penalty_burst": Word(argument=PACKETS, key="penalty.tokens.burst"),
    },
    always={
        "limit_packets": _TRANSMIT_QUEUE_PACKETS,
        "levels": 8,
        "bins": 16,
        "bin_packets": 19,
        "full_bins": "all_drop",
        "increment": _sfb_parts(33),
        "decrement": _sfb_parts(3),
        "freeze_ms": 0.0,
        "threshold": 1.0,
        "box_on": "least",
        "penalty.tokens.rate_hz": 10.0,
        "penalty.tokens.burst": 20,
        "rehash_ms": 600_000.0,
        "warm_up_ms": 60_000.0,
        "drop_above_half": True,
        "ecn": True,
    },
)

_STEP = Unit(
    "TIME|PACKETS",
    TIME.legal,
    lambda said: None if said.lower().endswith(("pkt", "packet", "packets")) else TIME.read(said),
)


def _complete_dualpi2(found: dict[str, Any]) -> list[str]:
    """Gains from round trips, and the highest probability of marks from the coupling."""
    typical_us, most_us = found.pop("typical_rtt", 0.0), found.pop("max_rtt", 0.0)
    if typical_us or most_us:
        most_us = most_us or 6 * typical_us
        typical_us = typical_us or max(most_us / 6, 1.0)
        update_us = max(min(typical_us, most_us / 3), 1.0)
        found |= {
            "target_ms": typical_us / 1e3,
            "update_interval_ms": update_us / 1e3,
            "alpha_hz": 0.1 * update_us / most_us / most_us * 1e6,
            "beta_hz": 0.3 / most_us * 1e6,
        }
    if not found["coupling"]:
        raise refusal("dualpi2", "coupling_factor: 0", "a whole number from 1 to 255")
    found["highest_marking"] = 1.0 / found["coupling"] ** 2
    return []


DUALPI2 = Discipline(
    scheme="dualpi2",
    words={
        "limit": _LIMIT,
        "memlimit": Word(argument=NUMBER, key="limit_bytes"),
        "coupling_factor": Word(argument=NUMBER, key="coupling", value=float),
        "step_thresh": Word(argument=_STEP, key="ramp_from_us"),
        "min_qlen_step": Word(
            argument=PACKETS,
            key="queue_length_packets",
            value=lambda packets: max(packets - 1, 0),
            note="queue_length_packets, less one",
        ),
        "drop_on_overload": Word(sets={"overload": "drop"}),
        "overflow": Word(sets={"overload": "overflow"}),
        "drop_enqueue": not_modelled("packets are dropped when they leave"),
        "drop_dequeue": same_here(),
        "classic_protection": Word(
            argument=PERCENT,
            key="schedule",
            value=lambda percent: {"weighted": {"classic_share": percent / 100.0}},
        ),
        "max_rtt": Word(argument=TIME, key="max_rtt", note="gains, target_ms and update_interval_ms"),
        "typical_rtt": Word(argument=TIME, key="typical_rtt", note="gains, target_ms and update_interval_ms"),
        "target": _ms("target_ms"),
        "tupdate": _ms("update_interval_ms"),
        "alpha": Word(argument=GAIN, key="alpha_hz"),
        "beta": Word(argument=GAIN, key="beta_hz"),
        "l4s_ect": same_here("as here: ECT(1) and CE"),
        "any_ect": not_modelled("ECT(0) goes to the C queue"),
        "split_gso": same_here("as here: packets wait one by one"),
        "no_split_gso": not_modelled("packets wait one by one"),
    },
    always={
        "limit_packets": 10_000,
        "coupling": 2.0,
        "ramp_from_us": 1_000.0,
        "ramp_range_us": 0.0,
        "queue_length_packets": 0,
        "length_tested_on": "arrival",
        "spare_nearly_empty": True,
        "mtu_bytes": DEVICE_BYTES,
        "schedule": {"weighted": {"classic_share": 0.1}},
        "target_ms": 15.0,
        "update_interval_ms": 16.0,
        "alpha_hz": 0.16,
        "beta_hz": 3.2,
    },
    complete=_complete_dualpi2,
)
COBALT = Discipline(
    scheme="cobalt",
    words={"limit": _LIMIT, "target": _ms("target_ms"), "interval": _ms("interval_ms"), **_ECN},
    always={"limit_packets": 1_000, "mtu_bytes": DEVICE_BYTES, "ecn": False},
)
PFIFO = Discipline(
    scheme="drop-tail", words={"limit": _LIMIT}, always={"limit_packets": _TRANSMIT_QUEUE_PACKETS}
)
BFIFO = Discipline(
    scheme="drop-tail",
    words={"limit": Word(argument=SIZE, key="limit_bytes")},
    always={"limit_bytes": _TRANSMIT_QUEUE_PACKETS * DEVICE_BYTES},
)
PFIFO_FAST = Discipline(
    scheme="drop-tail",
    words={
        "bands": same_here(_ONE_BAND, NUMBER),
        "priomap": same_here(_ONE_BAND, NUMBER, arguments=16),
    },
    always={"limit_packets": _TRANSMIT_QUEUE_PACKETS},
    remark="one band of 1,000 packets, for traffic of one priority; Linux has three",
)

DISCIPLINES = {
    "cake": CAKE,
    "cake_mq": CAKE_MQ,
    "fq_codel": FQ_CODEL,
    "codel": CODEL,
    "pie": PIE,
    "fq_pie": FQ_PIE,
    "fq": FQ,
    "dualpi2": DUALPI2,
    "red": RED,
    "choke": CHOKE,
    "sfq": SFQ,
    "sfb": SFB,
    "cobalt": COBALT,
    "prio": PRIO,
    "pfifo": PFIFO,
    "bfifo": BFIFO,
    "pfifo_fast": PFIFO_FAST,
}
"""What is understood."""

SHAPERS = {"tbf", "htb", "hfsc", "cbq"}
_SHAPER = "a shaper, which is written beside a queue"
_TREE = "a shaper with classes, which tc class adds and the scheme htb of a scenario has"
_CLASSES = "sorts packets into classes by filters, which are not modelled; legal: fq_codel, cake"
_NO_QUEUE = "holds no queue of its own"
REFUSED = {
    "tbf": _SHAPER,
    "htb": _TREE,
    "hfsc": _SHAPER,
    "cbq": _SHAPER,
    "netem": "makes delay and loss, and is no queue",
    "mq": f"{_NO_QUEUE}: one for each hardware queue hangs below it; legal: that one, such as fq_codel",
    "mqprio": f"{_NO_QUEUE}: one for each hardware queue hangs below it; legal: that one, such as fq_codel",
    "noqueue": "a device without a queue: packets wait in what is behind it; legal: the queue there",
    "noop": "drops everything",
    "blackhole": "drops everything",
    "ingress": f"{_NO_QUEUE}: it hands what arrives to filters; legal: the queue of the IFB behind them",
    "clsact": f"{_NO_QUEUE}: it hands packets to filters; legal: the queue of the device",
    "drr": _CLASSES,
    "qfq": _CLASSES,
    "ets": _CLASSES,
    "multiq": _CLASSES,
    "skbprio": _CLASSES,
    "gred": "several REDs that filters choose among; legal: red",
    "hhf": "tells heavy flows apart; legal: fq_codel, which treats each by itself",
    "cbs": "shapes by credit, for audio and video bridging; legal: none",
    "etf": "sends at times that applications give; legal: none",
    "taprio": "opens and closes by a schedule; legal: none",
    "plug": "holds packets until it is told to let them go; legal: none",
    "teql": "one queue over several links; legal: none",
}
"""What is refused, and what is legal in its place."""
