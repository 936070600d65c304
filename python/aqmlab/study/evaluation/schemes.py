"""Queue disciplines by RFC 7928: every section that asks for an experiment; one more is one more entry.

How a scheme takes its place in a case stands below. Source: N. Kuhn, P. Natarajan, N. Khademi, D. Ros,
*Characterization Guidelines for Active Queue Management* (RFC 7928, 2016). What the RFC leaves open, such as
rates and durations, is chosen in `network.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.errors import ScenarioError
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.load.queues import Queues
from aqmlab.scenario import Scenario
from aqmlab.study.evaluation.evaluation import NotRun, Trial
from aqmlab.study.evaluation.guideline import Case, Guideline, Method
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT, metrics_of
from aqmlab.study.evaluation.network import (
    BACK,
    BUFFER_PACKETS,
    DATA,
    RATE_MBPS,
    ROUND_TRIP_MS,
    VOICE,
    Table,
    dumbbell,
    flows_of_congestion,
    parking_lot,
    readers,
    scenario,
    tcp,
    trace,
    udp,
)
from aqmlab.study.evaluation.variations import (
    NotApplicableError,
    behind_fair_queue,
    with_ecn,
    with_neighbours,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_SHORT_BYTES = 55 * 1_448
"""A transfer between 10 and 100 packets."""
_LEVEL_S = 20.0
_MIXED_MBPS = 1.0
_CALL: Table = {"packet_bytes": 200, "on_s": 1.004, "off_s": 1.587}
"""G.711, and the talk spurts of ITU-T P.59."""
_VARIED_MBPS = (20.0, 2.0)
_LEDBAT = {"congestion": "ledbat", "initial_window_segments": 2}
"""RFC 6817, with its INIT_CWND."""
_PAGE = {"completion_p50_s/populations.web": "page s"}
_LOSS = {"loss_percent": "loss %"}
_MILD, _MEDIUM, _HEAVY = map(flows_of_congestion, ("mild", "medium", "heavy"))
_MIDDLE, _END = "router-0-to-router-1", "router-1-to-router-2"


def _congestion(flows: int, **changed: Any) -> Table:  # noqa: ANN401
    return scenario(tcp("bulk", flows, **changed))


def _initial_windows(segments: int) -> Case:
    starts_s = [12.0 + 2.0 * number for number in range(15)]
    short = tcp(
        "short", len(starts_s), bytes=_SHORT_BYTES, starts_s=starts_s,
        host={"initial_window_segments": segments},
    )  # fmt: skip
    headlines = {"completion_p50_s/flows.short": "short s"}
    return Case(f"{segments}", scenario(tcp("bulk"), short), headlines=headlines)


def _round_trips(milliseconds: float) -> Case:
    groups = (tcp("category-1"), tcp("category-2", round_trip_ms=milliseconds))
    ratio = ("category-1", "category-2")
    headlines = {f"goodput_ratio/flows.{ratio[1]}-to-{ratio[0]}": "ratio"}
    return Case(f"{milliseconds:g} ms", scenario(*groups), ratio=ratio, headlines=headlines)


def _bursts(name: str, *, bulk: bool, video: bool) -> Case:
    traffic = [readers("web", 1), udp("constant", _MIXED_MBPS)]
    traffic += [tcp("bulk")] if bulk else []
    traffic += [_video()] if video else []
    return Case(name, scenario(*traffic), headlines=_PAGE)


def _video() -> Table:
    return {"name": "video", "count": 1, "packet_bytes": 1_000, "video": {}, "direction": DATA}


def _varying_congestion() -> Case:
    flows = [_MILD, _MEDIUM, _HEAVY]
    names = ("mild", "medium", "heavy")
    document = scenario(
        tcp("bulk", _HEAVY, phases={"each_s": _LEVEL_S, "flows": flows}),
        duration_s=3 * _LEVEL_S, warm_up_s=0.0, record={"traffic_interval_ms": 1000.0},
    )  # fmt: skip
    stretches = [(_LEVEL_S * place, _LEVEL_S * (place + 1)) for place in range(len(flows))]
    headlines = {f"queueing_delay_ms@{name}": f"{name} ms" for name in names}
    return Case("", document, phases=dict(zip(names, stretches, strict=True)), headlines=headlines)


def _varying_capacity(name: str, each_ms: int, *, phased: bool) -> Case:
    text, mean_mbps = trace(_VARIED_MBPS, each_ms)
    network = dumbbell(rate_mbps=mean_mbps, rate_trace_file="capacity.trace", rate_right_to_left_mbps=100.0)
    document = scenario(
        tcp("bulk", _MILD), network={"dumbbell": network}, files={"capacity.trace": text},
        duration_s=3 * _LEVEL_S, warm_up_s=_LEVEL_S, record={"traffic_interval_ms": 1000.0},
    )  # fmt: skip
    fast, slow = (f"{rate:g} Mbit/s" for rate in _VARIED_MBPS)
    stretches = [(_LEVEL_S, 2 * _LEVEL_S), (2 * _LEVEL_S, 3 * _LEVEL_S)]
    phases = dict(zip((slow, fast), stretches, strict=True)) if phased else {}
    headlines = {f"queueing_delay_ms@{phase}": f"ms at {phase.split()[0]}" for phase in phases}
    return Case(name, document, phases=phases, headlines=headlines)


def _packet_sizes() -> Case:
    small = {"maximum_segment_bytes": 448}
    half = _MILD // 2
    headlines = {f"loss_percent/flows.{size}": f"{size} loss %" for size in ("small", "large")}
    document = scenario(tcp("small", half, host=small), tcp("large", _MILD - half))
    return Case("", document, headlines=headlines)


def _mix() -> Case:
    back: Table = {"direction": BACK}
    return Case(
        "",
        scenario(
            udp(VOICE, 0.08, **_CALL), udp(f"{VOICE}-back", 0.08, **_CALL, **back),
            readers("web", 6), udp("constant", _MIXED_MBPS), _video(), tcp("bulk", 5),
        ),
        headlines={
            **_PAGE,
            f"delay_p95_ms/datagrams.{VOICE}": "call ms",
            f"voice_mos/datagrams.{VOICE}": "call MOS",
        },
    )  # fmt: skip


def _both_ways() -> Case:
    queue = {"scheme": "drop-tail", "limit_packets": BUFFER_PACKETS}
    network = {"dumbbell": dumbbell(queue_right_to_left=queue)}
    document = scenario(tcp("there", _MILD), tcp("back", _MILD, direction=BACK), network=network)
    return Case("", document, links=(DATA, BACK))


def _path(name: str, placed: tuple[str, ...]) -> Case:
    half = _MILD // 2
    traffic = (
        tcp("whole-path", half),
        tcp("second-hop", _MILD - half, senders="servers-1", receivers="browsers-right"),
    )
    document = scenario(
        *traffic, network={"parking_lot": parking_lot(RATE_MBPS / 2, RATE_MBPS)}, rate_tolerance_ppm=100.0
    )
    return Case(name, document, links=(_MIDDLE, _END), placed=placed)


GUIDELINES: tuple[Guideline, ...] = (
    Guideline(
        "4.4", "packet sizes",
        "Mild congestion, half of the flows with packets of 500 bytes and half with 1,500.",
        (_packet_sizes(),),
    ),
    Guideline(
        "4.5", "ECN",
        "Medium congestion with and without ECN.",
        (
            Case("off", _congestion(_MEDIUM), headlines=_LOSS),
            Case("on", _congestion(_MEDIUM, host={"ecn": "on"}), variation=with_ecn, headlines=_LOSS),
        ),
    ),
    Guideline(
        "4.6", "scheduling",
        "Medium congestion with one queue, and with a queue for each flow under the same scheme.",
        (
            Case("one queue", _congestion(_MEDIUM)),
            Case("per flow", _congestion(_MEDIUM), variation=behind_fair_queue),
        ),
    ),
    Guideline(
        "5.1.1", "TCP-friendly",
        "One long NewReno flow with an initial window of three segments.",
        (Case("", scenario(tcp("bulk"))),),
    ),
    Guideline(
        "5.1.2", "initial window",
        "Short flows with an initial window of 3 or 10 segments start beside a long NewReno flow.",
        (_initial_windows(3), _initial_windows(10)),
    ),
    Guideline(
        "5.2", "aggressive",
        "One long CUBIC flow.",
        (Case("", scenario(tcp("bulk", profile="linux6-cubic"))),),
    ),
    Guideline(
        "5.3.1", "unresponsive",
        "UDP at a rate above the link's.",
        (Case("", scenario(udp("unresponsive", 1.23 * RATE_MBPS))),),
    ),
    Guideline(
        "5.3.2", "unresponsive and TCP",
        "UDP at three quarters of the link's rate beside a long NewReno flow.",
        (
            Case(
                "", scenario(udp("unresponsive", 0.75 * RATE_MBPS), tcp("bulk")),
                headlines={"goodput_mbps/flows.bulk": "TCP Mbit/s"},
            ),
        ),
    ),
    Guideline(
        "5.4", "less than best effort",
        "A long NewReno flow beside a LEDBAT flow.",
        (
            Case(
                "", scenario(tcp("bulk"), tcp("background", host=_LEDBAT)),
                headlines={"goodput_mbps/flows.background": "LEDBAT Mbit/s"},
            ),
        ),
    ),
    Guideline(
        "6", "round trips",
        "Two NewReno flows, one with a round trip of 100 ms and one with 5 to 560 ms.",
        tuple(map(_round_trips, (5.0, 20.0, 50.0, 200.0, 560.0))),
    ),
    Guideline(
        "7", "bursts",
        "Pages of 50 objects and a constant stream, beside a bulk flow, bursts of video, and both.",
        (
            _bursts("web, constant", bulk=False, video=False),
            _bursts("and bulk", bulk=True, video=False),
            _bursts("and video", bulk=False, video=True),
            _bursts("and both", bulk=True, video=True),
        ),
    ),
    Guideline(
        "8.2.2", "mild congestion",
        f"{_MILD} long NewReno flows: about 0.1 % of loss.",
        (Case("", _congestion(_MILD), headlines=_LOSS),),
    ),
    Guideline(
        "8.2.3", "medium congestion",
        f"{_MEDIUM} long NewReno flows: about 0.5 % of loss.",
        (Case("", _congestion(_MEDIUM), headlines=_LOSS),),
    ),
    Guideline(
        "8.2.4", "heavy congestion",
        f"{_HEAVY} long NewReno flows: about 1 % of loss.",
        (Case("", _congestion(_HEAVY), headlines=_LOSS),),
    ),
    Guideline(
        "8.2.5", "varying congestion",
        "Mild, medium and heavy congestion, 20 s each.",
        (_varying_congestion(),),
    ),
    Guideline(
        "8.2.6", "varying capacity",
        f"{_MILD} flows; the link's rate changes between 20 and 2 Mbit/s every 20 s, and every 100 ms.",
        (
            _varying_capacity("20 s", 20_000, phased=True),
            _varying_capacity("100 ms", 100, phased=False),
        ),
    ),
    Guideline(
        "8.3", "parameters",
        "Medium congestion with each parameter of the scheme halved and doubled.",
        (Case("", _congestion(_MEDIUM), variation=with_neighbours, beside=False),),
    ),
    Guideline(
        "9.1", "traffic mix",
        "A call, 6 readers of pages, a constant stream, a video and 5 bulk flows.",
        (_mix(),),
    ),
    Guideline(
        "9.2", "both directions",
        "Mild congestion both ways, the scheme at both ends of the link.",
        (_both_ways(),),
    ),
    Guideline(
        "10", "several queues",
        "Two full links in a row, 5 and 10 Mbit/s, with the scheme at both or at one of them.",
        (
            _path("both", (_MIDDLE, _END)),
            _path("first", (_MIDDLE,)),
            _path("second", (_END,)),
        ),
    ),
    Guideline(
        "11", "cost of an implementation",
        "Time and memory per packet.",
        not_run="no scenario: `aqmlab scheme cost SCHEME` measures the time per packet",
    ),
    Guideline(
        "12", "control knobs",
        "Which parameters an operator has to set.",
        not_run="no scenario: `aqmlab explain SCHEME` lists the parameters, `aqmlab tune` searches them",
    ),
)  # fmt: skip
"""All of them, by section."""


def _require_legal(schemes: Sequence[str]) -> None:
    """Refuses a scheme before anything is run."""
    plain = Scenario.of(scenario(tcp("bulk")))
    for scheme in schemes:
        Queues.of(plain, (DATA,)).with_scheme(plain, scheme)


def _trials(guideline: Guideline, case: Case, scheme: str) -> Iterator[Trial | NotRun]:
    """The scheme at the links of the case, as often as it is varied there."""
    title = guideline.title(case)

    def refused(title: str, reason: Exception) -> NotRun:
        return NotRun(guideline.section, title, scheme, str(reason))

    own = Scenario.of(dict(case.document))
    queues = Queues.of(own, case.placed or case.links)
    metrics = tuple(metrics_of(case))
    try:
        variations = case.variation(scheme, queues.with_scheme(own, scheme), queues)
    except (NotApplicableError, ScenarioError) as error:
        yield refused(title, error)
        return
    for change, varied in variations.items():
        name, own_title = (change, change) if change else (case.name, title)
        try:
            changed = queues.with_scheme(own, varied)
        except ScenarioError as error:
            yield refused(own_title, error)
        else:
            yield Trial(guideline, case, name, own_title, scheme, changed, metrics)


SCHEMES = Method(
    document="RFC 7928",
    kind="scheme",
    guidelines=GUIDELINES,
    beside=("pie", "codel", "drop-tail"),
    line=f"a link of {RATE_MBPS:g} Mbit/s, round trips of {ROUND_TRIP_MS:g} ms, a buffer of {BUFFER_PACKETS} "
    "packets",
    require_legal=_require_legal,
    trials=_trials,
    spelt=spelt,
    shown={DELAY: "delay ms", GOODPUT: "Mbit/s"},
)
"""Queue disciplines by RFC 7928."""
