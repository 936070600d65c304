"""What tests on a line look like: printed, in a notebook, as the table in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.show.tables import bloat, flent_tests, line_fit, responsiveness, sqm
from aqmlab.show.tables.printed import as_html, as_text
from aqmlab.study.bloat import Bufferbloat
from aqmlab.study.flent_tests import FlentResults
from aqmlab.study.line_fit import FittedLine
from aqmlab.study.responsiveness import RoundTripsPerMinute
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


for kind in _SHOWN_BY:
    shown.text.register(kind)(_text)
    shown.html.register(kind)(_html)
    shown.save.register(kind)(_save)
