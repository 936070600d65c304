"""Scenarios as Python sees them; what is legal is tested where it is decided, in the core."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import aqmlab
from aqmlab import Scenario, ScenarioError, _core
from aqmlab.files.toml_text import TomlText, to_toml, toml_value
from small import BULK, WEB, bulk

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]


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
        "\x7f",
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
    with pytest.raises(ScenarioError, match="numbers, text, booleans, lists and tables") as refused:
        bulk(duration_s=object())
    assert refused.value.place == "duration_s"


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

    class Core:
        def sources(self) -> str:
            return "another"

    monkeypatch.setitem(scenario.__dict__, "core", Core())
    assert len(addresses | {scenario.content_address(1)}) == 4


CDF = "users.model.response_bytes_cdf_file"


def test_the_address_depends_on_the_contents_of_the_files_that_are_named(tmp_path: Path) -> None:
    def address(text: str) -> str:
        (tmp_path / "sizes.cdf").write_text(text)
        return Scenario.from_toml(WEB, folder=tmp_path, overrides={CDF: "sizes.cdf"}).content_address(1)

    before = address("100 0.5\n200 1.0\n")
    assert address("100 0.5\n201 1.0\n") != before
    assert address("100 0.5\n200 1.0\n") == before


def test_a_file_is_looked_for_beside_the_scenario_and_not_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario_folder, elsewhere = tmp_path / "scenario", tmp_path / "elsewhere"
    for folder, size in (scenario_folder, 100), (elsewhere, 200):
        folder.mkdir()
        (folder / "sizes.cdf").write_text(f"{size} 1\n")
        (folder / "others.cdf").write_text(f"{size + 1} 1\n")
    (scenario_folder / "web.toml").write_text(
        WEB + '[users.model]\nmodel = "unc"\nresponse_bytes_cdf_file = "sizes.cdf"\n'
    )
    monkeypatch.chdir(elsewhere)
    scenario = Scenario.from_file(Path("..") / "scenario" / "web.toml")
    assert scenario.resolved["files"] == {"sizes.cdf": "100 1\n"}
    monkeypatch.chdir(tmp_path)
    assert scenario.with_overrides({CDF: "others.cdf"}).resolved["files"] == {"others.cdf": "101 1\n"}
    assert scenario.uncongested_twin().with_overrides({CDF: "others.cdf"}).resolved["files"]
    with pytest.raises(
        ScenarioError, match=r'response_bytes_cdf_file: "gone\.cdf": there is no file /.*/scenario/gone'
    ):
        scenario.with_overrides({CDF: "gone.cdf"})


def test_a_scenario_whose_files_are_gone_runs_as_before(tmp_path: Path) -> None:
    (tmp_path / "sizes.cdf").write_text("# every response\n1234 1\n")
    overrides = {CDF: "sizes.cdf", "record.responses": "rows", "duration_s": 8.0}
    scenario = Scenario.from_toml(WEB, folder=tmp_path, overrides=overrides)
    (tmp_path / "sizes.cdf").unlink()
    result = aqmlab.run(scenario)
    assert set(result.responses["response_bytes"].to_pylist()) == {1234}
    again = Scenario.from_toml(to_toml(result.scenario), folder=tmp_path)
    assert again.content_address(1) == result.content_address


@pytest.fixture(name="digests", scope="module")
def the_digests_of_a_copy_of_the_sources(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[], dict[str, str]]:
    """Runs the build script over a copy of the sources that `root` may have changed meanwhile."""
    if (rustc := shutil.which("rustc")) is None:
        pytest.skip("needs rustc")
    root = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "crates", root / "crates")
    shutil.copy(ROOT / "Cargo.lock", root)
    script = root / "build-script"
    subprocess.run([rustc, "-O", "--edition=2024", "-o", script, ROOT / "crates/python/build.rs"], check=True)

    def digests() -> dict[str, str]:
        ran = subprocess.run([script], cwd=root / "crates/python", check=True, capture_output=True, text=True)
        said = dict(re.findall(r"cargo::rustc-env=AQMLAB_(\w+)=(.*)", ran.stdout))
        schemes = dict(each.split("=") for each in said.pop("SCHEME_DIGESTS").split())
        return {"root": str(root), **said, **schemes}

    return digests


def _changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {key for key in before | after if before.get(key) != after.get(key)}


@pytest.mark.exhaustive
def test_a_scheme_that_is_added_or_changed_leaves_the_addresses_of_others(
    digests: Callable[[], dict[str, str]],
) -> None:
    before = digests()
    algorithms = Path(before["root"]) / "crates/aqm/src/algorithms"
    (algorithms / "prio.rs").write_text("pub struct Params;\n")
    registered = (algorithms / "mod.rs").read_text()
    line = '    "prio" => prio::Prio,\n'
    (algorithms / "mod.rs").write_text(registered.replace("register! {\n", "register! {\n" + line))
    added = digests()
    # htb builds on it.
    assert _changed(before, added) == {"SOURCE_DIGEST", "prio", "htb"}
    red = (algorithms / "red.rs").read_text()
    (algorithms / "red.rs").write_text(red + "\n// changed\n")
    edited = digests()
    # red-pd has a RED within.
    assert _changed(added, edited) == {"SOURCE_DIGEST", "red", "red-pd"}
    (algorithms / "prio.rs").write_text("use super::red::Params;\n")
    built_on_red = digests()
    (algorithms / "red.rs").write_text(red)
    assert _changed(built_on_red, digests()) == {"SOURCE_DIGEST", "red", "red-pd", "prio", "htb"}
    # The core calls CoDel and COBALT by their names (direct_calls.rs).
    (algorithms / "codel.rs").write_text("pub struct Params;\n")
    assert _changed(edited, digests()) > {"SOURCE_DIGEST", "CORE_DIGEST", "fq-codel"}
    part = algorithms.parent / "parts/ewma.rs"
    before = digests()
    part.write_text(part.read_text() + "\n// changed\n")
    assert _changed(before, digests()) == {"SOURCE_DIGEST", "CORE_DIGEST"}


@pytest.mark.exhaustive
def test_a_change_of_any_crate_that_a_run_depends_on_is_another_version(
    digests: Callable[[], dict[str, str]],
) -> None:
    if (cargo := shutil.which("cargo")) is None:
        pytest.skip("needs cargo")
    tree = [cargo, "tree", "--offline", "--edges", "normal", "--prefix", "none", "--package", "aqmlab-sim"]
    ran = subprocess.run(tree, cwd=ROOT, check=True, capture_output=True, text=True)
    crates = set(re.findall(r"^aqmlab-(\w+) ", ran.stdout, re.MULTILINE)) | {"plugin"}
    assert {"sim", "link", "wire", "aqm"} <= crates
    others = {manifest.parent.name for manifest in (ROOT / "crates").glob("*/Cargo.toml")} - crates
    root = Path(digests()["root"])
    for name in sorted(crates | others):
        before = digests()
        source = root / "crates" / name / "src/lib.rs"
        source.write_text(source.read_text() + "\n// changed\n")
        expected = {"SOURCE_DIGEST", "CORE_DIGEST"} if name in crates else set()
        assert _changed(before, digests()) == expected, name


def test_the_address_depends_on_the_sources_of_the_schemes_in_the_network() -> None:
    one = bulk()
    (version, drop_tail) = one.core.sources().rsplit(" ", 1)
    assert drop_tail.startswith("drop-tail=")
    assert version.startswith(_core.version().split("+")[0])
    both = one.with_overrides({"dumbbell.queue_right_to_left": {"scheme": "pi", "limit_packets": 9}})
    core, *schemes = both.core.sources().split(" ")
    assert [scheme.split("=")[0] for scheme in schemes] == ["drop-tail", "pi"]
    assert (core, schemes[0]) == (version, drop_tail)


def test_schemes_share_one_uncongested_twin() -> None:
    one = bulk(name="a").uncongested_twin()
    other = bulk(name="b", dumbbell__queue={"scheme": "pi", "limit_packets": 99}).uncongested_twin()
    assert one.content_address(1) == other.content_address(1)
