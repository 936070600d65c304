"""A simulation that is taken step by step."""

from __future__ import annotations

import copy
import json
import math
import pickle
import signal
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab import ScenarioError, Simulation
from small import bulk, contents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINK = "left-to-right"
PEOPLE = ("left", "right")


def test_a_stepped_run_is_the_run_byte_for_byte(tmp_path: Path) -> None:
    whole = aqmlab.run(bulk(), seed=3).save(tmp_path / "whole")
    simulation = Simulation(bulk(), seed=3)
    for time_s in (0.0, 0.1, 0.1, 1.234567891, 3.0):
        simulation.advance_until(time_s)
        assert simulation.time_s == time_s
        assert simulation.observe().time_s == time_s
    stepped = simulation.finish().save(tmp_path / "stepped")
    assert contents(stepped) == contents(whole)
    assert simulation.finish().folder is None, "it can be asked for again"


def test_observations_add_up_to_what_the_run_counts() -> None:
    scenario = bulk().with_overrides({"warm_up_s": 0.0})
    result = aqmlab.run(scenario, seed=2)
    simulation = Simulation(scenario, seed=2)
    arrived = dropped = 0
    while simulation.time_s < simulation.duration_s:
        simulation.advance_until(simulation.time_s + 0.1)
        observation = simulation.observe()
        link = observation.links[LINK]
        arrived += link.arrived_packets
        dropped += link.dropped_packets
        assert sum(link.dropped_packets_for.values()) == link.dropped_packets
        assert 0.0 <= link.utilization <= 1.0
        assert math.isclose(observation.time_s - observation.since_s, 0.1, rel_tol=1e-6)
    counters = result.run["links"][0]["counters"]
    assert arrived == counters["arrived"]["packets"]
    assert dropped == sum(each["packets"] for each in counters["discarded"].values())


MIXED = """
name = "everybody"
duration_s = 40.0
warm_up_s = 0.0

[dumbbell]
rate_mbps = 6.0
queue = { scheme = "drop-tail", limit_packets = 30 }

[users]
left = 2
right = 6
model = { model = "pages" }
profile = "linux6-cubic"

[[flows]]
name = "bulk"
count = 2
direction = "left-to-right"

[[flows]]
name = "file"
count = 3
bytes = 100_000
direction = "right-to-left"

[[datagrams]]
name = "voice"
count = 2
direction = "left-to-right"
packet_bytes = 200
rate_mbps = 0.08

[[datagrams]]
name = "ping"
count = 1
direction = "right-to-left"
packet_bytes = 100
rate_mbps = 0.05
echo = true
"""


def test_what_groups_did_adds_up_to_what_the_run_counts() -> None:
    simulation = Simulation(MIXED, seed=4)
    counted: dict[str, Counter[str]] = {}
    waited_s = dict.fromkeys(PEOPLE, 0.0)
    while simulation.time_s < simulation.duration_s:
        simulation.advance_until(simulation.time_s + 0.7)
        for name, group in simulation.observe().groups.items():
            assert group.name == name
            own = counted.setdefault(name, Counter())
            own["completed"] += group.completed
            own["failed"] += group.failed
            own["delivered_bytes"] += group.delivered_bytes
            own["under_way"] = group.under_way
            assert (group.mean_response_time_s is None) == (group.completed == 0 or name not in PEOPLE)
            if group.mean_response_time_s is not None:
                waited_s[name] += group.mean_response_time_s * group.completed
    result = simulation.finish()
    assert list(counted) == ["left", "right", "bulk", "file", "voice", "ping", "ping-echo"]
    for people in result.run["populations"]:
        own = counted[people["name"]]
        assert own["completed"] == people["completed"] > 0
        assert own["under_way"] == people["unfinished"]
        rows = result.tables["responses"].to_pandas()
        rows = rows[rows["population"] == people["name"]]
        assert own["delivered_bytes"] == rows["response_bytes"].sum()
        assert math.isclose(waited_s[people["name"]], rows["response_time_s"].sum(), rel_tol=1e-6)
    for flows in result.run["flows"]:
        assert counted[flows["name"]]["delivered_bytes"] == sum(flows["delivered_bytes"])
    assert (counted["file"]["completed"], counted["file"]["under_way"]) == (3, 0)
    assert (counted["bulk"]["completed"], counted["bulk"]["under_way"]) == (0, 2)
    datagrams = result.tables["datagrams"].to_pandas().groupby("group", observed=True).sum(numeric_only=True)
    for name in ("voice", "ping", "ping-echo"):
        row, own = datagrams.loc[name], counted[name]
        assert own["completed"] == row["received_packets"] > 0
        assert own["delivered_bytes"] == row["received_bytes"]
        assert own["failed"] == row["lost_packets"]
        assert own["completed"] + own["failed"] + own["under_way"] == row["sent_packets"]
    assert counted["voice"]["failed"] > 0, "a full queue loses some"


def test_an_agent_that_shortens_the_buffer_shortens_the_queue() -> None:
    def mean_queue(limit: int | None) -> float:
        simulation = Simulation(bulk(), seed=1, overrides={"dumbbell.rate_mbps": 2.0, "flows.0.count": 8})
        simulation.advance_until(0.5)
        if limit is not None:
            simulation.act(LINK, limit_packets=limit)
        return float(simulation.finish().run["links"][0]["queue_packets_mean"])

    assert mean_queue(5) < 5 < mean_queue(None)


def test_a_run_with_actions_says_so_and_has_an_address_of_its_own(tmp_path: Path) -> None:
    simulation = Simulation(bulk(), seed=1)
    simulation.advance_until(1.0)
    simulation.act(LINK, rate_mbps=2.0, limit_packets=30)
    assert simulation.observe().links[LINK].rate_mbps == 2.0
    result = simulation.finish()
    assert result.actions == [{"time_s": 1.0, "link": LINK, "rate_mbps": 2.0, "limit_packets": 30}]
    assert result.warnings[-1] == "1 action during the run changed left-to-right: see actions"
    assert result.content_address != bulk().content_address(1)
    loaded = aqmlab.Result.load(result.save(tmp_path / "acted"))
    assert loaded.actions == result.actions
    assert aqmlab.run(bulk(), seed=1).actions == []


@pytest.mark.parametrize(
    ("link", "action", "said"),
    [
        ("middle", {"rate_mbps": 1.0}, r'no monitored link is called "middle"; there are: left-to-right'),
        (LINK, {"rate_mbps": 0.0}, r"rate_mbps is 0: it must be from 0\.001 to 1000000 Mbit/s"),
        (LINK, {"max_p": 0.1}, r"`max_p` of drop-tail cannot be changed .*; legal: limit_packets"),
        (LINK, {"limit_packets": 0}, r"`limit_packets` is 0: it must be at least 1"),
        (LINK, {"limit_packets": 1.5}, r"drop-tail: invalid type: floating point"),
        (LINK, {"limit_packets": object()}, r"limit_packets: .*not JSON serializable"),
        (LINK, {"limit_packets": math.nan}, r"limit_packets: "),
        (LINK, {"limit_bytes": 9000, "limit_packets": "many"}, r"drop-tail: invalid type: string"),
    ],
)
def test_what_cannot_be_changed_is_refused(link: str, action: dict[str, object], said: str) -> None:
    simulation = Simulation(bulk(), seed=1)
    with pytest.raises(ScenarioError, match=said) as refused:
        simulation.act(link, **action)  # type: ignore[arg-type]
    assert refused.value.place == [*action, "monitored link"][-1 if link != LINK else len(action) - 1]


def test_a_refusal_says_what_was_given_what_is_legal_and_what_is_like_it() -> None:
    simulation = Simulation(bulk(), seed=1)
    for action, place, value, legal, nearest in (
        ({"limit_packet": 9}, "limit_packet", "limit_packet", "limit_packets", "limit_packets"),
        ({"limit_packets": 0}, "limit_packets", 0, "at least 1", None),
        ({"rate_mbps": 2e6}, "rate_mbps", 2e6, "from 0.001 to 1000000 Mbit/s", None),
    ):
        with pytest.raises(ScenarioError) as refused:
            simulation.act(LINK, **action)
        found = refused.value
        assert (found.place, found.value, found.nearest) == (place, value, nearest)
        assert found.legal.startswith(legal)
    assert simulation.finish().actions == []


def test_time_does_not_go_back_and_stops_at_the_end() -> None:
    simulation = Simulation(bulk(), seed=1)
    simulation.advance_until(2.0)
    with pytest.raises(ValueError, match=r"time_s: a number of seconds, at least 2 \(now\), not 1\.0"):
        simulation.advance_until(1.0)
    with pytest.raises(ValueError, match="time_s"):
        simulation.advance_until(math.nan)
    simulation.advance_until(math.inf)
    assert simulation.time_s == simulation.duration_s
    simulation.finish()
    with pytest.raises(aqmlab.RunError, match="the simulation is over"):
        simulation.observe()


def test_ctrl_c_interrupts_a_step_which_can_be_taken_up_again() -> None:
    long = bulk().with_overrides({"duration_s": 3000.0})
    simulation = Simulation(long, seed=1)
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        simulation.advance_until(3000.0)
    assert 0.0 < simulation.time_s < 3000.0
    simulation.advance_until(simulation.time_s + 0.1)


def test_a_failing_scheme_ends_the_simulation(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "from aqmlab.schemes import Scheme\n\n\nclass Broken(Scheme):\n"
        "    def on_arrival(self, now_ns, packet, queue, coins):\n        raise KeyError(now_ns)\n"
    )
    text = bulk().with_overrides({}).as_toml()
    (tmp_path / "broken.toml").write_text(text)
    queue = {"scheme": "broken.py:Broken", "limit_packets": 9}
    simulation = Simulation(tmp_path / "broken.toml", overrides={"dumbbell.queue": queue})
    with pytest.raises(aqmlab.RunError, match=r"broken\.py, line 6, in on_arrival: KeyError"):
        simulation.advance_until(5.0)
    with pytest.raises(aqmlab.RunError, match="the simulation is over"):
        simulation.observe()


@pytest.mark.parametrize("copied", [Simulation.copy, copy.copy, copy.deepcopy])
def test_a_copy_goes_on_as_the_original_and_neither_does_anything_to_the_other(
    copied: Callable[[Simulation], Simulation], tmp_path: Path
) -> None:
    whole = contents(aqmlab.run(bulk(), seed=3).save(tmp_path / "whole"))
    original = Simulation(bulk(), seed=3)
    original.advance_until(1.5)
    kept, changed = copied(original), copied(original)
    assert kept.observe().links[LINK].departed_packets == original.observe().links[LINK].departed_packets
    changed.act(LINK, rate_mbps=1.0)
    changed.advance_until(2.0)
    original.advance_until(2.5)
    assert (original.time_s, kept.time_s, changed.time_s) == (2.5, 1.5, 2.0)
    other = changed.finish()
    assert [each["rate_mbps"] for each in other.run["actions"]] == [1.0]
    assert other.run["links"] != original.finish().run["links"]
    for name, one in (("original", original), ("kept", kept)):
        assert contents(one.finish().save(tmp_path / name)) == whole
    with pytest.raises(aqmlab.RunError, match="the simulation is over"):
        kept.copy()


OWN = """
import threading
from aqmlab.schemes import Scheme, Verdict


class Counting(Scheme):
    def start(self, port):
        self.seen = []
        LOCK

    def on_arrival(self, now_ns, packet, queue, coins):
        self.seen.append(now_ns)
        return Verdict.DROP_EARLY if len(self.seen) % 50 == 0 else Verdict.PASS
"""


def with_own(folder: Path, lock: str) -> Simulation:
    (folder / "own.py").write_text(OWN.replace("LOCK", lock))
    (folder / "own.toml").write_text(bulk().as_toml())
    queue = {"scheme": "own.py:Counting", "limit_packets": 50}
    return Simulation(folder / "own.toml", overrides={"dumbbell.queue": queue})


def test_a_scheme_in_python_is_copied_with_all_that_it_knows(tmp_path: Path) -> None:
    original = with_own(tmp_path, "pass")
    original.advance_until(1.0)
    kept = original.copy()
    original.advance_until(2.0)
    links = [one.finish().run["links"] for one in (original, kept)]
    assert links[0] == links[1]
    assert links[0][0]["counters"]["discarded"]["early"]["packets"] > 0


def test_a_scheme_that_cannot_be_copied_is_refused_and_goes_on(tmp_path: Path) -> None:
    simulation = with_own(tmp_path, "self.lock = threading.Lock()")
    simulation.advance_until(1.0)
    with pytest.raises(aqmlab.RunError, match=r"own\.py.*cannot pickle '_thread\.lock'"):
        simulation.copy()
    simulation.advance_until(1.1)
    assert simulation.finish().run["links"]


def test_a_scenario_is_parsed_once_and_copied_with_its_text() -> None:
    scenario = bulk()
    assert scenario.core is scenario.core
    assert scenario.core.to_json() == scenario.resolved_json
    for again in (pickle.loads(pickle.dumps(scenario)), copy.deepcopy(scenario)):  # noqa: S301 (our own)
        assert again == scenario
        assert json.loads(again.core.to_json()) == scenario.resolved
