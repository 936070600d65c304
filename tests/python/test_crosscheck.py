"""Our simulator beside the stored figures of ns-2: the short form of `make crosscheck`, without ns-2.

The criterion is that of the crosscheck: the 90 % interval of the ratio of the means lies within ±10 %
(utilization: ±1 %). Fewer seeds make the intervals wider and the test no easier to pass.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import aqmlab

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.crosscheck import cloud_replay, clouds, codel, measurement, ns3_program, red_pd
from tests.crosscheck.judgement import TOLERANCES, compare, compare_with_enough_seeds
from tests.crosscheck.ratio import ratio_of_means, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

SEEDS = range(1, 7)
SCHEMES = tuple(measurement.schemes())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_our_figures_agree_with_those_of_ns2(scheme: str) -> None:
    comparisons = compare(measurement.ours(scheme, SEEDS), measurement.stored(scheme))
    differing = [(each.figure, each.ratio) for each in comparisons if not each.agrees]
    assert not differing


def test_another_spacing_of_red_is_found_to_differ() -> None:
    # ns-2 with `wait_` false: queue 34.3 instead of 39.7 packets, utilization 0.955 instead of 0.976.
    rows = measurement.ours("red", range(1, 4), changes={"queue.spacing": "classic"})
    differing = {each.figure for each in compare(rows, measurement.stored("red")) if not each.agrees}
    assert {"queue_packets_mean", "utilization"} <= differing


def test_every_judged_figure_has_a_stored_one_in_twelve_seeds() -> None:
    for scheme in SCHEMES:
        rows = measurement.stored(scheme)
        assert [row["seed"] for row in rows] == list(range(1, 13))
        assert all(set(TOLERANCES) <= set(row) for row in rows)


def test_the_interval_of_a_ratio_is_welchs_of_the_logarithms() -> None:
    # Means 4 and 2, standard errors 2/√3 and 1/√3: the variances of the logarithms are 1/12 each, so the
    # degrees of freedom are (1/6)² / (2·(1/12)²/2) = 4, and t(0.95; 4) = 2.13185 by the tables.
    ratio = ratio_of_means([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    factor = math.exp(2.13185 * math.sqrt(1.0 / 6.0))
    assert ratio.estimate == pytest.approx(2.0)
    assert ratio.lower == pytest.approx(2.0 / factor, rel=1e-5)
    assert ratio.upper == pytest.approx(2.0 * factor, rel=1e-5)


def test_an_interval_that_reaches_over_the_bound_does_not_agree() -> None:
    narrow, wide = ratio_of_means([1.04, 1.05], [1.0, 1.0]), ratio_of_means([0.9, 1.1], [1.0, 1.0])
    assert narrow.lies_within(0.10)
    assert not narrow.lies_within(0.05)
    assert not wide.lies_within(0.10)


class Source:
    """Rows whose figures are 1 ± `spread` in turn, and the seeds that were asked for."""

    def __init__(self, spread: float) -> None:
        self.spread = spread
        self.seeds: list[int] = []

    def __call__(self, seeds: range) -> list[dict[str, float]]:
        self.seeds.extend(seeds)
        return [dict.fromkeys(TOLERANCES, 1.0 + self.spread * (-1) ** seed) for seed in seeds]


def test_seeds_are_added_only_while_an_interval_is_too_wide() -> None:
    for spread, seeds in ((0.0001, 4), (0.5, 16)):
        ours, theirs = Source(spread), Source(0.0)
        compare_with_enough_seeds(ours, theirs, seeds=4, most=16)
        assert ours.seeds == theirs.seeds == list(range(1, seeds + 1))


@pytest.fixture(scope="module", name="ns2_parameters")
def parameters_of_ns2() -> dict[str, float]:
    path = measurement.FOLDER / "ns2" / "parameters.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = {row["parameter"]: row["value"] for row in csv.DictReader(stream)}
    words = {"true": 1.0, "false": 0.0}
    return {
        name: words[value] if value in words else float(value)
        for name, value in rows.items()
        if value and not name.endswith(("recorded_flows", "scheduler"))
    }


# Our key -> ns-2's, with what one unit of ns-2's is in ours.
RED = {
    "min_th_packets": ("thresh_", 1.0),
    "max_th_packets": ("maxthresh_", 1.0),
    "w_q": ("q_weight_", 1.0),
    "mean_packet_bytes": ("mean_pktsize_", 1.0),
    "ecn": ("setbit_", 1.0),
}
QUEUES = {
    "red": {**RED, "gentle": ("gentle_", 1.0)},
    "ared": {
        **RED,
        "alpha": ("alpha_", 1.0),
        "beta": ("beta_", 1.0),
        "top": ("top_", 1.0),
        "bottom": ("bottom_", 1.0),
        "interval_ms": ("interval_", 1e3),
    },
    "pi": {"q_ref_packets": ("qref_", 1.0), "sampling_hz": ("w_", 1.0), "ecn": ("setbit_", 1.0)},
    "rem": {
        "q_ref_packets": ("pbo_", 1.0),
        "gamma": ("gamma_", 1.0),
        "phi": ("phi_", 1.0),
        "update_interval_ms": ("pupdtime_", 1e3),
        "rate_filter_weight": ("inw_", 1.0),
        "ecn": ("markpkts_", 1.0),
    },
}


@pytest.mark.parametrize("scheme", QUEUES)
def test_queue_parameters_are_those_that_ns2_reported(
    scheme: str, ns2_parameters: Mapping[str, float]
) -> None:
    queue = measurement.schemes()[scheme]
    for ours, (theirs, unit) in QUEUES[scheme].items():
        assert queue[ours] == pytest.approx(unit * ns2_parameters[f"queue_{scheme}:{theirs}"]), ours


def test_rules_of_the_queues_are_those_that_ns2_reported(ns2_parameters: Mapping[str, float]) -> None:
    queues = measurement.schemes()
    assert set(queues) == {"droptail", "red", "ared", "pi", "rem"}
    assert all(queue["limit_packets"] == ns2_parameters["queue:limit_"] for queue in queues.values())
    for scheme in ("red", "ared"):
        assert 1.0 / queues[scheme]["max_p"] == pytest.approx(ns2_parameters[f"queue_{scheme}:linterm_"])
        assert (queues[scheme]["spacing"] == "ns2_wait") == bool(ns2_parameters[f"queue_{scheme}:wait_"])
    gains = queues["pi"]["gains"]["fixed"]
    for name in ("a", "b"):
        assert gains[name] == pytest.approx(ns2_parameters[f"queue_pi:{name}_"])


def test_network_and_hosts_are_those_that_ns2_reported(ns2_parameters: Mapping[str, float]) -> None:
    resolved = measurement.scenario("droptail").resolved
    (flows,) = resolved["flows"]
    host, rtt_ms = flows["host"], flows["base_rtt_ms"]
    rates = {link["rate_mbps"] for link in resolved["topology"]["links"] if link["from"] in ("left", "right")}
    packet = ns2_parameters["tcp:packetSize_"]
    expected = {
        "scenario:flows": flows["count"],
        "scenario:shortest_rtt_s": rtt_ms["first"] / 1e3,
        "scenario:longest_rtt_s": rtt_ms["last"] / 1e3,
        "scenario:bottleneck_bps": min(rates) * 1e6,
        "scenario:access_bps": max(rates) * 1e6,
        "scenario:start_spread_s": flows["start_spread_s"],
        "scenario:warmup_s": resolved["warm_up_s"],
        "scenario:end_s": resolved["duration_s"],
        "tcp:packetSize_": host["maximum_segment_bytes"],
        "tcp:tcpip_base_hdr_size_": host["header_bytes"],
        "tcp:window_": host["window_bytes"] / packet,
        "tcp:singledup_": float(host["limited_transmit"]),
        "tcp:minrto_": host["minimum_rto_ms"] / 1e3,
        "tcp:maxrto_": host["maximum_rto_ms"] / 1e3,
        "tcp:rtxcur_init_": host["initial_rto_ms"] / 1e3,
    }
    assert {name: ns2_parameters[name] for name in expected} == pytest.approx(expected)


def test_a_side_without_anything_has_no_ratio() -> None:
    assert shown([0.0, 0.0], [0.0, 0.0]) == "0 both"
    assert shown([0.0, 1.0], [0.0, 0.0]) == "no ratio to 0"
    assert shown([1.0, 1.0], [1.0, 1.0]) == "1.000 ± 0.000"


def test_clouds_are_compared_at_equal_load() -> None:
    draws = np.random.default_rng(1)

    def run(factor: float, mbps: float) -> list[clouds.Row]:
        asked = [
            {"mbps": mbps + draws.normal(0.0, 0.5), "exchanges_per_s": 130.0 + draws.normal(0.0, 5.0)}
            for _ in clouds.WAYS
        ]
        # By a law of its own: the median doubles for 2 Mbit/s more of the way's own bytes.
        noise = 1.0 + draws.normal(0.0, 0.01)
        return [{**each, "response_p50_s": factor * noise * 2.0 ** (each["mbps"] / 2.0)} for each in asked]

    here = [run(1.0, 7.0) for _ in range(30)]
    found = clouds.compare("response_p50_s", here, [run(1.0, 6.4) for _ in range(6)])
    assert found.raw < 0.9
    assert found.agrees
    other = clouds.compare("response_p50_s", here, [run(1.2, 6.4) for _ in range(6)])
    assert not other.agrees
    assert other.ratio == pytest.approx(1.2, rel=0.03)
    assert not other.holds_one


def test_the_stored_clouds_of_ns2_have_both_ways_of_each_run() -> None:
    runs = clouds.stored("dumbbell")
    assert [len(run) for run in runs] == [2] * 6
    assert all(set(clouds.SHARES) <= set(row) for run in runs for row in run)


def test_every_exchange_on_an_uncongested_dumbbell_takes_what_it_takes_in_ns2() -> None:
    connections = cloud_replay.stored(clouds.UNCONGESTED)
    off = cloud_replay.differences(connections)
    assert len(off) > 800
    assert max(map(abs, off)) < clouds.EXCHANGE_TOLERANCE_S
    # A tenth of a millisecond more each way is seen in the first exchange of every connection: it takes two
    # round trips.
    for each in connections["forward"]:
        each.one_way_ms += 0.1
        del each.exchanges[1:]
    longer = cloud_replay.differences({"forward": connections["forward"]})
    assert sum(each > 0.0003 for each in longer) > 0.9 * len(longer)


def test_no_figure_of_the_stored_parking_lot_differs_where_ns2s_connections_are_replayed() -> None:
    here, there = clouds.stored(clouds.REPLAYED), clouds.stored("parking lot")
    assert len(here) == len(there) >= 4
    for figure in ("loss_percent", *clouds.SHARES):
        assert clouds.verdict(figure, clouds.compare_pairs(figure, here, there)) != "differs"


def test_pairs_of_runs_are_judged_by_their_ratios() -> None:
    def runs(*medians: float) -> list[list[clouds.Row]]:
        return [[{"response_p50_s": median}, {"response_p50_s": 2.0 * median}] for median in medians]

    here = runs(0.4, 0.8, 0.5)
    # Ratios of 1.02, 1.00 and 1.01, though the runs themselves differ by a factor of two.
    found = clouds.compare_pairs("response_p50_s", here, runs(0.408, 0.8, 0.505))
    assert found.ratio == pytest.approx(1.01, rel=1e-3)
    assert clouds.verdict("response_p50_s", found) == "agrees"
    other = clouds.compare_pairs("response_p50_s", here, runs(0.5, 1.0, 0.61))
    assert clouds.verdict("response_p50_s", other) == "differs"
    wide = clouds.compare_pairs("response_p50_s", here, runs(0.3, 1.0, 0.5))
    assert clouds.verdict("response_p50_s", wide) == "spread too wide"


def test_what_ns2_records_of_connections_is_read(tmp_path: Path) -> None:
    # The port serves a second connection; the box at router 0 forgets the first at its FIN, and draws anew
    # for a late SYN.
    files = {
        "connections": "forward 0 0.500000 5 0 4\nforward 1 2.000000 5 0 4\nforward 2 2.500000 5 1 4\n",
        "delays.0": "4   5   0        1.500 ms\n5   4   0        1.500 ms\n4   5   0        9.000 ms\n",
        "delays.1": "4   5   0       20.000 ms\n4   5   1        3.000 ms\n",
        "samples.forward": "0.500000 300 900 5.0\n0.800000 301 100 5.0\n2.000000 302 50 5.0\n",
        "forward": "0.620000 300 900 120.000 5.0 1\n0.850000 301 100 50.000 5.0 1\n",
    }
    for name, text in files.items():
        (tmp_path / f"run.{name}").write_text(text, encoding="ascii")
    made = cloud_replay.recorded(tmp_path / "run", ["forward"])["forward"]
    assert [each.one_way_ms for each in made] == [21.5, 3.0]
    assert [[one.took_s for one in each.exchanges] for each in made] == [[0.12, 0.05], [None]]
    first, second = cloud_replay.vectors(made).split("SEQ ")[1:]
    # The second request is written 180 ms after the first response was there.
    assert first.split("\n")[:-1] == [
        "500000 2 0 0", "r 43000", "> 300", "t 6000", "< 900", "t 180000", "> 301", "t 6000", "< 100",
    ]  # fmt: skip
    assert second.split("\n")[:-1] == ["2000000 1 1 0", "r 6000", "> 302", "t 6000", "< 50"]


def test_red_pd_finds_and_holds_flows_as_its_authors_does() -> None:
    # Three seeds tell the ratios of the narrow figures; all ten stand in 24 seeds on the page.
    ratios = red_pd.compare(red_pd.ours(range(1, 4)), red_pd.stored())
    narrow = (
        "loss_percent",
        "filter_percent",
        "queue_packets_mean",
        "utilization",
        "tcp_mbps",
        "monitored_flows",
    )
    differing = [
        (name, ratios[name]) for name in narrow if not ratios[name].lies_within(red_pd.TOLERANCES[name])
    ]
    assert not differing


def test_another_target_round_trip_of_red_pd_is_found_to_differ() -> None:
    # At 100 ms instead of 40 the rate of a TCP is 0.4 of it, and nearly all twenty flows exceed it.
    rows = red_pd.ours(range(1, 3), {"topology.links.2.queue.rtt_ms": 100.0})
    ratio = red_pd.compare(rows, red_pd.stored())["monitored_flows"]
    assert ratio.lower > 1.5


def test_red_pd_is_set_as_ns2_is() -> None:
    text = (measurement.FOLDER / "ns2" / "red_pd.tcl").read_text(encoding="utf-8")
    tables = {
        name: dict(re.findall(r"^    (\S+)\s+(\S+)$", body, re.MULTILINE))
        for name, body in re.findall(r"^array set (\w+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    }
    theirs, network = tables["queue_red_pd"], tables["scenario"]
    resolved = aqmlab.Scenario.from_file(red_pd.SCENARIO).resolved
    (link,) = (link for link in resolved["topology"]["links"] if link["from"] == "left")
    queue, (flows,) = link["queue"], resolved["flows"]
    number = {key: float(value) for key, value in (theirs | network).items() if value[0].isdigit()}
    assert (queue["min_th_packets"], queue["max_th_packets"]) == (number["thresh_"], number["maxthresh_"])
    assert (queue["w_q"], queue["max_p"]) == (number["q_weight_"], 1.0 / number["linterm_"])
    assert queue["mean_packet_bytes"] == number["mean_pktsize_"]
    assert queue["limit_packets"] == number["buffer_packets"]
    assert queue["rtt_ms"] == 1e3 * number["target_rtt_s"]
    assert queue["unresponsive_penalty"] == number["unresponsive_penalty_"]
    assert (theirs["gentle_"], theirs["wait_"], queue["gentle"], queue["spacing"]) == (
        "true",
        "true",
        True,
        "ns2_wait",
    )
    assert link["rate_mbps"] == 1e-6 * number["bottleneck_bps"]
    assert flows["count"] == number["flows"]
    assert flows["base_rtt_ms"]["first"] == pytest.approx(1e3 * number["shortest_rtt_s"])
    assert flows["base_rtt_ms"]["last"] == pytest.approx(1e3 * number["longest_rtt_s"])
    assert (resolved["warm_up_s"], resolved["duration_s"]) == (number["warmup_s"], number["end_s"])
    streams = re.search(r"stream_mbps +\{([^}]*)\}", text)
    assert streams
    assert [float(rate) for rate in streams[1].split()] == [
        group["rate_mbps"] for group in resolved["datagrams"]
    ]


def test_codel_drops_of_a_stream_what_the_law_says_and_ns3_what_its_roots_say() -> None:
    there = codel.stored()
    assert codel.check_stream(there) == 0
    # One control law for both would leave six drops unexplained.
    assert codel.more_by_newton(5) >= 5


def test_thin_streams_under_fq_codel_wait_as_in_ns3() -> None:
    here, there = codel.ours("fq-codel", range(1, 3)), codel.stored()["fq-codel"]
    for name, tolerance in codel.JUDGED.items():
        assert ratio_of_means([row[name] for row in here], [row[name] for row in there]).lies_within(
            tolerance
        ), name


def test_without_ns3_it_is_said_why(tmp_path: Path) -> None:
    with pytest.raises(ns3_program.NotInstalledError, match=r"has no include/ns3/codel-queue-disc\.h"):
        ns3_program.find_ns3(str(tmp_path))
