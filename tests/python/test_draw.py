"""`aqmlab draw`: what stands in the picture of a network, and of its runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import aqmlab
from aqmlab.show.figures.network import draw_network
from aqmlab.show.figures.network_layout import layout_of
from small import TWO_HOPS, WEB, aqmlab_run

EXAMPLES = Path(__file__).parents[2] / "examples"


def words(svg: str) -> list[str]:
    """What is written in a picture."""
    return [re.sub(r"<[^>]+>", "", text).strip() for text in re.findall(r"<text.*?</text>", svg, re.DOTALL)]


def drawn(scenario: aqmlab.Scenario) -> list[str]:
    return words(draw_network(scenario.resolved).svg)


def test_rates_delays_schemes_and_who_talks_to_whom_are_written() -> None:
    texts = drawn(aqmlab.Scenario.from_toml(TWO_HOPS))
    for text in ("a", "b", "c", "far-site (2)", "near-site", "browsers (3)", "sinks", "two hops"):
        assert text in texts
    for text in ("2 Mbit/s, 5 ms, drop-tail 40 packets", "3 Mbit/s, 5 ms, red 60 packets", "100 Mbit/s"):
        assert text in texts
    assert "readers: 80 people, from far-site to browsers" in texts
    assert "cross-traffic: 2 flows, from far-site to sinks" in texts


def test_directions_that_differ_are_told_apart() -> None:
    scenario = aqmlab.Scenario.from_toml(WEB, overrides={"dumbbell.rate_right_to_left_mbps": 0.5})
    texts = drawn(scenario)
    assert "↓ 2 Mbit/s, pi 500 packets" in texts
    assert "↑ 0.5 Mbit/s, pi 500 packets" in texts


def test_machines_alike_are_one_box_and_groups_without_traffic_none() -> None:
    layout = layout_of(aqmlab.Scenario.from_file(EXAMPLES / "star.toml").resolved)
    assert sorted(box.label for box in layout.boxes) == [
        "homes, others (6)", "homes-3", "homes-7", "hub", "servers (8)",
    ]  # fmt: skip
    layout = layout_of(aqmlab.Scenario.from_file(EXAMPLES / "parking_lot.toml").resolved)
    labels = {box.label for box in layout.boxes}
    assert {"router-0", "router-7", "sources-left (2)", "servers-1 (2)", "browsers-6 (2)"} <= labels
    assert not labels & {"servers-0 (2)", "browsers-1 (2)"}


@pytest.mark.parametrize("name", ["parking_lot.toml", "star.toml"])
def test_every_box_has_a_place_of_its_own_and_traffic_passes_its_routers(name: str) -> None:
    layout = layout_of(aqmlab.Scenario.from_file(EXAMPLES / name).resolved)
    drawn = [router for row in layout.rows for router in row]
    drawn += [machines for router in drawn for machines in layout.machines_at(router)]
    assert sorted(drawn) == list(range(len(layout.boxes))), "every box stands at one place"
    by_name = {each.name: [layout.boxes[box].label for box in layout.passed(each)] for each in layout.traffic}
    if name == "parking_lot.toml":
        assert by_name["populations.cross-3"] == ["servers-3 (2)", "router-3", "router-4", "browsers-4 (2)"]
        assert len(by_name["flows.bulk-reverse"]) == 2 + 8
    else:
        assert by_name["flows.uploads"][1:] == ["hub", "servers (8)"]


def test_of_runs_the_mean_of_what_each_link_did_is_written() -> None:
    scenario = aqmlab.Scenario.from_toml(TWO_HOPS)
    runs = [aqmlab.run(scenario, seed=seed) for seed in (1, 2)]
    texts = words(draw_network(scenario.resolved, runs).svg)
    for link in ("a-to-b", "b-to-c"):
        found = [each for run in runs for each in run.run["links"] if each["name"] == link]
        busy = sum(each["busy_share"] for each in found) / 2 * 100
        lost = sum(each["loss_ratio"] for each in found) / 2 * 100
        assert f"busy {busy:.0f} %, lost {lost:.2f} %" in texts


def test_the_command_writes_the_form_that_the_ending_names(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO_HOPS)
    for ending, begins in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        done = aqmlab_run("draw", "two.toml", "--output", f"two{ending}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        assert (tmp_path / f"two{ending}").read_bytes().startswith(begins)
    again = aqmlab_run("draw", "two.toml", cwd=tmp_path)
    assert again.stdout.strip() == "two.svg"
    refused = aqmlab_run("draw", "two.toml", "--output", "two.gif", cwd=tmp_path)
    assert refused.returncode == 2
    assert "legal endings: .svg, .pdf, .png" in refused.stderr


def test_a_name_in_the_picture_is_no_formula() -> None:
    scenario = aqmlab.Scenario.from_toml(TWO_HOPS.replace("far-site", "a$b$"))
    assert "a$b$ (2)" in drawn(scenario)
