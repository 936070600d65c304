"""What compared configurations may differ in: a decision for every key of the schema, and what follows."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab.comparison import Comparison, keep_compared, require_one_comparison
from aqmlab.comparison.comparability import Decides, decided_by, differences
from aqmlab.comparison.pairing import paired
from aqmlab.errors import ComparisonError, ResultError
from people import three
from synthetic_results import SyntheticResult, exchange_times, synthetic_result

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SEEDS = range(1, 9)


def test_a_new_key_is_refused_until_it_is_decided() -> None:
    assert decided_by("users.mood") is Decides.UNKNOWN
    assert decided_by("topology.links.12.colour") is Decides.UNKNOWN
    moody = runs({"start": "steady", "mood": "good"})
    with pytest.raises(ComparisonError, match=r"users\.mood"):
        Comparison.of({"a": runs({"start": "steady", "mood": "bad"}), "b": moody}, same_users=False)


@pytest.mark.parametrize(
    ("key", "decides"),
    [
        ("users.delay_box.rate_mbps.high", Decides.USERS),
        ("populations.3.model.response_bytes_cdf_file", Decides.USERS),
        ("flows.0.base_rtt_ms", Decides.USERS),
        ("flows.0.base_rtt_ms.first", Decides.USERS),
        ("flows.0.host.ecn", Decides.HOSTS),
        ("datagrams.17.rate_mbps", Decides.USERS),
        ("topology.links.4.queue.limit_packets", Decides.QUEUE),
        ("dumbbell.queue.inner.target_ms", Decides.QUEUE),
        ("dumbbell.queue.parameter_of_a_scheme_in_a_file", Decides.QUEUE),
        ("dumbbell.drop.2", Decides.NETWORK),
        ("star.links.4.rate_mbps", Decides.NETWORK),
        ("dumbbell.uncongested_queue.scheme", Decides.NOTHING),
        ("record.throughput_layer", Decides.MEASURE),
    ],
)
def test_places_of_lists_and_tables_below_are_decided(key: str, decides: Decides) -> None:
    assert decided_by(key) is decides


# ------------------------------------------------------------------------------------------------ differences


def test_of_two_schemes_the_names_are_told_and_of_one_its_parameters() -> None:
    before = {"dumbbell": {"queue": {"scheme": "red", "limit_packets": 10}}}
    other = {"dumbbell": {"queue": {"scheme": "pi", "q_ref_packets": 5, "limit_packets": 10}}}
    gains = {"scheme": "pi", "gains": {"fixed": {"a": 1e-5, "b": 2e-5}}}
    nested = {"dumbbell": {"queue": gains}}
    longer = {"dumbbell": {"queue": {"scheme": "red", "limit_packets": 80}}}
    assert [*map(str, differences(before, other))] == ["dumbbell.queue.scheme pi instead of red"]
    assert [*map(str, differences(before, nested))] == ["dumbbell.queue.scheme pi instead of red"]
    inner = {"dumbbell": {"queue": {"scheme": "fq", "inner": {"scheme": "pi", "q_ref_packets": 5}}}}
    other_inner = {"dumbbell": {"queue": {"scheme": "fq", "inner": {"scheme": "codel", "target_ms": 5.0}}}}
    assert [*map(str, differences(inner, other_inner))] == ["dumbbell.queue.inner.scheme codel instead of pi"]
    assert [*map(str, differences(before, inner))] == ["dumbbell.queue.scheme fq instead of red"]
    assert [*map(str, differences(before, longer))] == ["dumbbell.queue.limit_packets 80 instead of 10"]
    assert differences(before, {**before, "name": "again", "record": {"arrivals": True}}) == []


def test_files_are_judged_by_what_is_in_them() -> None:
    def reads(name: str, text: str) -> dict[str, Any]:
        return {"users": {"model": {"pages_file": name}}, "files": {name: text}}

    assert differences(reads("a.cdf", "1 1"), reads("b.cdf", "1 1")) == []
    (found,) = differences(reads("a.cdf", "1 1"), reads("a.cdf", "2 1"))
    assert (found.decides, str(found)) == (
        Decides.USERS,
        "users.model.pages_file another a.cdf instead of a.cdf",
    )


def test_a_scheme_in_a_file_is_its_text_and_its_name() -> None:
    def stands(scheme: str, text: str) -> dict[str, Any]:
        return {"star": {"queue": {"scheme": scheme}}, "files": {"own.py": text}}

    (other_text,) = differences(stands("own.py:A", "x = 1"), stands("own.py:A", "x = 2"))
    (other_class,) = differences(stands("own.py:A", "x = 1"), stands("own.py:B", "x = 1"))
    assert str(other_text) == "star.queue.scheme another own.py:A instead of own.py:A"
    assert str(other_class) == "star.queue.scheme own.py:B instead of own.py:A"
    assert other_text.decides is Decides.QUEUE


# ------------------------------------------------------------------------------------------- what is refused


def runs(
    users: Mapping[str, Any] | None = None, *, version: str = "synthetic", **scenario: object
) -> list[SyntheticResult]:
    """Eight replications whose scenario says this."""
    made = [synthetic_result(seed=s, times_s=exchange_times(s), users_settings=users) for s in SEEDS]
    for each in made:
        each.run["scenario"] |= scenario
        each.run["aqmlab_version"] = version
    return made


def test_other_sizes_under_the_name_of_the_same_file_are_other_users() -> None:
    users = {"start": "steady", "model": {"response_bytes_cdf_file": "sizes.cdf"}}
    small, large = (runs(users, files={"sizes.cdf": text}) for text in ("100 0.5\n", "1000 0.5\n"))
    message = "who browses.*response_bytes_cdf_file another sizes.cdf"
    with pytest.raises(ComparisonError, match=message):
        Comparison.of({"small": small, "large": large})


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"users": {"start": "steady", "delay_box": {"rate_mbps": 5}}}, r"users\.delay_box\.rate_mbps"),
        ({"users": {"start": "steady", "model": {"model": "mah"}}}, r"users\.model\.model"),
        ({"flows": [{"count": 2, "profile": "bsd45"}]}, r"flows\.0\.count 2 instead of absent"),
        ({"datagrams": [{"rate_mbps": 5.0}]}, r"datagrams\.0\.rate_mbps 5 instead of absent"),
        ({"record": {"throughput_layer": "ip"}}, r"record\.throughput_layer ip instead of absent"),
        ({"record": {"queue_interval_ms": 100.0}}, r"record\.queue_interval_ms"),
        ({"warm_up_s": 3.0}, "warm_up_s 3 instead of absent"),
    ],
)
def test_other_users_other_traffic_and_other_measures_are_refused(
    other: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(ComparisonError, match=message):
        Comparison.of({"first": runs(), "second": runs(**other)})


def test_frame_and_ip_throughput_are_not_subtracted_whatever_the_users() -> None:
    frame, ip = (runs(record={"throughput_layer": layer}) for layer in ("frame", "ip"))
    with pytest.raises(ComparisonError, match=r"record\.throughput_layer frame instead of ip"):
        Comparison.of({"ip": ip, "frame": frame}, same_users=False)


DUMBBELL = """
name = "one"
duration_s = 20
record = { queue_summary_interval_ms = 500 }
[dumbbell]
rate_mbps = 2
queue = { scheme = "red", limit_packets = 40 }
[users]
left = 0
right = 50
[[flows]]
count = 2
senders = "servers-left"
receivers = "browsers-right"
[[datagrams]]
count = 1
senders = "servers-left"
receivers = "browsers-right"
packet_bytes = 200
rate_mbps = 0.08
"""
NODES = """
name = "one"
duration_s = 20
[topology]
nodes = [
    { name = "near", kind = "host" },
    { name = "left", kind = "router" },
    { name = "right", kind = "router" },
    { name = "far", kind = "host" },
]
links = [
    { from = "near", to = "left", rate_mbps = 100 },
    { from = "left", to = "right", rate_mbps = 2, queue = { scheme = "red", limit_packets = 40 } },
    { from = "right", to = "far", rate_mbps = 100 },
]
[[flows]]
count = 2
senders = "near"
receivers = "far"
"""
REFUSED_BUT_FOR_OTHER_USERS, REFUSED, COMPARED, NOTED, NO_DIFFERENCE = range(5)


@pytest.mark.parametrize(
    ("base", "key", "other", "outcome"),
    [
        (DUMBBELL, "users.right", 60, REFUSED_BUT_FOR_OTHER_USERS),
        (DUMBBELL, "users.model.think_time_median_seconds", 5.0, REFUSED_BUT_FOR_OTHER_USERS),
        (DUMBBELL, "users.minimum_delay_ms.high", 200, REFUSED_BUT_FOR_OTHER_USERS),
        (DUMBBELL, "flows.0.start_s", 5.0, REFUSED_BUT_FOR_OTHER_USERS),
        (DUMBBELL, "flows.0.stop_s", 15.0, REFUSED_BUT_FOR_OTHER_USERS),
        (DUMBBELL, "flows.0.base_rtt_ms", 80.0, REFUSED_BUT_FOR_OTHER_USERS),
        (DUMBBELL, "datagrams.0.start_spread_s", 3.0, REFUSED_BUT_FOR_OTHER_USERS),
        (NODES, "topology.nodes.0.count", 2, REFUSED_BUT_FOR_OTHER_USERS),
        (DUMBBELL, "duration_s", 30.0, REFUSED),
        (DUMBBELL, "cool_down_s", 2.0, REFUSED),
        (DUMBBELL, "record.throughput_layer", "ip", REFUSED),
        (DUMBBELL, "record.queue_summary_sample_ms", 5.0, REFUSED),
        (NODES, "topology.links.1.monitored", False, REFUSED),
        (DUMBBELL, "dumbbell.queue.limit_packets", 50, COMPARED),
        (NODES, "topology.links.1.queue.limit_packets", 50, COMPARED),
        (DUMBBELL, "dumbbell.loss_probability", 0.01, NOTED),
        (DUMBBELL, "dumbbell.browser_machines_per_side", 15, NOTED),
        (DUMBBELL, "rate_tolerance_ppm", 10.0, NOTED),
        (NODES, "topology.links.1.delay_ms", 10.0, NOTED),
        (DUMBBELL, "users.profile", "linux6-cubic", NOTED),
        (DUMBBELL, "flows.0.dscp", 46, NOTED),
        (DUMBBELL, "datagrams.0.ecn", "ect0", NOTED),
        (DUMBBELL, "dumbbell.uncongested_rate_mbps", 500.0, NO_DIFFERENCE),
        (DUMBBELL, "record.traffic_interval_ms", 100.0, NO_DIFFERENCE),
        (DUMBBELL, "description", "again", NO_DIFFERENCE),
    ],
)
def test_two_scenarios_that_differ_in_one_key(base: str, key: str, other: object, outcome: int) -> None:
    before = aqmlab.Scenario.from_toml(base).resolved
    after = aqmlab.Scenario.from_toml(base, overrides={key: other}).resolved

    def compared(*, same_users: bool) -> Comparison:
        return Comparison.of({"a": runs(**before), "b": runs(**after)}, same_users=same_users)

    if outcome in {REFUSED, REFUSED_BUT_FOR_OTHER_USERS}:
        with pytest.raises(ComparisonError, match=re.escape(f"{key} ")):
            compared(same_users=True)
    if outcome == REFUSED:
        with pytest.raises(ComparisonError, match=re.escape(f"{key} ")):
            compared(same_users=False)
        return
    found = compared(same_users=outcome != REFUSED_BUT_FOR_OTHER_USERS)
    differing = [each.key for each in found.differing["b"]]
    assert differing == ([] if outcome == NO_DIFFERENCE else [key])
    assert bool(found.cautions()) is (outcome in {NOTED, REFUSED_BUT_FOR_OTHER_USERS})


def test_results_of_two_versions_are_not_compared() -> None:
    with pytest.raises(ComparisonError, match=r"aqmlab_version differs: 0\.\d and 0\.\d"):
        Comparison.of({"a": runs(version="0.1"), "b": runs(version="0.2")})
    mixed = [*runs(version="0.1")[:4], *runs(version="0.2")[4:]]
    with pytest.raises(ComparisonError, match="aqmlab_version differs"):
        Comparison.of({"a": mixed, "b": mixed})


def test_a_run_that_another_version_would_make_alike_is_compared() -> None:
    # A store keeps runs whose own sources have not changed, though the version has.
    text = 'name = "a"\nduration_s = 5\n[dumbbell]\nrate_mbps = 2\n'
    text += 'queue = { scheme = "red", limit_packets = 9 }\n[users]\nper_side = 50\n'
    result = aqmlab.run(text, seed=1)
    older = dataclasses.replace(result, run={**result.run, "aqmlab_version": "0.0.1+older"})
    assert paired([result], [older])
    changed = dataclasses.replace(older, run={**older.run, "content_address": "0" * 40})
    with pytest.raises(ComparisonError, match="aqmlab_version differs"):
        paired([result], [changed])


def test_live_runs_and_simulations_are_not_compared() -> None:
    live = runs()
    for each in live:
        each.run["live"] = {"verdict": "valid", "reasons": []}
    with pytest.raises(ComparisonError, match="live runs and simulations"):
        Comparison.of({"a": runs(), "live": live})


def test_replications_of_two_configurations_are_no_configuration() -> None:
    slow, fast = (runs(dumbbell={"rate_mbps": rate}) for rate in (2.0, 4.0))
    mixed = [*slow[:4], *fast[4:]]
    with pytest.raises(ComparisonError, match=r"a: seed 5 has dumbbell\.rate_mbps 4 instead of 2"):
        Comparison.of({"a": mixed, "b": mixed})


# ---------------------------------------------------------------------------------------------- what is told


def test_another_network_is_told_and_the_queue_is_named() -> None:
    a = runs(dumbbell={"rate_mbps": 4.0, "queue": {"scheme": "pi"}})
    b = runs(dumbbell={"rate_mbps": 2.0, "queue": {"scheme": "red"}})
    together = Comparison.of({"slow": b, "fast": a})
    told = "Not only the queue differs between fast and slow: dumbbell.rate_mbps 4 instead of 2."
    assert together.cautions() == [told]
    assert str(together).startswith(told)
    assert together.to_dict()["configurations"]["fast"]["differing"] == {
        "dumbbell.rate_mbps": {"baseline": "2", "own": "4"},
        "dumbbell.queue.scheme": {"baseline": "red", "own": "pi"},
    }


def test_hosts_are_told() -> None:
    ecn = runs({"start": "steady", "host": {"ecn": "on"}})
    (told,) = Comparison.of({"without": runs(), "with": ecn}).cautions()
    assert told == "Not only the queue differs between with and without: users.host.ecn on instead of absent."


def test_a_queue_alone_needs_no_caution() -> None:
    queues = {name: runs(dumbbell={"queue": {"scheme": name}}) for name in ("pi", "red")}
    assert Comparison.of(queues).cautions() == []
    assert Comparison.of(three()).cautions() == []


# --------------------------------------------------------------------------------- the folder of a comparison


def test_the_folder_of_a_comparison_knows_what_it_compares(tmp_path: Path) -> None:
    slow = {name: runs(dumbbell={"rate_mbps": 2.0, "queue": {"scheme": name}}) for name in ("pi", "red")}
    fast = {"pie": runs(dumbbell={"rate_mbps": 4.0, "queue": {"scheme": "pie"}})}
    keep_compared(tmp_path, Comparison.of(slow))
    require_one_comparison([tmp_path], Comparison.of(slow))
    with pytest.raises(ResultError, match=r"pie and pi are not of one scenario: dumbbell\.rate_mbps 4"):
        require_one_comparison([tmp_path], Comparison.of(slow | fast))
    # A comparison that was asked for two rates knows that.
    keep_compared(tmp_path, Comparison.of(slow | fast))
    require_one_comparison([tmp_path], Comparison.of(slow | fast))
    # Several folders are put together on purpose.
    keep_compared(tmp_path, Comparison.of(slow))
    require_one_comparison([tmp_path, tmp_path / "other"], Comparison.of(slow | fast))


def test_real_results_of_one_scenario_differ_in_nothing() -> None:
    text = 'name = "a"\nduration_s = 1\n[dumbbell]\nrate_mbps = 2\n'
    text += 'queue = { scheme = "red", limit_packets = 9 }\n[users]\nper_side = 2\n'
    resolved = aqmlab.Scenario.from_toml(text).resolved
    assert differences(resolved, aqmlab.Scenario.from_toml(text.replace('"a"', '"b"')).resolved) == []
