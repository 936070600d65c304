import csv
import math
import tomllib
from dataclasses import replace
from fractions import Fraction
from importlib import resources
from pathlib import Path

import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from altered_experiment import altered_experiment
from aqmlab.errors import ExperimentError
from aqmlab.load import Demand
from aqmlab.papers import experiments
from aqmlab.papers.documents import Tolerance
from aqmlab.papers.reproduction import base_scenario, cell_scenario, choose

LE2003 = experiments.load("le2003")
CHRISTIANSEN = experiments.load("christiansen2000")


def test_the_study_is_shipped() -> None:
    assert "le2003" in experiments.names()


@pytest.mark.parametrize("name", experiments.names())
def test_every_configuration_of_every_scale_is_a_scenario_that_the_simulator_accepts(name: str) -> None:
    experiment = experiments.load(name)
    for scale in experiment.scales.values():
        base = base_scenario(experiment, scale)
        for configuration in experiment.configurations.values():
            # At a scale with another model of users, settings of the study's model are none.
            if "users.model" not in scale.overrides or configuration.name in scale.cells:
                cell_scenario(base, configuration)
        if scale.calibration.overrides:
            base.with_overrides(scale.calibration.overrides)


def test_table_2_has_64_cells_and_each_has_its_configuration() -> None:
    (table,) = LE2003.published.tables
    assert len(table.rows) == 64
    found = {
        (configuration.name, load)
        for configuration in LE2003.configurations.values()
        if configuration.published is not None
        for load in LE2003.loads_percent
    }
    assert found == set(table.rows)


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
    published = LE2003.published.row(cell, load)
    assert published is not None
    assert published.values == {
        "loss_percent": loss,
        "completed_millions": completed,
        "throughput_mbps": throughput,
    }


@pytest.mark.parametrize(
    ("cell", "load", "row"),
    # Copied by hand from table 3: KB/s, % drop, mean queue, median in ms, four classes of response times.
    [
        ("red-30-90", 90.0, (1079, 0.8, 20.2, 266, 92.5, 4.3, 2.0, 1.3)),
        ("red-30-90-limit-160", 98.0, (1175, 5.9, 46.3, 397, 72.4, 9.7, 8.2, 9.7)),
        ("red-30-90-limit-120", 110.0, (1188, 18.9, 77.0, 1840, 39.3, 13.2, 12.5, 34.9)),
    ],
)
def test_rows_of_table_3_stand_beside_the_queue_of_that_length(
    cell: str, load: float, row: tuple[float, ...]
) -> None:
    published = CHRISTIANSEN.published.table("3").row(cell, load)
    assert published is not None
    assert tuple(published.values.values()) == row


def test_tables_2_3_and_4_have_their_rows_and_each_its_cell() -> None:
    rows = {table.identifier: table.rows for table in CHRISTIANSEN.published.tables}
    assert list(rows["2"]) == [("uncongested", load) for load in (50.0, 70.0, 80.0, 90.0, 98.0, 110.0)]
    limits = ("red-30-90", "red-30-90-limit-160", "red-30-90-limit-120")
    assert list(rows["3"]) == [(cell, load) for load in (90.0, 98.0, 110.0) for cell in limits]
    assert list(rows["4"]) == [
        ("red-30-90", 90.0),
        ("red-30-90-w512-p20", 90.0),
        ("red-120-360", 90.0),
        ("red-5-90-w128-p20", 98.0),
        ("red-30-180", 98.0),
        ("red-90-150", 98.0),
    ]
    assert not set(rows["3"]) & set(rows["3-other-readings"])


def test_the_settings_of_a_row_are_those_of_its_queue() -> None:
    base = base_scenario(CHRISTIANSEN, CHRISTIANSEN.scale("standard"))
    for (cell, _), row in CHRISTIANSEN.published.table("4").rows.items():
        queue = cell_scenario(base, CHRISTIANSEN.configuration(cell)).resolved["dumbbell"]["queue"]
        assert (queue["min_th_packets"], queue["max_th_packets"]) == (
            int(row.text["min_th"]),
            int(row.text["max_th"]),
        )
        assert queue["w_q"] == float(Fraction(row.text["w_q"]))
        assert queue["max_p"] == float(Fraction(row.text["max_p"]))
    for (cell, _), row in CHRISTIANSEN.published.table("3").rows.items():
        queue = cell_scenario(base, CHRISTIANSEN.configuration(cell)).resolved["dumbbell"]["queue"]
        assert queue["limit_packets"] == int(row.text["queue_length_packets"])


@pytest.mark.parametrize("name", experiments.names())
def test_every_column_of_every_table_has_its_tolerance(name: str) -> None:
    experiment = experiments.load(name)
    for table in experiment.published.tables:
        for column in table.columns:
            assert column.tolerance in experiment.tolerances


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (('quantity = "loss', 'quantity = "los'), 'no quantity "los_percent".*did you mean "loss_percent"'),
        (('load = "offered_load_percent"', 'load = "load"'), "table 2: .*has no column load"),
        (('config = "pi-24"', 'config = "pi-23"'), "table 2: no configuration matches the row pi-24"),
        (("load_matched = true", 'load_matched = true\nusers_from = "calibration"'), "users_from"),
        (('baseline = "drop-tail-240"', 'baseline = "drop-tail-24O"'), 'no cell "drop-tail-24O"'),
        (
            ('cells = ["uncongested"], quantities', 'cells = ["uncongestd"], quantities'),
            r"fitted\[1\].cells: ",
        ),
        (
            ('quantities = ["completed_millions"', 'quantities = ["complet"'),
            r"fitted\[1\].quantities: unknown",
        ),
        (("replications_at_length.csv", "no.csv"), "no.csv"),
        (
            ("replications_at_length.csv", "published_table2.csv"),
            "published_table2.csv has no column cell",
        ),
        (("least_window_s = 900.0", 'least_window_s = "long"'), "least_window_s: a number"),
        (("least_warm_up_s = 1200.0", 'least_warm_up_s = "long"'), "least_warm_up_s: a number"),
    ],
)
def test_a_folder_that_contradicts_itself_is_refused(
    tmp_path: Path, changed: tuple[str, str], message: str
) -> None:
    folder = altered_experiment("le2003", tmp_path, *changed)
    with pytest.raises(ExperimentError, match=message):
        experiments.read(folder)


def test_users_on_one_side_browse_from_there() -> None:
    for study, sizes in ((CHRISTIANSEN, (0, 3332)), (LE2003, (3332, 3332))):
        base = base_scenario(study, study.scale("quick"))
        assert tuple(Demand.of(base).sizes(3332).values()) == sizes


def test_the_claims_are_numbered_without_a_gap() -> None:
    assert [claim.identifier for claim in LE2003.published_claims] == [
        *(f"L{number:02}" for number in range(1, 14)),
        "L13-table",
        *(f"L{number:02}" for number in range(14, 32)),
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
    assert (full.replications, full.start, full.load_matched) == (3, "stationary", False)
    assert (standard.warm_up_s, standard.duration_s - standard.warm_up_s) == (1200.0, 900.0)
    assert (standard.replications, standard.start, standard.load_matched) == (8, "stationary", True)
    assert (quick.load_matched, quick.start) == (True, "stationary")
    assert len(quick.cells) * len(quick.loads_percent) == 8
    assert {"uncongested", "drop-tail-240", "pi-24", "pi-24-ecn"} == set(quick.cells)
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
        for cell in figure.cells:
            LE2003.configuration(cell)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"scale": "quik"}, 'no scale "quik".*did you mean "quick"'),
        ({"scale": "quick", "cells": ["pi24"]}, 'no cell "pi24".*did you mean "pi-24"'),
        ({"scale": "quick", "loads": [85.0]}, r"loads \[85.0\].*80, 90, 98, 105"),
        ({"scale": "quick", "loads": []}, r"has the loads"),
        ({"scale": "quick", "replications": 0}, "at least 1"),
        ({"scale": "quick", "seeds": []}, "seeds: at least one"),
        ({"scale": "quick", "seeds": [3, 3]}, "each once"),
        ({"scale": "quick", "seeds": [3], "replications": 2}, "one of them"),
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


def test_chosen_seeds_stand_for_the_first_ones() -> None:
    scale = choose(LE2003, scale="full", seeds=[5, 3])
    assert (scale.seeds, scale.replications) == ((3, 5), 2)


def test_a_variant_is_its_cell_with_one_setting_more() -> None:
    parent, variant = (LE2003.configuration(name) for name in ("pi-24-ecn", "pi-24-ecn-ticks-10ms"))
    assert variant.extends == "pi-24-ecn"
    assert variant.label == "PI 24 + ECN, delays end at ticks of 10 ms"
    assert variant.overrides == {**parent.overrides, "users.minimum_delay_ms.clock_hz": 100}
    assert LE2003.configuration("uncongested-ticks-10ms").twin


def test_chosen_cells_are_calibrated_only_where_their_users_follow_from_it() -> None:
    assert choose(LE2003, scale="standard").calibration.users_per_side != ()
    assert choose(LE2003, scale="standard", cells=["pi-24"]).calibration.users_per_side == ()
    assert choose(LE2003, scale="full", cells=["pi-24"]).calibration.users_per_side == ()
    by_line = replace(LE2003.scales["full"], users_from="calibration")
    calibrated = replace(LE2003, scales={**LE2003.scales, "full": by_line})
    assert choose(calibrated, scale="full", cells=["pi-24"]).calibration.users_per_side != ()


def test_all_readings_of_the_response_sizes_of_le2003_have_the_mean_of_the_printed_load() -> None:
    """By arithmetic: lognormal below a splice, Pareto above it, at most 1e9 bytes."""
    shipped = tomllib.loads(LE2003.scenario_toml)["users"]["model"]
    prefix = "users.model."
    lighter, lightest = (
        {
            key.removeprefix(prefix): value
            for key, value in LE2003.configuration(f"uncongested-{name}").overrides.items()
            if key.startswith(prefix)
        }
        for name in ("lighter-tail", "lightest-tail")
    )
    readings = ((shipped, 10_500.0, 0.878), (lighter, 11_000.0, 0.848), (lightest, 11_500.0, 0.813))
    for model, nine_tenths, hurst in readings:
        median = model.get("response_median_bytes", 1000.0)  # the model's own where the study says nothing
        sigma, index = model.get("response_sigma", 1.8348), model["response_pareto_alpha"]
        assert median * math.exp(sigma * norm.ppf(0.9)) == pytest.approx(nine_tenths, rel=1e-3)
        assert mean_response(median, sigma, index) == pytest.approx(7_218.0, rel=2e-3)
        assert (3.0 - index) / 2.0 == pytest.approx(hurst, abs=6e-4)


def mean_response(median: float, sigma: float, index: float, largest: float = 1e9) -> float:
    splice = brentq(lambda z: norm.pdf(z) / norm.sf(z) - index * sigma, -5.0, 10.0)
    begin, share = median * math.exp(sigma * splice), norm.sf(splice)
    body = median * math.exp(sigma**2 / 2) * norm.cdf(splice - sigma)
    tail = share * begin * index / (index - 1.0) * (1.0 - (begin / largest) ** (index - 1.0))
    return float((body + tail) / (1.0 - share * (begin / largest) ** index))


def test_published_tables_have_one_row_per_cell() -> None:
    file = resources.files("aqmlab") / "experiments" / "le2003" / "published_table2.csv"
    with file.open(encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == len({(row["config"], row["ecn"], row["offered_load_percent"]) for row in rows}) == 64


def test_a_group_stands_for_its_cells_and_a_cell_named_twice_counts_once() -> None:
    cells = LE2003.cells_of(["red", "pi-24", "red-24"])
    assert cells == ("red-24", "red-24-ecn", "red-240", "red-240-ecn", "pi-24")
    assert set(LE2003.scale("standard").cells) == set(LE2003.cells_of(["paper"]))
    with pytest.raises(ExperimentError, match=r'no cell "gain".*did you mean "gains"'):
        LE2003.cells_of(["gain"])
