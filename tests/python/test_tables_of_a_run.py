"""What `aqmlab run` prints of one run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab.statistics.pages import Pages, page_load_times
from aqmlab.tables.results import result_tables
from small import aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path

SLOW = """
name = "slow"
duration_s = 30.0
warm_up_s = 2.0
cool_down_s = 2.0

[dumbbell]
rate_mbps = 12.0
queue = { scheme = "drop-tail", limit_packets = 100 }

[users]
left = 0
right = 20
model = { model = "pages" }
"""


def test_a_quantile_among_pages_that_are_still_open_is_called_open() -> None:
    result = aqmlab.run(SLOW)
    pages, *_ = result_tables(result)
    names = [column.name for column in pages.columns]
    shown = [dict(zip(names, (cell.lines[0].text for cell in row), strict=True)) for row in pages.rows]
    (began,) = [row for row in shown if row["users"] == "right" and "began" in row["which"]]
    times = page_load_times(result, Pages.FOLLOWED, population="right")
    seen = {share: math.isfinite(times.quantile(share / 100)) for share in (50, 75, 90, 95, 99)}
    assert set(seen.values()) == {True, False}, "the scenario leaves some pages open, not all"
    assert {share: began[f"page_p{share}_s"] != "open" for share in seen} == seen
    assert "inf" not in str(shown)


def test_populations_without_users_have_no_row() -> None:
    pages, *_ = result_tables(aqmlab.run(SLOW))
    assert {row[0].lines[0].text for row in pages.rows} == {"right"}


def test_a_link_shows_its_queue_as_the_time_that_it_takes_to_send() -> None:
    result = aqmlab.run(SLOW)
    *_, links = result_tables(result)
    names = [column.name for column in links.columns]
    for link, row in zip(result.run["links"], links.rows, strict=True):
        shown = dict(zip(names, (cell.lines[0].text for cell in row), strict=True))
        # Packets, the mean time of each on the link: bits of a frame over the bits sent per busy second.
        bits_per_busy_s = (
            1e6 * link["throughput_frame_mbps"] / link["busy_share"] if link["busy_share"] else 1.0
        )
        wait_ms = 1e3 * link["queue_packets_mean"] * 8 * link["mean_frame_bytes"] / bits_per_busy_s
        assert float(shown["queue_mean_ms"]) == pytest.approx(wait_ms, rel=0.01, abs=0.05), link["name"]


def test_nothing_waits_at_a_link_that_carries_nothing() -> None:
    one_way = """
name = "one way"
duration_s = 5.0
dumbbell = { rate_mbps = 12.0, queue = { scheme = "drop-tail", limit_packets = 100 } }

[[datagrams]]
name = "udp"
count = 1
rate_mbps = 1.0
packet_bytes = 500
direction = "left-to-right"
"""
    *_, links = result_tables(aqmlab.run(one_way))
    column = [column.name for column in links.columns].index("queue_mean_ms")
    assert [row[column].lines[0].text for row in links.rows][1] == "0.0"


def test_the_first_lines_are_about_people(tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text(SLOW)
    screen = aqmlab_run("run", file, cwd=tmp_path).stdout
    first, second = screen.splitlines()[:2]
    assert first.startswith("Half of the pages load within ")
    assert second == "1 run is too few for confidence intervals."
