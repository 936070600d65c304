"""What stands below the tables of a comparison, where a number is not of every run, or has no row."""

from __future__ import annotations

import re

import aqmlab
from aqmlab import Comparison
from aqmlab.show.tables.comparison import notes
from aqmlab.show.words.comparison import answer, sentences
from small import BULK

FLOODED = """
name = "flooded"
duration_s = 6.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 1.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[[datagrams]]
name = "flood"
count = 1
direction = "left-to-right"
packet_bytes = 1000
rate_mbps = 2.0
[[datagrams]]
name = "late"
count = 1
direction = "left-to-right"
packet_bytes = 1000
rate_mbps = 0.02
start_s = 4.8
start_spread_s = 0
"""
AFTERWARDS = """
name = "afterwards"
duration_s = 8.0
warm_up_s = 1.0
cool_down_s = 3.0
[dumbbell]
rate_mbps = 1.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[[flows]]
name = "bulk"
count = 1
direction = "left-to-right"
start_s = STARTS
[[datagrams]]
name = "call"
count = 1
direction = "left-to-right"
packet_bytes = 200
rate_mbps = 0.08
"""


def test_a_delay_that_only_some_runs_have_leaves_out_none_of_them() -> None:
    """Two or three datagrams, each lost with a probability of about one half: in some runs none arrives."""
    found = aqmlab.compare(FLOODED, schemes=["drop-tail", "red"], seeds=range(1, 9))
    late = [quantity for quantity in found.quantities if quantity.name == "delay_p50_ms/datagrams.late"]
    levels = [found.level(name, late[0]) for name in found.names]
    assert {level.have for level in levels} == {8}
    assert {level.beyond for level in levels} - {0, 8}, "some runs starve the late source, and others do not"
    assert not [note for note in notes(found) if note.startswith(("late", "flood"))]


def test_flows_that_ran_outside_of_the_window_did_not_run_meanwhile_and_are_told_as_zero() -> None:
    schemes = ["drop-tail", "red"]
    afterwards = aqmlab.compare(AFTERWARDS.replace("STARTS", "6"), schemes=schemes, seeds=(1, 2))
    assert sentences(afterwards)[0].startswith("The call is good with")
    (zero,) = [note for note in notes(afterwards) if note.startswith("Zero in every run")]
    assert "Mbit/s of bulk" in zero
    during = aqmlab.compare(AFTERWARDS.replace("STARTS", "2"), schemes=schemes, seeds=(1, 2))
    assert sentences(during)[0] == "While the bulk runs:"
    assert sentences(during)[1].startswith("The call is ")
    assert not [note for note in notes(during) if "bulk" in note]


def test_nothing_is_said_of_statements_on_pages_where_nobody_reads() -> None:
    flows = AFTERWARDS.replace("STARTS", "0.0")
    told = notes(aqmlab.compare(flows, schemes=["drop-tail", "pie"], seeds=range(1, 7)))
    assert "*: differs from drop-tail." in told
    assert not [note for note in told if "page" in note]


def test_the_link_of_one_run_is_not_told_with_the_name_of_its_scenario() -> None:
    """A scenario may be called `up`."""
    result = aqmlab.run(aqmlab.Scenario.from_toml(BULK), seed=1)
    (alone,) = answer(Comparison.of({"up": [result]}))
    of_a_link = r"busy \d+ % of the time and loses [0-9.]+ % of the packets"
    assert re.fullmatch(rf"The link is {of_a_link}\.", alone), alone
    (both,) = answer(Comparison.of({"drop-tail": [result], "pie": [result]}))
    assert re.fullmatch(rf"The link is {of_a_link} with drop-tail; {of_a_link} with PIE\.", both), both
