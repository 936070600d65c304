"""A page with suspect live runs: every figure and table is marked, and the page lists the reasons once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aqmlab.show.report.page import Figure, Folded, TableShown
from aqmlab.statistics.recorded import marked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.show.report.page import Page, Part


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
