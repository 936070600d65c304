"""How configurations and groups are named in sentences, and what scheme names people write."""

from __future__ import annotations

import re

import pytest

import aqmlab
from aqmlab import _core
from aqmlab.comparison.verdict import verdict
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.presets.line import Line
from aqmlab.show.words.amounts import line_rate, line_rates
from aqmlab.show.words.configurations import briefly, itself, named, of_row, the, under, whose
from aqmlab.statistics.datagrams import delay_ms_of
from aqmlab.statistics.quantity import Measured


@pytest.mark.parametrize(
    ("scheme", "written"),
    # As their authors and RFCs 7567, 8033, 8289, 8290 and 9332 write them.
    [
        ("pie", "PIE"),
        ("codel", "CoDel"),
        ("fq-codel", "FQ-CoDel"),
        ("cake", "CAKE"),
        ("dualpi2", "DualPI2"),
        ("red-pd", "RED-PD"),
        ("choke", "CHOKe"),
        ("drop-tail", "drop-tail"),
        ("codel:target_ms=20", "codel:target_ms=20"),
        ("my_red.py:MyRed", "my_red.py:MyRed"),
        ("today", "today"),
        ("fq-codel (live)", "FQ-CoDel (live)"),
    ],
)
def test_schemes_are_written_as_people_write_them_and_other_names_as_their_users_did(
    scheme: str, written: str
) -> None:
    assert named(scheme) == written


def test_every_scheme_is_written_with_the_letters_of_its_name() -> None:
    for scheme in _core.scheme_names():
        assert spelt(scheme).lower() == scheme


def test_a_table_of_a_line_names_the_queues_that_it_has_now() -> None:
    line = Line.of_rates(50.0, 10.0)
    assert line.schemes == ["drop-tail"]
    assert of_row("as it is", line.schemes) == "now (drop-tail)"
    assert of_row("as it is (live)", ["drop-tail", "pie"]) == "now (drop-tail, PIE) (live)"
    assert of_row("as it is", ["drop-tail", "pie", "cake"]) == "now"
    assert of_row("cake", line.schemes) == "CAKE"


def test_what_is_as_it_is_stands_under_nothing() -> None:
    assert (under("pie"), itself("pie")) == ("with PIE", "PIE")
    assert (under("as it is"), itself("as it is")) == ("as it is", "the network as it is")


@pytest.mark.parametrize(
    ("group", "written", "own"),
    [
        ("backup", "the backup", "the backup's video"),
        ("photos", "the photos", "the photos' video"),
        ("call-up", "the call on the way up", "the call's video on the way up"),
        ("game-down", "the game on the way down", "the game's video on the way down"),
        ("bulk-2", "bulk-2", "bulk-2's video"),
        ("TV", "TV", "TV's video"),
    ],
)
def test_groups_have_an_article_and_a_direction(group: str, written: str, own: str) -> None:
    assert the(group) == written
    assert briefly(group) == re.sub("-(up|down)$", r", \1", group)
    assert whose(group, "video") == own


def test_rates_of_lines_have_three_digits() -> None:
    assert line_rate(49.2308) == "49.2 Mbit/s"
    assert line_rates(49.2308, 9.8462) == "49.2 Mbit/s down and 9.85 up"
    assert line_rates(1000.0, 0.256) == "1000 Mbit/s down and 0.256 up"


@pytest.fixture(name="found", scope="module")
def a_household_compared() -> aqmlab.Comparison:
    short = {"duration_s": 35.0, "warm_up_s": 5.0, "cool_down_s": 5.0}
    return aqmlab.compare(aqmlab.new("home"), schemes=["drop-tail", "cake"], seeds="1-6", overrides=short)


def test_a_run_observes_a_quantity_as_its_measurement_does(found: aqmlab.Comparison) -> None:
    result = found.runs["cake"][0].result
    for quantity in (delay_ms_of(95)("datagrams.call-up"), delay_ms_of(95)("datagrams.nobody")):
        assert quantity.observed_in(result) == quantity.observed(Measured(result))
    assert quantity.observed_in(result).lower != quantity.observed_in(result).lower, "not a number"


def test_videos_differ_where_their_stalls_or_their_bit_rates_do(found: aqmlab.Comparison) -> None:
    television = next(each for each in verdict(found) if each.name == "television")
    parts = ("video_stalled_percent/populations.television", "video_bitrate_mbps/populations.television")
    moved = any(found.change("cake", part).direction for part in parts)
    assert television.fares["cake"].differs == moved
    assert not television.fares["drop-tail"].differs
