"""Every section of RFC 9743 (congestion controllers) that asks for an experiment, or why none is made.

Source: M. Duke, G. Fairhurst, *Specifying New Congestion Control Algorithms* (RFC 9743, BCP 133, 2025),
sections 5 to 7. What the RFC leaves open, such as rates and durations, is chosen here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from aqmlab.study.evaluation.controller_cases import (
    COOL_DOWN_S,
    CUBIC,
    DEEP,
    EQUAL,
    GOODPUT_OF_CUBIC,
    GOODPUT_OF_SUBJECT,
    RATE_MBPS,
    RENO,
    ROUND_TRIP_MS,
    SHALLOW,
    SUBJECT,
    alone,
    beside,
    flows,
    path,
    subject,
)
from aqmlab.study.evaluation.controller_sections import (
    circuit_breakers,
    constrained_nodes,
    data_centres,
    misbehaving_nodes,
)
from aqmlab.study.evaluation.guideline import Case, Guideline
from aqmlab.study.evaluation.metrics import measured_as, sent_packets, sent_per_round_trip
from aqmlab.study.evaluation.network import DATA, VOICE, Table, readers, trace, udp

_SHORT_BYTES = 55 * 1_448
"""A transfer of 80 kB: over within slow start on an idle path."""
_SHORT_STARTS_S = [12.0 + 2.0 * number for number in range(15)]
_BUFFERS = {SHALLOW: "¼ BDP", EQUAL: "1 BDP", DEEP: "4 BDP"}
"""Buffers as multiples of what the path holds."""
_SIGNALS: dict[str, Table] = {
    "pie": {"scheme": "pie", "limit_packets": 1_000},
    "fq-codel": {"scheme": "fq-codel"},
    "cake": {"scheme": "cake"},
    "pie, ECN": {"scheme": "pie", "limit_packets": 1_000, "ecn": True},
    "dualpi2, ECN": {"scheme": "dualpi2", "limit_packets": 1_000},
}
_CALL = udp(VOICE, 0.08, packet_bytes=200)
"""G.711 without pauses."""
_MEETING: Table = {
    "name": "meeting",
    "count": 1,
    "packet_bytes": 1_200,
    "adaptive_video": {},
    "direction": DATA,
}


def _short(name: str, controller: str) -> Table:
    return flows(name, controller, len(_SHORT_STARTS_S), bytes=_SHORT_BYTES, starts_s=_SHORT_STARTS_S)


def _lossy(percent: float) -> Case:
    """One flow where packets are lost that no queue dropped; the delay says nothing where the rate falls."""
    found = alone(f"{percent:g} % lost", link={"loss_probability": percent / 100.0})
    return replace(found, headlines={"goodput_mbps": "Mbit/s"})


def _without_answer() -> Case:
    """Nothing arrives from an instant on, either way: what is sent from two seconds later."""
    begin_s = 10.0
    conditions = f"t_s,rtt_ms,loss_percent\n0,{ROUND_TRIP_MS:g},0\n{begin_s:g},{ROUND_TRIP_MS:g},100\n"
    sent = measured_as("5.1.1", "sent_packets", "packets", partial(sent_packets, link=DATA))
    document = path(
        subject(), link={"conditions_file": "path.csv", "conditions_end": "hold"},
        files={"path.csv": conditions}, measuring=(), warm_up_s=begin_s + 2.0,
    )  # fmt: skip
    return Case(
        "no answers", document, headlines={"sent_packets": "packets"}, standard=CUBIC, counted=(sent,)
    )


def _heavy_loss() -> Case:
    compute = partial(sent_per_round_trip, link=DATA, round_trip_ms=ROUND_TRIP_MS)
    sent = measured_as("5.1.1", "sent_packets_per_round_trip", "packets", compute)
    document = path(subject(), link={"loss_probability": 0.3}, measuring=())
    headlines = {"sent_packets_per_round_trip": "packets/RTT"}
    return Case("30 % lost", document, headlines=headlines, standard=CUBIC, counted=(sent,))


def _many(name: str, buffer: float) -> Case:
    document = path(subject(8), buffer=buffer)
    return Case(name, document, headlines={"loss_percent": "loss %"}, standard=CUBIC)


def _fair(name: str, count: int) -> Case:
    headlines = {f"jain_index/flows.{SUBJECT}": "Jain"}
    return Case(name, path(subject(count)), headlines=headlines, standard=CUBIC)


def _round_trips() -> Case:
    far = "far"
    document = path(
        subject(), flows(far, SUBJECT, base_rtt_ms=3 * ROUND_TRIP_MS / 2), round_trip_ms=ROUND_TRIP_MS / 2
    )
    headlines = {f"goodput_ratio/flows.{far}-to-{SUBJECT}": "ratio"}
    return Case("20, 80 ms", document, ratio=(SUBJECT, far), headlines=headlines, standard=CUBIC)


def _own_short() -> Case:
    short = "short"
    document = path(subject(), _short(short, SUBJECT))
    headlines = {f"completion_p50_s/flows.{short}": "short s", GOODPUT_OF_SUBJECT: "long Mbit/s"}
    return Case("", document, headlines=headlines, standard=CUBIC)


def _call() -> Case:
    part = f"datagrams.{VOICE}"
    harmed = {f"delay_p95_ms/{part}": "harm, delay", f"voice_mos/{part}": "harm, MOS"}
    return Case("a call", path(subject(), _CALL, buffer=DEEP), harmed=harmed, standard=CUBIC)


def _meeting() -> Case:
    part = f"datagrams.{_MEETING['name']}"
    harmed = {
        f"call_bitrate_mbps/{part}": "harm, Mbit/s",
        f"call_frame_delay_p95_ms/{part}": "harm, delay",
    }
    return Case("a meeting", path(subject(), _MEETING), harmed=harmed, standard=CUBIC)


def _short_beside_long() -> Case:
    short = "short"
    harmed = {f"completion_p50_s/flows.{short}": "harm, time"}
    return Case("CUBIC short", path(subject(), _short(short, CUBIC)), harmed=harmed, standard=CUBIC)


def _long_beside_short() -> Case:
    document = path(_short(SUBJECT, SUBJECT), flows(CUBIC, CUBIC))
    harmed = {GOODPUT_OF_CUBIC: "harm, Mbit/s"}
    return Case("CUBIC long", document, harmed=harmed, standard=CUBIC)


def _pages() -> Case:
    document = path(subject(), readers("web", 2, delay_ms=0.0))
    harmed = {"completion_p50_s/populations.web": "harm, time"}
    return Case("pages", document, harmed=harmed, standard=CUBIC)


def _varying_rate() -> Case:
    """The link's rate between two instants a second apart, as radio has it."""
    text, mean_mbps = trace((30.0, 10.0), 1_000)
    link = {"rate_mbps": mean_mbps, "rate_trace_file": "radio.trace", "rate_right_to_left_mbps": 100.0}
    return alone("fading", link=link, files={"radio.trace": text})


def _sudden() -> Case:
    """The link's rate falls to a fifth and comes back."""
    text, mean_mbps = trace((RATE_MBPS, RATE_MBPS / 5), 15_000)
    link = {"rate_mbps": mean_mbps, "rate_trace_file": "path.trace", "rate_right_to_left_mbps": 100.0}
    document = path(
        subject(), link=link, files={"path.trace": text}, duration_s=45.0, warm_up_s=15.0,
        record={"packets": False, "traffic_interval_ms": 1_000.0},
    )  # fmt: skip
    phases = {"after the fall": (15.0, 20.0), "after the rise": (30.0, 35.0)}
    headlines = {
        "queueing_delay_ms@after the fall": "delay ms",
        "throughput_mbps@after the rise": "link Mbit/s",
    }
    return Case("", document, phases=phases, headlines=headlines, standard=CUBIC)


def _onset() -> Case:
    """Half of the link is taken within an instant, for ten seconds."""
    crowd = udp("crowd", RATE_MBPS / 2, start_s=20.0, start_spread_s=0.0, stop_s=30.0)
    document = path(
        subject(), crowd, warm_up_s=15.0, record={"packets": False, "traffic_interval_ms": 1_000.0}
    )
    phases = {"in the crowd": (20.0, 30.0), "after it": (30.0, 35.0)}
    headlines = {"loss_percent": "loss %", "queueing_delay_ms@in the crowd": "delay ms",
                 "throughput_mbps@after it": "link Mbit/s"}  # fmt: skip
    return Case("", document, phases=phases, headlines=headlines, standard=CUBIC)


def _newcomer(name: str, buffer: float) -> Case:
    """A full drop-tail buffer locks out flows that begin later (RFC 7567, section 1.2).

    Every other section has such queues too, unless it says otherwise, so losses and delays by buffer are
    there.
    """
    begin_s, measured_s = 10.0, 15.0
    document = path(
        subject(), flows(CUBIC, CUBIC, starts_s=[begin_s]),
        buffer=buffer, warm_up_s=begin_s, duration_s=begin_s + measured_s + COOL_DOWN_S,
    )  # fmt: skip
    return Case(name, document, harmed={GOODPUT_OF_CUBIC: "harm, Mbit/s"}, standard=CUBIC)


def _one_queue() -> Case:
    """Queues that keep flows apart take all that a tunnel carries for one flow.

    FQ-CoDel sorts by codepoint: the tunnel's flows share a queue, a flow of CUBIC outside has the other.
    """
    outside = "outside"
    document = path(
        subject(), flows(CUBIC, CUBIC), flows(outside, CUBIC, dscp=8),
        link={"queue": {"scheme": "fq-codel", "classify": "dscp"}},
    )  # fmt: skip
    harmed = {GOODPUT_OF_CUBIC: "harm, inside", f"goodput_mbps/flows.{outside}": "harm, outside"}
    return Case("fq-codel", document, harmed=harmed, standard=CUBIC)


def _hidden_ecn() -> Case:
    """A tunnel whose entry hides that packets are ECN-capable has them dropped that would have been marked.

    It is the limited functionality of RFC 3168, section 9.1, and RFC 6040, section 4.1.
    """
    queue = {"scheme": "dualpi2", "limit_packets": 1_000}
    return beside(
        "dualpi2, ECN hidden", CUBIC, host={"ecn": "on"}, link={"queue": queue, "ecn_field": "cleared"}
    )


def _subflows(name: str, document: Table) -> Case:
    """What a transport with several paths does with the controller where its paths meet.

    No transport here has several paths. With a controller on each path, and nothing that couples them,
    subflows are flows: two that share a bottleneck, and several that leave a broken path at once. Coupled
    ones should take no more than one flow (RFC 6356): where CUBIC is beside itself that would be a harm of
    0.5.
    """
    return Case(name, document, harmed={GOODPUT_OF_CUBIC: "harm, Mbit/s"}, standard=CUBIC)


def _fail_over() -> Case:
    """They begin within an instant, as on a path that none of them knows."""
    moved, move_s, after_s = 4, 15.0, 10.0
    document = path(
        subject(moved, starts_s=[move_s] * moved), flows(CUBIC, CUBIC),
        warm_up_s=move_s, duration_s=move_s + after_s + COOL_DOWN_S,
    )  # fmt: skip
    return _subflows("fail-over", document)


def _moving_delay() -> Case:
    """The path is twice as long every other ten seconds."""
    rows = f"t_s,rtt_ms\n0,{ROUND_TRIP_MS:g}\n10,{2 * ROUND_TRIP_MS:g}\n20,{ROUND_TRIP_MS:g}\n"
    link = {"conditions_file": "path.csv", "delay_ms": 0.75 * ROUND_TRIP_MS}
    return alone("", link=link, files={"path.csv": rows.rpartition("20,")[0]})


CONTROLLER_GUIDELINES: tuple[Guideline, ...] = (
    Guideline(
        "5.1.1", "collapse",
        "One flow that loses 30 % of its packets, and one that hears nothing any more.",
        (_heavy_loss(), _without_answer()),
    ),
    Guideline(
        "5.1.2", "bufferbloat",
        "One flow, with buffers of what the path holds and of four and sixteen times that.",
        (alone("1 BDP"), alone("4 BDP", buffer=DEEP), alone("16 BDP", buffer=16.0)),
    ),
    Guideline(
        "5.1.3", "loss",
        "Eight flows, with a quarter of what the path holds as buffer, and with all of it.",
        (_many("8 flows, ¼ BDP", SHALLOW), _many("8 flows, 1 BDP", EQUAL)),
    ),
    Guideline(
        "5.1.4", "fairness",
        "Two flows, eight flows, and two with round trips of 20 and 80 ms.",
        (_fair("2 flows", 2), _fair("8 flows", 8), _round_trips()),
    ),
    Guideline(
        "5.1.5", "short flows",
        "A transfer of 80 kB every two seconds beside a long flow, all of the controller.",
        (_own_short(),),
    ),
    Guideline(
        "5.2.1", "beside",
        "A flow beside one of CUBIC and beside one of Reno: over buffers and round trips.",
        (
            *(
                beside(f"beside CUBIC, {name}", CUBIC, delay=True, buffer=share)
                for share, name in _BUFFERS.items()
            ),
            *(beside(f"beside CUBIC, {rtt:g} ms", CUBIC, round_trip_ms=rtt) for rtt in (10.0, 160.0)),
            *(beside(f"beside Reno, {name}", RENO, buffer=share) for share, name in _BUFFERS.items()),
            *(beside(f"beside Reno, {rtt:g} ms", RENO, round_trip_ms=rtt) for rtt in (10.0, 160.0)),
        ),
    ),
    Guideline(
        "5.2.2", "real time",
        "A flow beside a call with a buffer of four times what the path holds, and beside a video call whose "
        "bit rate adapts.",
        (_call(), _meeting()),
    ),
    Guideline(
        "5.2.3", "beside",
        "A long flow beside CUBIC's transfers of 80 kB, transfers beside a long CUBIC flow, and a long flow "
        "beside two readers of pages.",
        (_short_beside_long(), _long_beside_short(), _pages()),
    ),
    Guideline(
        "5.3", "other criteria",
        "Departures from congestion control principles, and incremental deployment.",
        not_run="for the authors to write: departures from RFC 2914 and RFC 7141; whether it can be deployed "
        "step by step; how it is kept to its environment, if that is not the whole Internet",
    ),
    Guideline(
        "6.1", "tail drop",
        "A flow of CUBIC that begins 10 s after one of the controller in a drop-tail queue: its first 15 s.",
        (_newcomer("newcomer, 1 BDP", EQUAL), _newcomer("newcomer, 4 BDP", DEEP)),
    ),
    Guideline(
        "6.2", "tunnels",
        "A flow and one of CUBIC in a tunnel: in one queue of FQ-CoDel, beside another of CUBIC outside, and "
        "in DualPI2, from which the tunnel hides that both are ECN-capable.",
        (_one_queue(), _hidden_ecn()),
    ),
    Guideline(
        "6.3", "wired",
        "A flow beside one of CUBIC at 5 and 100 Mbit/s.",
        tuple(beside(f"{rate:g} Mbit/s", CUBIC, rate_mbps=rate) for rate in (5.0, 100.0)),
    ),
    Guideline(
        "6.4", "wireless",
        "One flow that loses 0.1 and 1 % of its packets at random, delays that vary by 10 ms from packet to "
        "packet, and a rate that changes every second.",
        (
            _lossy(0.1),
            _lossy(1.0),
            alone("jitter", link={"netem": {"jitter_ms": 10.0}}),
            _varying_rate(),
        ),
    ),
    Guideline(
        "7.1", "AQM",
        "A flow beside one of CUBIC in queues that drop or mark early, without and with ECN.",
        tuple(
            beside(name, CUBIC, link={"queue": table}, host={"ecn": "on"} if "ECN" in name else None)
            for name, table in _SIGNALS.items()
        ),
    ),
    circuit_breakers.GUIDELINE,
    Guideline(
        "7.3", "varying delay",
        "One flow on a path whose round trip is 40 and 80 ms in turns of ten seconds.",
        (_moving_delay(),),
    ),
    constrained_nodes.GUIDELINE,
    Guideline(
        "7.5", "high delay",
        "One flow with a round trip of 600 ms, and one beside one of CUBIC.",
        (
            alone("alone", round_trip_ms=600.0, duration_s=120.0, warm_up_s=40.0),
            beside("CUBIC", CUBIC, round_trip_ms=600.0, duration_s=120.0, warm_up_s=40.0),
        ),
    ),
    misbehaving_nodes.GUIDELINE,
    Guideline(
        "7.7", "reordering",
        "One flow of whose packets one in a hundred overtakes all others on the way.",
        (alone("1 %", link={"netem": {"reorder_probability": 0.01}}),),
    ),
    Guideline(
        "7.8", "transient events",
        "One flow, and UDP at half of the link's rate that comes for ten seconds.",
        (_onset(),),
    ),
    Guideline(
        "7.9", "sudden changes",
        "One flow on a link whose rate falls to a fifth and comes back after 15 s.",
        (_sudden(),),
    ),
    Guideline(
        "7.10", "multipath",
        "A flow of CUBIC beside two of the controller, as of one transport whose paths meet, and beside four "
        "that begin at once, as of transports that leave a broken path: the 10 s from there on.",
        (_subflows("2 subflows", path(subject(2), flows(CUBIC, CUBIC))), _fail_over()),
    ),
    data_centres.GUIDELINE,
)  # fmt: skip
"""All of them, by section."""
