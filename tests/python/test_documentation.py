"""What the documents say is what there is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import aqmlab
from aqmlab.statistics.run_summary import figures
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
    document = (ROOT / "docs/reference/results.md").read_text()
    for name, table in result.tables.items():
        assert set(table.column_names) == first_cells(section(document, f"### {name}")), name


@pytest.mark.parametrize("part", ["links", "populations"])
def test_every_key_of_the_summary_is_documented(result: aqmlab.Result, part: str) -> None:
    document = (ROOT / "docs/reference/results.md").read_text()
    documented = first_cells(section(document, f"### {part}[]"))
    (first, *_) = result.run[part]
    assert {key for key in first if key != "counters"} <= documented
    overview, *_ = section(document, "## run.json").split("###", maxsplit=1)
    keys = {key.removesuffix("[]") for key in first_cells(overview)}
    at_times = {"offered_load", "impairments", "delay_boxes", "shapers", "live", "actions", "ended_s"}
    assert set(result.run) | at_times == keys
    with_fallback = {"classic_fallbacks"}
    assert set(result.run["tcp"]) | with_fallback == first_cells(section(document, "### tcp"))


def test_a_cell_of_a_table_is_a_note_and_no_page() -> None:
    document = (ROOT / "docs/reference/results.md").read_text()
    cells = [cell for line in document.splitlines() if line.startswith("| ") for cell in line.split("|")]
    assert max(len(cell.split()) for cell in cells) <= 50


@pytest.mark.parametrize(("scheme", "cell"), [("pi", "pi-24"), ("rem", "rem-24"), ("ared", "ared-120")])
def test_the_settings_of_le2003_on_a_page_are_those_of_the_experiment(scheme: str, cell: str) -> None:
    page = (ROOT / f"docs/reference/schemes/{scheme}.md").read_text()
    text = page.split("`le2003`", maxsplit=1)[1].split("```toml\n", maxsplit=1)[1].split("```", maxsplit=1)[0]
    experiment = tomllib.loads((ROOT / "python/aqmlab/experiments/le2003/experiment.toml").read_text())
    cells = {each["name"]: each for each in experiment["configurations"]}
    queue: dict[str, object] = {}
    for name in (cells[cell].get("extends", cell), cell):
        for key, value in cells[name]["overrides"].items():
            queue.update(value if key == "dumbbell.queue" else {key.removeprefix("dumbbell.queue."): value})
    # Without the switch that makes the cell with marks.
    on_page = {key: value for key, value in tomllib.loads(text).items() if key != "ecn"}
    assert {key: queue.get(key, on_page[key]) for key in on_page} == on_page
    assert queue["limit_packets"] == on_page["limit_packets"]


def test_whole_milliseconds_are_said_to_be_whole() -> None:
    schema = json.loads(aqmlab._core.json_schema())
    timed = {
        key
        for table in (schema, *schema["$defs"].values())
        for each in (table, *table.get("oneOf", []))
        for key, part in each.get("properties", {}).items()
        if "integer" in _types(part) and re.search(r"_(s|ms|mbps|hz)$", key)
    }
    # Named in docs/reference/tcp.md, whose table lists them.
    host = {key for key in schema["$defs"]["HostOverrides"]["properties"] if key.endswith("_ms")}
    assert timed == host | {"clock_hz", "timer_hz"}
    bounds = schema["$defs"]["MinimumDelayRange"]["properties"]
    assert _types(bounds["low"]) == _types(bounds["high"]) == {"integer"}
    page = " ".join((ROOT / "docs/reference/scenario.md").read_text().split())
    assert "which are whole milliseconds, and its `clock_hz` and a host's `timer_hz`" in page


def _types(part: dict[str, Any]) -> set[str]:
    kinds = part.get("type", [])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def test_the_checks_of_tcp_are_as_many_as_the_page_says() -> None:
    page = (ROOT / "docs/explanation/tcp.md").read_text()
    tests = ROOT / "crates/tcp/tests"
    conversations = len(list((tests / "conversations").glob("*.txt")))
    others = {"scenarios.txt", "matrix.txt", "full.txt"}
    traces = len([file for file in (tests / "ns2").glob("*.txt") if file.name not in others])
    assert f"| {conversations} conversations as text" in page
    assert f"| {traces} traces with losses" in page
    two_way = len((tests / "ns2/full.txt").read_text().splitlines()) // 2
    assert f"| {two_way} conversations of `ns2-full`" in page


def test_both_links_of_the_parking_lot_are_congested() -> None:
    page = (ROOT / "docs/reference/scenario/topology.md").read_text()
    (text,) = [
        block for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "two-bottlenecks" in block
    ]
    result = aqmlab.run(text, overrides={"duration_s": 60.0, "warm_up_s": 20.0, "record.responses": "none"})
    links = {link["name"]: link for link in result.run["links"]}
    for name in ("a-to-b", "b-to-c"):
        assert links[name]["loss_ratio"] > 0.001, (name, links[name]["busy_share"])


def test_every_dependency_is_accounted_for() -> None:
    document = (ROOT / "docs/explanation/dependencies.md").read_text()
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    python = [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]
    used = {name for name in cargo if not name.startswith("aqmlab-")}
    used |= {re.split(r"[<>=]", requirement)[0] for requirement in python}
    assert used == set(re.findall(r"\| \[`([^`]+)`\]", document))


def test_every_column_of_an_exported_sweep_is_documented(result: aqmlab.Result) -> None:
    table = section((ROOT / "docs/how-to/sweeps.md").read_text(), "## The table")
    documented = first_cells(table)
    for name in figures(result):
        quantile = re.fullmatch(r"response_p\d+_s", name)
        assert name in documented or quantile or "." in name, name


@pytest.mark.parametrize("scheme", aqmlab._core.scheme_names())
def test_the_defaults_of_a_scheme_stand_on_its_page(scheme: str) -> None:
    page = (ROOT / f"docs/reference/schemes/{scheme}.md").read_text()
    schema = json.loads(aqmlab._core.json_schema())
    variants = schema["$defs"]["Scheme"]["oneOf"]
    (variant,) = [each for each in variants if each["properties"]["scheme"]["const"] == scheme]
    parameters = variant["properties"]
    compared = 0
    for keys, defaults in _rows(section(page, "## Parameters")):
        for key, default in zip(keys, defaults, strict=False):
            assert key in parameters, key
            real = parameters[key].get("default")
            if len(keys) == len(defaults) and isinstance(real, bool | int | float | str):
                assert _value(default) == real, f"{key}: {default} on the page, {real} in the schema"
                compared += 1
    defaults = [part.get("default") for part in parameters.values()]
    plain = sum(isinstance(default, bool | int | float | str) for default in defaults)
    # Some pages send for the keys that they share with RED; limit_rule is told in one row with the limits.
    assert compared >= max(1, min(7, plain - 1))


def _models() -> list[str]:
    variants = json.loads(aqmlab._core.json_schema())["$defs"]["UserModel"]["oneOf"]
    return [each["properties"]["model"]["const"] for each in variants]


@pytest.mark.parametrize("model", _models())
def test_the_defaults_of_a_model_stand_on_its_page(model: str) -> None:
    page = (ROOT / f"docs/reference/models/{model}.md").read_text()
    variants = json.loads(aqmlab._core.json_schema())["$defs"]["UserModel"]["oneOf"]
    (variant,) = [each for each in variants if each["properties"]["model"]["const"] == model]
    parameters = variant["properties"]
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \| ([^|]+) \|$", section(page, "## Knobs"), re.MULTILINE)
    on_page = {
        key: _value(default)
        for keys, defaults in rows
        for key, default in zip(re.findall(r"`(\w+)`", keys), _defaults(defaults), strict=True)
    }
    real = {
        key: "none" if part.get("default") is None else part["default"]
        for key, part in parameters.items()
        if key != "model" and not key.endswith("_file")
    }
    assert on_page == real


def _rows(text: str) -> list[tuple[list[str], list[str]]]:
    """The keys of each row of tables of parameters, and what stands for their defaults."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return [(re.findall(r"`([^`]+)`", cells[0]), cells[2].split(", ")) for cells in rows if len(cells) == 3]


def _defaults(cell: str) -> list[str]:
    """The values of a cell: one list, or one for each key."""
    return [cell] if cell.startswith("[") else cell.split(", ")


def _value(text: str) -> object:
    """A default as a page writes it."""
    plain = text.strip("` ")
    if plain.startswith("["):
        return json.loads(plain)
    if plain.startswith('"'):
        return plain.strip('"')
    if plain in {"true", "false"}:
        return plain == "true"
    try:
        return float(plain)
    except ValueError:
        return plain
