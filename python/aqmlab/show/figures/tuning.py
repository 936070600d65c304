"""The trade-off as a figure: response times against loss and utilization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.show.figures.looks import BLACK, GREY, SEQUENCE
from aqmlab.show.figures.style import as_png, figure_of, new_row, settle, styled, svg_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from aqmlab.study.tuning.candidates import Candidate
    from aqmlab.study.tuning.outcome import Outcome

_RESPONSE = "response"
_COLUMNS = (_RESPONSE, "utilization, %", "loss, %")
_FRONT, _PUBLISHED = SEQUENCE[0], SEQUENCE[2]


def draw_trade_off(outcome: Outcome, *, svg: Path, png: Path) -> None:
    """Draws every candidate that was run with fresh seeds, as SVG and PNG."""
    figure = settle(_draw(outcome))
    svg.write_text(svg_text(figure), encoding="utf-8")
    png.write_bytes(as_png(figure))


@styled
def _draw(outcome: Outcome) -> Figure:
    known = all(np.isfinite(_points(group, outcome)).all() for group, _ in _groups(outcome))
    rows = (
        [("loss, %", _RESPONSE), ("utilization, %", _RESPONSE)] if known else [("loss, %", "utilization, %")]
    )
    panels = new_row(len(rows))
    for axes, (across, upward) in zip(panels, rows, strict=True):
        for group, style in _groups(outcome):
            columns = dict(zip(_COLUMNS, _points(group, outcome).T, strict=True))
            axes.scatter(columns[across], columns[upward], **style)
        axes.set(xlabel=across)
    limit = f"mean of min(t, {outcome.objective.restricted_to_s:g} s), s"
    panels[0].set(ylabel=limit if known else "utilization, %")
    _legend(panels[0])
    return figure_of(panels[0])


def _groups(outcome: Outcome) -> list[tuple[Sequence[Candidate], dict[str, Any]]]:
    full = [each for each in outcome.candidates if each.fresh]
    groups: list[tuple[Sequence[Candidate], dict[str, Any]]] = [
        (full, {"c": GREY, "s": 12, "label": "candidates"}),
        (outcome.front, {"c": _FRONT, "s": 24, "label": "front"}),
        ([outcome.given], {"c": BLACK, "s": 36, "marker": "x", "label": "as given"}),
        ([outcome.winner], {"edgecolors": BLACK, "facecolors": "none", "s": 70, "label": "winner"}),
        (outcome.published, {"c": _PUBLISHED, "s": 30, "marker": "^", "label": "published"}),
    ]
    return [(group, style) for group, style in groups if group]


def _points(
    group: Sequence[Candidate], outcome: Outcome
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """A row of `_COLUMNS` for each candidate: means over its fresh seeds."""
    means = [
        np.mean([outcome.objective.trade_off(run) for run in candidate.fresh.values()], axis=0)
        for candidate in group
    ]
    return np.array([(response_s, 100.0 * (1.0 - idle), 100.0 * loss) for response_s, idle, loss in means])


def _legend(axes: Axes) -> None:
    figure_of(axes).legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
