"""`aqmlab new home` with rates and a technology: the file, its numbers and what is refused."""

from __future__ import annotations

import tomllib
from collections import Counter
from statistics import mean, pstdev
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import presets
from aqmlab.errors import RefusalError
from aqmlab.presets.household import TECHNOLOGIES, household
from small import aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path

RATES = [(0.5, 0.5), (16.0, 1.0), (50.0, 10.0), (1000.0, 500.0), (5_000.0, 5_000.0)]
LAYER2 = ("layer2_overhead_bytes", "layer2_minimum_frame_bytes", "layer2_gap_bytes")


def line_of(*given: Any) -> dict[str, Any]:  # noqa: ANN401
    dumbbell: dict[str, Any] = tomllib.loads(household(*given))["dumbbell"]
    return dumbbell


def test_without_options_the_preset_is_what_it_was() -> None:
    assert aqmlab_run("new", "home").stdout == presets.text("home")


def test_cable_with_the_rates_of_the_preset_is_the_preset() -> None:
    made, preset = (tomllib.loads(text) for text in (household(100, 10, "cable"), presets.text("home")))
    assert made == preset


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("technology", TECHNOLOGIES)
def test_every_household_is_legal_and_carries_its_call(technology: str, rates: tuple[float, float]) -> None:
    text = household(*rates, technology)
    scenario = aqmlab.Scenario.from_toml(text)
    assert scenario.core.warnings() == []
    assert f"{rates[0]:g} Mbit/s down and {rates[1]:g} up" in text.partition("\n")[0]
    calls = [each for each in scenario.resolved["datagrams"] if each["name"].startswith("call")]
    assert len(calls) == 2
    assert all(each["rate_mbps"] <= min(rates) / 3 for each in calls)
    line = scenario.resolved["dumbbell"]
    assert line["interface_rate_mbps"] > max(rates)
    for queue in (line["queue"], line.get("queue_right_to_left", line["queue"])):
        assert queue["limit_bytes"] >= 20 * 1500


@pytest.mark.parametrize("technology", TECHNOLOGIES)
def test_every_number_of_the_line_says_where_it_comes_from(technology: str) -> None:
    line = household(20, 5, technology).split("[dumbbell]\n")[1].split("\n[", maxsplit=1)[0].splitlines()
    for above, here in zip(["", *line], line, strict=False):
        if here.startswith(("rate", "delay", "queue", "interface", "layer2_overhead", "medium =")):
            assert "# " in here or above.startswith("# "), here


def test_rates_above_a_lines_frames_are_kept_and_buffers_are_time_at_them() -> None:
    line = line_of(300, 60, "fibre")
    assert (line["rate_mbps"], line["rate_right_to_left_mbps"]) == (300.0, 60.0)
    assert [line[key] for key in LAYER2] == [0, 0, 0]
    # 100 ms: 300e6 / 8 * 0.1.
    assert line["queue"]["limit_bytes"] == 3_750_000
    assert line["queue_right_to_left"]["limit_bytes"] == 750_000
    # 1 s, as LTE holds.
    assert line_of(40, 8, "lte")["queue_right_to_left"]["limit_bytes"] == 1_000_000


def test_rates_of_lte_vary_around_those_that_are_given() -> None:
    line = line_of(40, 8, "lte")
    assert (line["rate_mbps"], line["rate_right_to_left_mbps"]) == (40.0, 8.0)
    assert set(line["medium"]) == set(line["medium_right_to_left"]) == {"varying_rate"}
    assert [technology for technology in TECHNOLOGIES if "medium" in line_of(40, 8, technology)] == ["lte"]


@pytest.mark.parametrize(("technology", "least", "most"), [("lte", 0.1, 0.5), ("cable", 0.0, 0.02)])
def test_what_a_full_line_carries_varies_on_lte_alone(technology: str, least: float, most: float) -> None:
    """Up, where a backup keeps the deep buffer full: a second has the mean of ten rates, nearly alike."""
    short = {"duration_s": 62.0, "warm_up_s": 20.0, "cool_down_s": 2.0, "record.traffic_interval_ms": 1000}
    text = household(30, 8, technology)
    series = aqmlab.run(aqmlab.Scenario.from_toml(text, overrides=short)).tables["traffic_series"]
    carried: Counter[float] = Counter()
    for row in series.to_pylist():
        if row["link"] == "right-to-left":
            carried[row["from_s"]] += row["sent_bytes"]
    seconds = list(carried.values())
    assert len(seconds) == 40
    assert least <= pstdev(seconds) / mean(seconds) <= most


def test_vdsl_has_the_frames_of_ptm() -> None:
    """A full packet is 1,500 and 30 bytes, of 65 sent for 64: 50 Mbit/s are 48.26 of IP packets."""
    line = line_of(50, 10, "vdsl")
    sent_bytes = 1500 + line["layer2_overhead_bytes"] + line["layer2_gap_bytes"]
    ip_mbps = line["rate_mbps"] * 1500 / sent_bytes
    assert ip_mbps == pytest.approx(50.0 * 64 / 65 * 1500 / 1530, rel=1e-5)


@pytest.mark.parametrize("packet_bytes", [200, 576, 1500])
def test_adsl_is_within_a_cell_of_what_atm_sends(packet_bytes: int) -> None:
    """Exactly: cells of 53 bytes for 48 of packet and the 40 of pppoe-llcsnap."""
    line = line_of(16, 1, "adsl")
    frame = max(packet_bytes + line["layer2_overhead_bytes"], line["layer2_minimum_frame_bytes"])
    ours_s = frame * 8 / (line["rate_mbps"] * 1e6)
    cells = -(-(packet_bytes + 40) // 48)
    exact_s = cells * 53 * 8 / 16e6
    assert abs(ours_s - exact_s) <= 0.51 * 53 * 8 / 16e6


def test_a_household_runs(tmp_path: Path) -> None:
    file = tmp_path / "adsl.toml"
    made = aqmlab_run("new", "home", "--down", "16", "--up", "1", "--technology", "adsl", "-o", file)
    assert made.returncode == 0, made.stderr
    short = {"duration_s": 12.0, "warm_up_s": 4.0, "cool_down_s": 1.0}
    run = aqmlab.run(aqmlab.Scenario.from_file(file, overrides=short))
    assert run.value("throughput_mbps", links=["right-to-left"]) > 0.5
    assert run.value("delay_p50_ms/datagrams.call-up") > 50.0  # the backup fills the modem


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["home", "--technology", "fiber"], 'cable, vdsl, adsl, fibre, lte; did you mean "fibre"?'),
        (["home", "--down", "0"], "--down: 0 is out of range; legal: 0.5 to 5000 Mbit/s"),
        (["home", "--up", "-3"], "--up: -3 is out of range"),
        (["home", "--up", "nan"], "--up: nan is out of range"),
        (["home", "--up", "1e9"], "--up: 1e+09 is out of range"),
        (["home", "--down", "fast"], "'fast' is not a valid float"),
        (["building-adsl", "--up", "1"], "--down, --up, --technology and --queue-in are of home"),
        (["--technology", "cable"], "missing preset; legal: building-adsl"),
        (["home", "--list", "--up", "1"], "--down, --up, --technology and --queue-in are of home"),
    ],
)  # fmt: skip
def test_what_is_no_household_is_refused(options: list[str], said: str, tmp_path: Path) -> None:
    file = tmp_path / "home.toml"
    left = aqmlab_run("new", *options, "-o", file)
    assert left.returncode == 2
    assert said in " ".join(left.stderr.split())
    assert not file.exists()


def test_a_refused_argument_has_its_place_value_and_nearest_name() -> None:
    with pytest.raises(RefusalError) as error:
        household(technology="dsll")
    assert (error.value.place, error.value.value) == ("technology", "dsll")
    assert error.value.nearest in TECHNOLOGIES
    with pytest.raises(RefusalError) as rate:
        household(up_mbps=0)
    assert (rate.value.place, rate.value.value, rate.value.legal) == ("up_mbps", 0, "0.5 to 5000 Mbit/s")
