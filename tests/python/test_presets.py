"""Every preset is a scenario that runs, says where its numbers come from, and has the numbers of its page."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import cli, presets
from documented import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs/reference/presets.md").read_text(encoding="utf-8")
FILES = [name for name in presets.names() if name != presets.HOME]
"""The others are written for a line of one's own: `test_household.py`."""
SHORT = {"duration_s": 30.0, "warm_up_s": 5.0, "cool_down_s": 1.0}


def leave(*arguments: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        cli.main(list(arguments))
    out, err = capfd.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, out, err


@pytest.mark.parametrize("name", presets.names())
def test_a_preset_runs_as_it_is_written(name: str, tmp_path: Path) -> None:
    file = tmp_path / "link.toml"
    file.write_text(presets.text(name))
    scenario = aqmlab.Scenario.from_toml(presets.text(name), overrides=SHORT)
    run = aqmlab.run(scenario).run
    completed = {population["name"]: population["completed"] for population in run["populations"]}
    assert max(completed.values()) > 0
    down, up = run["links"][:2]
    assert (down["name"], up["name"]) in {("left-to-right", "right-to-left"), ("down", "up")}
    assert min(down["throughput_mbps"], up["throughput_mbps"]) > 0


@pytest.mark.parametrize("name", FILES)
def test_what_is_commented_out_is_legal_too(name: str) -> None:
    text = re.sub(r"^# (\[\[|\w+ = )", r"\1", presets.text(name), flags=re.MULTILINE)
    assert text.count("\n#") < presets.text(name).count("\n#")
    if name in {"campus-2000", "testbed-2003"}:  # another queue in place of the one above it
        first = text.index("\nqueue = ")
        text = text[:first] + text[text.index("\n", first + 1) :]
    aqmlab.Scenario.from_toml(text, overrides=SHORT)


@pytest.mark.parametrize("name", presets.names())
def test_the_page_has_the_numbers_of_the_preset(name: str) -> None:
    document = tomllib.loads(presets.text(name))
    assert document["name"] == name
    if name == presets.HOME:
        document = {"dumbbell": _as_dumbbell(aqmlab.Scenario.from_toml(presets.text(name)).resolved["line"])}
    numbers = PAGE.split("## Numbers")[1].split("## Sources", maxsplit=1)[0]
    (row,) = re.findall(rf"^\| `{name}` \| (.*) \|$", numbers, re.MULTILINE)
    assert row.split(" | ") == _numbers(document["dumbbell"])


def _as_dumbbell(line: dict[str, Any]) -> dict[str, Any]:
    return {
        "rate_mbps": line["down_mbps"],
        "rate_right_to_left_mbps": line["up_mbps"],
        "delay_ms": line["delay_ms"],
        "queue": {key: value for key, value in line["provider_queue"].items() if value},
        "queue_right_to_left": {key: value for key, value in line["modem_queue"].items() if value},
    }


def _numbers(line: dict[str, Any]) -> list[str]:
    queues = (line["queue"], line.get("queue_right_to_left", line["queue"]))
    limits = [
        f"{queue[key]} {key.removeprefix('limit_')}"
        for queue in queues
        for key in ("limit_bytes", "limit_packets")
        if key in queue
    ]
    rates = (line["rate_mbps"], line.get("rate_right_to_left_mbps", line["rate_mbps"]))
    return [*map(str, rates), str(line.get("delay_ms", 0)), *limits]


@pytest.mark.parametrize("name", FILES)
def test_every_number_of_the_line_says_where_it_comes_from(name: str) -> None:
    line = presets.text(name).split("[dumbbell]\n")[1].split("\n[", maxsplit=1)[0].splitlines()
    for above, here in zip(["", *line], line, strict=False):
        if here.startswith(("rate", "delay", "queue = ", "interface", "browser", "server")):
            assert "#" in here or above.startswith("#"), here


def test_the_list_has_a_line_for_each(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = leave("new", "--list", capfd=capfd)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == presets.names()
    assert leave("new", capfd=capfd)[1] == out
    buildings = {f"building-{line}" for line in ("adsl", "vdsl", "docsis", "fibre", "mobile-fixed")}
    assert {"home", *buildings, "campus-2000", "testbed-2003"} == set(presets.names())


def test_a_preset_goes_to_the_terminal_or_into_a_new_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert leave("new", "building-vdsl", capfd=capfd) == (0, presets.text("building-vdsl"), "")
    file = tmp_path / "deep" / "my.toml"
    file.parent.mkdir()
    code, out, _ = leave("new", "building-vdsl", "-o", str(file), capfd=capfd)
    assert (code, file.read_text()) == (0, presets.text("building-vdsl"))
    assert f"aqmlab compare {file}" in out
    file.write_text("mine")
    code, _, err = leave("new", "building-adsl", "-o", str(file), capfd=capfd)
    assert (code, file.read_text()) == (2, "mine")
    assert "exists already" in err


def test_an_unknown_preset_is_refused_with_the_nearest(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "my.toml"
    code, _, err = leave("new", "building-fiber", "-o", str(file), capfd=capfd)
    assert code == 2
    assert 'no preset is called "building-fiber"' in err
    assert 'did you mean "building-fibre"?' in err
    assert not file.exists()
    assert "missing preset" in leave("new", "-o", str(file), capfd=capfd)[2]
