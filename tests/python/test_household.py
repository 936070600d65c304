"""`aqmlab new home` with rates and a technology: the file, its numbers and what is refused."""

from __future__ import annotations

import re
from collections import Counter
from statistics import mean, pstdev
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import presets
from aqmlab.errors import RefusalError
from aqmlab.presets import TECHNOLOGIES
from aqmlab.presets.household import household
from small import aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path

RATES = [(0.5, 0.5), (16.0, 1.0), (50.0, 10.0), (1000.0, 500.0), (5_000.0, 5_000.0)]


def made(*given: Any) -> dict[str, Any]:  # noqa: ANN401
    return aqmlab.Scenario.from_toml(household(*given)).resolved


def test_without_options_it_is_the_preset() -> None:
    assert aqmlab_run("new", "home").stdout == presets.text("home") == household(100, 10, "cable")


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("technology", TECHNOLOGIES)
def test_every_household_is_legal_and_carries_its_calls(technology: str, rates: tuple[float, float]) -> None:
    text = household(*rates, technology)
    scenario = aqmlab.Scenario.from_toml(text)
    assert scenario.core.warnings() == []
    assert f"{rates[0]:g} Mbit/s down and {rates[1]:g} up" in text.partition("\n")[0]
    steady = [each for each in scenario.resolved["datagrams"] if each["name"].startswith(("call", "game"))]
    assert len(steady) == 4
    assert sum(each["rate_mbps"] for each in steady if each["receivers"] == "internet") <= min(rates) / 3
    meetings = [each for each in scenario.resolved["datagrams"] if each["name"].startswith("meeting")]
    assert all(each["adaptive_video"]["maximum_mbps"] <= min(rates) for each in meetings)
    line = scenario.resolved["line"]
    assert line["interface_rate_mbps"] >= max(rates)
    for queue in (line["provider_queue"], line["modem_queue"]):
        assert queue["limit_bytes"] >= 20 * 1500


@pytest.mark.parametrize("technology", TECHNOLOGIES)
def test_what_is_usual_of_the_line_is_said_in_the_file(technology: str) -> None:
    text = household(None, None, technology)
    line = aqmlab.Scenario.from_toml(text).resolved["line"]
    assert f'framing "{line["framing"]}", {line["delay_ms"]:g} ms of delay' in text
    down, up = re.findall(r"(\d+) ms at the provider's, (\d+) in the modem", text)[0]
    for said_ms, queue, rate in ((down, "provider_queue", "down_mbps"), (up, "modem_queue", "up_mbps")):
        # Frames and cells are in the rate and not in the buffer: 0.86 of ADSL's rate is left.
        assert 0.8 <= line[queue]["limit_bytes"] * 8 / line[rate] / 1e3 / int(said_ms) <= 1.001


def test_buffers_are_time_at_the_rates() -> None:
    line = made(300, 60, "fibre")["line"]
    # 100 ms: 300e6 / 8 * 0.1.
    assert line["provider_queue"]["limit_bytes"] == 3_750_000
    assert line["modem_queue"]["limit_bytes"] == 750_000
    # 1 s, as LTE holds.
    assert made(40, 8, "lte")["line"]["modem_queue"]["limit_bytes"] == 1_000_000


def test_rates_of_radio_vary_around_those_that_are_given() -> None:
    line = made(40, 8, "lte")["line"]
    assert (line["down_mbps"], line["up_mbps"]) == (40.0, 8.0)
    varying = [each for each in TECHNOLOGIES if made(40, 8, each)["line"].get("rates_vary")]
    assert varying == ["lte", "5g", "starlink"]


@pytest.mark.parametrize(("technology", "least", "most"), [("lte", 0.1, 0.5), ("cable", 0.0, 0.02)])
def test_what_a_full_line_carries_varies_on_lte_alone(technology: str, least: float, most: float) -> None:
    """Up, where a backup keeps the deep buffer full: a second has the mean of ten rates, nearly alike."""
    short = {"duration_s": 62.0, "warm_up_s": 20.0, "cool_down_s": 2.0, "record.traffic_interval_ms": 1000}
    text = household(30, 8, technology)
    series = aqmlab.run(aqmlab.Scenario.from_toml(text, overrides=short)).tables["traffic_series"]
    carried: Counter[float] = Counter()
    for row in series.to_pylist():
        if row["link"] == "up":
            carried[row["from_s"]] += row["sent_bytes"]
    seconds = list(carried.values())
    assert len(seconds) == 40
    assert least <= pstdev(seconds) / mean(seconds) <= most


def test_a_household_runs(tmp_path: Path) -> None:
    file = tmp_path / "adsl.toml"
    made = aqmlab_run("new", "home", "--down", "16", "--up", "1", "--technology", "adsl", "-o", file)
    assert made.returncode == 0, made.stderr
    short = {"duration_s": 12.0, "warm_up_s": 4.0, "cool_down_s": 1.0}
    run = aqmlab.run(aqmlab.Scenario.from_file(file, overrides=short))
    assert run.value("throughput_mbps", links=["up"]) > 0.5
    assert run.value("delay_p50_ms/datagrams.call-up") > 50.0  # the backup fills the modem


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["home", "--technology", "fiber"], '5g, starlink; did you mean "fibre"?'),
        (["home", "--down", "0"], "--down: 0 is out of range; legal: 0.5 to 5000 Mbit/s"),
        (["home", "--up", "-3"], "--up: -3 is out of range"),
        (["home", "--up", "nan"], "--up: nan is out of range"),
        (["home", "--up", "1e9"], "--up: 1e+09 is out of range"),
        (["home", "--down", "fast"], "'--down': fast is no number; legal: Mbit/s, such as 10"),
        (["building-adsl", "--up", "1"], "--queue-in and --downloads are of home"),
        (["--technology", "cable"], "missing preset; legal: building-adsl"),
        (["home", "--list", "--up", "1"], "--queue-in and --downloads are of home"),
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


def test_downloads_are_sent_as_their_servers_send() -> None:
    """A download for each sender; the others of the household stay with CUBIC."""
    one, two = (made_of(["bbr"]), made_of(["cubic", "bbr", "reno"]))
    assert one == {"backup": "cubic", "download": "bbr-linux-v3"}
    assert two == {
        "backup": "cubic",
        "download-1": "cubic",
        "download-2": "bbr-linux-v3",
        "download-3": "reno",
    }
    assert made_of(["cubic"]) == {"backup": "cubic", "download": "cubic"}


def made_of(downloads: list[str]) -> dict[str, str]:
    scenario = aqmlab.new("home", downloads=downloads).scenario
    return {each["name"]: each["host"].get("congestion") or "cubic" for each in scenario.resolved["flows"]}


def test_a_download_of_another_kind_is_refused_with_those_there_are() -> None:
    refused = aqmlab_run("new", "home", "--downloads", "bbr,quick")
    assert refused.returncode == 2
    assert "--downloads" in refused.stderr
    assert "cubic, reno, bbr" in refused.stderr
    assert "of home" in aqmlab_run("new", "building-vdsl", "--downloads", "bbr").stderr
