"""Trade-offs as figures: delay against goodput of evaluations, response times against loss of searches.

Of an evaluation each scheme has an ellipse (RFC 7928, section 2.7).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.looks import BLACK, GREY, SEQUENCE, looks_of_names
from aqmlab.show.figures.printed import as_file, figure_of, new_axes, new_grid, new_row, settle, styled
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.study.evaluation.evaluation import Ellipse, Evaluation, Trial
    from aqmlab.study.tuning.candidates import Candidate
    from aqmlab.study.tuning.outcome import Outcome


_CORNERS = 72
_PANELS_BESIDE = 3
_FAINT = 0.2
CAPTION = (
    "Each point is a run; an ellipse holds 95 % of the normal distribution that fits a scheme's runs best. "
    "Further left and further up is better."
)


@styled
def draw_one(evaluation: Evaluation, trial: Trial) -> Drawn:
    axes = new_axes()
    _draw_trial(axes, evaluation, trial)
    axes.set(xlabel="mean queueing delay, ms", ylabel="goodput, Mbit/s")
    figure_of(axes).legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    title = f"{trial.guideline.section} {trial.title}: delay and goodput"
    return Drawn(
        "trade-off", title, f"{title}. {CAPTION}", settle(figure_of(axes)), _words(evaluation, trial)
    )


@styled
def draw_all(evaluation: Evaluation, trials: Sequence[Trial]) -> Drawn:
    panels = new_grid(len(trials), _PANELS_BESIDE)
    for axes, trial in zip(panels, trials, strict=True):
        _draw_trial(axes, evaluation, trial)
        axes.set_title(f"{trial.guideline.section} {trial.title}", fontsize=7.0)
        axes.tick_params(labelsize=6.0)
    figure = figure_of(panels[0])
    figure.supxlabel("mean queueing delay, ms")
    figure.supylabel("goodput, Mbit/s")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    words = " ".join(_words(evaluation, trial) for trial in trials)
    return Drawn("trade-offs", "Delay and goodput in every scenario", CAPTION, settle(figure), words)


def _draw_trial(axes: Axes, evaluation: Evaluation, trial: Trial) -> None:
    for scheme, look in looks_of_names(evaluation.subjects).items():
        delay, goodput = (evaluation.figure(*trial.place, scheme, each) for each in (DELAY, GOODPUT))
        if delay is None or goodput is None:
            continue
        axes.plot(delay.values, goodput.values, look.marker, color=look.colour, markersize=3.0, label=scheme)
        ellipse = evaluation.ellipse(*trial.place, scheme)
        if ellipse is not None:
            around = contour(ellipse)
            axes.fill(*around, facecolor=look.colour, alpha=_FAINT)
            axes.plot(*around, color=look.colour, linewidth=0.8)


def contour(ellipse: Ellipse) -> tuple[FloatArray, FloatArray]:
    turns = np.linspace(0.0, math.tau, _CORNERS)
    (longer, (x, y)), (shorter, (across, up)) = ellipse.axes()
    delays = ellipse.delay_ms + longer * x * np.cos(turns) + shorter * across * np.sin(turns)
    goodputs = ellipse.goodput_mbps + longer * y * np.cos(turns) + shorter * up * np.sin(turns)
    return delays, goodputs


def _words(evaluation: Evaluation, trial: Trial) -> str:
    centres = {scheme: evaluation.ellipse(*trial.place, scheme) for scheme in evaluation.subjects}
    told = [
        f"{scheme} {centre.delay_ms:.3g} ms and {centre.goodput_mbps:.3g} Mbit/s"
        for scheme, centre in centres.items()
        if centre is not None
    ]
    return f"{trial.guideline.section} {trial.title}: {'; '.join(told)}."


_RESPONSE = "response"
_COLUMNS = (_RESPONSE, "utilization, %", "loss, %")
_FRONT, _PUBLISHED = SEQUENCE[0], SEQUENCE[2]


def draw_trade_off(outcome: Outcome, *, svg: Path, png: Path) -> None:
    """Draws every candidate that was run with fresh seeds, as SVG and PNG."""
    figure = settle(_draw_outcome(outcome))
    svg.write_bytes(as_file(figure, ".svg"))
    png.write_bytes(as_file(figure, ".png"))


@styled
def _draw_outcome(outcome: Outcome) -> Figure:
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
    figure = figure_of(panels[0])
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


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


def _points(group: Sequence[Candidate], outcome: Outcome) -> FloatArray:
    """A row of `_COLUMNS` for each candidate: means over its fresh seeds."""
    means = [
        np.mean([outcome.objective.trade_off(run) for run in candidate.fresh.values()], axis=0)
        for candidate in group
    ]
    return np.array([(response_s, 100.0 * (1.0 - idle), 100.0 * loss) for response_s, idle, loss in means])
