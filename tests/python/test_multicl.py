"""The study of several congested links: its cells, what it counts, and scales without a line of users."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aqmlab import Scenario, run
from aqmlab.errors import ExperimentError, MissingDataError, UnknownQuantityError
from aqmlab.experiments.multicl import seeds
from aqmlab.experiments.multicl.claims.traffic import offered_percent
from aqmlab.papers import experiments
from aqmlab.papers.reproduction import base_scenario, cell_scenario, choose, run_study
from aqmlab.papers.tables.runs import responses
from aqmlab.runs import Execution
from aqmlab.runs.executors import Threads
from aqmlab.scenario import clouds_of
from aqmlab.show.figures.network import draw_network
from aqmlab.statistics import response_times
from aqmlab.statistics.quantities import quantity

if TYPE_CHECKING:
    from aqmlab.papers.study import Study

ROOT = Path(__file__).parents[2]
WAYS = ("forward", "reverse")
MULTICL = experiments.load("multicl")
FORWARD = "flows.long-lived-forward"
AT_ONCE = {f"flows.{group}.start_s": 0.0 for group in (0, 1)}
"""Long-lived flows that do not wait for the first minute, so that short runs have some."""


def test_every_row_of_table_1_has_a_cell_with_its_queues_in_their_order() -> None:
    (table,) = MULTICL.published.tables
    assert len(table.rows) == 36
    base = base_scenario(MULTICL, MULTICL.scale("full"))
    for name, _ in table.rows:
        schemes = name.split("-")
        scenario = cell_scenario(base, MULTICL.configuration(name)).resolved
        links = scenario["parking_lot"]["links"]
        for place, link in enumerate(links):
            wanted = schemes[place] if place < len(schemes) else None
            found = link.get("queue", scenario["parking_lot"]["queue"])["scheme"]
            assert found == {"dt": "drop-tail", None: "drop-tail"}.get(wanted, wanted), name
        clouds = [population["count"] for population in scenario["populations"]]
        assert clouds == [1] * 2 * len(schemes) + [0] * (6 - 2 * len(schemes)), name


def test_loss_and_goodput_of_parts_are_those_of_the_table_and_the_summary() -> None:
    scale = replace(MULTICL.scale("quick"), duration_s=20.0, warm_up_s=5.0, overrides=AT_ONCE)
    result = run(cell_scenario(base_scenario(MULTICL, scale), MULTICL.configuration("dt")), seed=1)
    rows = result.tables["traffic"].to_pandas()
    forward = rows[(rows.flow_group == "long-lived-forward") & (rows.sender == "browser")]
    (first,) = forward[forward.link == "router-0-to-router-1"].itertuples()
    came = first.sent_packets + first.discarded_packets
    expected = 100.0 * forward.discarded_packets.sum() / came
    assert quantity(f"loss_percent/{FORWARD}")(result) == pytest.approx(expected)
    (group,) = [group for group in result.run["flows"] if group["name"] == "long-lived-forward"]
    kilobits = 8.0 * sum(group["delivered_bytes"]) / 1000.0 / 15.0
    assert quantity(f"goodput_kbps/{FORWARD}")(result) == pytest.approx(kilobits)
    # Ten flows behind two interfaces of 1 Mbit/s, of which headers take a part.
    assert 500.0 < kilobits < 2000.0
    with pytest.raises(MissingDataError, match=r"no flows\.nobody"):
        quantity("loss_percent/flows.nobody")(result)
    with pytest.raises(UnknownQuantityError, match=r"loss_percent/flows\.NAME"):
        quantity("loss_percent/nobody")


def test_a_part_that_takes_several_paths_has_no_loss_of_its_own() -> None:
    text = (ROOT / "examples/star.toml").read_text()
    overrides = {"duration_s": 4.0, "warm_up_s": 1.0, "record.traffic": True}
    result = run(Scenario.from_toml(text, overrides=overrides), seed=1)
    rows = result.tables["traffic"].to_pandas()
    sending = rows[rows.flow_group.notna() & (rows.sender == "browser") & (rows.sent_packets > 0)]
    links = sending.groupby("flow_group", observed=True).size()
    name = links.index[links > 1][0]
    with pytest.raises(MissingDataError, match="more than one path"):
        quantity(f"loss_percent/flows.{name}")(result)


def test_clouds_are_not_called_people() -> None:
    resolved = base_scenario(MULTICL, MULTICL.scale("quick")).resolved
    assert clouds_of(resolved) == {
        "left",
        "right",
        *(f"cross-{hop}-{way}" for hop in (1, 3, 5) for way in WAYS),
    }
    written = draw_network(resolved).svg
    assert "right: 1 cloud of connections" in written
    assert "1 person" not in written


def test_users_of_the_scenario_are_a_load_of_their_own() -> None:
    scale = MULTICL.scale("full")
    assert scale.users_from == "scenario"
    assert MULTICL.published.line is None
    le2003 = experiments.load("le2003")
    assert {each.users_from for each in le2003.scales.values()} <= {"published", "calibration"}
    with pytest.raises(ExperimentError, match=r"has the loads 100 \(per cent\)"):
        choose(MULTICL, scale="full", loads=[80])


@pytest.fixture(scope="module")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    scale = choose(MULTICL, scale="quick", cells=["offered", "dt"], replications=2)
    scale = replace(scale, duration_s=12.0, warm_up_s=4.0, overrides=AT_ONCE)
    return run_study(
        MULTICL, scale, Execution(Threads(2), store=tmp_path_factory.mktemp("s"), progress=False)
    )


def test_figures_and_claims_are_of_the_forward_path_and_the_reverse_stands_beside_it(
    small_study: Study,
) -> None:
    cell = ("dt", 100.0)
    first = small_study.results(*cell)[0]
    assert small_study.times(*cell)[0].ended == response_times(first, population="right").ended
    assert small_study.times(*cell, "left")[0].ended == response_times(first, population="left").ended
    columns = {column.name: place for place, column in enumerate(responses(small_study).columns)}
    rows = [row for row in responses(small_study).rows if str(row[columns["cell"]].value).startswith("DT")]
    whose, exchanges = ([row[columns[name]].value for row in rows] for name in ("population", "exchanges"))
    assert whose == ["right", "left", "right and left"]
    right, left, both = (float(str(each)) for each in exchanges)
    assert both == pytest.approx(right + left)
    # The cross traffic is nobody's here: it stands in the run, not in the rows.
    assert both < response_times(first).ended


def test_what_is_offered_is_what_servers_put_on_an_uncongested_link(small_study: Study) -> None:
    link = "router-1-to-router-2"
    answers = [
        offered_percent(small_study, ("offered", 100.0), link=link, bounds=(0.0, 1.0), parts=parts)
        for parts in (["right"], ["cross-1-forward"], ["cross-3-forward"], [])
    ]
    means = [float(answer.evidence.split()[1]) for answer in answers]
    right, cross, elsewhere, everything = means
    assert elsewhere == 0.0
    assert 0.0 < right + cross < everything
    measured = [
        entry["throughput_ip_mbps"]
        for result in small_study.results("offered", 100.0)
        for entry in result.run["links"]
        if entry["name"] == link
    ]
    assert everything == pytest.approx(10.0 * sum(measured) / len(measured), rel=2e-3)  # printed digits


def test_a_fact_deviates_by_what_it_lies_outside_of_the_printed_range() -> None:
    (http,) = [fact for fact in seeds.FACTS if fact.name == "http_percent"]
    assert [http.outside(value) for value in (34.0, 34.5, 35.2, 37.0)] == pytest.approx([0.5, 0.0, 0.0, 1.5])
    (largest,) = [fact for fact in seeds.FACTS if fact.name == "largest_bytes"]
    assert largest.outside(4.25e6) == pytest.approx(math.log(2.0))
    (seconds,) = [fact for fact in seeds.FACTS if fact.name == "seconds"]
    assert [seconds.outside(value) for value in (810.0, 900.0)] == pytest.approx([10.0, 0.0])


def test_the_closest_seeds_deviate_least_in_standard_deviations() -> None:
    printed = {fact.name: fact.least for fact in seeds.FACTS}
    # Loads of 35, 36.5 and 38.5 %: their standard deviation is 1.756, and 1 and 3 points are outside.
    found = {seed: {**printed, "http_percent": http} for seed, http in ((7, 35.0), (8, 36.5), (9, 38.5))}
    every = {
        seed: {
            **facts,
            **{name: value * (1.0 + 1e-9 * seed) for name, value in facts.items() if name != "http_percent"},
        }
        for seed, facts in found.items()
    }
    apart = seeds.distances(every)
    assert apart[7] == pytest.approx(0.0, abs=1e-3)
    root = math.sqrt(len(seeds.FACTS))
    assert apart[8] * root == pytest.approx(1.0 / 1.7559, rel=1e-3)
    assert apart[9] * root == pytest.approx(3.0 / 1.7559, rel=1e-3)
    many = {seed: {**every[7 + seed % 3]} for seed in range(1, 31)}
    assert seeds.closest(many) == [3, 6, 9, 12, 15, 18]  # of seeds alike the first ones


def test_the_seeds_of_the_full_study_are_those_of_the_file() -> None:
    file = ROOT / "python/aqmlab/experiments/multicl/seeds.csv"
    found = seeds.read_facts(file)
    assert tuple(seeds.closest(found)) == MULTICL.scale("full").seeds
    assert MULTICL.scale("blind").seeds == tuple(seeds.BLIND)
    with file.open(newline="", encoding="utf-8") as rows:
        chosen = [int(row["seed"]) for row in csv.DictReader(rows) if row["chosen"] == "1"]
    assert tuple(chosen) == MULTICL.scale("full").seeds
    with pytest.raises(ExperimentError, match="scale full has seeds of its own"):
        choose(MULTICL, scale="full", replications=7)
    assert choose(MULTICL, scale="full", replications=2).seeds == tuple(chosen[:2])
