"""Congestion controllers by RFC 9743: every section that asks for an experiment, or why none is made.

How a controller takes its place in a case, and the case without it, stands below. Source: M. Duke, G.
Fairhurst, *Specifying New Congestion Control Algorithms* (RFC 9743, BCP 133, 2025), sections 5 to 7. What the
RFC leaves open, such as rates and durations, is chosen here.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from aqmlab.errors import Mistake, ScenarioError
from aqmlab.load.controllers import ParametrizedController, spelt_controller
from aqmlab.scenario import Scenario
from aqmlab.study.evaluation.evaluation import ALONE, NotRun, Trial
from aqmlab.study.evaluation.guideline import Case, Guideline, Method
from aqmlab.study.evaluation.metrics import measured_as, metrics_of, sent_packets, sent_per_round_trip
from aqmlab.study.evaluation.network import (
    DATA,
    DURATION_S,
    PACKET_BYTES,
    PROBE,
    VOICE,
    Table,
    dumbbell,
    probe,
    readers,
    scenario,
    trace,
    udp,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


SUBJECT = "subject"
"""The evaluated controller in a scenario, and the flows that have it."""
CUBIC, RENO = "cubic", "reno"
"""Standards whose flows are on the Internet, by which a new controller's harm is judged."""
RATE_MBPS, ROUND_TRIP_MS = 20.0, 40.0
"""Of the link and of paths, unless a case has others."""
_COOL_DOWN_S = 2.0
"""Not measured at the end, so that no datagram of the measured window is under way when the run ends."""
_HOSTS = "linux6-cubic"
"""The hosts of all flows, whatever their controller."""
_SHORT_BYTES = 55 * 1_448
"""A transfer of 80 kB: over within slow start on an idle path."""
_SHORT_STARTS_S = [12.0 + 2.0 * number for number in range(15)]
_SHALLOW, _EQUAL, _DEEP = 0.25, 1.0, 4.0
_BUFFERS = {_SHALLOW: "¼ BDP", _EQUAL: "1 BDP", _DEEP: "4 BDP"}
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
_PROBE_DELAY = f"delay_p95_ms/datagrams.{PROBE}"
_ALONE = {"queue_mean_ms": "delay ms", "goodput_mbps": "Mbit/s"}
_ONE_OF = f"goodput_mbps/flows.{SUBJECT}"


def packets_of(rate_mbps: float, round_trip_ms: float, share: float) -> int:
    """A buffer in packets: a multiple of what the path holds, of four packets at least."""
    return max(4, math.ceil(share * rate_mbps * 1e3 * round_trip_ms / 8 / PACKET_BYTES))


def _path(
    *traffic: Table,
    rate_mbps: float = RATE_MBPS,
    round_trip_ms: float = ROUND_TRIP_MS,
    buffer: float = _EQUAL,
    link: Table | None = None,
    **changed: Any,  # noqa: ANN401
) -> Table:
    """A scenario: a link whose own delay is that of the path, and drop-tail unless `link` says otherwise."""
    queue = {"scheme": "drop-tail", "limit_packets": packets_of(rate_mbps, round_trip_ms, buffer)}
    network = dumbbell(
        **{"rate_mbps": rate_mbps, "delay_ms": round_trip_ms / 2, "queue": queue, **(link or {})}
    )
    given: dict[str, Any] = {
        "name": "rfc9743",
        "duration_s": DURATION_S + _COOL_DOWN_S,
        "cool_down_s": _COOL_DOWN_S,
        "measuring": (probe(),),
        "record": {"packets": False},
    }
    return scenario(*traffic, network={"dumbbell": network}, **{**given, **changed})


def _flows(name: str, controller: str, count: int = 1, **changed: Any) -> Table:  # noqa: ANN401
    """Bulk flows of a controller, with the round trip of the link."""
    return {
        "name": name,
        "count": count,
        "base_rtt_ms": 0.0,
        "profile": _HOSTS,
        "direction": DATA,
        **changed,
        "host": {"congestion": controller, **changed.get("host", {})},
    }


def _short(name: str, controller: str) -> Table:
    return _flows(name, controller, len(_SHORT_STARTS_S), bytes=_SHORT_BYTES, starts_s=_SHORT_STARTS_S)


def _subject(count: int = 1, **changed: Any) -> Table:  # noqa: ANN401
    return _flows(SUBJECT, SUBJECT, count, **changed)


def _alone(name: str, **path: Any) -> Case:  # noqa: ANN401
    """A flow of the evaluated controller and nobody else."""
    return Case(name, _path(_subject(), **path), headlines=_ALONE, standard=CUBIC)


def _lossy(percent: float) -> Case:
    """The same where packets are lost that no queue dropped; the delay says nothing where the rate falls."""
    found = _alone(f"{percent:g} % lost", link={"loss_probability": percent / 100.0})
    return replace(found, headlines={"goodput_mbps": "Mbit/s"})


def _beside(name: str, other: str, *, delay: bool = False, host: Table | None = None, **path: Any) -> Case:  # noqa: ANN401
    """A flow beside one of a standard controller, and the harm to that one and to others in the queue."""
    own = host or {}
    document = _path(_subject(host=own), _flows(other, other, host=own), **path)
    harmed = {f"goodput_mbps/flows.{other}": "harm, Mbit/s"}
    if delay:
        harmed[_PROBE_DELAY] = "harm, delay"
    return Case(name, document, harmed=harmed, standard=other)


def _without_answer() -> Case:
    """Nothing arrives from an instant on, either way: what is sent from two seconds later."""
    begin_s = 10.0
    conditions = f"t_s,rtt_ms,loss_percent\n0,{ROUND_TRIP_MS:g},0\n{begin_s:g},{ROUND_TRIP_MS:g},100\n"
    sent = measured_as("5.1.1", "sent_packets", "packets", partial(sent_packets, link=DATA))
    document = _path(
        _subject(), link={"conditions_file": "path.csv", "conditions_end": "hold"},
        files={"path.csv": conditions}, measuring=(), warm_up_s=begin_s + 2.0,
    )  # fmt: skip
    return Case(
        "no answers", document, headlines={"sent_packets": "packets"}, standard=CUBIC, counted=(sent,)
    )


def _heavy_loss() -> Case:
    compute = partial(sent_per_round_trip, link=DATA, round_trip_ms=ROUND_TRIP_MS)
    sent = measured_as("5.1.1", "sent_packets_per_round_trip", "packets", compute)
    document = _path(_subject(), link={"loss_probability": 0.3}, measuring=())
    headlines = {"sent_packets_per_round_trip": "packets/RTT"}
    return Case("30 % lost", document, headlines=headlines, standard=CUBIC, counted=(sent,))


def _many(name: str, buffer: float) -> Case:
    document = _path(_subject(8), buffer=buffer)
    return Case(name, document, headlines={"loss_percent": "loss %"}, standard=CUBIC)


def _fair(name: str, count: int) -> Case:
    headlines = {f"jain_index/flows.{SUBJECT}": "Jain"}
    return Case(name, _path(_subject(count)), headlines=headlines, standard=CUBIC)


def _round_trips() -> Case:
    far = "far"
    document = _path(
        _subject(), _flows(far, SUBJECT, base_rtt_ms=3 * ROUND_TRIP_MS / 2), round_trip_ms=ROUND_TRIP_MS / 2
    )
    headlines = {f"goodput_ratio/flows.{far}-to-{SUBJECT}": "ratio"}
    return Case("20, 80 ms", document, ratio=(SUBJECT, far), headlines=headlines, standard=CUBIC)


def _own_short() -> Case:
    short = "short"
    document = _path(_subject(), _short(short, SUBJECT))
    headlines = {f"completion_p50_s/flows.{short}": "short s", _ONE_OF: "long Mbit/s"}
    return Case("", document, headlines=headlines, standard=CUBIC)


def _call() -> Case:
    part = f"datagrams.{VOICE}"
    harmed = {f"delay_p95_ms/{part}": "harm, delay", f"voice_mos/{part}": "harm, MOS"}
    return Case("a call", _path(_subject(), _CALL, buffer=_DEEP), harmed=harmed, standard=CUBIC)


def _meeting() -> Case:
    part = f"datagrams.{_MEETING['name']}"
    harmed = {
        f"call_bitrate_mbps/{part}": "harm, Mbit/s",
        f"call_frame_delay_p95_ms/{part}": "harm, delay",
    }
    return Case("a meeting", _path(_subject(), _MEETING), harmed=harmed, standard=CUBIC)


def _short_beside_long() -> Case:
    short = "short"
    harmed = {f"completion_p50_s/flows.{short}": "harm, time"}
    return Case("CUBIC short", _path(_subject(), _short(short, CUBIC)), harmed=harmed, standard=CUBIC)


def _long_beside_short() -> Case:
    document = _path(_short(SUBJECT, SUBJECT), _flows(CUBIC, CUBIC))
    harmed = {f"goodput_mbps/flows.{CUBIC}": "harm, Mbit/s"}
    return Case("CUBIC long", document, harmed=harmed, standard=CUBIC)


def _pages() -> Case:
    document = _path(_subject(), readers("web", 2, delay_ms=0.0))
    harmed = {"completion_p50_s/populations.web": "harm, time"}
    return Case("pages", document, harmed=harmed, standard=CUBIC)


def _varying_rate() -> Case:
    """The link's rate between two instants a second apart, as radio has it."""
    text, mean_mbps = trace((30.0, 10.0), 1_000)
    link = {"rate_mbps": mean_mbps, "rate_trace_file": "radio.trace", "rate_right_to_left_mbps": 100.0}
    return _alone("fading", link=link, files={"radio.trace": text})


def _sudden() -> Case:
    """The link's rate falls to a fifth and comes back."""
    text, mean_mbps = trace((RATE_MBPS, RATE_MBPS / 5), 15_000)
    link = {"rate_mbps": mean_mbps, "rate_trace_file": "path.trace", "rate_right_to_left_mbps": 100.0}
    document = _path(
        _subject(), link=link, files={"path.trace": text}, duration_s=45.0, warm_up_s=15.0,
        record={"packets": False, "traffic_interval_ms": 1_000.0},
    )  # fmt: skip
    phases = {"after the fall": (15.0, 20.0), "after the rise": (30.0, 35.0)}
    headlines = {"queueing_delay_ms@after the fall": "delay ms", "throughput_mbps@after the rise": "Mbit/s"}
    return Case("", document, phases=phases, headlines=headlines, standard=CUBIC)


def _onset() -> Case:
    """Half of the link is taken within an instant, for ten seconds."""
    crowd = udp("crowd", RATE_MBPS / 2, start_s=20.0, start_spread_s=0.0, stop_s=30.0)
    document = _path(
        _subject(), crowd, warm_up_s=15.0, record={"packets": False, "traffic_interval_ms": 1_000.0}
    )
    phases = {"in the crowd": (20.0, 30.0), "after it": (30.0, 35.0)}
    headlines = {"loss_percent": "loss %", "queueing_delay_ms@in the crowd": "delay ms",
                 "throughput_mbps@after it": "Mbit/s"}  # fmt: skip
    return Case("", document, phases=phases, headlines=headlines, standard=CUBIC)


def _moving_delay() -> Case:
    """The path is twice as long every other ten seconds."""
    rows = f"t_s,rtt_ms\n0,{ROUND_TRIP_MS:g}\n10,{2 * ROUND_TRIP_MS:g}\n20,{ROUND_TRIP_MS:g}\n"
    link = {"conditions_file": "path.csv", "delay_ms": 0.75 * ROUND_TRIP_MS}
    return _alone("", link=link, files={"path.csv": rows.rpartition("20,")[0]})


CONTROLLER_GUIDELINES: tuple[Guideline, ...] = (
    Guideline(
        "5.1.1", "collapse",
        "One flow that loses 30 % of its packets, and one that hears nothing any more.",
        (_heavy_loss(), _without_answer()),
    ),
    Guideline(
        "5.1.2", "bufferbloat",
        "One flow, with buffers of what the path holds and of four and sixteen times that.",
        (_alone("1 BDP"), _alone("4 BDP", buffer=_DEEP), _alone("16 BDP", buffer=16.0)),
    ),
    Guideline(
        "5.1.3", "loss",
        "Eight flows, with a quarter of what the path holds as buffer, and with all of it.",
        (_many("8 flows, ¼ BDP", _SHALLOW), _many("8 flows, 1 BDP", _EQUAL)),
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
                _beside(f"beside CUBIC, {name}", CUBIC, delay=True, buffer=share)
                for share, name in _BUFFERS.items()
            ),
            *(_beside(f"beside CUBIC, {rtt:g} ms", CUBIC, round_trip_ms=rtt) for rtt in (10.0, 160.0)),
            *(_beside(f"beside Reno, {name}", RENO, buffer=share) for share, name in _BUFFERS.items()),
            *(_beside(f"beside Reno, {rtt:g} ms", RENO, round_trip_ms=rtt) for rtt in (10.0, 160.0)),
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
        not_run="no experiment: authors explain them",
    ),
    Guideline(
        "6.1", "tail drop",
        "Drop-tail queues.",
        not_run="every scenario but those of 7.1 has one",
    ),
    Guideline(
        "6.2", "tunnels",
        "Signals of the path through a tunnel.",
        not_run="the simulator has no tunnels",
    ),
    Guideline(
        "6.3", "wired",
        "A flow beside one of CUBIC at 5 and 100 Mbit/s.",
        tuple(_beside(f"{rate:g} Mbit/s", CUBIC, rate_mbps=rate) for rate in (5.0, 100.0)),
    ),
    Guideline(
        "6.4", "wireless",
        "One flow that loses 0.1 and 1 % of its packets at random, delays that vary by 10 ms from packet to "
        "packet, and a rate that changes every second.",
        (
            _lossy(0.1),
            _lossy(1.0),
            _alone("jitter", link={"netem": {"jitter_ms": 10.0}}),
            _varying_rate(),
        ),
    ),
    Guideline(
        "7.1", "AQM",
        "A flow beside one of CUBIC in queues that drop or mark early, without and with ECN.",
        tuple(
            _beside(name, CUBIC, link={"queue": table}, host={"ecn": "on"} if "ECN" in name else None)
            for name, table in _SIGNALS.items()
        ),
    ),
    Guideline(
        "7.2", "circuit breakers",
        "The envelope of network circuit breakers.",
        not_run="the simulator has no circuit breakers; 5.1.1 and 5.1.3 have the losses that open them",
    ),
    Guideline(
        "7.3", "varying delay",
        "One flow on a path whose round trip is 40 and 80 ms in turns of ten seconds.",
        (_moving_delay(),),
    ),
    Guideline(
        "7.4", "constrained nodes",
        "Nodes with little power, and links with a very low rate.",
        not_run="nodes have no limits of power or memory here; a link of 0.25 Mbit/s: "
        "`aqmlab run` with a scenario of your own",
    ),
    Guideline(
        "7.5", "high delay",
        "One flow with a round trip of 600 ms, and one beside one of CUBIC.",
        (
            _alone("alone", round_trip_ms=600.0, duration_s=120.0, warm_up_s=40.0),
            _beside("CUBIC", CUBIC, round_trip_ms=600.0, duration_s=120.0, warm_up_s=40.0),
        ),
    ),
    Guideline(
        "7.6", "misbehaving nodes",
        "Senders, receivers and routers that break the rules.",
        not_run="all hosts keep the rules; unresponsive senders: section 5.3 of `aqmlab evaluate SCHEME`",
    ),
    Guideline(
        "7.7", "reordering",
        "One flow of whose packets one in a hundred overtakes all others on the way.",
        (_alone("1 %", link={"netem": {"reorder_probability": 0.01}}),),
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
        "Transports with several paths.",
        not_run="the simulator has no transport with several paths",
    ),
    Guideline(
        "7.11", "data centres",
        "Round trips below 2 ms, and many answers at once.",
        not_run="a controlled environment, whose operator chooses queues and hosts: `aqmlab run` with a "
        "scenario of your own",
    ),
)  # fmt: skip
"""All of them, by section."""


def _require_legal(controllers: Sequence[str]) -> None:
    """Refuses a controller before anything is run."""
    document = next(case.document for each in CONTROLLER_GUIDELINES for case in each.cases)
    for controller in controllers:
        with_controller(document, controller)


def with_controller(document: Mapping[str, Any], controller: str) -> Scenario:
    """The scenario of a case with this controller, and its other settings, in the place of the subject."""
    asked = ParametrizedController.of(controller)
    flows: list[Any] = []
    overrides: dict[str, Any] = {}
    for place, group in enumerate(document["flows"]):
        is_subject = group["host"]["congestion"] == SUBJECT
        own = {**group, "host": {**group["host"], "congestion": asked.congestion}}
        flows.append(own if is_subject else group)
        if is_subject:
            overrides |= {f"flows.{place}.host.{key}": value for key, value in asked.host.items()}
    try:
        return Scenario.of({**document, "flows": flows}, overrides=overrides)
    except ScenarioError as error:
        told = error.lines(Mistake.without_override)
        raise ScenarioError.of(error, f"controller {controller}: {told}") from None


def without_controller(document: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of a case without the subject's flows: what others have alone."""
    flows = [each for each in document["flows"] if each["host"]["congestion"] != SUBJECT]
    return {**document, "flows": flows}


def _trials(guideline: Guideline, case: Case, controller: str) -> Iterator[Trial | NotRun]:
    """The case with the controller, and without where the harm to others is asked for."""
    title = guideline.title(case)
    metrics = tuple(metrics_of(case))
    try:
        own = with_controller(case.document, controller)
    except ScenarioError as error:
        yield NotRun(guideline.section, title, controller, str(error))
        return
    yield Trial(guideline, case, case.name, title, controller, own, metrics)
    if case.harmed:
        alone = replace(case, document=without_controller(case.document), counted=(), ratio=None)
        solo, metrics = Scenario.of(alone.document), tuple(metrics_of(alone))
        yield Trial(guideline, case, case.name, title, ALONE, solo, metrics)


CONTROLLERS = Method(
    document="RFC 9743",
    kind="controller",
    guidelines=CONTROLLER_GUIDELINES,
    beside=(CUBIC, RENO),
    line=f"a link of {RATE_MBPS:g} Mbit/s, round trips of {ROUND_TRIP_MS:g} ms, a buffer of "
    f"{packets_of(RATE_MBPS, ROUND_TRIP_MS, 1.0)} packets",
    require_legal=_require_legal,
    trials=_trials,
    spelt=spelt_controller,
    shown={},
)
"""Congestion controllers by RFC 9743."""
