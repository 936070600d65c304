"""Transfers of a number of bytes: when they start, and how long they take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import aqmlab
from aqmlab.errors import TableError, TooLittleDataError
from aqmlab.show.tables.comparison import brief_table, notes
from aqmlab.show.words.comparison import sentences
from aqmlab.statistics.catalogue import flow_groups, greedy_groups
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.quantities import Measured, quantity
from small import aqmlab_run
from synthetic_results import SyntheticResult

if TYPE_CHECKING:
    from pathlib import Path

FAST = """
name = "transfers"
duration_s = 40.0

[dumbbell]
rate_mbps = 1000.0
interface_rate_mbps = 1000.0
queue = { scheme = "drop-tail", limit_packets = 1000 }

[[flows]]
name = "short"
profile = "rfc5681"
direction = "left-to-right"
base_rtt_ms = 80.0
"""


def transfers(keys: str, seed: int = 1) -> dict[str, np.ndarray]:
    table = aqmlab.run(aqmlab.Scenario.from_toml(FAST + keys), seed=seed).transfers
    return {
        name: table[name].to_numpy()
        for name in ("flow", "bytes", "started_s", "completed_s", "transfer_time_s")
    }


def test_a_segment_takes_a_round_trip_and_a_half() -> None:
    # SYN, SYN/ACK, then the segment: half a round trip each; transmissions at 1 Gbit/s take 30 us in all.
    told = transfers("count = 1\nbytes = 1000\nstarts_s = [3.0]\n")
    assert told["started_s"].tolist() == [3.0]
    assert told["transfer_time_s"][0] == pytest.approx(0.120, abs=1e-4)
    assert told["completed_s"][0] - told["started_s"][0] == pytest.approx(
        told["transfer_time_s"][0], abs=1e-9
    )


def test_twenty_segments_take_the_rounds_of_slow_start() -> None:
    # With ten segments at first and every second acknowledged: 10, then all the other ten a round trip later.
    keys = "count = 1\nbytes = 29200\nstarts_s = [1.0]\nhost = { initial_window_segments = 10 }\n"
    assert transfers(keys)["transfer_time_s"][0] == pytest.approx(0.200, abs=2e-3)


def test_flows_start_at_the_instants_that_are_listed_or_behind_start_s() -> None:
    told = transfers("count = 3\nbytes = 1000\nstarts_s = [7.5, 0.0, 3.0]\n")
    assert told["started_s"].tolist() == [7.5, 0.0, 3.0]
    assert told["flow"].tolist() == [0, 1, 2]
    late = transfers("count = 50\nbytes = 1000\nstart_s = 10.0\nstart_spread_s = 5.0\n")["started_s"]
    assert late.min() >= 10.0
    assert 14.0 < late.max() < 15.0


def test_arrivals_are_a_poisson_process() -> None:
    keys = "count = 400\nbytes = 1000\narrivals_hz = 20.0\nstart_s = 5.0\n"
    starts = transfers(keys)["started_s"]
    intervals = np.diff(starts, prepend=5.0)
    assert (intervals > 0.0).all()
    # Mean and standard deviation of an exponential law are the same; four standard errors of 400.
    assert intervals.mean() == pytest.approx(0.05, rel=4.0 / math.sqrt(400))
    assert intervals.std() == pytest.approx(0.05, rel=4.0 * math.sqrt(2.0 / 400))
    assert (transfers(keys)["started_s"] == starts).all()
    assert (transfers(keys, seed=2)["started_s"] != starts).any()


def test_a_transfer_that_never_starts_is_not_told_and_one_under_way_has_no_end() -> None:
    # In the mean four of a hundred start within 40 s.
    told = transfers("count = 100\nbytes = 1000\narrivals_hz = 0.1\n")
    assert 1 <= len(told["flow"]) <= 15
    assert told["started_s"].max() <= 40.0
    large = transfers("count = 1\nbytes = 1000000000000\nstarts_s = [1.0]\n")
    assert math.isnan(large["completed_s"][0])
    assert math.isnan(large["transfer_time_s"][0])


def test_without_a_number_of_bytes_there_is_no_table() -> None:
    result = aqmlab.run(aqmlab.Scenario.from_toml(FAST + "count = 1\n", overrides={"duration_s": 2.0}))
    with pytest.raises(TableError, match="bytes"):
        _ = result.transfers


# ------------------------------------------------------------------------------------------------- statistics


def synthetic(started_s: list[float], took_s: list[float], alone_s: list[float]) -> SyntheticResult:
    """Transfers of `short`, in a window from 10 to 20 s of a run of 25 s."""
    rows = pa.table(
        {
            "flow_group": pa.array(["short"] * len(started_s)).dictionary_encode(),
            "flow": range(len(started_s)),
            "started_s": started_s,
            "transfer_time_s": took_s,
        }
    )
    run: dict[str, Any] = {
        "measured_from_s": 10.0,
        "measured_until_s": 20.0,
        "scenario": {"duration_s": 25.0, "flows": [{"name": "short", "bytes": 1000}]},
        "flows": [{"name": "short", "delivered_bytes": [0] * len(alone_s), "alone_s": alone_s}],
    }
    return SyntheticResult(run, {"transfers": rows})


def observed(result: SyntheticResult, what: str) -> Observation:
    return quantity(f"{what}/flows.short").observed(Measured(result))


NEVER = math.nan


def test_what_did_not_finish_counts_against_the_queue() -> None:
    """Seen for 1, 9, 12 and 6 s; the last two did not finish.

    Kaplan and Meier: of four one ends at 1 s, of the two that are left one at 9 s, so that 3/8 last longer.
    """
    result = synthetic([11.0, 12.0, 13.0, 19.0], [1.0, 9.0, NEVER, NEVER], [1.0] * 4)
    assert observed(result, "completion_p50_s") == Observation.exact(9.0)
    # 95 % are not reached: of 1, 6, 9 and 12 s that were seen the greatest.
    bound = observed(result, "completion_p95_s")
    assert bound.lower == pytest.approx(12.0)
    assert math.isinf(bound.upper)
    assert quantity("completion_p95_s/flows.short")(result) == math.inf
    assert observed(result, "transfers") == Observation.exact(4.0)
    assert observed(result, "unfinished_transfers") == Observation.exact(2.0)


def test_a_queue_under_which_nothing_finishes_has_bounds_and_no_gaps() -> None:
    result = synthetic([11.0, 15.0], [NEVER, NEVER], [2.0, 2.0])
    assert observed(result, "completion_p50_s") == Observation.at_least(10.0)
    assert observed(result, "slowdown_p50") == Observation.at_least(5.0)
    assert observed(result, "unfinished_transfers") == Observation.exact(2.0)


def test_transfers_count_that_began_in_the_window_or_else_all_before_its_end() -> None:
    early = synthetic([1.0, 9.0, 12.0, 21.0], [3.0, 5.0, 2.0, 1.0], [1.0] * 4)
    assert observed(early, "completion_p95_s") == Observation.exact(2.0)
    scheduled = synthetic([1.0, 2.0, 21.0], [3.0, 5.0, 1.0], [1.0] * 3)
    assert observed(scheduled, "transfers") == Observation.exact(2.0)
    assert observed(scheduled, "completion_p95_s") == Observation.exact(5.0)
    behind = synthetic([21.0], [1.0], [1.0])
    assert not observed(behind, "completion_p50_s").is_known
    with pytest.raises(TooLittleDataError, match="before the end of the measured window"):
        quantity("completion_p50_s/flows.short")(behind)


def test_a_slowdown_is_the_time_over_the_time_alone() -> None:
    result = synthetic([11.0, 12.0], [3.0, 1.0], [1.5, 0.25])
    assert observed(result, "slowdown_p50") == Observation.exact(2.0)
    assert observed(result, "slowdown_p95") == Observation.exact(4.0)
    older = synthetic([11.0], [3.0], [])
    assert not observed(older, "slowdown_p50").is_known


def test_the_time_alone_is_that_of_the_documentations_example() -> None:
    """100 kB over 10 Mbit/s with round trips of 10 + 30 ms: 1.5 x 40 ms and 800,000 bits at 10 Mbit/s."""
    text = """
name = "alone"
duration_s = 5.0
[dumbbell]
rate_mbps = 10.0
delay_ms = 5.0
queue = { scheme = "drop-tail", limit_packets = 100 }
[[flows]]
name = "one"
count = 1
bytes = 100_000
direction = "left-to-right"
base_rtt_ms = 30.0
profile = "linux6-cubic"
[[flows]]
name = "endless"
count = 1
direction = "right-to-left"
"""
    result = aqmlab.run(text, seed=1)
    one, endless = result.run["flows"]
    assert one["alone_s"] == pytest.approx([0.140])
    assert "alone_s" not in endless
    took_s = result.transfers["transfer_time_s"].to_pylist()[0]
    assert result.value("slowdown_p50/flows.one") == pytest.approx(took_s / 0.140)
    # No TCP is quicker. Ten segments, then twenty, of 1.2 ms each leave the line idle in two round trips.
    assert 0.140 < took_s < 0.140 + 2 * 0.040


def test_delays_that_a_run_draws_count_in_the_time_alone() -> None:
    keys = "count = 40\nbytes = 1000\n"
    drawn = FAST.replace("base_rtt_ms = 80.0", 'base_rtt_ms = { law = "packmime" }') + keys
    result = aqmlab.run(drawn, seed=2)
    [group] = result.run["flows"]
    took = result.transfers["transfer_time_s"].to_numpy()
    alone = np.array(group["alone_s"])[result.transfers["flow"].to_numpy()]
    assert alone.max() > 2 * alone.min()
    # One segment: nothing but headers and interfaces is on top, 40 us in all.
    assert (took - alone).max() < 1e-4
    assert (took > alone).all()


# ------------------------------------------------------------------------------------------ sizes and writers


def test_sizes_of_a_law_are_the_same_under_every_queue() -> None:
    keys = 'count = 200\nbytes = { law = "pareto", mean_bytes = 12000, shape = 1.2, maximum_bytes = 1e6 }\n'
    sizes = transfers(keys)["bytes"]
    red = FAST.replace('scheme = "drop-tail", limit_packets = 1000', 'scheme = "fq-codel"')
    other = aqmlab.run(aqmlab.Scenario.from_toml(red + keys), seed=1).transfers["bytes"].to_numpy()
    assert (sizes == other).all()
    fewer = transfers(keys.replace("count = 200", "count = 50"))["bytes"]
    assert (fewer == sizes[:50]).all(), "flow 17 has its size however many there are"
    assert (transfers(keys, seed=2)["bytes"] != sizes).any()
    # The least size is 12,000 x 0.2 / 1.2; a share of (2000/20000)^1.2 = 6.3 % is above 20 kB.
    assert sizes.min() >= 2000
    assert (sizes > 20_000).mean() == pytest.approx(0.063, abs=4 * math.sqrt(0.063 * 0.937 / 200))


CAMERA = """
name = "camera"
duration_s = 30.0
[dumbbell]
rate_mbps = 20.0
queue = { scheme = "drop-tail", limit_packets = 100 }
[[flows]]
name = "camera"
count = 1
application_mbps = RATE
direction = "left-to-right"
base_rtt_ms = 50.0
start_spread_s = 0.0
profile = "linux6-cubic"
[record]
congestion_window_interval_ms = 50
"""


def test_an_application_that_writes_slowly_fills_no_line_and_opens_no_window() -> None:
    """4 Mbit/s over 20, with a round trip of 50 ms: 25 kB outstanding, and ten milliseconds' write of 5 kB.

    Linux (`tcp_is_cwnd_limited`): while the window is not used up, it grows in slow start alone, and only up
    to twice what was outstanding at most.
    """
    camera = aqmlab.run(CAMERA.replace("RATE", "4.0"), seed=1)
    # What was written in the first round trips is delivered a little later.
    assert camera.value("goodput_mbps/flows.camera") == pytest.approx(4.0, rel=0.01)
    rows = camera.tables["congestion_windows"]
    windows, outstanding = (
        rows[name].to_numpy() for name in ("congestion_window_bytes", "outstanding_bytes")
    )
    assert windows[-1] <= 2 * (outstanding.max() + 5_000)
    assert len(set(windows[len(windows) // 10 :])) == 1, "it stands still once it is enough"
    greedy = aqmlab.run(CAMERA.replace("RATE", "400.0"), seed=1)
    assert greedy.value("goodput_mbps/flows.camera") > 18.0
    # A window that fills the line has its bandwidth-delay product at least: 20 Mbit/s for 50 ms.
    in_need = greedy.tables["congestion_windows"]["congestion_window_bytes"].to_numpy()[-1]
    assert in_need > 125_000 > windows[-1]


def test_bytes_that_an_application_writes_slowly_take_as_long_as_it_writes() -> None:
    # 1 MB at 4 Mbit/s: 2 s from the first write on, less the ten milliseconds that this is worth.
    text = CAMERA.replace("RATE", "4.0\nbytes = 1_000_000").replace("congestion_window_interval_ms = 50", "")
    took_s = aqmlab.run(text, seed=1).transfers["transfer_time_s"].to_pylist()[0]
    assert took_s == pytest.approx(2.0 - 0.010 + 1.5 * 0.050, abs=0.010)


# -------------------------------------------------------------------------------------------- what is printed

LOADED = """
name = "loaded"
duration_s = 20.0
warm_up_s = 2.0
cool_down_s = 2.0
[dumbbell]
rate_mbps = 10.0
delay_ms = 5.0
queue = { scheme = "drop-tail", limit_packets = 200 }
[[flows]]
name = "bulk"
count = 4
direction = "left-to-right"
base_rtt_ms = 20.0
profile = "linux6-cubic"
[[flows]]
name = "short"
count = 100
bytes = { law = "exponential", mean_bytes = 20_000 }
arrivals_hz = 4.0
direction = "left-to-right"
base_rtt_ms = 20.0
profile = "linux6-cubic"
"""


def test_a_comparison_tells_completion_times_slowdowns_and_what_did_not_finish(tmp_path: Path) -> None:
    (tmp_path / "loaded.toml").write_text(LOADED)
    schemes = ("--schemes", "drop-tail,fq-codel", "--seeds", "1-2", "--output", "found")
    done = aqmlab_run("compare", "loaded.toml", *schemes, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Half of the short's transfers complete in " in done.stdout
    assert "short (flows)" in done.stdout
    assert "half complete in, s" in done.stdout
    header, *rows = (tmp_path / "found" / "comparison.csv").read_text().splitlines()
    named = [dict(zip(header.split(","), row.split(","), strict=True)) for row in rows]
    slow, quick = (float(row["completion_p95_s/flows.short.mean"]) for row in named)
    assert quick < slow
    assert float(named[0]["slowdown_p50/flows.short.mean"]) > 1.0
    ran = aqmlab_run("run", "loaded.toml", "--output", "one", cwd=tmp_path)
    assert "slowdown 50 %" in ran.stdout


def test_transfers_that_do_not_finish_are_told_as_a_bound() -> None:
    starved = LOADED.replace("count = 4", "count = 60").replace("limit_packets = 200", "limit_packets = 10")
    large = starved.replace("mean_bytes = 20_000", "mean_bytes = 2_000_000")
    found = aqmlab.compare(large, schemes=["drop-tail", "pie"], seeds="1")
    said = next(each for each in sentences(found) if "short's transfers" in each)
    assert " in more than " in said
    assert " unfinished)" in said
    rows = [[cell.lines[0].text for cell in row] for row in brief_table(found).rows]
    [completion] = [row for row in rows if row[0] == "  95 % complete in, s"]
    assert all(cell.startswith(">") for cell in completion[1:])
    assert any(each.startswith("Transfers: those that began in the window") for each in notes(found))


def test_a_camera_offers_its_rate_and_does_not_send_as_fast_as_it_can() -> None:
    camera = CAMERA.replace("RATE", "4.0").replace("congestion_window_interval_ms = 50", "")
    scenario = aqmlab.Scenario.from_toml(camera)
    [part] = scenario.core.demands()
    assert not part.endless
    result = aqmlab.run(scenario)
    assert greedy_groups(result) == []
    assert flow_groups(result) == {"camera": 1}
