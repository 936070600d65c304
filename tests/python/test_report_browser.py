"""Reports in a real browser: no error, charts that answer, a phone's width, print, a dark style."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from aqmlab.report import render
from aqmlab.report.alternatives import page_of
from people import compared

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

CHART = "#figure-pages"


@pytest.fixture(name="address", scope="module")
def a_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(render(page_of(compared(), title="Three queues & a link")))
    return file.as_uri()


def opened(browser: Browser, address: str, **settings: object) -> tuple[Page, list[str]]:
    """The page, with everything that went wrong or left the machine."""
    wrong: list[str] = []
    page = browser.new_page(**settings)
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: wrong.append(request.url) if not request.url.startswith(("file:", "data:")) else None,
    )
    page.goto(address)
    return page, wrong


@pytest.mark.parametrize("width", [1400, 420])
@pytest.mark.parametrize("style", ["light", "dark"])
def test_nothing_goes_wrong_and_nothing_is_wider_than_the_page(
    browser: Browser,
    address: str,
    width: int,
    style: str,
) -> None:
    page, wrong = opened(browser, address, viewport={"width": width, "height": 850}, color_scheme=style)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("figure.chart.scripted").count() == page.locator("figure.chart").count() >= 8
    for chart in page.locator("figure.chart .uplot").all():
        assert 200 < chart.bounding_box()["width"] <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert (brightness > 200) == (style == "light")
    assert wrong == []
    page.close()


def picture(page: Page, figure: str) -> str:
    """What is drawn on a chart's canvas."""
    return str(page.evaluate(f"document.querySelector('{figure} canvas').toDataURL()"))


def test_an_alternative_is_switched_off_in_all_charts_and_on_again(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address)
    others = ("#figure-responses", "#figure-queue")
    before = {figure: picture(page, figure) for figure in (CHART, *others)}
    key = page.locator(f"{CHART} .keys button", has_text="better")
    assert key.get_attribute("aria-pressed") == "true"
    key.focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    pressed = page.locator(".keys button", has_text="better").evaluate_all(
        "keys => keys.map((key) => key.getAttribute('aria-pressed'))"
    )
    assert set(pressed) == {"false"}
    after = {figure: picture(page, figure) for figure in before}
    assert all(after[figure] != before[figure] for figure in before)
    key.click()
    page.wait_for_timeout(100)
    assert {figure: picture(page, figure) for figure in before} == before
    assert wrong == []
    page.close()


def test_values_are_read_off_and_a_stretch_is_enlarged(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address, viewport={"width": 1400, "height": 900})
    over = page.locator(f"{CHART} .u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 20)
    page.wait_for_timeout(100)
    reading = page.locator(f"{CHART} .reading")
    assert re.fullmatch(r"page load time, s: [\d.,]+", reading.text_content())
    values = page.locator(f"{CHART} .keys .value").all_text_contents()
    assert len(values) == 3
    assert all(90.0 <= float(value) <= 100.0 for value in values), values
    whole = picture(page, CHART)
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 40, steps=5)
    page.mouse.up()
    page.wait_for_timeout(100)
    assert picture(page, CHART) != whole
    page.locator(f"{CHART} button", has_text="whole range").click()
    page.wait_for_timeout(100)
    assert picture(page, CHART) == whole
    assert wrong == []
    page.close()


def test_it_prints_on_less_than_ten_pages(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address)
    printed = page.pdf(format="A4")
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert 2 <= pages < 10
    page.emulate_media(media="print")
    assert page.locator(".live").first.is_hidden()
    assert page.locator(f"{CHART} .drawn svg").is_visible()
    page.close()


def test_without_javascript_the_pictures_are_there(browser: Browser, address: str) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(address)
    for picture in page.locator("figure .drawn svg").all():
        assert picture.is_visible()
    assert page.locator(".live").count() == 0
    page.close()


def test_a_saved_figure_is_what_it_says(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address)
    with page.expect_download() as waiting:
        page.locator(f"{CHART} a", has_text="CSV").click()
    saved = waiting.value
    assert saved.suggested_filename == "figure-pages.csv"
    text = saved.path().read_text()
    assert text.startswith('"page load time, s",today,today.lower')
    page.close()
