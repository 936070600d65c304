"""The page of `aqmlab play` in a real browser: a turn is answered beside what was before, on a phone too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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


def test_a_page_whose_server_has_ended_says_so(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as (host, port, token):
        page, _ = opened(browser, f"http://{host}:{port}/?token={token}")
    page.get_by_role("button", name="Other users").click()
    page.wait_for_selector("#refused:not([hidden])", timeout=ANSWERED_MS)
    assert "has stopped" in page.locator("#refused").inner_text()
    page.close()
