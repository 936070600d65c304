"""`aqmlab evaluate`: RFC 7928 against its own formulae, closed forms, second computations, and bad input."""

from __future__ import annotations

import csv
import io
import itertools
import math
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import aqmlab
from aqmlab import Scenario
from aqmlab.errors import RefusalError, ScenarioError
from aqmlab.inference.replication import Interval
from aqmlab.load.queues import Queues
from aqmlab.show.figures.trade_offs import contour, draw_one
from aqmlab.show.objects.evaluation import (
    metrics_table,
    not_run_table,
    page_of,
    standings_in_words,
    summary_table,
    three_digits,
)
from aqmlab.show.report.page import render
from aqmlab.show.tables.render import as_plain_text
from aqmlab.statistics.observation import Observation
from aqmlab.study.evaluation import (
    SCHEMES,
    Case,
    Ellipse,
    Evaluation,
    Figure,
    Trial,
    evaluate,
    metrics_of,
)
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT, figures_table
from aqmlab.study.evaluation.network import (
    BUFFER_PACKETS,
    DATA,
    RATE_MBPS,
    dumbbell,
    flows_of_congestion,
    scenario,
    tcp,
    trace,
    udp,
)
from aqmlab.study.evaluation.summary import standings_of, summary_of
from aqmlab.study.evaluation.variations import (
    NotApplicableError,
    behind_fair_queue,
    with_ecn,
    with_neighbours,
)
from aqmlab.tables.stored import to_csv
from documented import ROOT
from small import aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab import Result

_MY_RED = f"{ROOT / 'examples/my_red.py'}:MyRed"
_HEAVY, _MILD, _ONE = "8.2.4", "8.2.2", "5.1.1"
_FULL_PACKET_MS = 1_500 * 8 / (RATE_MBPS * 1e3)


@pytest.fixture(scope="module", name="found")
def three_schemes() -> Evaluation:
    return evaluate("drop-tail", schemes=("pie", "codel"), only=(_HEAVY, _MILD, _ONE, "11"), seeds=(1, 2))


def mean(found: Evaluation, section: str, scheme: str, metric: str) -> float:
    figure = found.figure(section, "", scheme, metric)
    assert figure is not None
    assert figure.interval.mean is not None
    return figure.interval.mean


def case_of(section: str, name: str = "") -> Case:
    [guideline] = SCHEMES.chosen([section])
    return next(case for case in guideline.cases if case.name == name)


def value(result: Result, case: Case, name: str) -> float:
    [metric] = [each for each in metrics_of(case) if each.name == name]
    return metric.observe(result).plain


# --- every section ---


SECTIONS = (
    """4.4 4.5 4.6 5.1.1 5.1.2 5.2 5.3.1 5.3.2 5.4 6 7 8.2.2 8.2.3 8.2.4 8.2.5 8.2.6 8.3 9.1 9.2 10 11 12"""
)
"""The sections of the RFC that ask for an experiment or a discussion of one."""


def test_every_section_is_run_or_says_why_not() -> None:
    assert [each.section for each in SCHEMES.guidelines] == SECTIONS.split()
    for each in SCHEMES.guidelines:
        assert bool(each.cases) != bool(each.not_run), each.section
        assert each.name, each.section
        assert each.asks.endswith("."), each.section
        assert len({case.name for case in each.cases}) == len(each.cases)


def test_every_scenario_is_legal_and_every_headline_is_one_of_its_metrics() -> None:
    for guideline in SCHEMES.guidelines:
        for case in guideline.cases:
            Scenario.of(dict(case.document))
            names = [metric.name for metric in metrics_of(case)]
            assert len(set(names)) == len(names), (guideline.section, case.name)
            assert {DELAY, GOODPUT, *case.headlines} <= set(names), (guideline.section, case.name)


def test_every_section_of_metrics_is_measured_somewhere() -> None:
    measured = {
        metric.section for each in SCHEMES.guidelines for case in each.cases for metric in metrics_of(case)
    }
    assert measured == {"2.1", "2.2", "2.3", "2.4", "2.5", "2.6"}


def test_the_levels_have_the_flows_of_the_formula() -> None:
    """Section 8.2: 0.036, 0.081 and 0.114 times the packets on the link and in the buffer, 167 here."""
    assert [flows_of_congestion(level) for level in ("mild", "medium", "heavy")] == [6, 14, 19]
    bulk = {section: case_of(section).document["flows"][0]["count"] for section in (_MILD, "8.2.3", _HEAVY)}
    assert bulk == {_MILD: 6, "8.2.3": 14, _HEAVY: 19}
    assert case_of("8.2.5").document["flows"][0]["phases"]["flows"] == [6, 14, 19]
    assert (BUFFER_PACKETS - 1) * 1_500 * 8 < RATE_MBPS * 1e6 * 0.1 <= BUFFER_PACKETS * 1_500 * 8


def test_the_page_lists_every_section_and_every_reason() -> None:
    page = (ROOT / "docs/how-to/evaluate.md").read_text()
    table = page.split("## Scenarios")[1].split("## Metrics")[0]
    rows = [line.split("|")[1:4] for line in table.splitlines() if line.startswith("| ")][2:]
    listed = {section.strip(): (name.strip(), what.strip()) for section, name, what in rows}
    assert list(listed) == [each.section for each in SCHEMES.guidelines]
    for each in SCHEMES.guidelines:
        name, what = listed[each.section]
        assert name == each.name
        assert what.startswith("not run: ") == bool(each.not_run), each.section


# --- what nobody tuned to ---


def test_without_management_many_flows_wait_for_most_of_the_buffer(found: Evaluation) -> None:
    """NewReno halves what link and buffer hold when a packet is lost, one flow of 19 at a time."""
    full_ms = BUFFER_PACKETS * _FULL_PACKET_MS
    assert 0.5 * full_ms < mean(found, _HEAVY, "drop-tail", DELAY) < full_ms
    assert mean(found, _HEAVY, "drop-tail", "delay_p99_ms/datagrams.probe") == pytest.approx(full_ms, rel=0.1)


def test_pie_keeps_its_target_and_codel_does_where_flows_are_few(found: Evaluation) -> None:
    assert mean(found, _HEAVY, "pie", DELAY) == pytest.approx(15.0, rel=0.33)
    assert mean(found, _MILD, "pie", DELAY) == pytest.approx(15.0, rel=0.33)
    assert 2.5 < mean(found, _MILD, "codel", DELAY) < 10.0


def test_goodput_is_at_most_what_the_link_carries_of_data(found: Evaluation) -> None:
    """1,448 of 1,500 bytes are data; probes take 25.6 kbit/s, and opened connections 10."""
    most = RATE_MBPS * 1448 / 1500
    for section in (_HEAVY, _MILD, _ONE):
        for scheme in found.subjects:
            assert mean(found, section, scheme, GOODPUT) < most, (section, scheme)
    assert mean(found, _HEAVY, "drop-tail", GOODPUT) > 0.98 * most


def test_more_flows_lose_more_and_share_a_loss_among_fewer(found: Evaluation) -> None:
    for scheme in found.subjects:
        one, six, nineteen = (mean(found, each, scheme, "loss_percent") for each in (_ONE, _MILD, _HEAVY))
        assert one < six < nineteen, scheme
    part = "loss_synchronisation_percent/flows.bulk"
    for scheme in found.subjects:
        assert 100.0 / 6 <= mean(found, _MILD, scheme, part) < 100.0
        assert 100.0 / 19 <= mean(found, _HEAVY, scheme, part) < 100.0


def test_starting_up_takes_two_round_trips_where_nothing_waits() -> None:
    case = Case("", scenario(udp("little", 0.1)))
    result = aqmlab.run(Scenario.of(dict(case.document)))
    assert value(result, case, "start_up_p50_s/populations.opener") == pytest.approx(0.2, abs=0.003)
    # A probe takes the link's delay of 2.5 ms and what it takes to send 64 bytes.
    own_ms = 2.5 + 64 * 8 / (RATE_MBPS * 1e3)
    assert value(result, case, "delay_p50_ms/datagrams.probe") == pytest.approx(own_ms, abs=0.01)


def test_a_scheme_in_python_has_the_numbers_of_the_same_scheme_built_in() -> None:
    mine = evaluate(_MY_RED, schemes=("red",), only=(_ONE,), seeds=(1,))
    numbers = {
        scheme: {each.metric.name: each.values for each in mine.figures if each.trial.subject == scheme}
        for scheme in mine.subjects
    }
    assert numbers[_MY_RED] == numbers["red"]
    assert numbers["red"][DELAY][0] > 0.0


# --- each metric computed twice ---


@pytest.fixture(scope="module", name="mild")
def a_run_with_many_losses() -> tuple[Case, Result]:
    case = Case("", {**case_of(_MILD).document, "duration_s": 25.0})
    own = Scenario.of(dict(case.document))
    return case, aqmlab.run(Queues.of(own, (DATA,)).with_scheme(own, "red"))


def test_delay_is_littles_law_over_what_was_sent(mild: tuple[Case, Result]) -> None:
    case, result = mild
    [link] = [each for each in result.run["links"] if each["name"] == DATA]
    window_s = result.run["measured_until_s"] - result.run["measured_from_s"]
    sent_per_s = link["counters"]["departed"]["packets"] / window_s
    assert value(result, case, DELAY) == pytest.approx(
        1e3 * link["queue_packets_mean"] / sent_per_s, rel=1e-3
    )
    lost = sum(each["packets"] for each in link["counters"]["discarded"].values())
    percent = 100.0 * lost / link["counters"]["at_risk"]["packets"]
    assert value(result, case, "loss_percent") == pytest.approx(percent)


def test_goodput_is_that_of_all_flows(mild: tuple[Case, Result]) -> None:
    case, result = mild
    window_s = result.run["measured_until_s"] - result.run["measured_from_s"]
    [group] = result.run["flows"]
    naive = sum(group["delivered_bytes"]) * 8e-6 / window_s
    assert value(result, case, GOODPUT) == pytest.approx(naive)
    squares = sum(each**2 for each in group["delivered_bytes"])
    jain = sum(group["delivered_bytes"]) ** 2 / (len(group["delivered_bytes"]) * squares)
    assert value(result, case, "jain_index/flows.bulk") == pytest.approx(jain)


def test_goodput_of_a_mix_leaves_out_who_measures() -> None:
    case = Case("", {**case_of("9.1").document, "duration_s": 15.0, "warm_up_s": 5.0})
    result = aqmlab.run(Scenario.of(dict(case.document)))
    own_bytes = sum(sum(group["delivered_bytes"]) for group in result.run["flows"])
    own_bytes += sum(
        row["arrived_bytes"] for row in result.tables["datagrams"].to_pylist() if row["group"] != "probe"
    )
    own_bytes += sum(
        row["response_bytes"]
        for row in result.tables["responses"].to_pylist()
        if row["population"] != "opener"
    )
    assert value(result, case, GOODPUT) == pytest.approx(own_bytes * 8e-6 / 10.0)


def test_synchronisation_is_counted_event_by_event(mild: tuple[Case, Result]) -> None:
    case, result = mild
    bulk = {row["connection"] for row in result.tables["flows"].to_pylist() if row["flow_group"] == "bulk"}
    columns = ["time_s", "event", "link", "connection", "class"]
    lost = [
        (row["time_s"], row["connection"])
        for row in result.tables["packets"].select(columns).to_pylist()
        if row["event"] == "discard" and row["class"] == "data" and row["connection"] in bulk
        and row["link"] == DATA and 10.0 <= row["time_s"] < 25.0
    ]  # fmt: skip
    events: list[set[int]] = []
    until_s = -math.inf
    for time_s, connection in lost:
        if time_s >= until_s:
            events.append(set())
            until_s = time_s + 0.1
        events[-1].add(connection)
    naive = 100.0 * sum(len(event) / 6 for event in events) / len(events)
    assert len(events) > 10
    assert value(result, case, "loss_synchronisation_percent/flows.bulk") == pytest.approx(naive)


def test_gaps_are_those_between_losses(mild: tuple[Case, Result]) -> None:
    case, result = mild
    columns = ["time_s", "event", "link"]
    lost_s = [
        row["time_s"]
        for row in result.tables["packets"].select(columns).to_pylist()
        if row["event"] == "discard" and row["link"] == DATA and 10.0 <= row["time_s"] < 25.0
    ]
    gaps_ms = sorted(1e3 * (later - earlier) for earlier, later in itertools.pairwise(lost_s))
    middle = len(gaps_ms) // 2
    naive = gaps_ms[middle] if len(gaps_ms) % 2 else (gaps_ms[middle - 1] + gaps_ms[middle]) / 2
    assert value(result, case, "loss_gap_p50_ms") == pytest.approx(naive)
    assert naive > 0.0


def test_completion_is_that_of_transfers_begun_in_the_window() -> None:
    case = case_of("5.1.2", "3")
    result = aqmlab.run(Scenario.of(dict(case.document)))
    took = sorted(
        row["transfer_time_s"]
        for row in result.tables["transfers"].to_pylist()
        if row["flow_group"] == "short" and 10.0 <= row["started_s"] < 45.0
    )
    assert len(took) == 15
    assert value(result, case, "completion_p50_s/flows.short") == pytest.approx(took[7])
    assert value(result, case, "completion_p95_s/flows.short") == pytest.approx(took[14])


def test_a_transfer_seen_for_ten_milliseconds_says_nothing_of_longer_times() -> None:
    """As of a page: what is known of it is that it takes longer than that, as the others do."""
    short = tcp("short", 4, bytes=100_000, starts_s=[11.0, 12.0, 13.0, 44.99])
    case = Case("", scenario(tcp("bulk"), short))
    result = aqmlab.run(Scenario.of(dict(case.document)))
    *took, cut = result.tables["transfers"]["transfer_time_s"].to_pylist()
    assert math.isnan(cut)
    assert value(result, case, "completion_p95_s/flows.short") == max(took)
    assert result.value("unfinished_transfers/flows.short") == 1.0


def test_a_stretch_has_its_own_delay_and_throughput() -> None:
    case = case_of("8.2.5")
    result = aqmlab.run(Scenario.of(dict(case.document)))
    for name, (begin_s, end_s) in case.phases.items():
        waits_ms = [
            row["bytes"] * 8 / (RATE_MBPS * 1e3)
            for row in result.tables["queue"].to_pylist()
            if row["link"] == DATA and begin_s <= row["time_s"] < end_s
        ]
        assert value(result, case, f"queueing_delay_ms@{name}") == pytest.approx(np.mean(waits_ms))
        sent_bits = sum(
            row["sent_bytes"] * 8
            for row in result.tables["traffic_series"].to_pylist()
            if row["link"] == DATA and begin_s <= row["from_s"] < end_s
        )
        throughput = sent_bits / (end_s - begin_s) / 1e6
        assert value(result, case, f"throughput_mbps@{name}") == pytest.approx(throughput)


def test_the_ratio_is_of_what_both_round_trips_delivered() -> None:
    case = case_of("6", "200 ms")
    result = aqmlab.run(Scenario.of(dict(case.document)))
    delivered = {group["name"]: sum(group["delivered_bytes"]) for group in result.run["flows"]}
    ratio = delivered["category-2"] / delivered["category-1"]
    assert value(result, case, "goodput_ratio/flows.category-2-to-category-1") == pytest.approx(ratio)


def test_a_link_that_varies_sends_at_each_rate_for_its_time() -> None:
    text, mean_mbps = trace((20.0, 2.0), 1_000)
    instants = [int(line) for line in text.splitlines()]
    assert instants[-1] == 2_000
    assert mean_mbps == pytest.approx(11.0, rel=0.01)
    fast, slow = (sum(begin < each <= begin + 1_000 for each in instants) for begin in (0, 1_000))
    assert fast * 1_504 * 8e-6 == pytest.approx(20.0, rel=0.001)
    assert slow * 1_504 * 8e-6 == pytest.approx(2.0, rel=0.01)


# --- the ellipse ---


def test_an_ellipse_reaches_to_where_95_percent_of_a_normal_law_lie() -> None:
    """Points on the axes, so that the half axes are the deviations: of chi-square with 2 degrees, 5.991."""
    found = Ellipse.of([4.0, 6.0, 5.0, 5.0], [9.0, 9.0, 7.0, 11.0])
    assert found is not None
    assert (found.delay_ms, found.goodput_mbps, found.correlation) == (5.0, 9.0, 0.0)
    reach = math.sqrt(5.991465)
    assert found.half_widths == pytest.approx((reach * math.sqrt(0.5), reach * math.sqrt(2.0)))
    (longer, direction), (shorter, _) = found.axes()
    assert (longer, shorter) == pytest.approx((reach * math.sqrt(2.0), reach * math.sqrt(0.5)))
    assert np.abs(direction) == pytest.approx((0.0, 1.0))


def test_an_ellipse_of_scattered_points_is_that_of_their_likelihood() -> None:
    points = [(15.0, 9.5), (16.0, 9.4), (14.0, 9.7), (15.5, 9.6), (17.0, 9.1)]
    found = Ellipse.of(*zip(*points, strict=True))
    assert found is not None
    centre = [sum(each) / 5 for each in zip(*points, strict=True)]
    spread = [
        [sum((point[i] - centre[i]) * (point[j] - centre[j]) for point in points) / 5 for j in (0, 1)]
        for i in (0, 1)
    ]
    assert (found.variance_delay, found.variance_goodput) == pytest.approx((spread[0][0], spread[1][1]))
    assert found.covariance == pytest.approx(spread[0][1])
    (longer, _), (shorter, _) = found.axes()
    determinant = spread[0][0] * spread[1][1] - spread[0][1] ** 2
    assert longer * shorter == pytest.approx(5.991465 * math.sqrt(determinant))
    assert found.correlation < -0.5


def test_there_is_no_ellipse_of_two_runs_or_without_a_number(found: Evaluation) -> None:
    assert Ellipse.of([1.0, 2.0], [1.0, 2.0]) is None
    assert Ellipse.of([1.0, 2.0, math.nan], [1.0, 2.0, 3.0]) is None
    assert found.ellipse(_HEAVY, "", "pie") is None
    flat = Ellipse.of([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    assert flat is not None
    assert math.isnan(flat.correlation)


# --- what a scheme becomes ---


def _plain() -> tuple[Scenario, Queues]:
    own = Scenario.of(scenario(tcp("bulk")))
    return own, Queues.of(own, (DATA,))


def test_schemes_mark_or_stand_behind_a_fair_queue_as_far_as_they_can() -> None:
    own, queues = _plain()
    assert with_ecn("codel:target_ms=20", own, queues) == {"": "codel:target_ms=20:ecn=true"}
    with pytest.raises(NotApplicableError, match="drop-tail has no ecn: it marks nothing"):
        with_ecn("drop-tail", own, queues)
    [behind] = behind_fair_queue("codel:target_ms=20", own, queues).values()
    inner = queues.with_scheme(own, behind).resolved["dumbbell"]["queue"]
    assert (inner["scheme"], inner["limit_packets"]) == ("fq", BUFFER_PACKETS)
    assert (inner["inner"]["scheme"], inner["inner"]["target_ms"]) == ("codel", 20.0)
    with pytest.raises(NotApplicableError, match="the queues of fq cannot have cake"):
        behind_fair_queue("cake", own, queues)


def test_parameters_are_halved_and_doubled_within_their_ranges() -> None:
    own, queues = _plain()

    def neighbours(scheme: str) -> dict[str, str]:
        return with_neighbours(scheme, queues.with_scheme(own, scheme), queues)

    assert neighbours("codel") == {
        "target_ms=2.5": "codel:interval_ms=100.0:target_ms=2.5",
        "target_ms=10": "codel:interval_ms=100.0:target_ms=10.0",
        "interval_ms=50": "codel:target_ms=5.0:interval_ms=50.0",
        "interval_ms=200": "codel:target_ms=5.0:interval_ms=200.0",
    }
    given = neighbours("pie:target_ms=40")
    assert "target_ms=20" in given
    assert "target_ms=80" in given
    assert "target_ms=100" not in given
    assert given["beta_hz=2.5"] == "pie:target_ms=40:beta_hz=2.5"
    for scheme in ("red", "pie", "fq-codel", _MY_RED):
        for varied in neighbours(scheme).values():
            queues.with_scheme(own, varied)
    with pytest.raises(NotApplicableError, match="drop-tail"):
        neighbours("drop-tail")


def test_a_section_can_have_several_cases_and_some_that_a_scheme_has_not() -> None:
    found = evaluate("fq-codel", schemes=("drop-tail",), only=("4.5", "4.6", "8.2.3", "11"), seeds=(1,))
    refused = {(each.section, each.name, each.subject): each.reason for each in found.not_run}
    assert refused == {
        ("4.5", "ECN, on", "drop-tail"): "drop-tail has no ecn: it marks nothing",
        ("4.6", "scheduling, per flow", "fq-codel"): "the queues of fq cannot have fq-codel",
        ("11", "cost of an implementation", ""): next(
            each.not_run for each in SCHEMES.guidelines if each.section == "11"
        ),
    }

    def loss(section: str, name: str, metric: str = "loss_percent") -> float:
        figure = found.figure(section, name, "fq-codel", metric)
        assert figure is not None
        return figure.values[0]

    assert loss("4.5", "off") == loss("4.6", "one queue") == loss("8.2.3", "") > 0.0
    assert loss("4.5", "on") < 0.1 * loss("4.5", "off"), "marks instead of drops"
    assert loss("4.5", "on", "marked_percent") > loss("4.5", "off", "marked_percent") == 0.0
    assert "drop-tail has no ecn" in as_plain_text(not_run_table(found.not_run, "scheme"))


def test_schemes_stand_at_the_links_that_a_case_names() -> None:
    found = evaluate("pie", schemes=(), only=("9.2", "10"), seeds=(1,))
    schemes = {
        trial.title: [
            link["scheme"]
            for link in aqmlab.run(trial.scenario).run["links"]
            if link["name"] in trial.case.links
        ]
        for trial in found.trials
    }
    assert schemes == {
        "both directions": ["pie", "pie"],
        "several queues, both": ["pie", "pie"],
        "several queues, first": ["pie", "drop-tail"],
        "several queues, second": ["drop-tail", "pie"],
    }


# --- what is shown ---


def _figures(scheme: str, section: str, metric: str, values: tuple[float, ...]) -> Figure:
    [guideline] = SCHEMES.chosen([section])
    [case] = guideline.cases
    metrics = tuple(metrics_of(case))
    trial = Trial(guideline, case, "", guideline.name, scheme, Scenario.of(dict(case.document)), metrics)
    [own] = [each for each in metrics if each.name == metric]
    return Figure(trial, own, tuple(map(Observation.exact, values)))


def test_standings_go_by_pairs_of_runs() -> None:
    """Delays that scatter by 10 ms from seed to seed, in pairs always 2 ms apart."""
    seeds = tuple(range(1, 7))
    delays = (10.0, 20.0, 30.0, 20.0, 10.0, 20.0)
    lower = tuple(each - 2.0 + 0.01 * place for place, each in enumerate(delays))
    flat = (9.0, 9.1, 9.0, 9.1, 9.0, 9.1)
    figures = (
        _figures("mine", _HEAVY, DELAY, lower), _figures("mine", _HEAVY, GOODPUT, flat),
        _figures("other", _HEAVY, DELAY, delays), _figures("other", _HEAVY, GOODPUT, flat[::-1]),
    )  # fmt: skip
    assert standings_of(Evaluation(SCHEMES, "mine", ("other",), seeds[:5], figures, ())) == []
    found = Evaluation(SCHEMES, "mine", ("other",), seeds, figures, ())
    assert standings_in_words("mine", standings_of(found)) == [
        "mine against other (1 scenario): delay lower in 1; goodput not clearly different."
    ]


def test_the_summary_has_delay_goodput_and_headlines_of_every_scheme(found: Evaluation) -> None:
    rows = summary_of(found)
    assert [(row.section, row.number) for row in rows] == [
        (_ONE, "delay ms"), (_ONE, "Mbit/s"),
        (_MILD, "delay ms"), (_MILD, "Mbit/s"), (_MILD, "loss %"),
        (_HEAVY, "delay ms"), (_HEAVY, "Mbit/s"), (_HEAVY, "loss %"),
    ]  # fmt: skip
    text = as_plain_text(summary_table(found))
    assert three_digits(mean(found, _HEAVY, "pie", DELAY)) in text
    assert [three_digits(each) for each in (0.0, 0.5, 8.049, 51.23, 332.4, 1234.5)] == [
        "0.00", "0.50", "8.05", "51.2", "332", "1234",
    ]  # fmt: skip


def test_programs_read_every_metric_with_its_interval() -> None:
    found = evaluate("pie", schemes=(), only=(_ONE,), seeds=range(1, 7))
    rows = list(csv.DictReader(io.StringIO(to_csv(figures_table(found)))))
    assert len(rows) == len(metrics_of(case_of(_ONE)))
    for row, figure in zip(rows, found.figures, strict=True):
        assert (row["section"], row["scheme"], row["metric"]) == (_ONE, "pie", figure.metric.name)
        assert (row["seeds"], row["seeds_with_value"]) == ("6", "6")
        assert (float(row["at_least"]), float(row["at_most"])) == (figure.mean.lower, figure.mean.upper)
        if not figure.mean.is_exact:
            assert (row["value"], row["low"], row["high"]) == ("", "", "")
            continue
        interval = figure.interval
        assert isinstance(interval, Interval)
        assert float(row["value"]) == pytest.approx(interval.mean)
        assert (float(row["low"]), float(row["high"])) == (interval.lower, interval.upper)
    assert any(figure.mean.is_exact for figure in found.figures)
    # Student's t of 5 degrees of freedom: 2.571.
    delays = np.array(found.figures[0].values)
    half = 2.570582 * delays.std(ddof=1) / math.sqrt(6)
    assert float(rows[0]["high"]) - float(rows[0]["value"]) == pytest.approx(half)


@pytest.fixture(scope="module", name="three")
def three_seeds() -> Evaluation:
    return evaluate("pie", schemes=("drop-tail",), only=("4.5", _ONE, "11"), seeds=(1, 2, 3))


def test_the_report_has_the_summary_every_metric_and_what_was_not_run(three: Evaluation) -> None:
    page = page_of(three)
    assert [section.title for section in page.sections] == [
        "Summary", "Delay and goodput", "Every metric", "What was not run",
    ]  # fmt: skip
    html = render(page)
    for figure in three.figures:
        assert not figure.mean.is_known or f"<td>{escape(figure.mean.written(three_digits))}</td>" in html
        assert figure.metric.name in html
    assert "measures the time per packet" in html
    assert "drop-tail has no ecn: it marks nothing" in html
    assert html == render(page_of(three)), "equal pages are equal texts"


def test_the_ellipses_are_drawn_about_the_means_of_the_runs(three: Evaluation) -> None:
    drawn = draw_one(three, three.trials[-1])
    delay, goodput = (three.figure(_ONE, "", "pie", metric) for metric in (DELAY, GOODPUT))
    assert delay is not None
    assert goodput is not None
    centre = f"pie {np.mean(delay.values):.3g} ms and {np.mean(goodput.values):.3g} Mbit/s"
    assert drawn.words.startswith("5.1.1 TCP-friendly: ")
    assert centre in drawn.words
    ellipse = three.ellipse(_ONE, "", "pie")
    assert ellipse is not None
    delays, goodputs = contour(ellipse)
    assert max(delays) - ellipse.delay_ms == pytest.approx(ellipse.half_widths[0], rel=0.01)
    assert max(goodputs) - ellipse.goodput_mbps == pytest.approx(ellipse.half_widths[1], rel=0.01)


def test_an_evaluation_is_printed_in_words_and_tables(three: Evaluation) -> None:
    delay = three.figure(_ONE, "", "pie", DELAY)
    assert delay is not None
    assert delay.interval.mean is not None
    first, *_ = str(three).splitlines()
    assert first.startswith(f"TCP-friendly: packets wait {delay.interval.mean:.1f} ms with PIE and ")
    assert "means over 3 seeds: too few for intervals" in " ".join(str(three).split())
    assert "measures the time per packet" in " ".join(str(three).split())
    assert three.to_arrow().num_rows == len(three.figures)
    assert "<table" in three._repr_html_()


def test_an_evaluation_of_what_is_not_run_alone_says_so() -> None:
    page = page_of(evaluate("pie", only=("11",), seeds=(1,)))
    assert [section.title for section in page.sections] == ["What was not run"]
    assert page.first == []
    assert page.answer == []


# --- bad input ---


def test_unknown_sections_and_refused_schemes_are_told_before_anything_is_run(tmp_path: Path) -> None:
    with pytest.raises(RefusalError, match=r"section 8\.2\.9: .*; legal: 4\.4, 4\.5") as refused:
        evaluate("pie", only=["8.2.9"])
    assert (refused.value.place, refused.value.value) == ("only", "8.2.9")
    with pytest.raises(RefusalError, match="seeds: one or more"):
        evaluate("pie", seeds=[])
    with pytest.raises(ScenarioError, match='did you mean "codel"'):
        evaluate("pie", schemes=["coddel"])
    asked: dict[tuple[str, ...], str] = {
        ("pie", "--only", "8.2.9"): "aqmlab: section 8.2.9",
        ("pi3",): 'did you mean "pi"?',
        ("pie:target_ms=0",): "target_ms",
        ("my.py:Mine",): "there is no file ./my.py",
        ("pie", "--output", "metrics.txt"): "metrics.txt: a table ends in .parquet or .csv",
        ("pie", "--report", "pie.pdf"): "pie.pdf: a report ends in .html",
        ("pie", "--schemes", "codel:target=1"): 'did you mean "target_ms"?',
        (): "Missing argument 'SCHEME|CONTROLLER'",
    }
    for words, said in asked.items():
        done = aqmlab_run("evaluate", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert said in done.stderr, words
    assert list(tmp_path.iterdir()) == []


def test_sections_are_chosen_with_all_below_them() -> None:
    assert [each.section for each in SCHEMES.chosen(["8.2", "5.3"])] == [
        "5.3.1", "5.3.2", "8.2.2", "8.2.3", "8.2.4", "8.2.5", "8.2.6",
    ]  # fmt: skip
    assert [each.section for each in SCHEMES.chosen(["10"])] == ["10"]
    with pytest.raises(RefusalError):
        SCHEMES.chosen(["1"])


def test_the_command_prints_the_summary_and_writes_every_metric(tmp_path: Path) -> None:
    words = ("evaluate", "pie", "--only", _ONE, "--schemes", "drop-tail", "--seeds", "1")
    done = aqmlab_run(*words, "--output", "metrics.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "PIE by RFC 7928" in done.stdout
    assert "means over 1 seed: too few for intervals" in " ".join(done.stdout.split())
    rows = list(csv.DictReader((tmp_path / "metrics.csv").read_text().splitlines()))
    assert {row["scheme"] for row in rows} == {"pie", "drop-tail"}
    assert all(row["low"] == "" for row in rows)
    quiet = aqmlab_run(*words, "--report", "pie.html", "--quiet", cwd=tmp_path)
    assert quiet.stdout.split() == ["written:", "pie.html"]
    assert "<h1>pie by RFC 7928</h1>" in (tmp_path / "pie.html").read_text()


def test_a_source_that_nobody_hears_has_the_bad_end_of_each_scale_and_the_rest_is_kept() -> None:
    silent: dict[str, Any] = {"start_s": 44.99, "start_spread_s": 0.0}
    case = Case("", scenario(tcp("bulk"), udp("late", 0.001, **silent), network={"dumbbell": dumbbell()}))
    result = aqmlab.run(Scenario.of(dict(case.document)))
    assert math.isinf(value(result, case, "delay_p50_ms/datagrams.late"))
    assert value(result, case, DELAY) > 0.0
    # What it sent was under way for the last 10 ms of the run. For programs that is no mean.
    [guideline] = SCHEMES.chosen(["5.1.1"])
    metrics = tuple(metrics_of(case))
    trial = Trial(guideline, case, "", guideline.name, "own", Scenario.of(dict(case.document)), metrics)
    figures = tuple(Figure(trial, metric, (metric.observe(result),)) for metric in metrics)
    found = Evaluation(SCHEMES, "own", (), (1,), figures, ())
    cells = {row[1].lines[0].text: row[-1] for row in metrics_table(found, guideline).rows}
    assert cells["delay_p50_ms/datagrams.late, ms"].lines[0].text == ">10.0"
    assert cells[f"{DELAY}, ms"].lines[0].text[0] != ">"
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(to_csv(figures_table(found))))}
    late = rows["delay_p50_ms/datagrams.late"]
    assert (late["value"], late["at_most"]) == ("", "")
    assert float(late["at_least"]) == pytest.approx(10.0)
    assert float(rows[DELAY]["at_least"]) == float(rows[DELAY]["at_most"]) == float(rows[DELAY]["value"])
