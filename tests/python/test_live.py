"""Live runs, as their users make them.

Where the machine allows none, the tests say so and are skipped; with AQMLAB_LIVE_REQUIRED they fail instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import aqmlab
from aqmlab import Result, RunError, Scenario, ScenarioError
from aqmlab.cli import commands
from aqmlab.live import needs, run_live
from aqmlab.live.crossvalidation import compared
from small import BULK

MISSING = [need.name for need in needs() if need.needed and not need.found]
if os.environ.get("AQMLAB_LIVE_REQUIRED"):
    assert not MISSING, MISSING
live = pytest.mark.skipif(bool(MISSING), reason=f"no live runs on this machine, which lacks {MISSING}")


@live
def test_a_live_run_is_a_result_with_an_audit_and_its_queues_decided_as_simulated_ones(
    tmp_path: Path,
) -> None:
    scenario = Scenario.of(BULK.replace("drop-tail", "red"))
    made = run_live(scenario, tmp_path / "live", hosts="linux-reno", replay=True)
    kept = Result.load(tmp_path / "live")
    assert kept.live == made.live
    assert kept.live is not None
    assert kept.live["verdict"] in {"valid", "suspect"}
    assert kept.live["replay"]["events"] > 2_000
    assert kept.live["replay"]["difference"] is None
    assert kept.content_address != scenario.content_address(1), "no simulation is taken for it"
    assert set(kept.tables) >= {"queue", "link"}
    link = kept.run["links"][0]
    assert link["counters"]["departed"]["packets"] > 500
    assert {invariant["holds"] for invariant in kept.run["invariants"]} == {True}


@live
def test_a_live_run_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(BULK.replace("duration_s = 3.0", "duration_s = 60.0"))
    folder = tmp_path / "live"
    command = [sys.executable, "-m", "aqmlab", "live", str(file), "--output", str(folder), "--quiet"]
    before = _devices()
    with subprocess.Popen(command) as made:
        deadline = time.monotonic() + 20.0
        while not (workers := _workers_of(made.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert workers
        time.sleep(0.5)
        made.kill()
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_alive(worker) for worker in workers)
    assert _devices() == before
    assert not folder.exists()


def test_what_a_live_run_cannot_do_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    scenario = Scenario.of(BULK + "\n[record]\npackets = true\n")
    with pytest.raises((ScenarioError, RunError), match=r"record.packets|Linux"):
        run_live(scenario, tmp_path / "live")
    with pytest.raises((ScenarioError, RunError), match=r"there are papers2003|Linux"):
        run_live(Scenario.of(BULK), tmp_path / "live", hosts="linux-vegas")
    assert not (tmp_path / "live").exists()


def test_what_is_compared_with_itself_does_not_differ_and_a_longer_way_does() -> None:
    def made(text: str) -> list[Result]:
        return [aqmlab.run(text, seed=seed) for seed in range(1, 7)]

    near, far = made(BULK), made(BULK.replace("base_rtt_ms = 40.0", "base_rtt_ms = 400.0"))
    assert {row.differs for row in compared(near, near)} == {False}
    carried = next(row for row in compared(near, far) if row.quantity.name == "utilization_percent")
    assert carried.differs
    assert carried.difference.mean is not None
    assert carried.difference.mean < 0.0


def test_the_doctor_says_what_is_there_and_how_to_get_the_rest() -> None:
    told = CliRunner().invoke(commands, ["doctor"])
    assert told.exit_code == (1 if MISSING else 0)
    for need in needs():
        assert need.name in told.output
        assert need.found or need.remedy


def _devices() -> int:
    return Path("/proc/self/net/dev").read_text().count(":")


def _workers_of(parent: int) -> list[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(child) for child in children.read_text().split()] if children.exists() else []


def _alive(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] not in "ZX"
