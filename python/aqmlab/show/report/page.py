"""The parts of a page, and its rendering as one HTML file.

A page starts with what happens to people: sentences and one figure. Everything else is in sections below.
Charts are drawn by its script, and said in words where none runs; other figures are SVG. All can be printed
and saved. The page loads nothing from other places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import jinja2
from markupsafe import Markup

from aqmlab.show.report.embedding import chart_data, inline_svg, looks_data
from aqmlab.show.tables.render import to_html
from aqmlab.terminal.spelling import unbroken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.show.figures import Drawn
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
    """Parts under a heading.

    Attributes:
        title: The heading.
        parts: The parts below it.
        folded: Whether a click has to unfold the parts.
    """

    title: str
    parts: Sequence[Part]
    folded: bool = False


@dataclass(frozen=True)
class Page:
    """A whole page.

    Attributes:
        title: The heading.
        under_title: The subject, in one line.
        answer: What happens to people, in sentences.
        first: What else the first screen shows: a table, a figure.
        sections: The sections below.
        notes: Remarks on the settings, below the figure in small print.
    """

    title: str
    under_title: str
    answer: Sequence[str]
    first: Sequence[Part]
    sections: Sequence[Section]
    notes: Sequence[str] = ()


def render(page: Page) -> str:
    """The page as HTML. The same page gives the same bytes."""
    return _environment().get_template("page.html").render(page=page, grids={})


@cache
def _environment() -> jinja2.Environment:
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
