"""What `aqmlab run` prints of one run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab.show.tables.results import result_tables
from aqmlab.statistics.pages import Pages, page_load_times
from naive_quantities import mean_wait_by_packets_s
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


def test_the_row_of_pages_that_began_is_what_the_table_of_pages_says() -> None:
    result = aqmlab.run(SLOW, overrides={"record.responses": "rows"})
    pages, *_ = result_tables(result)
    names = [column.name for column in pages.columns]
    shown = [dict(zip(names, (cell.lines[0].text for cell in row), strict=True)) for row in pages.rows]
    (row,) = [row for row in shown if row["users"] == "right" and "waited" in row["which"]]
    # Counted one by one: the window is from 2 s to 28 s, the run ends at 30 s.
    waited_for = [
        each
        for each in result.pages.to_pylist()
        if each["began_s"] < 28.0 and each["began_s"] + each["page_load_time_s"] > 2.0
    ]
    unfinished = [each for each in waited_for if not each["ended"]]
    assert 0 < len(unfinished) < len(waited_for), "the scenario leaves some pages unfinished, not all"
    assert (int(row["pages"]), int(row["unfinished"])) == (len(waited_for), len(unfinished))
    bounds = {cell for name, cell in row.items() if cell.startswith(">")}
    assert bounds, "slow quantiles are hidden by pages that did not end"
    watched_s = max(each["page_load_time_s"] for each in unfinished)
    # In print it has three digits.
    assert all(0.0 < float(each[1:]) <= watched_s * 1.005 for each in bounds)
    times = page_load_times(result, Pages.FOLLOWED, population="right")
    for share in (50, 75, 90, 95, 99):
        assert row[f"page_p{share}_s"].startswith(">") == math.isinf(times.quantile(share / 100))
    assert "inf" not in str(shown)


def test_populations_without_users_have_no_row() -> None:
    pages, *_ = result_tables(aqmlab.run(SLOW))
    assert {row[0].lines[0].text for row in pages.rows} == {"right"}


def test_a_link_shows_how_long_its_packets_waited() -> None:
    result = aqmlab.run(SLOW, overrides={"record.packets": True})
    *_, links = result_tables(result)
    names = [column.name for column in links.columns]
    for link, row in zip(result.run["links"], links.rows, strict=True):
        shown = dict(zip(names, (cell.lines[0].text for cell in row), strict=True))
        wait_ms = 1e3 * mean_wait_by_packets_s(result, link["name"])
        assert float(shown["queue_mean_ms"]) == pytest.approx(wait_ms, rel=0.02, abs=0.05), link["name"]


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


def test_names_of_groups_stand_in_one_piece_on_80_columns(tmp_path: Path) -> None:
    aqmlab_run("new", "home", "-o", "home.toml", cwd=tmp_path)
    short = [word for key in ("duration_s=30", "warm_up_s=5", "cool_down_s=5") for word in ("--set", key)]
    screen = aqmlab_run("run", "home.toml", *short, cwd=tmp_path).stdout
    _, _, of_datagrams = screen.partition(": datagrams")
    names = [line.split()[0] for line in of_datagrams.splitlines()[4:8]]
    assert names == ["call-up", "call-down", "game-up", "game-down"]
