"""Notices about lines: rates that a file leaves out, and shapers that do not act."""

from __future__ import annotations

import warnings

import pytest

from aqmlab import Scenario
from aqmlab.comparison.making import configurations
from aqmlab.load.queue_place import PLACES
from aqmlab.presets.line import assumed_rates

HOME = """
name = "home"
duration_s = 5.0

[line]
technology = "vdsl"
WORDS

[[flows]]
count = 1
direction = "up"
profile = "linux6-cubic"
"""
CONDITIONS = '[files]\n"line.csv" = "t_s,down_mbps,up_mbps\\n0,50,10\\n1,20,5\\n"\n'
TRACE = '[files]\n"down.trace" = "1\\n2\\n"\n'


def home(words: str) -> Scenario:
    files = CONDITIONS if "line.csv" in words else TRACE if "down.trace" in words else ""
    return Scenario.from_toml(HOME.replace("WORDS", words) + files)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "",
            (
                "home: 50 Mbit/s down and 10 Mbit/s up are assumed, as usual for vdsl; "
                "set line.down_mbps and line.up_mbps to the rates of your line"
            ),
        ),
        (
            "down_mbps = 50.0",
            "home: 10 Mbit/s up is assumed, as usual for vdsl; set line.up_mbps to the rates of your line",
        ),
        ("down_mbps = 50.0\nup_mbps = 10.0", None),
        ('conditions_file = "line.csv"', None),
        ('rate_down_trace_file = "down.trace"\nup_mbps = 3.0', None),
    ],
)
def test_rates_that_nobody_gave_are_named(words: str, said: str | None) -> None:
    assert assumed_rates(home(words)) == said


def test_what_is_no_line_and_what_was_never_a_text_assume_nothing() -> None:
    assert assumed_rates(Scenario.of(home("").resolved)) is None
    queue = 'queue = { scheme = "pie", limit_packets = 9 }\n'
    dumbbell = f'name = "a"\nduration_s = 1\n[dumbbell]\nrate_mbps = 1\n{queue}'
    flows = '[[flows]]\ncount = 1\ndirection = "left-to-right"\n'
    assert assumed_rates(Scenario.from_toml(dumbbell + flows)) is None


SHAPED = "down_mbps = 50.0\nup_mbps = 10.0\nshaped_share_down = 0.95\nshaped_share_up = 0.9"


def test_shapers_that_do_not_act_where_queues_stand_are_named() -> None:
    said = PLACES["modem"].left_out(home(SHAPED))
    assert said == (
        "home: its router holds the line down to 95% and up to 90% of its rate; with queues at modem it does "
        "not, and only the line as it is keeps that"
    )
    assert PLACES["router"].left_out(home(SHAPED)) is None
    assert PLACES["modem"].left_out(home("")) is None


def test_a_comparison_says_so_once() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        configurations(home(SHAPED), ["pie", "fq-codel"], queue_in="modem")
    assert [str(each.message) for each in caught] == [PLACES["modem"].left_out(home(SHAPED))]
