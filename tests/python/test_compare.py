import json

import numpy as np
import pyarrow as pa
import pytest

import aqmlab
from aqmlab.comparison import compare
from aqmlab.pairing import ComparisonError
from aqmlab.statistics import Band, Interval, NotEnoughReplications, UnknownLinkError, Verdict
from synthetic_results import SyntheticResult, exchange_times, names, synthetic_result

SEEDS = range(1, 9)


def runs(*, timeouts: float = 0.0, median_s: float = 0.2, seeds: range = SEEDS) -> list[SyntheticResult]:
    return [
        synthetic_result(seed=seed, times_s=exchange_times(seed, timeouts=timeouts, median_s=median_s))
        for seed in seeds
    ]


def test_a_configuration_equals_itself() -> None:
    comparison = compare(runs(), runs())
    assert comparison.judgement.verdict is Verdict.EQUIVALENT
    assert comparison.sign_flip_p_value == 1.0
    assert isinstance(comparison.restricted_mean_s, Interval)
    assert comparison.restricted_mean_s.mean == 0.0


def test_fewer_timeouts_are_better_and_the_mirror_image_worse() -> None:
    good, bad = runs(timeouts=0.02), runs(timeouts=0.15)
    comparison = compare(good, bad, names=("good", "bad"))
    assert comparison.judgement.verdict is Verdict.BETTER
    assert compare(bad, good).judgement.verdict is Verdict.WORSE
    assert comparison.sign_flip_p_value == pytest.approx(2 / 2**8)
    # 13 % of exchanges are one second faster, as far as they end within two seconds.
    assert isinstance(comparison.restricted_mean_s, Interval)
    assert comparison.restricted_mean_s.mean == pytest.approx(-0.13, abs=0.01)


def test_quick_short_responses_bought_with_timeouts_are_a_trade_off() -> None:
    comparison = compare(runs(median_s=0.12, timeouts=0.12), runs(median_s=0.2))
    assert comparison.judgement.verdict is Verdict.TRADE_OFF
    assert comparison.judgement.crossing_s is not None
    assert comparison.within(0.0, 0.2).verdict is Verdict.BETTER
    assert comparison.within(0.8, 1.0).verdict is Verdict.WORSE


def test_replications_are_paired_by_seed_in_any_order() -> None:
    a, b = runs(timeouts=0.02), runs(timeouts=0.1)
    np.testing.assert_array_equal(compare(a, b).difference, compare(a[::-1], b).difference)


def test_three_replications_show_means_and_no_band() -> None:
    comparison = compare(runs(seeds=range(1, 4)), runs(timeouts=0.2, seeds=range(1, 4)))
    assert isinstance(comparison.band, NotEnoughReplications)
    assert comparison.judgement.verdict is Verdict.CANNOT_BE_JUDGED
    assert "not enough replications (3" in comparison.judgement.reason
    assert comparison.within(0.0, 1.0).verdict is Verdict.CANNOT_BE_JUDGED
    assert comparison.difference.max() > 0.1


def test_a_quantile_that_failures_have_swallowed_has_no_interval() -> None:
    failing = [synthetic_result(seed=seed, times_s=exchange_times(seed), failed=500) for seed in SEEDS]
    comparison = compare(failing, runs())
    assert isinstance(comparison.quantiles_s[0.99], NotEnoughReplications)
    assert str(comparison.quantiles_s[0.99]) == "no value in 8 of 8 replications"
    assert isinstance(comparison.quantiles_s[0.5], Interval)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (runs(seeds=range(2, 10)), r"seeds are unpaired: only in a \[1\], only in b \[9\]"),
        ([*runs(), runs()[0]], r"seeds \[1\] are in b more than once"),
        ([], "no result in b"),
        ([synthetic_result(seed=s, window_s=(30.0, 90.0)) for s in SEEDS], r"seed 1: measured over"),
        (
            [synthetic_result(seed=s, users=(100, 90)) for s in SEEDS],
            "seed 1: 100 users left, 100 users right in a",
        ),
        (
            [synthetic_result(seed=s, users_settings={"start": "fresh"}) for s in SEEDS],
            r"users\.start steady instead of fresh",
        ),
    ],
)
def test_what_cannot_be_paired_is_refused_with_the_reason(other: list[SyntheticResult], message: str) -> None:
    with pytest.raises(ComparisonError, match=message):
        compare(runs(), other)


def test_two_kinds_of_response_time_are_not_compared() -> None:
    closed = runs()
    for result in closed:
        result.run["scenario"]["record"] = {"response_end": "connection_closed"}
    with pytest.raises(ComparisonError, match=r"record\.response_end absent instead of connection_closed"):
        compare(runs(), closed)


def test_windows_must_agree_over_replications_too() -> None:
    mixed = [synthetic_result(seed=s, window_s=(30.0, 90.0 + s)) for s in SEEDS]
    with pytest.raises(ComparisonError, match="different windows"):
        compare(mixed, mixed)


def test_hosts_may_differ_because_they_negotiate_ecn() -> None:
    settings = {"start": "steady", "host": {"ecn": "kame"}}
    ecn = [synthetic_result(seed=s, times_s=exchange_times(s), users_settings=settings) for s in SEEDS]
    assert compare(ecn, runs()).judgement.verdict is Verdict.EQUIVALENT


def test_loads_may_be_compared_although_their_users_differ() -> None:
    more = [
        synthetic_result(seed=s, times_s=exchange_times(s, timeouts=0.3), users=(120, 120)) for s in SEEDS
    ]
    assert compare(runs(), more, same_users=False).judgement.verdict is Verdict.BETTER


def test_other_links_that_carry_data_are_no_comparison() -> None:
    def towards(left: int, right: int) -> list[SyntheticResult]:
        return [synthetic_result(seed=s, times_s=exchange_times(s), users=(left, right)) for s in SEEDS]

    sides = towards(0, 100), towards(100, 0)
    with pytest.raises(ComparisonError, match="other links carry data in other results"):
        compare(*sides, same_users=False)
    assert compare(*sides, same_users=False, links=["left-to-right"]).links == ("left-to-right",)


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
    of_all, of_left = (compare(slow, quick, population=whose).pages_s[0.5] for whose in (None, "left"))
    assert (of_all.a, of_all.b) == pytest.approx((10.0, 10.0))
    assert (of_left.a, of_left.b) == pytest.approx((2.0, 1.0))


def test_a_comparison_prints_and_turns_into_plain_data() -> None:
    comparison = compare(runs(timeouts=0.02), runs(timeouts=0.15), names=("PI", "drop-tail"))
    text = str(comparison)
    assert text.startswith("PI against drop-tail: better")
    assert "8 replications of 120 s" in text
    data = json.loads(json.dumps(comparison.to_dict()))
    assert data["verdict"] == "better"
    assert len(data["band"]["lower"]) == len(data["time_s"]) == comparison.time_s.size
    assert isinstance(comparison.band, Band)


def test_a_comparison_draws_itself() -> None:
    axes = compare(runs(timeouts=0.02), runs(timeouts=0.15)).plot()
    assert "percentage points" in axes.get_ylabel()


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


def two_routers(queue: str) -> list[aqmlab.Result]:
    """A downlink with downloads and browsing, and its return link, which carries acknowledgements alone."""
    text = TWO_ROUTERS.replace("both_ways = false,", f"both_ways = false, {queue},")
    text += """
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
    comparison = compare(red, drop_tail)
    assert comparison.links == ("far-to-near",)
    assert comparison.throughput_mbps.mean == pytest.approx(change["far-to-near"])
    assert "throughput of far-to-near" in str(comparison)
    assert "loss of far-to-near" in str(comparison)

    both = compare(red, drop_tail, links=("near-to-far", "far-to-near"))
    assert both.throughput_mbps.mean == pytest.approx((change["far-to-near"] + change["near-to-far"]) / 2.0)
    assert {name: value.mean for name, value in both.throughput_mbps_by_link.items()} == pytest.approx(change)
    assert "throughput, mean of 2 links" in str(both)
    assert "of near-to-far" in str(both)

    with pytest.raises(
        UnknownLinkError, match='no monitored link "far-to-naer"; there are: far-to-near, near-to-far'
    ):
        compare(red, drop_tail, links=["far-to-naer"])
