"""Reports in a real browser: no error, charts that answer, a phone's width, print, a dark style."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING
from xml.dom import minidom

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from aqmlab.show.figures.chart import chart_table, unit_of, written
from aqmlab.show.report.comparison import page_of
from aqmlab.show.report.page import Figure, render
from aqmlab.tables import to_csv
from people import compared

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.exhaustive  # a browser

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
    assert 0 < page.evaluate("document.documentElement.scrollHeight") < 9000
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("figure.chart.scripted").count() == page.locator("figure.chart").count() >= 6
    for chart in page.locator("figure.chart .uplot").all():
        assert 200 < chart.bounding_box()["width"] <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert (brightness > 200) == (style == "light")
    assert wrong == []
    page.close()


SETTLED = """() => new Promise((settled) => {
  const after = (frames) => frames ? requestAnimationFrame(() => after(frames - 1)) : settled();
  after(4);
})"""
"""When charts have taken their size: observers of sizes are called once a frame."""


def unfold(page: Page) -> None:
    """Opens everything that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.evaluate(SETTLED)


def picture(page: Page, figure: str) -> str:
    """What is drawn on a chart's canvas."""
    drawn = f"[...document.querySelectorAll('{figure} canvas')].map((each) => each.toDataURL()).join()"
    return str(page.evaluate(drawn))


def test_an_alternative_is_switched_off_in_all_charts_and_on_again(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address)
    unfold(page)
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
    assert re.fullmatch(r"page load time: [\d.,]+ s", reading.text_content())
    values = page.locator(f"{CHART} .keys .value").all_text_contents()
    assert len(values) == 3
    assert all(90.0 <= float(value.removesuffix(" %")) <= 100.0 for value in values), values
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
    sections = page.locator("details.section")
    assert sections.count() == page.locator("details.section:not([open])").count() >= 3
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.section[open]").count() == sections.count(), "printed, though folded"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.section[open]").count() == 0
    page.close()


def test_charts_are_printed_in_the_colours_of_print_whatever_those_of_the_page_are(
    browser: Browser, address: str
) -> None:
    page, wrong = opened(browser, address, color_scheme="dark")
    unfold(page)
    dark = picture(page, CHART)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.evaluate(SETTLED)
    assert page.locator(f"{CHART} .uplot").bounding_box()["width"] == pytest.approx(490.0)
    printed = picture(page, CHART)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.evaluate(SETTLED)
    assert picture(page, CHART) == dark != printed
    assert wrong == []
    page.close()


def test_without_javascript_pictures_are_there_and_charts_are_said(browser: Browser, address: str) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(address)
    for summary in page.locator("summary").all():  # folded parts open without JavaScript, too
        summary.click()
    for picture in page.locator("figure .drawn svg").all():
        assert picture.is_visible()
    assert page.locator(".live").count() == 0
    said = page.locator(f"{CHART} noscript p").text_content()
    assert said.startswith("Page load times: pages loaded, %, against page load time, s. today: ")
    page.close()


def saved_as(page: Page, figure: str, form: str) -> tuple[str, bytes]:
    """The name and the content of a file that a figure's button saves."""
    with page.expect_download() as waiting:
        page.locator(f"#{figure} .save button", has_text=form).click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


@pytest.mark.parametrize("style", ["light", "dark"])
def test_every_figure_can_be_saved_as_what_the_button_says(
    browser: Browser, address: str, style: str
) -> None:
    page, wrong = opened(browser, address, color_scheme=style)
    unfold(page)
    figures, charts = (page.locator(each).count() for each in ("figure[id]", "figure.chart"))
    for form, count in {"SVG": figures - charts, "PNG": figures, "CSV": charts}.items():
        assert page.locator(".save button", has_text=form).count() == count
    assert page.locator(".save button", has_text="PDF").count() == 0
    saved = {}
    for form, figure in (("SVG", "figure-page-loads"), ("PNG", "figure-pages"), ("CSV", "figure-pages")):
        name, saved[form] = saved_as(page, figure, form)
        assert name == f"{figure}.{form.lower()}"
    root = minidom.parseString(saved["SVG"]).documentElement  # noqa: S318 (our own)
    assert root is not None
    assert root.tagName == "svg"
    assert b"var(" not in saved["SVG"], "a viewer of its own knows no colours of the page"
    assert b"#000000" in saved["SVG"], "in the colours of print"
    rows = list(csv.reader(io.StringIO(saved["CSV"].decode())))
    assert rows[0][:3] == ["page load time, s", "today", "today.lower"]
    chart = json.loads(page.locator(f"{CHART} script").text_content())
    assert [float(row[0]) for row in rows[1:]] == chart["x"]["values"]
    assert [float(row[1]) for row in rows[1:]] == chart["series"][0]["y"]
    assert wrong == []
    page.close()


PNG_SCALE = 2.5
"""Pixels of a saved PNG per pixel of the figure: 240 dots per inch."""


def test_a_saved_png_is_the_figure_in_its_size_with_its_words_and_lines(
    browser: Browser, address: str
) -> None:
    page, wrong = opened(browser, address)
    unfold(page)
    pictures = "figure[id]:not(.chart)"
    for figure in page.locator(pictures).evaluate_all("figures => figures.map((each) => each.id)"):
        _, svg = saved_as(page, figure, "SVG")
        _, png = saved_as(page, figure, "PNG")
        root = minidom.parseString(svg).documentElement  # noqa: S318 (our own)
        assert root is not None
        size = [float(root.getAttribute(name)) for name in ("width", "height")]
        pixels = imread(io.BytesIO(png))[..., :3]
        # A canvas has whole pixels.
        assert pixels.shape[:2] == tuple(int(PNG_SCALE * length) for length in reversed(size)), figure
        ground = (pixels == 1.0).all(axis=2)
        assert 0.4 < ground.mean() < 0.995, f"{figure} is blank or has lost its ground"
        # A picture drawn in another size than the canvas would leave much of it empty.
        drawn_rows, drawn_columns = (np.flatnonzero(~ground.all(axis=along)) for along in (1, 0))
        assert np.ptp(drawn_rows) > 0.7 * pixels.shape[0], figure
        assert np.ptp(drawn_columns) > 0.7 * pixels.shape[1], figure
        words = root.getElementsByTagName("text")
        assert words, f"{figure} has no words"
        assert (pixels < 0.35).all(axis=2).sum() > 10 * len(words), f"{figure}: no ink where its words are"
    assert wrong == []
    page.close()


def test_a_saved_png_of_a_chart_has_the_ground_of_print_and_a_line_for_each(
    browser: Browser, address: str
) -> None:
    page, wrong = opened(browser, address, color_scheme="dark")
    unfold(page)
    for figure in page.locator("figure.chart").evaluate_all("figures => figures.map((each) => each.id)"):
        _, png = saved_as(page, figure, "PNG")
        pixels = imread(io.BytesIO(png))[..., :3]
        ground = (pixels == 1.0).all(axis=2)
        assert 0.4 < ground.mean() < 0.995, f"{figure} is blank or has lost its ground"
        coloured = np.ptp(pixels, axis=2) > 0.2
        assert coloured.sum() > 1000, figure
    assert wrong == []
    page.close()


def test_a_saved_csv_has_the_numbers_of_the_table_in_pandas(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address)
    unfold(page)
    parts = [part for section in page_of(compared()).sections for part in section.parts]
    figures = [part.drawn for part in parts if isinstance(part, Figure)]
    charts = {drawn.file_name: drawn.chart for drawn in figures if drawn.chart is not None}
    assert sorted(charts) == sorted(
        page.locator("figure.chart").evaluate_all("figures => figures.map((each) => each.id)")
    )
    for figure, chart in charts.items():
        _, text = saved_as(page, figure, "CSV")
        found = pd.read_csv(io.BytesIO(text))
        table = pd.read_csv(io.StringIO(to_csv(chart_table(chart))))
        assert list(found.columns) == list(table.columns)
        pd.testing.assert_frame_equal(found, table, check_dtype=False, rtol=5e-4, atol=1e-12)
    page.close()


TOUCHING = """() => [...document.querySelectorAll("figure .drawn svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].map((at) => [at.textContent, at.getBoundingClientRect()]);
  return texts.flatMap(([one, a], at) => texts.slice(at + 1).filter(([, b]) =>
    a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 2.5 && b.top < a.bottom - 2.5,
  ).map(([other]) => `${one} | ${other}`));
})"""
"""Texts that touch; boxes of texts have room for accents and descenders, a couple of pixels of each."""


@pytest.mark.parametrize("width", [1400, 420])
def test_no_words_of_a_picture_touch(browser: Browser, address: str, width: int) -> None:
    page = browser.new_page(java_script_enabled=True, viewport={"width": width, "height": 850})
    page.goto(address)
    unfold(page)
    page.emulate_media(media="print")  # where pictures stand instead of interactive charts
    assert page.evaluate(TOUCHING) == []
    page.close()


def test_tables_are_whole_on_a_wide_screen_and_move_in_their_own_box_on_a_phone(
    browser: Browser, address: str
) -> None:
    boxes = """[...document.querySelectorAll(".wide")].map((each) => {
      const { left, right } = each.getBoundingClientRect();
      return [left, right, each.scrollWidth, each.clientWidth, getComputedStyle(each).overflowX];
    })"""
    for width in (1400, 420):
        page, _ = opened(browser, address, viewport={"width": width, "height": 850})
        unfold(page)
        found = page.evaluate(boxes)
        assert found
        for left, right, needed, given, overflow in found:
            assert 0 <= left < right <= width
            assert needed <= given or width == 420
            assert overflow == "auto"
        page.close()


def test_logarithmic_axes_have_round_numbers(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address)
    unfold(page)
    page.evaluate(
        "() => { window.written = []; const fill = CanvasRenderingContext2D.prototype.fillText;"
        "CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {"
        " window.written.push(text); return fill.call(this, text, ...more); }; }"
    )
    for figure in ("#figure-sizes", "#figure-responses", "#figure-tails"):
        page.evaluate("window.written = []")
        page.evaluate(f"document.querySelector('{figure}').chart.redraw()")
        page.evaluate(SETTLED)
        numbers = [text for text in page.evaluate("window.written") if re.match(r"[\d.,]+ ", text)]
        assert len(numbers) >= 3, figure
        for text in numbers:
            digits = re.sub(r"[^\d.]", "", text.split()[0])
            assert len(digits.strip("0.").replace(".", "")) <= 2, (figure, numbers)
    page.close()


def test_the_script_writes_numbers_as_print_does(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address)
    units = [unit_of(each) for each in ("time, s", "time, ms", "size, bytes", "busy, %", "share", "packets")]
    values = [0.0, 1.0, -3.25, 18488.0, 0.0126, 999.6, 1e6, 2.5e8]
    numbers = [[value, asdict(unit)] for unit in units for value in values]
    found = page.evaluate("(all) => all.map((each) => axisTicks.written(...each))", numbers)
    assert found == [written(value, unit) for unit in units for value in values]
    page.close()
