"""Figures and tables of live runs whose timing is suspect say so, wherever they are shown."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from click.testing import CliRunner

import aqmlab
from aqmlab.cli import commands
from aqmlab.show.tables.results import result_tables
from aqmlab.statistics.recorded import mark_of, suspect_because
from small import BULK

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab import Result

USERS = """
name = "some users"
duration_s = 12.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
per_side = 40
start = "fresh"
start_spread_s = 1.0
"""
REASON = "probes took longer than they should"


def _lived(text: str, verdict: str, seed: int = 1) -> Result:
    reasons = [REASON] if verdict == "suspect" else []
    result = aqmlab.run(text, seed=seed).with_live({"verdict": verdict, "reasons": reasons})
    warnings = [f"live run, timing suspect: {reason}" for reason in reasons]
    return replace(result, run={**result.run, "warnings": [*result.warnings, *warnings]})


def test_every_figure_and_table_of_a_suspect_run_carries_the_verdict_and_the_page_the_reason_once(
    tmp_path: Path,
) -> None:
    folder = _lived(USERS, "suspect").save(tmp_path / "suspect")
    file = tmp_path / "report.html"
    told = CliRunner().invoke(commands, ["report", str(folder), "--output", str(file)])
    assert told.exit_code == 0, told.output
    page = file.read_text()
    figures = re.findall(r"<figure.*?</figure>", page, flags=re.DOTALL)
    assert len(figures) > 4
    for figure in figures:
        caption = figure[figure.index("<figcaption>") :]
        drawn = re.sub("<[^>]*>", "", figure[: figure.index("<figcaption>")])
        assert "iming suspect" in caption
        assert "timing suspect" in drawn, "in the picture itself"
    tables = re.findall(r'role="region" aria-label="([^"]*)"', page)
    assert tables
    assert all("timing suspect" in title for title in tables)
    assert page.count(REASON) == 1


def test_the_mark_says_whose_timing_is_suspect_and_why() -> None:
    simulated, valid, suspect = aqmlab.run(BULK), _lived(BULK, "valid"), _lived(BULK, "suspect")
    assert not mark_of({"simulated": [simulated], "live": [valid]})
    assert mark_of({"a": [suspect], "b": [valid, suspect]}) == "timing suspect"
    mixed = {"a": [valid, suspect], "b": [valid], "c": [simulated]}
    assert mark_of(mixed) == "timing of a suspect"
    assert suspect_because(mixed) == {"a": [f"seed 1: {REASON}"]}


def test_a_figure_of_plot_carries_the_verdict_and_its_command_the_reason(tmp_path: Path) -> None:
    folder = _lived(BULK, "suspect").save(tmp_path / "suspect")
    drawn = {}
    for ending in ("svg", "csv"):
        file = tmp_path / f"queue.{ending}"
        words = ["plot", str(folder), "--what", "queue", "--title", "Mine", "--output", str(file)]
        told = CliRunner().invoke(commands, words)
        assert told.exit_code == 0, told.output
        assert told.output.count(REASON) == 1
        drawn[ending] = file.read_text()
    assert "timing suspect" in drawn["svg"]


def test_tables_of_a_suspect_run_carry_the_verdict() -> None:
    tables = [*result_tables(_lived(BULK, "suspect"))]
    assert len(tables) > 1
    assert all("timing suspect" in table.title for table in tables)
    assert not any("suspect" in table.title for table in result_tables(_lived(BULK, "valid")))
