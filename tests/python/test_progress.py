"""The progress bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aqmlab
from aqmlab import Job
from small import bulk

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_progress_counts_runs_and_simulated_seconds_on_standard_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    aqmlab.run_many([Job(bulk(), seed) for seed in (1, 2)], label="two of them", progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "two of them: 2/2 runs" in err
    assert "6/6 simulated s" in err


def test_progress_counts_only_what_is_left_to_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    aqmlab.run_many([Job(bulk(), 1)], store=tmp_path, progress=False)
    aqmlab.run_many([Job(bulk(), seed) for seed in (1, 2)], store=tmp_path, progress=True)
    assert "1/1 run " in capfd.readouterr().err
    aqmlab.run_many([Job(bulk(), 1)], store=tmp_path, progress=True)
    assert capfd.readouterr().err == ""


def test_without_progress_nothing_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    aqmlab.run(bulk())
    aqmlab.run_many([Job(bulk(), 1)])
    assert capfd.readouterr() == ("", "")
