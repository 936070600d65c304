"""What tests on a line look like: printed, in a notebook, as the table in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.show.tables import bloat, flent_tests, line_fit, responsiveness, sqm
from aqmlab.show.tables.printed import as_html, as_text
from aqmlab.show.tables.sqm import advice_in_words
from aqmlab.study.bloat import GRADES, LOADED, Bufferbloat, Grade
from aqmlab.study.flent_tests import FlentResults
from aqmlab.study.line_fit import FittedLine
from aqmlab.study.responsiveness import RoundTripsPerMinute, class_of
from aqmlab.study.sqm import RouterAdvice
from aqmlab.tables.stored import save

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN_BY: dict[type, Any] = {
    Bufferbloat: bloat,
    FittedLine: line_fit,
    FlentResults: flent_tests,
    RoundTripsPerMinute: responsiveness,
    RouterAdvice: sqm,
}


def _text(found: Any) -> str:  # noqa: ANN401 (one of these)
    return as_text(_said(found))


def _html(found: Any) -> str:  # noqa: ANN401
    return as_html(_said(found))


def _save(found: Any, file: Path) -> dict[str, Path]:  # noqa: ANN401
    return {"table": save(_SHOWN_BY[type(found)].table_of(found), file)}


def _said(found: Any) -> list[Any]:  # noqa: ANN401
    timing = getattr(found, "live_timing", "")
    return [*([timing] if timing else []), *_SHOWN_BY[type(found)].printed(found)]


@shown.facts.register(Bufferbloat)
def _of_bloat(found: Bufferbloat) -> dict[str, Any]:
    """The grade of each queue management, and of it under each load."""

    def named(grade: Grade | None) -> str | None:
        return grade.name if grade else None

    grades = {
        row.name: {
            "grade": named(row.grade),
            **{str(phase): named(row.grade_under(phase)) for phase in LOADED},
        }
        for row in found.queues
    }
    return {
        "line": found.line.in_words(),
        "grades": grades,
        "grade_below_ms": {each.name: each.below_ms for each in GRADES},
    }


@shown.facts.register(RoundTripsPerMinute)
def _of_responsiveness(found: RoundTripsPerMinute) -> dict[str, Any]:
    """What the round trips per minute of each queue management are called, under each load."""
    called: dict[str, dict[str, str]] = {}
    for test in found.tests:
        way = str(test.way)
        called.setdefault(test.queue, {})[way] = class_of(found.rpm(test.queue, way))
    return {"line": found.line.in_words(), "classes": called}


@shown.facts.register(FlentResults)
def _of_flent(found: FlentResults) -> dict[str, Any]:
    return {"line": found.line.in_words(), "test": found.runs[0].test.name}


@shown.facts.register(RouterAdvice)
def _of_advice(found: RouterAdvice) -> dict[str, Any]:
    """What to set and to type, and how everything that was tried fares."""
    tried = {
        row.candidate.name: {
            "suffers_most": row.felt.group if row.felt else None,
            "grade": row.grade.word,
            "badness": row.badness,
            "share": row.share,
        }
        for row in found.rows
    }
    return {
        **shown.facts(found.found),
        "advice": advice_in_words(found),
        "recommended": found.recommended.candidate.name,
        "tried": tried,
        "tc": found.tc_lines(),
        "openwrt": found.openwrt(),
        "cake_autorate": found.autorate(),
    }


@shown.facts.register(FittedLine)
def _of_line(found: FittedLine) -> dict[str, Any]:
    """From what the line was fitted, and which queues it has."""
    return {
        "sources": list(found.sources),
        "technology": found.technology,
        "queues": {way: each.kind.value for way, each in found.ways.items()},
        "notes": {way: list(each.notes) for way, each in found.ways.items()},
        "fitted": {name: each.how for name, each in found.numbers.items()},
    }


for kind in _SHOWN_BY:
    shown.text.register(kind)(_text)
    shown.html.register(kind)(_html)
    shown.save.register(kind)(_save)
