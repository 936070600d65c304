"""The page of `make browser`: the same numbers, words and scenarios as the package, in Node and in a browser.

Its files are those in `target/browser`, or in the folder that AQMLAB_BROWSER_PAGE names.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import Scenario, _core
from aqmlab.comparison import Comparison
from aqmlab.comparison.verdict import verdict
from aqmlab.load.queue_place import PLACES
from aqmlab.load.queues import placed
from aqmlab.presets import TECHNOLOGIES
from aqmlab.presets.household import household
from aqmlab.presets.line import AS_IT_IS
from aqmlab.show.play import AtHome, PlayedHome
from aqmlab.show.play.measured import judged, strip
from aqmlab.show.words.verdict import fares_in_words, what_changes_most
from golden_scenarios import SEED, golden_digests, golden_scenarios

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.exhaustive  # needs the page, which takes minutes to build

_ROOT = Path(__file__).parents[2]
_SHOWN_MS = 90_000
_SETTINGS: dict[str, dict[str, Any]] = {
    "household": {},
    "modem": {"right": "pie", "place": "modem", "downloads": 0, "seed": 3},
    "adsl": {"technology": "adsl", "right": "cake", "readers": 4},
    "mobile": {"technology": "lte", "right": "cobalt", "sender": "bbr", "faults": ["wifi", "loss"]},
    "few": {"off": ["call", "meeting", "television"], "readers": 0, "uploads": 2, "right": "codel"},
}


@pytest.fixture(name="folder", scope="module")
def the_folder_of_the_page() -> Path:
    folder = Path(os.environ.get("AQMLAB_BROWSER_PAGE", _ROOT / "target/browser"))
    if not (folder / "engine.wasm").exists():
        pytest.skip(f"no page in {folder}: make browser")
    return folder


def in_node(folder: Path, cases: Sequence[dict[str, Any]], place: Path) -> dict[str, Any]:
    """What the page's scripts make of these cases, without a browser."""
    if (node := shutil.which("node") or shutil.which("nodejs")) is None:
        pytest.skip("no Node: apt install nodejs")
    asked = place / "cases.json"
    asked.write_text(json.dumps(cases))
    made = subprocess.run(
        [node, _ROOT / "tests/browser/runs.js", folder, asked], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    found: dict[str, Any] = json.loads(made.stdout)
    return found


# --- numbers, in Node ---


def test_every_golden_table_is_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """The committed digests are of native runs; `golden_tables.rs` holds those against them."""
    scenarios = golden_scenarios()
    assert scenarios.keys() == golden_digests().keys(), "every golden case"
    cases = [
        {"name": name, "scenario": scenario.resolved, "seed": SEED} for name, scenario in scenarios.items()
    ]
    found = in_node(folder, cases, tmp_path)
    assert {name: each["tables"] for name, each in found.items()} == golden_digests()


@pytest.fixture(name="told", scope="module")
def the_page_on_some_settings(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    cases = [{"name": name, "setting": setting, "runs": True} for name, setting in _SETTINGS.items()]
    return in_node(folder, cases, tmp_path_factory.mktemp("settings"))


@pytest.mark.parametrize("name", _SETTINGS)
def test_the_saved_scenario_has_the_numbers_and_the_words_of_the_page(
    told: dict[str, Any], name: str
) -> None:
    seed = _SETTINGS[name].get("seed", 1)
    results = {}
    for side, called in (("left", AS_IT_IS), ("right", "RIGHT")):
        page = told[name][side]
        scenario = Scenario.of(tomllib.loads(page["toml"]))
        run = _core.Run(scenario.core, seed)
        run.execute()
        assert run.summary() == page["summary"], f"every number of run.json, {side}"
        results[called] = [aqmlab.run(scenario, seed=seed)]
        alone = verdict(Comparison.of({called: results[called]}))
        assert [[each.name, fares_in_words(each.fares[called])] for each in alone] == page["words"]
        assert judged(results[called][0])["words"] == page["worst"]
        assert_same_strip(strip(results[called][0]), page["strip"])
    found = Comparison.of(results)
    assert what_changes_most(found, verdict(found)) == told[name]["sentence"]


def assert_same_strip(own: dict[str, Any] | None, page: dict[str, Any] | None) -> None:
    assert own is not None
    assert page is not None
    assert (own["of"], own["limits_ms"]) == (page["of"], page["limits_ms"])
    for one, other in zip(own["ways"], page["ways"], strict=True):
        assert one["way"] == other["way"]
        for key in ("time_s", "delay_ms", "lost_s"):
            assert one[key] == pytest.approx(other[key], rel=1e-4, abs=1e-4)


def test_a_queue_stands_where_compare_puts_it(folder: Path, tmp_path: Path) -> None:
    """At rates for which the page was not made: limits in bytes follow the line."""
    text = (folder / "data.js").read_text()
    data = json.loads(text[text.index("{") : text.rindex("}") + 1])
    schemes = list(data["queues"])
    assert {"pie", "fq-codel", "cake"} <= set(schemes)
    cases = [
        {"name": f"{scheme} {place}", "setting": {"right": scheme, "place": place, "down": 31, "up": 3.5}}
        for scheme in schemes
        for place in PLACES
    ]
    own = Scenario.of(tomllib.loads(household(31.0, 3.5)))
    for name, sides in in_node(folder, cases, tmp_path).items():
        scheme, place = name.split(" ")
        line = Scenario.of(sides["right"]["scenario"]).resolved["line"]
        assert line == placed(own, scheme, PLACES[place], None).resolved["line"], name


def test_both_engines_make_the_same_network_of_a_setting(folder: Path, tmp_path: Path) -> None:
    """That of `aqmlab play` and this page's: lengths and what is recorded are their own."""
    lines = {name: Scenario.from_toml(household(technology=name)) for name in TECHNOLOGIES}
    home = PlayedHome(lines["cable"], technologies=lines)
    scenes = [{"name": each["name"], "setting": each["setting"]} for each in home.facts()["scenes"]]
    others = [{"name": f"{name}, own", "setting": setting} for name, setting in _SETTINGS.items()]
    for name, sides in in_node(folder, [*scenes, *others], tmp_path).items():
        for side in (sides["left"], sides["right"]):
            page = Scenario.of(side["scenario"]).resolved
            own = home.at(AtHome.of(side["turned"])).resolved
            for part in ("line", "devices", "populations", "flows", "datagrams"):
                assert page.get(part) == own.get(part), (name, part)


def test_every_scene_is_a_legal_setting(folder: Path, tmp_path: Path) -> None:
    scenes = json.loads((_ROOT / "python/aqmlab/show/play/scenes.json").read_text())
    assert len(scenes) >= 10
    cases = [{"name": each["name"], "setting": each["setting"]} for each in scenes]
    found = in_node(folder, cases, tmp_path)
    made = [json.dumps([sides["left"]["scenario"], sides["right"]["scenario"]]) for sides in found.values()]
    assert len(set(made)) == len(scenes), "no two are the same, none falls back to the usual one"
    for sides in found.values():
        for side in ("left", "right"):
            Scenario.of(sides[side]["scenario"])


# --- the page in a browser, from a folder, without a network ---


def opened(browser: Browser, folder: Path, address: str = "", **settings: Any) -> tuple[Page, list[str]]:  # noqa: ANN401
    """The page with its first numbers, and what went wrong."""
    wrong: list[str] = []
    context = browser.new_context(offline=True, accept_downloads=True, **settings)
    page = context.new_page()
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((folder / "index.html").absolute().as_uri() + address)
    page.wait_for_selector("body[data-shown]", timeout=_SHOWN_MS)
    return page, wrong


def test_the_page_answers_from_a_folder_without_a_network(
    browser: Browser, folder: Path, tmp_path: Path, told: dict[str, Any]
) -> None:
    page, wrong = opened(browser, folder)
    page.wait_for_selector('body[data-state="whole"]', timeout=_SHOWN_MS)
    assert re.match(r"(The|Pages|No grade)", page.locator("#headline").inner_text())
    names = page.locator("#verdict tbody th").all_inner_texts()
    assert names == [name for name, _ in told["household"]["left"]["words"]]
    assert page.locator(".side .uplot").count() == 4, "each side both ways"
    with page.expect_download() as download:
        page.locator("#toml-other").click()
    download.value.save_as(tmp_path / "saved.toml")
    saved = Scenario.from_file(tmp_path / "saved.toml")
    assert saved.resolved["line"]["router_queue_up"]["scheme"] == "fq-codel"
    words = page.locator("#verdict tbody tr").first.locator("td").last.inner_text().replace("\u00a0", " ")
    found = Comparison.of({"saved": [aqmlab.run(saved, seed=1)]})
    assert words.strip() == fares_in_words(verdict(found)[0].fares["saved"])
    assert wrong == []
    page.context.close()


def test_the_setting_is_in_the_address(browser: Browser, folder: Path) -> None:
    page, wrong = opened(
        browser, folder, "#v=0.0.1&right=pie&place=modem&downloads=0&up=5&nonsense=1&left=no"
    )
    assert page.locator('select[name="beside"]').input_value() == "pie"
    assert page.locator('input[name="line.up_mbps, typed"]').input_value() == "5"
    assert page.get_by_role("radio", name=AS_IT_IS).is_checked(), "what is not legal is as usual"
    assert "made by version 0.0.1" in page.locator("#refused").inner_text()
    page.locator('input[name="readers"]').focus()
    page.keyboard.press("End")
    page.wait_for_function("location.hash.includes('readers=30')", timeout=_SHOWN_MS)
    assert f"v={aqmlab.__version__.partition('+')[0]}" in page.evaluate("location.hash")
    page.locator("#scene").select_option("backup")
    page.wait_for_function("location.hash.includes('downloads=0')", timeout=_SHOWN_MS)
    assert page.locator("#sentence").inner_text() != ""
    assert wrong == []
    page.context.close()


def test_the_setting_before_can_stand_beside_the_present_one(browser: Browser, folder: Path) -> None:
    page, wrong = opened(browser, folder, "#right=before")
    whole = 'body[data-state="whole"]'
    page.wait_for_selector(whole, timeout=_SHOWN_MS)
    call = page.locator("#verdict tbody tr").first.locator("td")
    own, none = call.all_inner_texts()
    assert none == ""
    page.get_by_role("radio", name="CAKE").check()
    page.wait_for_selector(whole, timeout=_SHOWN_MS)
    assert call.all_inner_texts()[1] == own
    assert re.search(r"changes? most: .* as it is, .* with CAKE", page.locator("#headline").inner_text())
    page.get_by_role("button", name="Swap before and now").click()
    page.wait_for_selector(whole, timeout=_SHOWN_MS)
    assert call.all_inner_texts()[0] == own
    assert page.get_by_role("radio", name=AS_IT_IS).is_checked()
    assert wrong == []
    page.context.close()


_CANCEL_AT_THE_FIRST_PROGRESS = """() => {
    const bar = document.getElementById("progress");
    new MutationObserver((_, observer) => {
        if (bar.value > 0) { observer.disconnect(); document.getElementById("cancel").click(); }
    }).observe(bar, { attributes: true });
}"""
"""Presses the button inside the page, so that the run cannot end first, however fast the machine is."""


def test_a_run_is_cancelled_and_the_next_one_answers(browser: Browser, folder: Path) -> None:
    page, wrong = opened(browser, folder)
    page.wait_for_selector('body[data-state="whole"]', timeout=_SHOWN_MS)
    before = int(page.evaluate("document.body.dataset.shown"))
    page.evaluate(_CANCEL_AT_THE_FIRST_PROGRESS)
    page.locator('select[name="beside"]').select_option("cake")
    page.wait_for_selector('body[data-state="cancelled"]', timeout=_SHOWN_MS)
    assert "Cancelled" in page.locator("#look").inner_text()
    assert page.locator("#cancel").is_disabled()
    assert int(page.evaluate("document.body.dataset.shown")) == before, (
        "nothing of the cancelled run is shown"
    )
    page.locator("#scene").select_option("quiet")
    page.wait_for_function(f"Number(document.body.dataset.shown) > {before}", timeout=_SHOWN_MS)
    assert wrong == []
    page.context.close()


def test_nobody_on_the_line_is_refused_in_words(browser: Browser, folder: Path) -> None:
    page, _ = opened(browser, folder, "#readers=0&uploads=0&downloads=1&off=call.game.meeting.television")
    page.locator('input[name="download"]').focus()
    page.keyboard.press("Home")
    page.wait_for_selector("#refused:not([hidden])", timeout=_SHOWN_MS)
    assert page.locator("#refused").inner_text() == "Nobody uses the line: switch something on."
    page.context.close()


@pytest.mark.parametrize("style", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 800, 1280])
def test_it_fits_and_every_field_has_a_name(browser: Browser, folder: Path, width: int, style: str) -> None:
    page, wrong = opened(
        browser, folder, "#downloads=0", viewport={"width": width, "height": 900}, color_scheme=style
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground)[:3])) < 384) == (style == "dark")
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input, select, button, progress')].filter((each) => "
        "!each.labels?.length && !each.ariaLabel && !each.textContent.trim()).map((each) => each.outerHTML)"
    )
    assert unnamed == []
    assert wrong == []
    page.context.close()
