"""What `aqmlab run` prints of one run."""

from __future__ import annotations

import math

import aqmlab
from aqmlab.statistics.pages import Pages, page_load_times
from aqmlab.tables.results import result_tables

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
