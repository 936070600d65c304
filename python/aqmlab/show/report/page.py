"""The parts of a page, and its rendering as one HTML file.

A page starts with what happens to people: sentences and one figure. Everything else is in sections below.
Charts are drawn by its script, and said in words where none runs; other figures are SVG. All can be printed
and saved. The page loads nothing from other places.

Figures stand in it as SVG that follows the page's colours, or as data. With suspect live runs every figure
and table is marked, and the page lists the reasons once.
"""

from __future__ import annotations

import html
import re
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from markupsafe import Markup

from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.figures.chart import unit_of
from aqmlab.show.figures.looks import BLACK, SEQUENCE, SHAPES, darker, dash_lengths
from aqmlab.show.figures.scene import FAINT, GROUND, SOFT
from aqmlab.show.tables.render import to_html
from aqmlab.statistics.recorded import marked
from aqmlab.terminal.spelling import unbroken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import jinja2

    from aqmlab.show.figures.chart import Axis, Chart, Series
    from aqmlab.show.figures.drawn import Drawn
    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.tables import Table


@dataclass(frozen=True)
class Text:
    """A paragraph; a soft one explains how something is read."""

    words: str
    soft: bool = False
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Words:
    """Sentences, one below another."""

    sentences: Sequence[str]
    kind: ClassVar[str] = "words"


@dataclass(frozen=True)
class TableShown:
    """A table with its caption below it."""

    table: Table
    kind: ClassVar[str] = "table"


@dataclass(frozen=True)
class Figure:
    """A figure."""

    drawn: Drawn
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Facts:
    """Facts by name."""

    facts: Mapping[str, str]
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Folded:
    """Parts, or a verbatim text, that a click unfolds."""

    summary: str
    parts: Sequence[Part] = ()
    verbatim: str = ""
    kind: ClassVar[str] = "folded"


Part: TypeAlias = Text | Words | TableShown | Figure | Facts | Folded


@dataclass(frozen=True)
class Section:
    """Parts under a heading."""

    title: str
    parts: Sequence[Part]
    folded: bool = False  # whether a click has to unfold the parts


@dataclass(frozen=True)
class Page:
    """A whole page."""

    title: str
    under_title: str  # the subject, in one line
    answer: Sequence[str]  # what happens to people, in sentences
    first: Sequence[Part]  # what else the first screen shows: a table, a figure
    sections: Sequence[Section]  # the sections below
    notes: Sequence[str] = ()  # remarks on the settings, below the figure in small print


def render(page: Page) -> str:
    """The page as HTML. The same page gives the same bytes."""
    return _environment().get_template("page.html").render(page=page, grids={})


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 (only what is written needs templates)

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    # Escaped where they are made: cells by `to_html`, texts of figures by matplotlib; the others are our own.
    environment.filters["table"] = lambda table: Markup(to_html(table))  # noqa: S704
    environment.filters["inline_svg"] = lambda drawn: Markup(inline_svg(drawn))  # noqa: S704
    environment.filters["unbroken"] = unbroken
    environment.policies["json.dumps_kwargs"] = {"sort_keys": True, "separators": (",", ":")}
    environment.filters["chart_data"] = chart_data
    environment.globals["looks"] = looks_data
    environment.globals["own"] = lambda name: Markup(_file("templates", name))  # noqa: S704
    environment.globals["library"] = lambda name: Markup(_file("vendored", "uplot", name))  # noqa: S704
    return environment


def _template(name: str) -> str:
    return _file("templates", name)


def _file(*place: str) -> str:
    return resources.files("aqmlab.show.report").joinpath(*place).read_text(encoding="utf-8")


def with_mark(page: Page, mark: str, reasons: Mapping[str, Sequence[str]]) -> Page:
    """The page with a mark on its figures and tables; the same one without a mark."""
    if not mark:
        return page
    why = [f"Timing suspect, {name}: {' | '.join(found)}." for name, found in reasons.items()]
    return replace(
        page,
        answer=[*page.answer, *why],
        first=[_marked(part, mark) for part in page.first],
        sections=[
            replace(each, parts=[_marked(part, mark) for part in each.parts]) for each in page.sections
        ],
    )


def _marked(part: Part, mark: str) -> Part:
    match part:
        case Figure(drawn):
            return Figure(drawn.marked(mark))
        case TableShown(table):
            return TableShown(replace(table, title=marked(table.title, mark)))
        case Folded():
            return replace(part, parts=[_marked(each, mark) for each in part.parts])
        case _:
            return part


# ------------------------------------------------------------------------------------------ figures in a page


_DIGITS = 4
"""Significant digits of the numbers behind an interactive chart; files to save have all."""
PRINT_COLOURS = {
    **{f"--hue-{place}": colour for place, colour in enumerate(SEQUENCE[:-1])},
    **{f"--shade-{place}": darker(colour) for place, colour in enumerate(SEQUENCE[:-1])},
    "--ink": BLACK,
    "--ground": GROUND,
    "--line": FAINT,
    "--soft": SOFT,
}
"""The colours of print, by the names under which the page's style has its own."""
_NAMES = {colour.lower(): name for name, colour in PRINT_COLOURS.items()}
_LONG_NUMBER = re.compile(r"(?<=[ \"(,-])(\d+\.\d\d)\d+")
"""A coordinate, of which a hundredth of a point is enough on a page."""


def inline_svg(drawn: Drawn) -> str:
    """The figure as a part of a page: names of its own, and the page's colours for ink, ground and hues."""
    text = drawn.svg
    if drawn.scene is None:
        text = _own_names(text, drawn.file_name)
    text = re.sub(r'<svg (.*?)width="[^"]+" height="[^"]+"', r"<svg \1", text, count=1, flags=re.DOTALL)
    for name, colour in PRINT_COLOURS.items():
        text = re.sub(colour, f"var({name})", text, flags=re.IGNORECASE)
    words = html.escape(drawn.words or drawn.title)
    return text.replace("<svg ", f'<svg role="img" aria-label="{words}" ', 1)


def _own_names(text: str, name: str) -> str:
    """What matplotlib wrote, with names that stand once on a page, and shorter numbers."""
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', text)
    return _LONG_NUMBER.sub(r"\1", text)


def looks_data() -> dict[str, Any]:
    """What the page's scripts know of how figures look."""
    return {"shapes": SHAPES, "print": PRINT_COLOURS}


def chart_data(chart: Chart, grids: dict[bytes, int]) -> dict[str, Any]:
    is_new = chart.x.tobytes() not in grids
    number = grids.setdefault(chart.x.tobytes(), len(grids))
    return {
        "title": chart.title,
        "words": chart.in_words,
        "x": {**_axis(chart.x_axis), "grid": number, **({"values": _numbers(chart.x)} if is_new else {})},
        "y": _axis(chart.y_axis),
        "series": [_series(each) for each in chart.series],
        "levels": list(chart.levels),
        "apart": chart.apart,
    }


def _axis(axis: Axis) -> dict[str, Any]:
    limits = list(axis.limits or (None, None))
    return {"label": axis.label, "log": axis.log, "limits": limits, "unit": asdict(unit_of(axis.label))}


def _series(series: Series) -> dict[str, Any]:
    look = series.look
    return {
        "name": spelt(series.name),
        "named": _NAMES.get(look.colour.lower()),
        "colour": look.colour,
        "dash": dash_lengths(look.pattern),
        "marker": look.marker,
        "points": series.points,
        "y": _numbers(series.y),
        "lower": None if series.lower is None else _numbers(series.lower),
        "upper": None if series.upper is None else _numbers(series.upper),
        "lost": None if series.lost is None else _numbers(series.lost),
    }


def _numbers(values: FloatArray) -> list[float | None]:
    return [_number(value) if np.isfinite(value) else None for value in values.tolist()]


def _number(value: float) -> float:
    """A rounded number; whole ones without decimals."""
    rounded = float(f"{value:.{_DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
