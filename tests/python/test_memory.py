"""Runs that have no room in memory are refused before they are made, and fewer are made at a time."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pytest

from aqmlab.errors import NotEnoughMemoryError
from aqmlab.runs import Job, memory, run_many
from aqmlab.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path

_MIB = 2**20

_TEXT = """
name = "room"
duration_s = 0.5
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
per_side = 20
"""


def _job(**overrides: object) -> Job:
    return Job(Scenario.of(_TEXT, overrides=overrides), 1)


def test_what_is_free_is_known_here_and_less_than_the_machine_has() -> None:
    free = memory.available_bytes()
    assert free is not None
    assert 10 * _MIB < free < 2**50


def test_a_control_group_leaves_what_its_limit_and_those_above_it_leave(tmp_path: Path) -> None:
    inner = tmp_path / "slice" / "job"
    inner.mkdir(parents=True)
    (inner / "memory.max").write_text("max\n")
    (inner / "memory.current").write_text("1000\n")
    (inner.parent / "memory.max").write_text(f"{500 * _MIB}\n")
    (inner.parent / "memory.current").write_text(f"{200 * _MIB}\n")
    (inner.parent / "memory.stat").write_text(f"anon 5\ninactive_file {50 * _MIB}\n")
    left = list(memory._of_group(tmp_path, "/slice/job", "memory.max", "memory.current"))
    assert left == [350 * _MIB]


def test_a_run_without_room_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 100 * _MIB)
    job = Job(Scenario.of(_TEXT, overrides={"users.per_side": 2_000_000}), 1)
    with pytest.raises(
        NotEnoughMemoryError, match=r"room, seed 1: takes about .* MiB of memory, and 100 MiB are free"
    ):
        run_many([job], workers=1, progress=False)


def test_fewer_runs_at_a_time_where_all_have_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 100 * _MIB)
    with pytest.warns(
        UserWarning, match=r"parallel runs: \d+ instead of 50, because one takes up to \d+ MiB"
    ):
        fitting = memory.workers_with_room([_job()], 50)
    assert 1 < fitting < 50
    with pytest.warns(UserWarning, match="parallel runs: 1 instead of 50"):
        assert memory.workers_with_room([_job()], 50, each_bytes=60 * _MIB) == 1


def test_nothing_is_said_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    for free in (None, 10_000 * _MIB):
        monkeypatch.setattr(memory, "available_bytes", lambda free=free: free)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert memory.workers_with_room([_job()], 4) == 4
            assert memory.workers_with_room([], 4) == 4
