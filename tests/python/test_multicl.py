"""The study of several congested links: its cells, what it counts, and scales without a line of users."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aqmlab import run
from aqmlab.reproduce import experiment
from aqmlab.reproduce.experiment import ExperimentError
from aqmlab.reproduce.reproduction import base_scenario, cell_scenario, choose
from aqmlab.statistics import MissingDataError
from aqmlab.statistics.quantities import UnknownQuantityError, quantity

MULTICL = experiment.load("multicl")
FORWARD = "flows.long-lived-forward"


def test_every_row_of_table_1_has_a_cell_with_its_queues_in_their_order() -> None:
    (table,) = MULTICL.published_tables
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
    scale = replace(MULTICL.scale("quick"), duration_s=20.0, warm_up_s=5.0)
    result = run(cell_scenario(base_scenario(MULTICL, scale), MULTICL.configuration("dt")), seed=1)
    rows = result.tables["traffic"].to_pandas()
    forward = rows[(rows.flow_group == "long-lived-forward") & (rows.sender == "browser")]
    seen = forward.sent_packets + forward.discarded_packets
    expected = 100.0 * forward.discarded_packets.sum() / seen.max()
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


def test_users_of_the_scenario_are_a_load_of_their_own() -> None:
    scale = MULTICL.scale("full")
    assert scale.users_from == "scenario"
    assert MULTICL.published_line is None
    le2003 = experiment.load("le2003")
    assert {each.users_from for each in le2003.scales.values()} <= {"published", "calibration"}
    with pytest.raises(ExperimentError, match=r"has the loads 100 \(per cent\)"):
        choose(MULTICL, scale="full", loads=[80])
