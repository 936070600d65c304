"""The page of `aqmlab play` in a real browser: a turn is answered beside what was before, on a phone too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import aqmlab
from small import WEB
from test_play import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.exhaustive  # a browser

ANSWERED_MS = 60_000


@pytest.fixture(name="address", scope="module")
def a_page_that_is_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("play")
    with serving(folder) as (host, port, token):
        yield f"http://{host}:{port}/?token={token}"


def opened(browser: Browser, address: str, **settings: object) -> tuple[Page, list[str]]:
    """The page after its first run, with everything that went wrong or was fetched from elsewhere."""
    wrong: list[str] = []
    page = browser.new_page(**settings)
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: (
            wrong.append(request.url)
            if not request.url.startswith(("http://127.0.0.1", "data:", "blob:"))
            else None
        ),
    )
    page.goto(address)
    page.wait_for_selector('body[data-shown="1"]', timeout=ANSWERED_MS)
    return page, wrong


def cells(page: Page, row: int) -> list[str]:
    return [
        str(text) for text in page.locator("#numbers tbody tr").nth(row).locator("td").all_text_contents()
    ]


def test_a_turn_is_answered_and_stands_beside_what_was_before(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address)
    first, nothing = cells(page, 0)
    assert nothing == "", "nothing was before the first run"
    page.locator('select[name="scheme"]').select_option(label="fq-codel")
    page.wait_for_selector('body[data-shown="2"]', timeout=ANSWERED_MS)
    now, before = cells(page, 0)
    assert before == first
    assert now != before
    assert "Before the change" in page.locator("#headline").inner_text()
    assert 'scheme = "fq-codel"' in page.locator("#command").inner_text()
    # FQ-CoDel's own knobs are there now, and PI's are not.
    assert page.locator('input[name="target_ms"]').count() == 1
    assert page.locator('input[name="q_ref_packets"]').count() == 0
    assert wrong == []
    page.close()


def test_knobs_are_turned_with_the_keyboard(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address)
    rate = page.locator('input[name="dumbbell.rate_mbps"]')
    rate.focus()
    page.keyboard.press("End")
    page.wait_for_selector('body[data-shown="2"]', timeout=ANSWERED_MS)
    assert "--set dumbbell.rate_mbps=20" in page.locator("#command").inner_text()
    busy = [float(each.removesuffix(" %")) for each in cells(page, 6)]
    assert busy[0] < busy[1], "ten times the rate for the same people"
    page.get_by_role("button", name="Back to the scenario").click()
    page.wait_for_selector('body[data-shown="3"]', timeout=ANSWERED_MS)
    assert "--set" not in page.locator("#command").inner_text()
    assert wrong == []
    page.close()


def test_another_queue_stands_beside_that_of_any_scenario(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address)
    page.locator('select[name="beside"]').select_option("fq-codel")
    page.wait_for_selector('body[data-state="whole"]', timeout=ANSWERED_MS)
    assert page.locator("#numbers thead th").all_inner_texts()[1:] == ["pi", "fq-codel"]
    own, other = cells(page, 5)
    assert own != other != ""
    assert wrong == []
    page.close()


def test_the_full_comparison_runs_behind_the_page_and_opens_its_report(
    browser: Browser, address: str
) -> None:
    page, wrong = opened(browser, address)
    page.locator('select[name="scheme"]').select_option(label="drop-tail")
    page.wait_for_selector('body[data-shown="2"]', timeout=ANSWERED_MS)
    assert page.locator("#full-report").is_hidden()
    page.get_by_role("button", name="Compare with the setting before").click()
    page.wait_for_selector('body[data-comparison="running"]', timeout=ANSWERED_MS)
    assert page.locator("#full-progress").is_visible()
    page.wait_for_selector('body[data-comparison="done"]', timeout=ANSWERED_MS)
    assert (
        "drop-tail compared with pi, 8 seeds of 20 simulated seconds each"
        in page.locator("#full-status").inner_text()
    )
    assert page.locator("#full-cancel").is_hidden()
    with page.expect_popup() as opening:
        page.get_by_role("link", name="Open the report of the full comparison").click()
    report = opening.value
    report.on("pageerror", lambda error: wrong.append(str(error)))
    report.wait_for_load_state()
    assert "drop-tail: half of the pages load in" in report.content()
    # Its charts are alive, as they are in the file that `aqmlab compare` writes.
    report.locator("details").evaluate_all("all => all.forEach((each) => { each.open = true; })")
    report.wait_for_selector(".uplot", timeout=ANSWERED_MS)
    assert wrong == []
    report.close()
    page.close()


def test_a_comparison_is_cancelled_and_what_cannot_be_compared_says_why(
    browser: Browser, tmp_path: Path
) -> None:
    long = WEB.replace("duration_s = 20.0", "duration_s = 100000.0")
    with serving(tmp_path, scenario=long) as (host, port, token):
        page, wrong = opened(browser, f"http://{host}:{port}/?token={token}")
        compare = page.get_by_role("button", name="Compare with the setting before")
        compare.click()
        page.wait_for_selector("#full-refused:not([hidden])", timeout=ANSWERED_MS)
        assert "are the same" in page.locator("#full-refused").inner_text()
        page.locator('input[name="ecn"]').click()
        page.wait_for_selector('body[data-shown="2"]', timeout=ANSWERED_MS)
        compare.click()
        page.wait_for_selector('body[data-comparison="running"]', timeout=ANSWERED_MS)
        assert page.locator("#full-refused").is_hidden()
        page.get_by_role("button", name="Cancel").click()
        page.wait_for_selector('body[data-comparison="cancelled"]', timeout=ANSWERED_MS)
        assert "cancelled" in page.locator("#full-status").inner_text()
        assert page.locator("#full-report").is_hidden()
        # What Chromium notes of a refused request is no error of the page.
        assert [text for text in wrong if "400 (Bad Request)" not in text] == []
        page.close()


@pytest.mark.parametrize("style", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 420])
def test_it_fits_a_phone_and_follows_the_style(
    browser: Browser, address: str, width: int, style: str
) -> None:
    page, wrong = opened(browser, address, viewport={"width": width, "height": 900}, color_scheme=style)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#charts .uplot").count() == 4
    assert wrong == []
    page.close()


# --- the household ---

WHOLE = 'body[data-state="whole"]'


@pytest.fixture(name="home_address", scope="module")
def a_household_that_is_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("home")
    with serving(folder, "--seconds", "12", scenario=str(aqmlab.new("home"))) as (host, port, token):
        yield f"http://{host}:{port}/?token={token}"


def verdict(page: Page) -> dict[str, list[str]]:
    """What the verdict says of each application, now and before."""
    rows = page.locator("#verdict tbody tr").all()
    return {
        str(row.locator("th").inner_text()): [str(cell) for cell in row.locator("td").all_inner_texts()]
        for row in rows
    }


def test_a_switch_changes_who_is_there_and_how_the_call_fares(browser: Browser, home_address: str) -> None:
    page, wrong = opened(browser, home_address)
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    full = verdict(page)
    assert full["call"][0].startswith("fair"), "a backup fills the modem's buffer of 250 ms"
    assert full["call"][1] == ""
    assert page.locator(".side .uplot").count() == 2, "up and down"
    page.get_by_role("checkbox", name="backup (upload)").uncheck()
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    without = verdict(page)
    assert without["call"][0].startswith("good")
    assert without["call"][1] == full["call"][0]
    assert without["backup"] == ["–", full["backup"][0]]
    page.get_by_role("checkbox", name="call").uncheck()
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    assert "Delay of the game" in page.locator('[data-side="now"] .title').inner_text()
    assert wrong == []
    page.close()


def test_walking_over_all_controls_by_tab_changes_nothing(browser: Browser, home_address: str) -> None:
    page, wrong = opened(browser, home_address)
    page.get_by_role("radio", name="FQ-CoDel").check()
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    page.locator("#more summary").click()
    seen, shown = verdict(page), page.locator("body").get_attribute("data-shown")
    page.locator("body").evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
    walked: list[str] = []
    for key in ["Tab"] * 60 + ["Shift+Tab"] * 60:
        page.keyboard.press(key)
        walked.append(str(page.evaluate("document.activeElement.name || document.activeElement.id")))
    named = {
        "on.backup",
        "line.down_mbps",
        "line.up_mbps, typed",
        "scheme",
        "place",
        "another",
        "target_ms",
        "ecn",
        "keep",
        "swap",
    }
    assert named <= set(walked)
    page.wait_for_timeout(300)  # longer than a change waits before it is sent
    assert page.locator("body").get_attribute("data-shown") == shown
    assert page.locator("body").get_attribute("data-state") == "whole"
    page.locator("#keep").click()  # shows anew, with what stood before
    page.locator("#keep").click()
    assert {name: cells[0] for name, cells in verdict(page).items()} == {
        name: cells[0] for name, cells in seen.items()
    }
    assert wrong == []
    page.close()


def test_a_slider_that_is_only_reached_leaves_the_setting_before(browser: Browser, home_address: str) -> None:
    page, wrong = opened(browser, home_address)
    page.get_by_role("radio", name="CAKE").check()
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    before = [cells[1] for cells in verdict(page).values()]
    slider = page.get_by_role("slider", name="up, Mbit/s, slider")
    slider.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift")
    page.get_by_role("button", name="Other users").focus()
    assert [cells[1] for cells in verdict(page).values()] == before
    # Of several steps of one slider the setting before is that before the first.
    slider.focus()
    now = [cells[0] for cells in verdict(page).values()]
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    assert [cells[1] for cells in verdict(page).values()] == now
    assert wrong == []
    page.close()


def test_a_setting_is_kept_and_swapped_by_keyboard(browser: Browser, home_address: str) -> None:
    page, wrong = opened(browser, home_address)
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    page.get_by_role("radio", name="as it is").focus()
    for _ in range(3):  # PIE, FQ-CoDel, CAKE
        page.keyboard.press("ArrowDown")
        page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    assert page.get_by_role("radio", name="CAKE").is_checked()
    assert page.locator("#verdict thead th").all_inner_texts() == ["application", "now", "before"]
    cake, as_it_is = verdict(page)["call"]
    assert (cake.split()[0], as_it_is.split()[0]) == ("good", "fair"), (
        "the first of the steps is what was before"
    )
    page.locator("#swap").focus()
    page.keyboard.press("Enter")
    assert verdict(page)["call"] == [as_it_is, cake]
    assert page.get_by_role("radio", name="as it is").is_checked()
    # Kept, it stays before whatever is switched.
    page.locator("#keep").focus()
    page.keyboard.press("Space")
    assert page.locator("#keep").get_attribute("aria-pressed") == "true"
    kept = verdict(page)["call"][0]
    for name in ("download", "backup (upload)"):
        page.get_by_role("checkbox", name=name).focus()
        page.keyboard.press("Space")
        page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
        assert verdict(page)["call"][1] == kept == as_it_is
    assert wrong == []
    page.close()


@pytest.mark.parametrize("style", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 420])
def test_the_household_fits_a_phone_and_every_control_has_a_name(
    browser: Browser, home_address: str, width: int, style: str
) -> None:
    page, wrong = opened(browser, home_address, viewport={"width": width, "height": 900}, color_scheme=style)
    page.get_by_role("radio", name="CAKE").check()
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    for part in ("#more summary", "#detail summary"):
        page.locator(part).click()
    page.wait_for_selector("#utilization .uplot", timeout=ANSWERED_MS)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    heard = page.locator("body").aria_snapshot()
    controls = re.findall(r"- (checkbox|radio|slider|spinbutton|combobox|button|link|img)\b(.*)", heard)
    assert len(controls) > 25
    assert [each for each in controls if not re.match(r' "[^"]+"', each[1])] == []
    for title in ("Who uses the line", "The line", "The queue", "Where the queue stands", "Before and now"):
        assert f'- group "{title}"' in heard
    assert "- status:" in heard, "the headline is said when it changes"
    assert page.locator("#headline").get_attribute("aria-busy") == "false"
    assert wrong == []
    page.close()


def test_two_queues_stand_side_by_side_and_follow_what_is_set(browser: Browser, home_address: str) -> None:
    page, wrong = opened(browser, home_address)
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    beside = page.locator('select[name="beside"]')
    beside.select_option("fq-codel")
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    heads = page.locator("#verdict thead th").all_inner_texts()
    assert heads[1:] == ["as it is", "FQ-CoDel"]
    own, other = verdict(page)["call"]
    assert (own.split()[0], other.split()[0]) == ("fair", "good")
    assert page.locator(".side .uplot").count() == 4, "each side both ways"
    assert re.search(r"changes? most: .* as it is, .* with FQ-CoDel", page.locator("#headline").inner_text())
    # A fault is one of both sides; what was before a change does not take the place of the other queue.
    page.get_by_role("checkbox", name="The line loses 1 % of the packets down").check()
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    assert page.locator("#verdict thead th").last.inner_text().startswith("FQ-CoDel")
    assert all("lost" in text for text in page.locator(".side figcaption", has_text="down").all_inner_texts())
    page.get_by_role("button", name="Compare both queues").click()
    page.wait_for_selector('body[data-comparison="running"]', timeout=ANSWERED_MS)
    page.get_by_role("button", name="Cancel the comparison").click()
    page.get_by_role("button", name="Swap both queues").click()
    assert page.get_by_role("radio", name="FQ-CoDel").is_checked()
    assert beside.input_value() == "as it is"
    beside.select_option("")
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    assert verdict(page)["call"][1] == "", "nothing was before"
    assert wrong == []
    page.close()


def test_the_address_has_the_setting_and_scenes_are_settings(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path, "--seconds", "8", scenario=None) as (host, port, token):
        address = f"http://{host}:{port}/?token={token}"
        page, wrong = opened(
            browser, f"{address}#v=0.0.1&left=pie&downloads=3&up=5&off=game&place=attic&right=no"
        )
        assert page.get_by_role("radio", name="PIE").is_checked()
        assert page.locator('input[name="download"]').get_attribute("aria-valuetext") == "3 (downloads)"
        assert page.locator('input[name="line.up_mbps, typed"]').input_value() == "5"
        assert not page.get_by_role("checkbox", name="game").is_checked()
        assert "made by version 0.0.1" in page.locator("#refused").inner_text()
        page.locator("#scene").select_option("adsl")
        page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
        assert "ADSL" in page.locator("#sentence").inner_text()
        assert page.locator('select[name="technology"]').input_value() == "adsl"
        assert page.locator('select[name="beside"]').input_value() == "fq-codel"
        assert page.get_by_role("checkbox", name="meeting").count() == 0, "no room for one on this line"
        page.get_by_role("checkbox", name="game").uncheck()
        page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
        assert page.locator("#scene").input_value() == ""
        seen, here = verdict(page), page.url
        assert {"technology=adsl", "off=game", "right=fq-codel"} <= set(here.partition("#")[2].split("&"))
        again, more = opened(browser, here)
        again.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
        assert verdict(again) == seen
        assert [text for text in wrong + more if "409 (Conflict)" not in text] == []
        page.close()
        again.close()


def test_the_first_look_comes_before_the_longer_run(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path, "--seconds", "300", scenario=None) as (host, port, token):
        page, wrong = opened(browser, f"http://{host}:{port}/?token={token}")
        page.get_by_role("radio", name="FQ-CoDel").check()
        page.wait_for_selector('body[data-state="shown"]', timeout=ANSWERED_MS)
        assert page.locator("#headline").get_attribute("aria-busy") == "true"
        assert "one run of 20 s" in page.locator("#truth").inner_text()
        page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
        assert "one run of 300 s" in page.locator("#truth").inner_text()
        # The setting before had no time for its longer run, and has had it now.
        assert page.locator("#look").inner_text() == ""
        # What Chromium notes of a run that a newer one stopped is no error of the page.
        assert [text for text in wrong if "409 (Conflict)" not in text] == []
        page.close()


def test_when_nobody_is_left_the_page_says_so(browser: Browser, home_address: str) -> None:
    page, _ = opened(browser, home_address)
    for box in page.get_by_role("checkbox").all()[:7]:
        box.uncheck()
    page.wait_for_selector("#refused:not([hidden])", timeout=ANSWERED_MS)
    assert "switch something on" in page.locator("#refused").inner_text()
    page.get_by_role("checkbox", name="game").check()
    page.wait_for_selector(WHOLE, timeout=ANSWERED_MS)
    assert page.locator("#refused").is_hidden()
    assert next(iter(verdict(page))) == "game"
    page.close()


def test_a_page_whose_server_has_ended_says_so(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as (host, port, token):
        page, _ = opened(browser, f"http://{host}:{port}/?token={token}")
    page.get_by_role("button", name="Other users").click()
    page.wait_for_selector("#refused:not([hidden])", timeout=ANSWERED_MS)
    assert "has stopped" in page.locator("#refused").inner_text()
    page.close()
