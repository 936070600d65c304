"""Scenarios as Python sees them; what is legal is tested where it is decided, in the core."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from aqmlab import Scenario, ScenarioError, _core
from aqmlab.scenario import TomlText, toml_value
from small import BULK, WEB, bulk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "value",
    [
        1,
        -3,
        2.5,
        1e-12,
        1e300,
        True,
        False,
        "",
        'quote " and \\ and \n',
        "naïve 😀",
        [1, [2.0, "x"]],
        {"a b": {"c": 1}},
    ],
)
def test_a_python_value_is_spelt_so_that_toml_reads_it_back(value: object) -> None:
    assert tomllib.loads(f"x = {toml_value(value)}")["x"] == value


def test_numpy_numbers_are_numbers() -> None:
    assert toml_value(np.int64(3)) == "3"
    assert toml_value(np.float64(0.5)) == "0.5"


def test_text_that_is_toml_already_stays_as_it_is() -> None:
    assert toml_value(TomlText("{ scheme = 'pi' }")) == "{ scheme = 'pi' }"


def test_a_value_that_no_scenario_can_hold_is_refused_with_what_it_can_hold() -> None:
    with pytest.raises(TypeError, match="numbers, text, booleans, lists and tables"):
        bulk(duration_s=object())


def test_a_file_is_the_text_in_it(tmp_path: Path) -> None:
    file = tmp_path / "bulk.toml"
    file.write_text(BULK)
    assert Scenario.from_file(file) == Scenario.from_toml(BULK) == Scenario.of(str(file)) == Scenario.of(BULK)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"nowhere\.toml: there is no such file"):
        Scenario.from_file(tmp_path / "nowhere.toml")


def test_a_folder_is_not_a_scenario(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read: a folder, not a file"):
        Scenario.from_file(tmp_path)


def test_bytes_that_are_no_text_are_refused_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes("name = 'é'".encode("latin-1"))
    with pytest.raises(ScenarioError, match=r"not UTF-8 text \(byte 8\)"):
        Scenario.from_file(tmp_path / "latin.toml")


def test_overrides_replace_what_the_text_says_before_and_after_resolving() -> None:
    queue = {"scheme": "drop-tail", "limit_packets": 7}
    early = bulk(dumbbell__queue=queue)
    late = bulk().with_overrides({"dumbbell.queue": queue})
    assert early == late
    assert early.resolved["dumbbell"]["queue"]["limit_packets"] == 7


def test_an_override_of_an_unknown_key_is_refused_by_its_name() -> None:
    with pytest.raises(ScenarioError, match="rate_mpbs"):
        bulk().with_overrides({"dumbbell.rate_mpbs": 1.0})


def test_the_twin_has_the_same_traffic_on_a_link_that_never_congests() -> None:
    scenario = bulk()
    twin = scenario.uncongested_twin()
    assert twin.resolved["flows"] == scenario.resolved["flows"]
    assert twin.resolved["dumbbell"]["rate_mbps"] == scenario.resolved["dumbbell"]["uncongested_rate_mbps"]


def test_the_address_depends_on_what_happens_and_not_on_what_it_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenario = bulk()
    assert bulk(name="other", description="words").content_address(1) == scenario.content_address(1)
    addresses = {
        scenario.content_address(1),
        scenario.content_address(2),
        bulk(duration_s=3.5).content_address(1),
    }
    monkeypatch.setattr(_core, "version", lambda: "another")
    assert len(addresses | {scenario.content_address(1)}) == 4


def test_the_address_depends_on_the_contents_of_the_files_that_are_named(tmp_path: Path) -> None:
    law = tmp_path / "sizes.cdf"
    law.write_text("100 0.5\n200 1.0\n")
    scenario = Scenario.from_toml(WEB, overrides={"users.model.response_bytes_cdf_file": str(law)})
    before = scenario.content_address(1)
    assert scenario.content_address(1) == before
    law.write_text("100 0.5\n201 1.0\n")
    assert scenario.content_address(1) != before
    law.unlink()
    with pytest.raises(
        ScenarioError, match=r"response_bytes_cdf_file: .*sizes\.cdf: cannot be read: No such file"
    ):
        scenario.content_address(1)


def test_schemes_share_one_uncongested_twin() -> None:
    one = bulk(name="a").uncongested_twin()
    other = bulk(name="b", dumbbell__queue={"scheme": "pi", "limit_packets": 99}).uncongested_twin()
    assert one.content_address(1) == other.content_address(1)
