"""What the documents say is what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import aqmlab
from aqmlab import sweep
from aqmlab.statistics.summary import figures
from small import WEB

ROOT = Path(__file__).parents[2]


def section(document: str, heading: str) -> str:
    """The text below a heading, to the next heading of its level or above."""
    level = heading.split(" ", maxsplit=1)[0]
    body = document.split(f"\n{heading}\n", 1)[1]
    return re.split(rf"\n#{{2,{len(level)}}} ", body, maxsplit=1)[0]


def first_cells(text: str) -> set[str]:
    """The names in code style in the first column of the tables of a text."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    return {name for cell in rows for name in re.findall(r"`([^`]+)`", cell)}


@pytest.fixture(name="result", scope="module")
def one_result_with_everything() -> aqmlab.Result:
    return aqmlab.run(WEB)


def test_every_table_and_column_is_documented(result: aqmlab.Result) -> None:
    document = (ROOT / "docs/results.md").read_text()
    for name, table in result.tables.items():
        assert set(table.column_names) == first_cells(section(document, f"### {name}")), name


@pytest.mark.parametrize("part", ["links", "populations"])
def test_every_key_of_the_summary_is_documented(result: aqmlab.Result, part: str) -> None:
    document = (ROOT / "docs/results.md").read_text()
    documented = first_cells(section(document, f"### {part}[]"))
    (first, *_) = result.run[part]
    assert {key for key in first if key != "counters"} <= documented
    overview, *_ = section(document, "## run.json").split("###", maxsplit=1)
    keys = {key.removesuffix("[]") for key in first_cells(overview)}
    assert set(result.run) | {"offered_load"} == keys
    assert set(result.run["tcp"]) == first_cells(section(document, "### tcp"))


def test_the_readme_begins_with_a_scenario_that_is_legal() -> None:
    readme = (ROOT / "README.md").read_text()
    (text,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    assert aqmlab.Scenario.from_toml(text).name == tomllib.loads(text)["name"]


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (ROOT / "README.md").read_text()
    (scenario,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    (program,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    quick = scenario.replace("120.0", "4.0").replace("30.0", "1.0").replace("8568", "800")
    assert quick.count(".0") == scenario.count(".0")
    (tmp_path / "pi.toml").write_text(quick)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(program, "README.md", "exec"), names)  # noqa: S102  (our own README)
    assert isinstance(names["results"], list)
    assert len(names["results"]) == 16


def test_every_dependency_is_accounted_for() -> None:
    document = (ROOT / "docs/dependencies.md").read_text()
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    python = [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]
    used = {name for name in cargo if not name.startswith("aqmlab-")}
    used |= {re.split(r"[<>=]", requirement)[0] for requirement in python}
    assert used == set(re.findall(r"\| \[`([^`]+)`\]", document))


def test_the_sweeps_in_the_documentation_are_legal(tmp_path: Path) -> None:
    document = (ROOT / "docs/sweeps.md").read_text()
    red = 'scheme = "red", limit_packets = 480, min_th_packets = 5, max_th_packets = 200'
    (tmp_path / "red.toml").write_text(WEB.replace('scheme = "pi", limit_packets = 500', red))
    (tmp_path / "campus.toml").write_text(WEB)
    texts = re.findall(r"```toml\n(.*?)```", document, re.DOTALL)
    sizes = [len(sweep.read_text(text, folder=tmp_path).points) for text in texts]
    assert sizes == [20, 40]


def test_every_column_of_an_exported_sweep_is_documented(result: aqmlab.Result) -> None:
    table = section((ROOT / "docs/sweeps.md").read_text(), "## The table")
    documented = first_cells(table)
    for name in figures(result):
        quantile = re.fullmatch(r"response_p\d+_s", name)
        assert name in documented or quantile or "." in name, name
