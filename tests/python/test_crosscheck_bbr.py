"""The command that sets a kernel's BBRv1 beside ours, without a kernel: its cases, and what it prints."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.crosscheck import bbr, kernel_runs

import aqmlab

KERNEL = {
    "goodput_mbps": 9.0,
    "delay_p50_ms": 20.0,
    "delay_p95_ms": 40.0,
    "loss_percent": 0.0,
    "sent_again": 7.0,
}


def test_buffers_are_whole_packets_of_the_product_of_rate_and_round_trip() -> None:
    # 10 Mbit/s for 20 ms are 25,000 bytes, 50 for 40 are 250,000 and 2 for 80 are 20,000, of 1,500 a packet.
    found = {str(case): case.limit_packets for case in bbr.cases()}
    assert [*found.values()] == [17, 67, 167, 667, 13, 53]
    for case in bbr.cases():
        queue = case.scenario().resolved["dumbbell"]["queue"]
        assert (queue["scheme"], queue["limit_packets"]) == ("drop-tail", case.limit_packets)


def test_a_figure_differs_where_the_differences_by_seed_leave_out_zero() -> None:
    theirs = [{**KERNEL, "goodput_mbps": 9.0 + seed / 10} for seed in range(6)]
    ours = [
        {**row, "goodput_mbps": row["goodput_mbps"] + 0.01, "delay_p50_ms": 20.0 + (-1) ** seed}
        for seed, row in enumerate(theirs)
    ]
    rows = {cells[0]: cells[1:] for cells in bbr.COMPARISON.beside(theirs, ours)}
    goodput, half = rows["goodput, Mbit/s"], rows["delay of the stream, half, ms"]
    # 9 to 9.5: the mean is 9.25, the standard deviation 0.187, the interval 2.571 of these over √6.
    assert goodput[0] == "9.25 [9.054, 9.446]"
    assert goodput[3] == "differs", "by 0.01 with every seed"
    assert half[3] == "", "a millisecond either way"


def test_suspect_runs_are_not_counted_and_are_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = next(bbr.cases())
    comparison = replace(
        bbr.COMPARISON, made=tmp_path / "bbr.jsonl", cases=[case], figures=lambda _: dict(KERNEL)
    )
    monkeypatch.setattr(kernel_runs, "nothing_to_ask", lambda: "")
    monkeypatch.setattr(kernel_runs, "kernel", lambda: type("Kernel", (), {"path": "linux"}))
    monkeypatch.setattr(aqmlab, "run", lambda *_, **__: None)
    monkeypatch.setenv("UML", "")
    made: list[int] = []

    def of_kernel(_: kernel_runs.Comparison, __: bbr.Case, seed: int) -> dict[str, object]:
        made.append(seed)
        return {
            "kernel": "6.1",
            "verdict": "suspect" if made.count(seed) < seed else "valid",
            "reasons": [],
            **KERNEL,
        }

    monkeypatch.setattr(kernel_runs.Comparison, "of_kernel", of_kernel)
    monkeypatch.setattr(sys, "argv", ["bbr", "--seeds", "2"])
    assert comparison.main("") == 0
    assert f"{case} (1 seeds)" in capsys.readouterr().out
    assert comparison.main("") == 0
    assert made == [1, 2, 2]
    assert f"{case} (2 seeds)" in capsys.readouterr().out
    rows = [json.loads(line) for line in (tmp_path / "bbr.jsonl").read_text().splitlines()]
    assert [row["seed"] for row in rows] == made


def test_without_a_kernel_it_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel_runs, "nothing_to_ask", lambda: "no user-mode Linux: apt-get")
    monkeypatch.setattr(sys, "argv", ["bbr"])
    assert bbr.COMPARISON.main("") == kernel_runs.MISSING
    assert "apt-get" in capsys.readouterr().err
