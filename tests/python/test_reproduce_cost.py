"""What a reproduction says of its cost before it begins."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from aqmlab.cli import commands
from aqmlab.load.matching import RESERVE
from aqmlab.papers import experiments, reproduction
from aqmlab.papers.cost import Cost, Pace, cost_of, costs_table, total_of
from aqmlab.papers.documents import CalibrationRuns, Scale
from aqmlab.papers.reproduction import choose
from aqmlab.tables import to_csv

LE2003 = experiments.load("le2003")


def uncalibrated(*, cells: list[str], loads: list[float], replications: int) -> Scale:
    scale = choose(LE2003, scale="full", cells=cells, loads=loads, replications=replications)
    return replace(scale, calibration=CalibrationRuns())


def test_runs_are_counted_and_weighed_by_seconds_and_load() -> None:
    scale = uncalibrated(cells=["pi-24", "red-24"], loads=[80, 90], replications=3)
    # RED 24 is not run at 80 %: three runs there, six at 90 %, of 7,200 s each.
    cost = cost_of(LE2003, scale, Pace({"stationary": 2.0}, per_simulated_s=0.01))
    assert (cost.runs, cost.simulated_s) == (9, 9 * 7200.0)
    assert cost.core_s == pytest.approx((3 * 0.8 + 6 * 0.9) * (2.0 + 72.0))


def test_a_calibration_costs_by_its_own_users_and_seconds() -> None:
    scale = choose(LE2003, scale="full", loads=[80], replications=1)
    with_calibration = cost_of(LE2003, scale, Pace({"stationary": 0.0}, 0.01))
    without = cost_of(LE2003, replace(scale, calibration=CalibrationRuns()), Pace({"stationary": 0.0}, 0.01))
    assert LE2003.users_per_side_at_100_percent is not None
    users = sum(scale.calibration.users_per_side) / LE2003.users_per_side_at_100_percent
    assert with_calibration.runs - without.runs == len(scale.calibration.users_per_side)
    assert with_calibration.core_s - without.core_s == pytest.approx(users * 3000.0 * 0.01)


def test_matching_costs_a_survey_of_each_seed_and_makes_the_uncongested_cell() -> None:
    scale = choose(LE2003, scale="quick", cells=["uncongested", "pi-24"], loads=[80, 90], replications=4)
    # Four surveys, twice 1.5 x 4 matching runs whose last are the uncongested cells, and eight of PI 24.
    expected = 4 * RESERVE * 0.9 + (6 + 4) * (0.8 + 0.9)
    assert cost_of(LE2003, scale, Pace({"stationary": 1.0}, 0.0)).core_s == pytest.approx(expected)


def test_the_table_of_costs_divides_by_the_runs_at_a_time() -> None:
    scale = uncalibrated(cells=["pi-24"], loads=[90], replications=2)
    cost = cost_of(LE2003, scale, Pace({"stationary": 5.0}, 0.0))
    table = costs_table([cost], study="le2003", chosen="full", workers=2)
    assert to_csv(table).splitlines()[1] == "full,2,4.0,9.0,4.5"


def test_several_studies_cost_their_sum() -> None:
    long = [Cost("full", runs=3, simulated_s=1.0, core_s=core_s) for core_s in (5400.0, 9000.0)]
    assert total_of(long, workers=2) == "4.0 h on one core, 2.0 h on 2"


def test_costs_of_all_studies_end_with_their_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    pace = Pace(dict.fromkeys(("steady", "fresh", "stationary"), 0.0), 0.001)
    monkeypatch.setattr(reproduction, "measured_pace", lambda *_: pace)
    done = CliRunner().invoke(commands, ["reproduce", "all", "--scale", "full", "--costs", "--workers", "2"])
    assert done.exit_code == 0, done.output
    for name in experiments.names():
        assert f"{name}: estimated run time" in done.output
    assert re.search(
        r"all 4 studies, scale full: [\d.]+ (h|min) on one core, [\d.]+ (h|min) on 2", done.output
    )


def test_with_other_hosts_the_runs_with_the_studys_own_are_costed_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Pace(dict.fromkeys(("steady", "fresh", "stationary"), 1.0), 0.01)
    monkeypatch.setattr(reproduction, "measured_pace", lambda *_: pace)
    # One seed of a cell takes 2,000 s; it runs with linux6-cubic and with the study's hosts.
    found = reproduction.costs("sfa", cells=["tcp-dt"], hosts="linux6-cubic")["quick"]
    assert (found.scale, found.runs, found.simulated_s) == ("quick", 2, 4000.0)
    assert reproduction.costs("sfa", cells=["tcp-dt"])["quick"].runs == 1
    # CAKE came after the paper and runs with linux6-cubic alone.
    both = reproduction.costs("sfa", cells=["tcp-dt", "tcp-cake"], hosts="linux6-cubic")["quick"]
    assert both.runs == 3
    command = ["reproduce", "sfa", "--cells", "tcp-dt", "--costs", "--hosts", "linux6-cubic"]
    done = CliRunner().invoke(commands, command)
    assert done.exit_code == 0, done.output
    title = " ".join(done.output.split(" scale ")[0].split())
    assert title.startswith("sfa with linux6-cubic hosts and with its own: estimated run time")
    assert re.search(r"^ quick +2 ", done.output, re.MULTILINE)


def test_with_other_hosts_a_cell_of_the_paper_is_needed() -> None:
    done = CliRunner().invoke(
        commands, ["reproduce", "sfa", "--cells", "tcp-cake", "--hosts", "linux6-cubic"]
    )
    assert done.exit_code == 2
    assert "cells tcp-cake: came after the paper" in " ".join(done.output.split())


def test_costs_are_printed_and_nothing_is_run(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    command = ["reproduce", "le2003", "--scale", "full", "--costs", "--output", str(folder)]
    done = CliRunner().invoke(commands, command)
    assert done.exit_code == 0, done.output
    for scale in LE2003.scales:
        assert scale in done.output
    assert "197" in done.output  # 64 cells with three seeds, and the five runs of the calibration
    assert not folder.exists()
