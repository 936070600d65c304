"""`aqmlab evaluate CONTROLLER`: harm by its formula, against runs made by hand, and known harmful senders."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import Scenario
from aqmlab import shown as aqmlab_shown
from aqmlab.errors import RefusalError, ScenarioError
from aqmlab.load.controllers import ParametrizedController, controller_sources, spelt_controller
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds
from aqmlab.show.objects.evaluation import page_of, summary_table, three_digits
from aqmlab.show.report.page import render
from aqmlab.show.tables.render import as_plain_text
from aqmlab.statistics.observation import Observation
from aqmlab.study.evaluation import (
    ALONE,
    CONTROLLERS,
    SCHEMES,
    Case,
    Evaluation,
    Figure,
    Trial,
    evaluate,
    method_of,
    metrics_of,
)
from aqmlab.study.evaluation.controller_cases import SUBJECT, packets_of
from aqmlab.study.evaluation.controllers import with_controller, without_controller
from aqmlab.study.evaluation.harm import DISTANCE, harm_name, harm_of, harms, judgements_of
from aqmlab.study.evaluation.measuring import evaluated
from aqmlab.study.evaluation.metrics import figures_table
from aqmlab.study.evaluation.network import udp
from aqmlab.tables.stored import to_csv
from documented import ROOT
from small import aqmlab_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab import Result

_BESIDE, _SHALLOW, _EQUAL = "5.2.1", "beside CUBIC, ¼ BDP", "beside CUBIC, 1 BDP"
_GOODPUT = "goodput_mbps/flows.cubic"
_SIX = tuple(range(1, 7))


def case_of(section: str, name: str = "") -> Case:
    [guideline] = CONTROLLERS.chosen([section])
    return next(case for case in guideline.cases if case.name == name)


def mean(found: Evaluation, section: str, name: str, subject: str, metric: str) -> float:
    figure = found.figure(section, name, subject, metric)
    assert figure is not None
    assert figure.interval.mean is not None
    return figure.interval.mean


def of_cases(subjects: Sequence[str], *names: str) -> Evaluation:
    """The evaluation with six seeds of these cases alone."""
    guidelines = [
        replace(each, cases=tuple(case for case in each.cases if case.name in names))
        for each in CONTROLLERS.guidelines
        if any(case.name in names for case in each.cases)
    ]
    executor = chosen_executor("threads", None)
    return evaluated(
        CONTROLLERS, subjects, guidelines, Seeds.of(_SIX), executor, within_s=None, progress=False
    )


# --- every section ---


SECTIONS = """5.1.1 5.1.2 5.1.3 5.1.4 5.1.5 5.2.1 5.2.2 5.2.3 5.3 6.1 6.2 6.3 6.4
              7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 7.9 7.10 7.11"""
"""The sections of RFC 9743 that name a criterion, general use or a special case."""


def test_every_section_is_run_or_says_why_not() -> None:
    assert [each.section for each in CONTROLLERS.guidelines] == SECTIONS.split()
    for each in CONTROLLERS.guidelines:
        assert bool(each.cases) != bool(each.not_run), each.section
        assert each.asks.endswith("."), each.section
        assert len({case.name for case in each.cases}) == len(each.cases)
    assert [each.section for each in CONTROLLERS.guidelines if each.not_run] == ["5.3"]


def test_every_case_is_legal_and_what_the_summary_shows_is_measured() -> None:
    for guideline in CONTROLLERS.guidelines:
        for case in guideline.cases:
            names = [metric.name for metric in metrics_of(case)]
            assert len(set(names)) == len(names), (guideline.section, case.name)
            assert {*case.headlines, *case.harmed} <= set(names), (guideline.section, case.name)
            assert case.headlines or case.harmed, (guideline.section, case.name)
            for name, called in case.headlines.items():  # headers are no goodput
                if called.endswith("Mbit/s"):
                    assert called.startswith("link") == name.startswith("throughput_mbps"), guideline.section
            assert case.standard in CONTROLLERS.beside
            alone = replace(case, document=without_controller(case.document), counted=(), ratio=None)
            if case.harmed:
                Scenario.of(alone.document)
                assert set(case.harmed) <= {metric.name for metric in metrics_of(alone)}
            assert SUBJECT not in json.dumps(
                with_controller(case.document, "reno").resolved["flows"][0]["host"]
            )


def test_every_controller_takes_its_place() -> None:
    cases = [each.cases[-1] for each in CONTROLLERS.chosen(["5.1.4", "5.2.3", "7.1"])]
    for name in controller_sources():
        for case in cases:
            hosts = [
                each["host"]["congestion"] for each in with_controller(case.document, name).resolved["flows"]
            ]
            asked = [each["host"]["congestion"] for each in case.document["flows"]]
            assert hosts == [name if each == SUBJECT else each for each in asked]


def test_buffers_are_shares_of_what_the_path_holds() -> None:
    """20 Mbit/s for 40 ms are 100 kB, 66.7 packets of 1,500 bytes."""
    assert [packets_of(20.0, 40.0, share) for share in (0.25, 1.0, 4.0)] == [17, 67, 267]
    sizes = [
        case_of(_BESIDE, f"beside CUBIC, {name}").document["dumbbell"]["queue"]["limit_packets"]
        for name in ("¼ BDP", "1 BDP", "4 BDP", "10 ms", "160 ms")
    ]
    assert sizes == [17, 67, 267, 17, 267]


def test_the_page_lists_every_section_and_every_reason() -> None:
    page = (ROOT / "docs/how-to/evaluate-a-controller.md").read_text(encoding="utf-8")
    table = page.split("## Scenarios")[1].split("## ")[0]
    rows = [line.split("|")[1:4] for line in table.splitlines() if line.startswith("| ")][2:]
    listed = {section.strip(): (name.strip(), what.strip()) for section, name, what in rows}
    assert list(listed) == [each.section for each in CONTROLLERS.guidelines]
    for each in CONTROLLERS.guidelines:
        name, what = listed[each.section]
        assert name == each.name
        assert what.startswith("not run: ") == bool(each.not_run), each.section


# --- harm ---


def test_harm_is_wares() -> None:
    """Section 4 of the paper: (x - y) / x where more is better, (y - x) / y where less is."""
    exact = Observation.exact
    assert harm_of(exact(10.0), exact(2.5), more_is_better=True) == exact(0.75)
    assert harm_of(exact(10.0), exact(40.0), more_is_better=False) == exact(0.75)
    assert harm_of(exact(10.0), exact(12.5), more_is_better=True) == exact(-0.25), "others gain"
    assert harm_of(exact(10.0), exact(0.0), more_is_better=True) == exact(1.0), "starvation"


def test_bounds_of_a_number_are_bounds_of_the_harm() -> None:
    between = harm_of(Observation(8.0, 10.0), Observation(2.0, 4.0), more_is_better=True)
    assert (between.lower, between.upper) == pytest.approx((1 - 4 / 8, 1 - 2 / 10))
    late = harm_of(Observation.exact(10.0), Observation.at_least(40.0), more_is_better=False)
    assert (late.lower, late.upper) == (0.75, 1.0)
    for nothing in (
        harm_of(Observation.nothing(), Observation.exact(1.0), more_is_better=True),
        harm_of(Observation.exact(0.0), Observation.exact(1.0), more_is_better=True),
    ):
        assert math.isnan(nothing.lower)


@pytest.fixture(scope="module", name="harmful")
def bbr_version_1() -> Evaluation:
    """The RFC itself (5.1.3): many flows of BBRv1 keep losing where the buffer is below 1.5 BDP."""
    return of_cases(
        ("bbr-linux-v1", "cubic", "reno"), _SHALLOW, "beside Reno, ¼ BDP", "8 flows", "8 flows, ¼ BDP"
    )


BY_HAND = """
name = "by hand"
duration_s = 47.0
warm_up_s = 10.0
cool_down_s = 2.0

[dumbbell]
rate_mbps = 20.0
delay_ms = 20.0
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
queue = { scheme = "drop-tail", limit_packets = 17 }
queue_right_to_left = { scheme = "drop-tail", limit_packets = 100 }
"""
FLOW = """
[[flows]]
name = "%s"
count = 1
direction = "left-to-right"
profile = "linux6-cubic"
host = { congestion = "%s" }
"""
PROBES = """
[[datagrams]]
name = "probe"
count = 1
direction = "left-to-right"
packet_bytes = 64
rate_mbps = 0.0256
"""


def delivered_by_cubic(text: str, seed: int) -> float:
    """Mbit/s, from the bytes that its flow delivered in the 35 s that are measured."""
    result = aqmlab.run(Scenario.from_toml(text), seed=seed)
    [group] = [each for each in result.run["flows"] if each["name"] == "cubic"]
    return float(sum(group["delivered_bytes"]) * 8e-6 / 35.0)


def test_harm_is_that_of_two_scenarios_written_and_run_by_hand(harmful: Evaluation) -> None:
    harm = harmful.figure(_BESIDE, _SHALLOW, "bbr-linux-v1", harm_name(_GOODPUT))
    assert harm is not None
    for place, seed in enumerate(_SIX[:2]):
        subject, cubic = FLOW % ("subject", "bbr-linux-v1"), FLOW % ("cubic", "cubic")
        alone = delivered_by_cubic(BY_HAND + cubic + PROBES, seed)
        beside = delivered_by_cubic(BY_HAND + subject + cubic + PROBES, seed)
        assert harm.values[place] == pytest.approx((alone - beside) / alone, rel=1e-12)
        assert alone == pytest.approx(20.0 * 1448 / 1500, rel=0.1), "alone it fills the link"


def test_a_controller_known_to_harm_exceeds_the_threshold(harmful: Evaluation) -> None:
    judged = {(each.trial.name, each.own.metric.name): each for each in judgements_of(harmful)}
    found = judged[_SHALLOW, harm_name(_GOODPUT)]
    assert found.is_worse
    assert not found.is_better
    assert mean(harmful, _BESIDE, _SHALLOW, "bbr-linux-v1", harm_name(_GOODPUT)) > 0.7
    assert judged["8 flows, ¼ BDP", "loss_percent"].is_worse


def test_two_of_a_standard_halve_the_link(harmful: Evaluation) -> None:
    """CUBIC's harm to CUBIC, Reno's to Reno: each takes half, in the mean over seeds."""
    for standard, called in (("cubic", "CUBIC"), ("reno", "Reno")):
        harm = harm_name(f"goodput_mbps/flows.{standard}")
        half = mean(harmful, _BESIDE, f"beside {called}, ¼ BDP", standard, harm)
        assert half == pytest.approx(0.5, abs=0.06)


def test_the_index_is_jains(harmful: Evaluation) -> None:
    """(sum x)^2 / (n sum x^2), of the bytes that each flow delivered."""
    case = case_of("5.1.4", "8 flows")
    result = aqmlab.run(with_controller(case.document, "bbr-linux-v1"), seed=3)
    [group] = result.run["flows"]
    each = group["delivered_bytes"]
    assert len(each) == 8
    jain = sum(each) ** 2 / (8 * sum(x * x for x in each))
    found = harmful.figure("5.1.4", "8 flows", "bbr-linux-v1", f"jain_index/flows.{SUBJECT}")
    assert found is not None
    assert found.values[2] == pytest.approx(jain)


def test_a_standard_beside_itself_is_at_the_threshold() -> None:
    found = of_cases(("cubic", "reno"), _SHALLOW, _EQUAL)
    of_cubic = list(judgements_of(found))
    assert len(of_cubic) == 4
    for each in of_cubic:
        assert each.difference.mean == 0.0
        assert not each.is_worse
        assert not each.is_better


def figures_of(case: Case, subject: str, scenario: Scenario) -> list[Figure]:
    """The metrics of six runs, as an evaluation has them."""
    [guideline] = CONTROLLERS.chosen([_BESIDE])
    own = case if subject != ALONE else replace(case, document=without_controller(case.document))
    metrics = tuple(metrics_of(own))
    trial = Trial(guideline, case, case.name, guideline.title(case), subject, scenario, metrics)
    results = [aqmlab.run(scenario, seed=seed) for seed in _SIX]
    return [Figure(trial, metric, tuple(map(metric.observe, results))) for metric in metrics]


def test_a_sender_that_answers_nothing_fails() -> None:
    """UDP at 15 of 20 Mbit/s: CUBIC keeps a quarter at most, and loses three quarters of what it had."""
    case = case_of(_BESIDE, _EQUAL)
    document = dict(case.document)
    document["flows"] = [each for each in document["flows"] if each["name"] != SUBJECT]
    document["datagrams"] = [*document["datagrams"], udp(SUBJECT, 15.0, packet_bytes=1_500)]
    flood = Scenario.of(document)
    metrics = [each for each in metrics_of(case) if SUBJECT not in each.name]
    [guideline] = CONTROLLERS.chosen([_BESIDE])
    trial = Trial(guideline, case, case.name, "", "flood", flood, tuple(metrics))
    results = [aqmlab.run(flood, seed=seed) for seed in _SIX]
    figures = [Figure(trial, metric, tuple(map(metric.observe, results))) for metric in metrics]
    figures += figures_of(case, "cubic", with_controller(case.document, "cubic"))
    figures += figures_of(case, ALONE, Scenario.of(without_controller(case.document)))
    found = Evaluation(CONTROLLERS, "flood", ("cubic",), _SIX, (*figures, *harms(figures)), ())
    [goodput] = [each for each in judgements_of(found) if each.own.metric.name == harm_name(_GOODPUT)]
    assert goodput.is_worse
    assert min(goodput.own.values) > 0.74
    assert str(found).startswith("Harm to others: flood does more than CUBIC to itself in 1 of 2 numbers")


# --- what is counted before the link ---


def test_nobody_sends_on_without_answers() -> None:
    """Timeouts that double from 0.2 s on (RFC 6298): from the third second on 3 to 7 packets are left."""
    found = evaluate("cubic", controllers=("bbr-linux-v3",), only=("5.1.1",), seeds=(1, 2))
    for subject in found.subjects:
        figure = found.figure("5.1.1", "no answers", subject, "sent_packets")
        assert figure is not None
        assert all(3 <= each <= 7 for each in figure.values)


def test_packets_of_a_round_trip_are_those_that_left_the_sender() -> None:
    case = case_of("5.1.1", "30 % lost")
    result = aqmlab.run(with_controller(case.document, "cubic"))
    [metric] = [each for each in metrics_of(case) if each.name == "sent_packets_per_round_trip"]
    [lost] = [each for each in result.run["impairments"] if each["link"] == "left-to-right"]
    [link] = [each for each in result.run["links"] if each["name"] == "left-to-right"]
    left = link["counters"]["departed"]["packets"] + lost["lost"]["packets"]
    assert metric.observe(result).value == pytest.approx(left / (35.0 / 0.04))


# --- names ---


def test_a_name_says_what_is_evaluated() -> None:
    for scheme in ("pie", "codel:target_ms=20", "my_red.py:MyRed", "codel target 20ms"):
        assert method_of(scheme) is SCHEMES
    for controller in (*controller_sources(), "cubic:pacing=true"):
        assert method_of(controller) is CONTROLLERS


def test_names_of_several_and_of_nothing_are_refused() -> None:
    asked: dict[str, str] = {
        "bbr": "bbr has several editions; legal: bbr-linux-v1, bbr-linux-v2, bbr-l4s-v2, bbr-linux-v3, "
        "bbr-draft-2026-08",
        "agent": "agent has no rule of its own: a program sets its window",
        "cubicc": 'legal: queue disciplines .* congestion controllers .*; did you mean "cubic"',
    }
    for name, told in asked.items():
        with pytest.raises(RefusalError, match=told) as refused:
            evaluate(name)
        assert (refused.value.place, refused.value.value) == ("what", name)
    with pytest.raises(RefusalError, match="schemes: cubic is a congestion controller"):
        evaluate("cubic", schemes=["pie"])
    with pytest.raises(RefusalError, match="controllers: pie is a queue discipline"):
        evaluate("pie", controllers=["cubic"])
    with pytest.raises(RefusalError, match=r"section 8\.2: RFC 9743 asks for nothing there"):
        evaluate("cubic", only=["8.2"])
    for beside, told in (
        ("cubicc", 'did you mean "cubic"'),
        ("bbr", "several editions"),
        ("cubic:pacing", "not of the form key=value"),
        ("cubic:", "not of the form key=value"),
        ("cubic:pacin=true", 'did you mean "pacing"'),
        ("cubic:pacing=1:pacing=2", "given twice"),
        ("cubic:pacing=7", "legal: true or false"),
    ):
        with pytest.raises(RefusalError, match=told):
            evaluate("reno", controllers=[beside])


def test_keys_of_hosts_stand_behind_a_controller() -> None:
    asked = ParametrizedController.of("cubic:pacing=true:initial_window_segments=20")
    assert (asked.name, dict(asked.host)) == ("cubic", {"pacing": "true", "initial_window_segments": "20"})
    case = case_of(_BESIDE, _EQUAL)
    own, other = with_controller(case.document, "cubic:pacing=true").resolved["flows"]
    assert (own["host"]["pacing"], other["host"]["pacing"]) == (True, None)
    with pytest.raises(ScenarioError, match="controller cubic:pacing=7: "):
        with_controller(case.document, "cubic:pacing=7")
    assert [spelt_controller(each) for each in ("cubic", "bbr-linux-v3", "dctcp:pacing=true", ALONE)] == [
        "CUBIC", "BBRv3", "DCTCP:pacing=true", ALONE,
    ]  # fmt: skip


# --- what is shown ---


def test_the_table_has_stars_and_programs_have_every_number(harmful: Evaluation) -> None:
    harm = mean(harmful, _BESIDE, _SHALLOW, "bbr-linux-v1", harm_name(_GOODPUT))
    text = as_plain_text(summary_table(harmful), width=140)
    [line] = [each for each in text.splitlines() if _SHALLOW in each]
    assert f"{three_digits(harm)}±" in line
    assert line.count("*") == 1
    rows = list(csv.DictReader(io.StringIO(to_csv(figures_table(harmful)))))
    assert {row["controller"] for row in rows} == {"bbr-linux-v1", "cubic", "reno", ALONE}
    [row] = [
        each
        for each in rows
        if (each["case"], each["controller"], each["metric"])
        == (_SHALLOW, "bbr-linux-v1", harm_name(_GOODPUT))
    ]
    assert float(row["value"]) == pytest.approx(harm)
    assert float(row["low"]) < harm < float(row["high"])
    told = json.loads(json.dumps(aqmlab_shown.facts(harmful)))
    [judged] = [each for each in told["judged"] if each["scenario"] == _SHALLOW and each["is_worse"]]
    assert (judged["metric"], judged["standard"]) == (harm_name(_GOODPUT), "cubic")
    assert f"more than {DISTANCE:g} of harm" in " ".join(str(harmful).split())


def test_the_report_has_what_others_have_alone(harmful: Evaluation) -> None:
    html = render(page_of(harmful))
    alone = mean(harmful, _BESIDE, _SHALLOW, ALONE, _GOODPUT)
    assert "bbr-linux-v1 by RFC 9743" in html
    assert f"{three_digits(alone)} ± " in html
    assert "a link of 20 Mbit/s, round trips of 40 ms, a buffer of 67 packets" in html


def test_the_command_prints_the_card(tmp_path: Path) -> None:
    words = ("evaluate", "reno", "--controllers", "cubic", "--only", "5.2.2,5.3", "--seeds", "1")
    done = aqmlab_run(*words, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    judged = {(each["scenario"], each["metric"]): each for each in told["judged"]}
    call = judged["real time, a call", "harm/delay_p95_ms/datagrams.voice"]
    assert (call["section"], call["standard"]) == ("5.2.2", "cubic")
    assert (call["is_worse"], call["is_better"]) == (None, None), "one seed decides nothing"
    assert [each["section"] for each in told["not_run"]] == ["5.3"]
    printed = aqmlab_run(*words, "--quiet", cwd=tmp_path)
    assert "Reno by RFC 9743" in printed.stdout
    refused = aqmlab_run("evaluate", "bbr", cwd=tmp_path)
    assert (refused.returncode, "several editions" in refused.stderr) == (2, True)


def test_a_call_alone_waits_for_nobody() -> None:
    """20 ms of the link, and 200 bytes and a probe's 64 at 20 Mbit/s."""
    found = evaluate("cubic", controllers=(), only=("5.2.2",), seeds=(1,))
    alone = mean(found, "5.2.2", "a call", ALONE, "delay_p95_ms/datagrams.voice")
    assert 20.0 + 200 * 8 / 20e3 <= alone <= 20.0 + 264 * 8 / 20e3


# --- sections with traffic, routers or hosts of their own ---


_LINK_GOODPUT = 20.0 * 1_448 / 1_500
"""Mbit/s that TCP carries on the link of most cases."""


def run_of(section: str, name: str, controller: str, seed: int = 1) -> Result:
    return aqmlab.run(with_controller(case_of(section, name).document, controller), seed=seed)


def delivered_mbps(result: Result, group: str) -> float:
    window_s = result.run["measured_until_s"] - result.run["measured_from_s"]
    [own] = [each for each in result.run["flows"] if each["name"] == group]
    return float(sum(own["delivered_bytes"]) * 8e-6 / window_s)


def counted(result: Result, section: str, name: str) -> float:
    """The number that only this case has."""
    [metric] = case_of(section, name).counted
    return metric.observe(result).value


def test_a_tunnel_is_one_flow_to_a_fair_queue() -> None:
    """Whoever is in it, the flow outside has half of the link; inside BBRv1 takes what CUBIC leaves it."""
    for controller in ("cubic", "bbr-linux-v1"):
        result = run_of("6.2", "fq-codel", controller)
        inside = delivered_mbps(result, SUBJECT) + delivered_mbps(result, "cubic")
        assert delivered_mbps(result, "outside") == pytest.approx(_LINK_GOODPUT / 2, rel=0.06)
        assert inside == pytest.approx(_LINK_GOODPUT / 2, rel=0.06)
    assert delivered_mbps(result, "cubic") < 0.2 * inside


def test_a_tunnel_hides_that_senders_are_ecn_capable() -> None:
    """RFC 6040, section 4.1: packets that left as ECT(1) or ECT(0) are dropped, and none is marked."""
    for controller in ("cubic", "prague"):
        result = run_of("6.2", "dualpi2, ECN hidden", controller)
        [link] = [each for each in result.run["links"] if each["name"] == "left-to-right"]
        [box] = [each for each in result.run["impairments"] if each["link"] == "left-to-right"]
        assert box["ecn_changed"]["packets"] > 10_000
        assert link["counters"]["marked"]["packets"] == 0
        assert link["counters"]["discarded"]["early"]["packets"] > 0


UDP_ALONE = """
[[datagrams]]
name = "%s"
count = 1
direction = "left-to-right"
packet_bytes = 1500
rate_mbps = %g
start_s = %g
start_spread_s = 0.0
stop_s = %g

[record]
traffic_interval_ms = 1000.0
"""


def test_the_longest_excess_is_that_of_udp_above_the_rate() -> None:
    """At 25 Mbit/s a fifth is lost: a breaker sees it for as long as UDP sends. At 21 one in 21 is."""
    for rate_mbps, begin_s, end_s, excess_s in (
        (25.0, 15.0, 20.0, 5.0),
        (25.0, 40.0, 47.0, 5.0),
        (21.0, 10.0, 40.0, 0.0),
    ):
        text = BY_HAND + UDP_ALONE % ("flood", rate_mbps, begin_s, end_s)
        result = aqmlab.run(Scenario.from_toml(text))
        assert counted(result, "7.2", "¼ BDP") == excess_s


def test_who_loses_much_for_long_would_open_a_circuit_breaker() -> None:
    """The RFC itself (5.1.3) of BBRv1 below 1.5 BDP; eight of CUBIC have a window of ten packets each."""
    assert counted(run_of("7.2", "¼ BDP", "cubic"), "7.2", "¼ BDP") == 0.0
    assert counted(run_of("7.2", "¼ BDP", "bbr-linux-v1"), "7.2", "¼ BDP") >= 5.0


def test_four_segments_a_round_trip_and_an_acknowledgement_for_two() -> None:
    """At most 4 segments in 40 ms; an acknowledgement waits for two transmissions, and nothing is lost."""
    most = 4 * 1_448 * 8e-6 / 0.040
    for controller, least in (("cubic", 4 * 1_448 * 8e-6 / (0.040 + 0.0012)), ("bbr-linux-v3", 0.0)):
        result = run_of("7.4", "4 segments", controller)
        assert 0.99 * least < delivered_mbps(result, SUBJECT) < most
        assert counted(result, "7.4", "4 segments") == pytest.approx(1.5, abs=0.01)


def test_udp_leaves_a_quarter() -> None:
    """5 Mbit/s without the probes' 0.0256, to those that do not lose to it."""
    left = (5.0 - 0.0256) * 1_448 / 1_500
    assert delivered_mbps(run_of("7.6", "UDP", "cubic"), SUBJECT) == pytest.approx(left, rel=0.02)


def test_bursts_take_more_than_they_send() -> None:
    """A fifth of the link's bytes take over half of what CUBIC would have of the rest."""
    result = run_of("7.6", "bursts", "cubic")
    [bursts] = [each for each in case_of("7.6", "bursts").document["datagrams"] if each["name"] == "bursts"]
    assert bursts["rate_mbps"] * bursts["on_s"] / (bursts["on_s"] + bursts["off_s"]) == pytest.approx(
        20.0 / 5
    )
    assert delivered_mbps(result, SUBJECT) < 0.5 * 0.8 * _LINK_GOODPUT


def test_a_rare_receiver_acknowledges_every_sixteenth_segment() -> None:
    """At most: the timer of delayed acknowledgements sends some sooner. Others answer every second one."""
    counters = {
        each["name"]: each["counters"] for each in run_of("7.6", "rare answers", "cubic").run["links"]
    }
    there, back = (counters[name]["departed"]["packets"] for name in ("left-to-right", "right-to-left"))
    assert 10.0 < there / back <= 16.0


def test_a_mark_on_every_packet_leaves_two_segments_a_round_trip() -> None:
    """RFC 3168 halves down to two segments; BBRv1 answers no mark."""
    marked = delivered_mbps(run_of("7.6", "all marked", "cubic"), SUBJECT)
    assert marked == pytest.approx(2 * 1_448 * 8e-6 / 0.0412, rel=0.05)
    assert delivered_mbps(run_of("7.6", "all marked", "bbr-linux-v1"), SUBJECT) > 0.9 * _LINK_GOODPUT


def test_marks_that_are_lost_are_answered_by_nobody() -> None:
    """The queue marks one flow and drops the other's packets; with an honest router the first one answers."""
    case = case_of("7.6", "marks lost")
    honest = json.loads(json.dumps(case.document).replace('"cleared"', '"kept"'))
    lost, kept = (aqmlab.run(with_controller(each, "cubic")) for each in (case.document, honest))
    for result, reductions in ((lost, False), (kept, True)):
        [link] = [each for each in result.run["links"] if each["name"] == "left-to-right"]
        assert link["counters"]["marked"]["packets"] > 10
        assert (result.run["tcp"]["ecn_reductions"] > 0) == reductions
    assert delivered_mbps(lost, "cubic") < 0.2 * delivered_mbps(kept, "cubic")


def test_two_subflows_of_a_standard_take_two_thirds() -> None:
    """In the mean over seeds, as three flows alike."""
    of_cubic = [delivered_mbps(run_of("7.10", "2 subflows", "cubic", seed), "cubic") for seed in _SIX[:3]]
    assert sum(of_cubic) / 3 == pytest.approx(_LINK_GOODPUT / 3, rel=0.25)


def test_dctcp_in_a_data_centre() -> None:
    """Alizadeh et al., section 3.3: a full link, and a queue of at most the threshold and a packet a flow."""
    result = run_of("7.11", "2 flows", "dctcp")
    [link] = [each for each in result.run["links"] if each["name"] == "left-to-right"]
    assert link["busy_share"] > 0.999
    assert 10 < link["queue_packets_mean"] < 20 + 2
    assert link["counters"]["marked"]["packets"] > 0
    assert link["loss_ratio"] == 0.0


def test_answers_take_as_long_as_they_are_and_a_timeout_where_the_queue_is_long() -> None:
    """Of 64 packets of 12 us 95 % are there after 0.73 ms, behind a handshake of 0.2 ms at least; the least
    timeout is 200 ms. DCTCP leaves room for the answers, BBRv1 fills the buffer."""
    assert 0.73 + 0.2 < counted(run_of("7.11", "incast", "dctcp"), "7.11", "incast") < 5.0
    assert counted(run_of("7.11", "incast", "bbr-linux-v1"), "7.11", "incast") > 200.0
