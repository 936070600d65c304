"""Traffic models of one's own: a class of Python gives the pages, and everybody else treats it as a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import aqmlab
from aqmlab import Job, RunError, Scenario, ScenarioError
from small import aqmlab_run

EXAMPLES = Path(__file__).parents[2] / "examples"

SCENARIO = """
name = "own pages"
duration_s = 20.0
warm_up_s = 0.0

[dumbbell]
rate_mbps = 1000.0
queue = { scheme = "drop-tail", limit_packets = 1000 }

[users]
left = 5
right = 0
start = "fresh"
minimum_delay_ms = { low = 50, high = 50 }
model = { model = "own.py:Own", tls = "none" }

[record]
responses = "rows"
"""

CONSTANT = "return Page([Object(10_000), Object(12_000, request_bytes=400)], think_s=0.5)"

DRAWN = """sizes = draws.named("sizes")
return Page(
    [Object(1 + draws.below(40_000)), *[Object(1 + sizes.below(20_000), host=h) for h in range(1 + number % 3)]],
    think_s=0.2 + draws.exponential(0.3) + draws.of_user().uniform(),
)"""


def written(folder: Path, page: str, body: str = "", head: str = "") -> None:
    """A traffic model whose method `page` is this, in `own.py`."""
    method = f"def page(self, number, draws):\n{indented(page)}" if page else ""
    inside = indented(f"{body}\n{method}")
    text = f'from aqmlab.models import *\n{head}\nclass Own(TrafficModel):\n    """Own pages."""\n{inside}'
    (folder / "own.py").write_text(text)


def indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())


def own(folder: Path, page: str = CONSTANT, body: str = "", *, keys: str = "", text: str = SCENARIO) -> Scenario:
    written(folder, page, body)
    return Scenario.from_toml(text.replace('tls = "none"', f'tls = "none"{keys}'), folder=folder)


def pages(result: aqmlab.Result) -> list[dict[str, Any]]:
    """The pages in the order of their users."""
    rows: list[dict[str, Any]] = result.tables["pages"].to_pylist()
    return sorted(rows, key=lambda row: (row["user"], row["page"]))


def test_constant_pages_come_at_the_rate_that_is_worked_out_by_hand(tmp_path: Path) -> None:
    # A page is three round trips of 50 ms (SYN, root, object), as both responses fit into an initial window
    # of ten segments, and then a thought of 0.5 s. What 1 Gbit/s adds is below 1 ms.
    result = aqmlab.run(own(tmp_path), seed=1)
    cycle = 0.5 + 3 * 0.05
    begun = {round(row["start_s"] / cycle, 1) for row in pages(result)}
    assert len(begun) > 20
    print(result.tables["pages"].schema, pages(result)[:3])
