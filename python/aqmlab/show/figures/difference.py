"""The difference of two distribution functions of response times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aqmlab.inference import Band
from aqmlab.show.figures.looks import GREY, SEQUENCE
from aqmlab.show.figures.style import new_axes, styled

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from aqmlab.inference import Judgement, NotEnoughReplications

    FloatArray = NDArray[np.float64]

MILLISECONDS = 1000.0


class Difference(Protocol):
    """A difference in a comparison; see `aqmlab.comparison.CurveDifference`."""

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called."""

    @property
    def time_s(self) -> FloatArray:
        """The grid of times."""

    @property
    def difference(self) -> FloatArray:
        """The mean difference at these times, as a share."""

    @property
    def band(self) -> Band | NotEnoughReplications:
        """Its simultaneous band."""

    @property
    def judgement(self) -> Judgement:
        """The verdict."""


@styled
def draw_difference(comparison: Difference, axes: Axes | None = None) -> Axes:
    """Difference of two distribution functions with its simultaneous band and the verdict's margins."""
    axes = axes or new_axes()
    time_ms = comparison.time_s * MILLISECONDS
    if isinstance(comparison.band, Band):
        band = comparison.band
        lower, upper = 100.0 * band.lower, 100.0 * band.upper
        axes.fill_between(time_ms, lower, upper, color=SEQUENCE[0], alpha=0.2, linewidth=0)
    axes.plot(time_ms, 100.0 * comparison.difference, color=SEQUENCE[0])
    for margin in (-2.0, -1.0, 1.0, 2.0):
        axes.axhline(margin, color=GREY, linewidth=0.6, linestyle=":" if abs(margin) > 1 else "--")
    a, b = comparison.names
    axes.set(xlabel="response time, ms", ylabel="difference, percentage points", xlim=(0, 2000))
    axes.set_title(f"{a} minus {b}: {comparison.judgement.verdict}")
    return axes
