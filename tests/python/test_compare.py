from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

import aqmlab
from aqmlab.comparison import Comparison, CurveDifference, compare, configurations
from aqmlab.errors import ComparisonError, UnknownLinkError
from aqmlab.inference import Band, Interval, NotEnoughReplications, Verdict
from aqmlab.statistics.catalogue import LOADED_MEDIAN, of_link
from aqmlab.statistics.quantities import loss_percent, quantile_s, restricted_mean_s, throughput_mbps
from synthetic_results import SyntheticResult, exchange_times, names, synthetic_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.statistics import Recorded

SEEDS = range(1, 9)


def runs(*, timeouts: float = 0.0, median_s: float = 0.2, seeds: range = SEEDS) -> list[SyntheticResult]:
    return [
        synthetic_result(seed=seed, times_s=exchange_times(seed, timeouts=timeouts, median_s=median_s))
        for seed in seeds
    ]


def pair(own: Sequence[Recorded], baseline: Sequence[Recorded]) -> Comparison:
    return compare({"baseline": baseline, "own": own})


def curve(own: Sequence[Recorded], baseline: Sequence[Recorded]) -> CurveDifference:
    return pair(own, baseline).curve("own")


def test_a_configuration_equals_itself() -> None:
    comparison = pair(runs(), runs())
    assert comparison.curve("own").judgement.verdict is Verdict.EQUIVALENT
    assert comparison.curve("own").sign_flip_p_value == 1.0
    assert comparison.change("own", restricted_mean_s()).difference.mean == 0.0


def test_fewer_timeouts_are_better_and_the_mirror_image_worse() -> None:
    good, bad = runs(timeouts=0.02), runs(timeouts=0.15)
    assert curve(good, bad).judgement.verdict is Verdict.BETTER
    assert curve(bad, good).judgement.verdict is Verdict.WORSE
    assert curve(good, bad).sign_flip_p_value == pytest.approx(2 / 2**8)
    # 13 % of exchanges are one second faster, as far as they end within two seconds.
    change = pair(good, bad).change("own", restricted_mean_s())
    assert isinstance(change.difference, Interval)
    assert change.difference.mean == pytest.approx(-0.13, abs=0.01)
    assert change.direction == -1


def test_quick_short_responses_bought_with_timeouts_are_a_trade_off() -> None:
    difference = curve(runs(median_s=0.12, timeouts=0.12), runs(median_s=0.2))
    assert difference.judgement.verdict is Verdict.TRADE_OFF
    assert difference.judgement.crossing_s is not None
    assert difference.within(0.0, 0.2).verdict is Verdict.BETTER
    assert difference.within(0.8, 1.0).verdict is Verdict.WORSE


def test_replications_are_paired_by_seed_in_any_order() -> None:
    a, b = runs(timeouts=0.02), runs(timeouts=0.1)
    np.testing.assert_array_equal(curve(a, b).difference, curve(a[::-1], b).difference)


def test_any_configuration_can_be_the_baseline() -> None:
    results = {"a": runs(timeouts=0.02), "b": runs(timeouts=0.1), "c": runs()}
    chosen, turned = compare(results, baseline="b"), compare(results).against("b")
    assert chosen.names == turned.names == ("b", "a", "c")
    for found in (chosen, turned):
        np.testing.assert_array_equal(found.curve("a").difference, -compare(results).curve("b").difference)
    with pytest.raises(ComparisonError, match='no configuration is called "d"; there are: a, b, c'):
        compare(results, baseline="d")
    with pytest.raises(ComparisonError, match='no configuration is called "d"'):
        compare(results).against("d")


def test_three_replications_show_means_and_no_band() -> None:
    difference = curve(runs(seeds=range(1, 4)), runs(timeouts=0.2, seeds=range(1, 4)))
    assert isinstance(difference.band, NotEnoughReplications)
    assert difference.judgement.verdict is Verdict.CANNOT_BE_JUDGED
    assert "not enough replications (3" in difference.judgement.reason
    assert difference.within(0.0, 1.0).verdict is Verdict.CANNOT_BE_JUDGED
    assert difference.difference.max() > 0.1


def test_a_quantile_that_failures_have_swallowed_is_a_bound() -> None:
    failing = [synthetic_result(seed=seed, times_s=exchange_times(seed), failed=500) for seed in SEEDS]
    comparison = pair(failing, runs())
    slow = comparison.change("own", quantile_s(0.99))
    assert (slow.after.beyond, slow.before.beyond, slow.pairs) == (8, 0, 8)
    assert slow.is_one_sided
    assert comparison.change("own", quantile_s(0.5)).after.beyond == 0


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            runs(seeds=range(2, 10)),
            "only own has seed 9, only baseline has seed 1; legal: .*such as 1-9",
        ),
        (
            [*runs(), *runs(seeds=range(11, 13))],
            r"unpaired: only own has seeds 11-12; legal: .*such as 1-8,11-12",
        ),
        ([*runs(), runs()[0]], "own has seed 1 more than once; legal: each seed once"),
        ([], "no result in own"),
        ([synthetic_result(seed=s, window_s=(30.0, 90.0)) for s in SEEDS], r"seed 1: measured over"),
        (
            [synthetic_result(seed=s, users=(100, 90)) for s in SEEDS],
            "seed 1: 100 users left, 90 users right in own but 100 users left, 100 users right in baseline",
        ),
        (
            [synthetic_result(seed=s, users_settings={"start": "fresh"}) for s in SEEDS],
            r"users\.start fresh instead of steady",
        ),
    ],
)
def test_what_cannot_be_paired_is_refused_with_the_reason(other: list[SyntheticResult], message: str) -> None:
    with pytest.raises(ComparisonError, match=message):
        pair(other, runs())


def test_two_kinds_of_response_time_are_not_compared() -> None:
    closed = runs()
    for result in closed:
        result.run["scenario"]["record"] = {"response_end": "connection_closed"}
    with pytest.raises(ComparisonError, match=r"record\.response_end connection_closed instead of absent"):
        pair(closed, runs())


def test_windows_must_agree_over_replications_too() -> None:
    mixed = [synthetic_result(seed=s, window_s=(30.0, 90.0 + s)) for s in SEEDS]
    with pytest.raises(ComparisonError, match="different windows"):
        pair(mixed, mixed)


def test_hosts_may_differ_because_they_negotiate_ecn() -> None:
    settings = {"start": "steady", "host": {"ecn": "kame"}}
    ecn = [synthetic_result(seed=s, times_s=exchange_times(s), users_settings=settings) for s in SEEDS]
    assert curve(ecn, runs()).judgement.verdict is Verdict.EQUIVALENT


def test_loads_may_be_compared_although_their_users_differ() -> None:
    more = [
        synthetic_result(seed=s, times_s=exchange_times(s, timeouts=0.3), users=(120, 120)) for s in SEEDS
    ]
    results = {"more": more, "fewer": runs()}
    assert compare(results, same_users=False).curve("fewer").judgement.verdict is Verdict.BETTER


def test_other_links_that_carry_data_are_no_comparison() -> None:
    def towards(left: int, right: int) -> list[SyntheticResult]:
        return [synthetic_result(seed=s, times_s=exchange_times(s), users=(left, right)) for s in SEEDS]

    sides = {"a": towards(0, 100), "b": towards(100, 0)}
    with pytest.raises(ComparisonError, match="other links carry data in other results"):
        compare(sides, same_users=False)
    assert compare(sides, same_users=False, links=["left-to-right"]).links == ("left-to-right",)


def test_pages_of_a_population_are_its_own() -> None:
    def with_pages(scale: float) -> list[SyntheticResult]:
        pages = pa.table(
            {
                "population": names([0, 1], ("left", "right")),
                "counted": names([0, 0], ("followed",)),
                "lower_s": np.array([1.0 * scale, 10.0]),
                "upper_s": np.array([1.0 * scale + 1e-9, 10.0 + 1e-9]),
                "count": pa.array([5, 95], type=pa.uint64()),
            }
        )
        return [
            synthetic_result(seed=s, times_s=exchange_times(s), tables={"page_histogram": pages})
            for s in SEEDS
        ]

    slow, quick = with_pages(2.0), with_pages(1.0)
    sides = {"quick": quick, "slow": slow}
    of_all, of_left = (
        compare(sides, population=whose).change("slow", LOADED_MEDIAN) for whose in (None, "left")
    )
    assert (of_all.after.mean, of_all.before.mean) == pytest.approx((10.0, 10.0))
    assert (of_left.after.mean, of_left.before.mean) == pytest.approx((2.0, 1.0))


def test_a_comparison_prints_and_turns_into_plain_data() -> None:
    comparison = compare({"drop-tail": runs(timeouts=0.15), "PI": runs(timeouts=0.02)})
    assert repr(comparison) == "Comparison(drop-tail, PI; 8 seeds; differences from drop-tail)"
    assert "Means over 8 seeds, ± 95 % confidence intervals." in str(comparison)
    data = json.loads(json.dumps(comparison.to_dict()))
    assert data["baseline"] == "drop-tail"
    assert "difference" in data["configurations"]["PI"]["response_p50_s"]
    assert "difference" not in data["configurations"]["drop-tail"]["response_p50_s"]
    difference = comparison.curve("PI")
    data = json.loads(json.dumps(difference.to_dict()))
    assert data["verdict"] == "better"
    assert len(data["band"]["lower"]) == len(data["time_s"]) == difference.time_s.size
    assert isinstance(difference.band, Band)


def test_a_comparison_is_a_tidy_frame() -> None:
    frame = compare({"a": runs(), "b": runs(timeouts=0.2)}).to_pandas()
    assert list(frame.columns) == [
        "configuration",
        "seed",
        "who",
        "quantity",
        "unit",
        "value",
        "at_least",
        "at_most",
    ]
    own = frame[(frame.configuration == "b") & (frame.quantity == "response_p95_s")]
    assert list(own.seed) == list(SEEDS)
    assert list(own.value) == [quantile_s(0.95)(run) for run in runs(timeouts=0.2)]


def test_a_comparison_draws_itself() -> None:
    axes = pair(runs(timeouts=0.02), runs(timeouts=0.15)).plot()
    assert "percentage points" in axes.get_ylabel()


def test_one_scenario_is_run_under_several_schemes() -> None:
    found = compare(
        TWO_ROUTERS_BROWSED, schemes=["drop-tail", "red"], seeds=[1, 2], links=["far-to-near"], workers=1
    )
    assert (found.names, found.seeds) == (("drop-tail", "red"), (1, 2))
    alone = compare({name: [run.result for run in runs] for name, runs in found.runs.items()})
    assert alone.to_dict() == found.to_dict()
    beside_its_own = configurations(aqmlab.Scenario.of(TWO_ROUTERS_BROWSED), ["red"], ["far-to-near"])
    assert [*beside_its_own] == ["as it is", "red"]
    with pytest.raises(ComparisonError, match="as it is and drop-tail are the same configuration"):
        compare(TWO_ROUTERS_BROWSED, schemes=["drop-tail"])
    with pytest.raises(ComparisonError, match="schemes need one scenario"):
        compare({"a": runs()}, schemes=["red", "pi"])
    with pytest.raises(ComparisonError, match="nothing to compare"):
        compare({})


TWO_ROUTERS = """
name = "two routers"
duration_s = 16.0
warm_up_s = 4.0
[topology]
nodes = [
  { name = "people", kind = "host", count = 4 }, { name = "sites", kind = "host", count = 4 },
  { name = "near", kind = "router" }, { name = "far", kind = "router" },
]
links = [
  { from = "people", to = "near", rate_mbps = 100.0 },
  { from = "sites", to = "far", rate_mbps = 100.0 },
  { from = "far", to = "near", both_ways = false, rate_mbps = 10.0, delay_ms = 10.0 },
  { from = "near", to = "far", both_ways = false, rate_mbps = 10.0, delay_ms = 10.0 },
]
"""


BROWSING = """
[[populations]]
name = "readers"
count = 60
browsers = "people"
servers = "sites"
[[flows]]
name = "downloads"
count = 2
senders = "sites"
receivers = "people"
"""
TWO_ROUTERS_BROWSED = (
    TWO_ROUTERS.replace("both_ways", 'queue = { scheme = "drop-tail", limit_packets = 60 }, both_ways')
    + BROWSING
)


def two_routers(queue: str) -> list[aqmlab.Result]:
    """A downlink with downloads and browsing, and its return link, which carries acknowledgements alone."""
    text = TWO_ROUTERS.replace("both_ways = false,", f"both_ways = false, {queue},") + BROWSING
    scenario = aqmlab.Scenario.from_toml(text)
    return [aqmlab.run(scenario, seed=seed) for seed in range(1, 5)]


def test_a_topology_is_compared_on_the_links_that_carry_data() -> None:
    red = two_routers(
        'queue = { scheme = "red", limit_packets = 60, min_th_packets = 1, max_th_packets = 3, w_q = 1.0 }'
    )
    drop_tail = two_routers('queue = { scheme = "drop-tail", limit_packets = 60 }')
    changes = [
        [own["throughput_mbps"] - other["throughput_mbps"] for own, other in zip(*links, strict=True)]
        for links in zip(
            (result.run["links"] for result in red),
            (result.run["links"] for result in drop_tail),
            strict=True,
        )
    ]
    change = dict(zip(("far-to-near", "near-to-far"), np.mean(changes, axis=0), strict=True))
    # A mean of both would halve what happened to the people.
    assert change["far-to-near"] < -1.0
    assert abs(change["near-to-far"]) < 0.3
    comparison = pair(red, drop_tail)
    assert comparison.links == ("far-to-near",)
    throughput = comparison.change("own", throughput_mbps)
    assert throughput.difference.mean == pytest.approx(change["far-to-near"])
    assert "link far-to-near" in comparison.details()

    chosen = ("near-to-far", "far-to-near")
    both = compare({"baseline": drop_tail, "own": red}, links=chosen)
    mean = (change["far-to-near"] + change["near-to-far"]) / 2.0
    assert both.change("own", throughput_mbps).difference.mean == pytest.approx(mean)
    # Each link has rows of its own; nothing that is printed is a mean over links.
    by_link = {link: both.level("own", of_link(loss_percent, link)).mean for link in chosen}
    own = [result.run["links"] for result in red]
    for place, link in enumerate(("far-to-near", "near-to-far")):
        assert by_link[link] == pytest.approx(np.mean([100.0 * links[place]["loss_ratio"] for links in own]))
    assert "link near-to-far" in both.details()
    assert "link far-to-near" in both.details()

    with pytest.raises(
        UnknownLinkError, match='no monitored link "far-to-naer"; there are: far-to-near, near-to-far'
    ):
        compare({"baseline": drop_tail, "own": red}, links=["far-to-naer"])
