import csv
from importlib import resources

import pytest

from aqmlab import experiment as experiments
from aqmlab.experiment import ExperimentError, Tolerance
from aqmlab.reproduce import base_scenario, cell_scenario, choose

LE2003 = experiments.load("le2003")


def test_the_study_is_shipped() -> None:
    assert "le2003" in experiments.names()


@pytest.mark.parametrize("name", experiments.names())
def test_every_configuration_of_every_scale_is_a_scenario_that_the_simulator_accepts(name: str) -> None:
    experiment = experiments.load(name)
    for scale in experiment.scales.values():
        base = base_scenario(experiment, scale)
        for cell in scale.cells:
            cell_scenario(base, experiment.configuration(cell))
        if scale.calibration_overrides:
            base.with_overrides(scale.calibration_overrides)


def test_table_2_has_64_cells_and_each_has_its_configuration() -> None:
    assert len(LE2003.published_cells) == 64
    found = {
        (*configuration.published, load)
        for configuration in LE2003.configurations.values()
        if configuration.published is not None
        for load in LE2003.loads_percent
    }
    assert found == set(LE2003.published_cells)


@pytest.mark.parametrize(
    ("cell", "load", "loss", "completed", "throughput"),
    # Copied by hand from the paper's table 2.
    [
        ("uncongested", 98.0, 0.0, 16.2, 98.2),
        ("drop-tail-24", 105.0, 9.1, 15.0, 91.8),
        ("pi-240-ecn", 90.0, 0.1, 14.7, 88.2),
        ("rem-240", 90.0, 3.3, 14.0, 83.3),
        ("ared-240-ecn", 105.0, 6.3, 13.9, 85.8),
    ],
)
def test_published_numbers_stand_where_the_paper_has_them(
    cell: str, load: float, loss: float, completed: float, throughput: float
) -> None:
    published = LE2003.published_cell(LE2003.configuration(cell), load)
    assert published is not None
    assert (published.loss_percent, published.completed_millions) == (loss, completed)
    assert published.throughput_mbps == throughput


def test_the_claims_are_numbered_without_a_gap() -> None:
    assert [claim.identifier for claim in LE2003.published_claims] == [
        f"L{number:02}" for number in range(1, 32)
    ]


def test_tolerances_are_the_larger_of_absolute_and_relative() -> None:
    loss = LE2003.tolerances["loss_percent"]
    assert loss.around(0.0) == 0.3
    assert loss.around(1.0) == 0.3
    assert loss.around(6.0) == 1.5
    assert LE2003.tolerances["throughput_mbps"].around(90.0) == 1.5
    assert LE2003.tolerances["completed_millions"].around(15.0) == pytest.approx(0.45)
    assert Tolerance(absolute=1.0).around(-100.0) == 1.0


def test_scales_are_what_they_promise() -> None:
    full, standard, quick = (LE2003.scale(name) for name in ("full", "standard", "quick"))
    assert (full.duration_s, full.warm_up_s, full.cool_down_s) == (7200.0, 1200.0, 600.0)
    assert (full.replications, full.start, full.load_matched) == (3, "fresh", False)
    assert (standard.warm_up_s, standard.duration_s - standard.warm_up_s) == (300.0, 900.0)
    assert (standard.replications, standard.start, standard.load_matched) == (8, "steady", True)
    assert quick.load_matched
    wanted = {"uncongested", "drop-tail-240"} | {
        f"{s}-24{e}" for s in ("pi", "rem", "ared") for e in ("", "-ecn")
    }
    assert wanted <= set(quick.cells)
    assert {90.0, 98.0} <= set(quick.loads_percent)
    published = {name for name, entry in LE2003.configurations.items() if entry.published}
    assert published <= set(standard.cells)
    assert published == set(full.cells)


def test_ecn_is_switched_on_at_the_queue_and_at_the_hosts() -> None:
    base = base_scenario(LE2003, LE2003.scale("quick"))
    for scheme in ("pi", "rem", "ared"):
        with_ecn = cell_scenario(base, LE2003.configuration(f"{scheme}-24-ecn")).resolved
        without = cell_scenario(base, LE2003.configuration(f"{scheme}-24")).resolved
        assert with_ecn["dumbbell"]["queue"]["ecn"]
        assert not without["dumbbell"]["queue"]["ecn"]
        assert with_ecn["users"]["host"] != without["users"]["host"]
        assert {**with_ecn["dumbbell"]["queue"], "ecn": False} == without["dumbbell"]["queue"]


def test_every_figure_names_configurations_that_exist() -> None:
    for figure in LE2003.figures:
        for cell in figure.get("cells", []):
            LE2003.configuration(cell)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"scale": "quik"}, 'no scale "quik".*did you mean "quick"'),
        ({"scale": "quick", "cells": ["pi24"]}, 'no cell "pi24".*did you mean "pi-24"'),
        ({"scale": "quick", "loads": [85.0]}, r"loads \[85.0\].*80, 90, 98, 105"),
        ({"scale": "quick", "loads": []}, r"has the loads"),
        ({"scale": "quick", "replications": 0}, "at least 1"),
    ],
)
def test_a_wrong_choice_is_answered_with_what_there_is(choice: dict[str, object], message: str) -> None:
    with pytest.raises(ExperimentError, match=message):
        choose(LE2003, **choice)  # type: ignore[arg-type]


def test_an_unknown_experiment_is_answered_with_its_nearest_name() -> None:
    with pytest.raises(ExperimentError, match=r'no experiment "le2004".*did you mean "le2003"'):
        experiments.load("le2004")


def test_a_choice_replaces_what_the_scale_says() -> None:
    scale = choose(LE2003, scale="standard", cells=["pi-24"], loads=[90], replications=2)
    assert (scale.cells, scale.loads_percent, scale.seeds) == (("pi-24",), (90.0,), (1, 2))


def test_chosen_cells_are_calibrated_only_where_their_users_follow_from_it() -> None:
    assert choose(LE2003, scale="standard").calibration_users_per_side != ()
    assert choose(LE2003, scale="standard", cells=["pi-24"]).calibration_users_per_side == ()
    assert choose(LE2003, scale="full", cells=["pi-24"]).calibration_users_per_side != ()


def test_published_tables_have_one_row_per_cell() -> None:
    file = resources.files("aqmlab") / "experiments" / "le2003" / "published_table2.csv"
    with file.open(encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == len({(row["config"], row["ecn"], row["offered_load_percent"]) for row in rows}) == 64
