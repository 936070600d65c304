"""Results as older versions wrote them, made of one that this version wrote.

The engines of those versions are not built again. What differs is taken from their sources:
`crates/record/src/summary.rs` and `docs/results.md` of the commits named below. Numbers are those of
the engine that wrote them last; what is tested is whether the layout is read.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aqmlab
from aqmlab import Scenario
from aqmlab.result import Result, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

FIRST_OF_LAYOUT_3 = "aeca5bb7"
LAST_OF_LAYOUT_2 = "aeca5bb7^"
_LATER_TABLES = {"pages", "page_histogram"}
_LATER_COLUMNS = {"queue": {"mean_packets"}, "responses": {"page"}}
_LATER_OF_LINKS = {"capacity_mbps", "wait_mean_s"}


def as_first_of_layout_3(result: Result) -> Result:
    """As the first version wrote it whose layout was 3: no capacity of links, no pages, no exact means."""
    run = copy.deepcopy(result.run)
    for link in run["links"]:
        for key in _LATER_OF_LINKS:
            link.pop(key, None)
    tables = {
        name: table.drop_columns(sorted(_LATER_COLUMNS.get(name, set()) & set(table.column_names)))
        for name, table in result.tables.items()
        if name not in _LATER_TABLES
    }
    return _written(run, tables, FIRST_OF_LAYOUT_3)


def as_last_of_layout_2(result: Result) -> Result:
    """As the version before it: without packets at risk, so that ratios are of packets that arrived."""
    found = as_first_of_layout_3(result)
    run: dict[str, Any] = found.run
    run["format"] = 2
    for link in run["links"]:
        counters = link["counters"]
        arrived = counters["arrived"]["packets"]
        discarded = sum(each["packets"] for each in counters["discarded"].values())
        link["loss_ratio"] = discarded / arrived if arrived else 0.0
        link["mark_ratio"] = counters["marked"]["packets"] / arrived if arrived else 0.0
        del counters["at_risk"]
        for kinds in (counters["by_class"], counters["by_codepoint"]):
            for counts in kinds.values():
                del counts["at_risk_packets"]
    return _written(run, dict(found.tables), LAST_OF_LAYOUT_2)


def _written(run: dict[str, Any], tables: Mapping[str, pa.Table], commit: str) -> Result:
    address = f"{int(commit[:8], 16):040x}"
    named = {"aqmlab_version": f"0.1.0+{commit[:8]}", "content_address": address}
    return Result({**run, **named}, Tables(tables))


SCENARIO = """
name = "kept"
duration_s = 8.0
warm_up_s = 3.0

[dumbbell]
rate_mbps = 2.0
queue = { scheme = "codel", limit_packets = 100 }

[users]
per_side = 20

[[flows]]
count = 1
direction = "left-to-right"
base_rtt_ms = 40.0

[record]
responses = "rows"
"""
LAYOUTS: dict[str, Callable[[Result], Result]] = {
    "layout-2": as_last_of_layout_2,
    "layout-3-first": as_first_of_layout_3,
    "layout-3": lambda result: result,  # with a Parquet file for each table
    "layout-3-arrow": lambda result: result,  # with one file of all tables
}
FOLDER = Path(__file__).with_name("older_results")


def main() -> None:
    """Writes those results that are not there yet; what is there is never written anew."""
    scenario = Scenario.from_toml(SCENARIO)
    for name, written in LAYOUTS.items():
        for seed in (1, 2):
            if not (place := FOLDER / name / f"seed-{seed}").exists():
                written(aqmlab.run(scenario, seed=seed)).save(place)


if __name__ == "__main__":
    main()
