"""The trade-off between delay and goodput as a figure: an ellipse for each scheme (RFC 7928, section 2.7)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.looks import looks_of_names
from aqmlab.show.figures.style import figure_of, new_axes, new_grid, settle, styled
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from aqmlab.study.evaluation.evaluation import Ellipse, Evaluation, Trial

    FloatArray = NDArray[np.float64]

_CORNERS = 72
_COLUMNS = 3
_FAINT = 0.2
CAPTION = (
    "Each point is a run; an ellipse holds 95 % of the normal distribution that fits a scheme's runs best. "
    "Further left and further up is better."
)


@styled
def draw_one(evaluation: Evaluation, trial: Trial) -> Drawn:
    """The trade-off of one case."""
    axes = new_axes()
    _draw(axes, evaluation, trial)
    axes.set(xlabel="mean queueing delay, ms", ylabel="goodput, Mbit/s")
    figure_of(axes).legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    title = f"{trial.guideline.section} {trial.title}: delay and goodput"
    return Drawn(
        "trade-off", title, f"{title}. {CAPTION}", settle(figure_of(axes)), _words(evaluation, trial)
    )


@styled
def draw_all(evaluation: Evaluation, trials: Sequence[Trial]) -> Drawn:
    """The trade-offs of several cases, a panel each."""
    panels = new_grid(len(trials), _COLUMNS)
    for axes, trial in zip(panels, trials, strict=True):
        _draw(axes, evaluation, trial)
        axes.set_title(f"{trial.guideline.section} {trial.title}", fontsize=7.0)
        axes.tick_params(labelsize=6.0)
    figure = figure_of(panels[0])
    figure.supxlabel("mean queueing delay, ms")
    figure.supylabel("goodput, Mbit/s")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    words = " ".join(_words(evaluation, trial) for trial in trials)
    return Drawn("trade-offs", "Delay and goodput in every scenario", CAPTION, settle(figure), words)


def _draw(axes: Axes, evaluation: Evaluation, trial: Trial) -> None:
    for scheme, look in looks_of_names(evaluation.subjects).items():
        section, name = trial.guideline.section, trial.name
        delay, goodput = (evaluation.figure(section, name, scheme, each) for each in (DELAY, GOODPUT))
        if delay is None or goodput is None:
            continue
        axes.plot(delay.values, goodput.values, look.marker, color=look.colour, markersize=3.0, label=scheme)
        ellipse = evaluation.ellipse(section, name, scheme)
        if ellipse is not None:
            around = contour(ellipse)
            axes.fill(*around, facecolor=look.colour, alpha=_FAINT)
            axes.plot(*around, color=look.colour, linewidth=0.8)


def contour(ellipse: Ellipse) -> tuple[FloatArray, FloatArray]:
    """Delays and goodputs around an ellipse."""
    turns = np.linspace(0.0, math.tau, _CORNERS)
    (longer, (x, y)), (shorter, (across, up)) = ellipse.axes()
    delays = ellipse.delay_ms + longer * x * np.cos(turns) + shorter * across * np.sin(turns)
    goodputs = ellipse.goodput_mbps + longer * y * np.cos(turns) + shorter * up * np.sin(turns)
    return delays, goodputs


def _words(evaluation: Evaluation, trial: Trial) -> str:
    centres = {
        scheme: evaluation.ellipse(trial.guideline.section, trial.name, scheme)
        for scheme in evaluation.subjects
    }
    told = [
        f"{scheme} {centre.delay_ms:.3g} ms and {centre.goodput_mbps:.3g} Mbit/s"
        for scheme, centre in centres.items()
        if centre is not None
    ]
    return f"{trial.guideline.section} {trial.title}: {'; '.join(told)}."
