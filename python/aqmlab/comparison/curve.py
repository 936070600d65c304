"""The response times of a configuration against those of the baseline: the whole curve, and a verdict.

The difference is the configuration's distribution function less the baseline's: above zero, more responses
are complete within that time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab import shown
from aqmlab.inference import (
    Band,
    Judgement,
    NotEnoughReplications,
    judge,
    paired_distributions,
    sign_flip_p_value,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from aqmlab.statistics import ResponseTimes
    from aqmlab.statistics.distribution import FloatArray

UNTIL_S = 2.0
GRID_STEP_S = 0.005


@dataclass(frozen=True)
class CurveDifference:
    """Two distribution functions of response times and their paired difference.

    Attributes:
        names: The configuration and the baseline.
        time_s: The grid of times from 0 to 2 s.
        cdf: Mean distribution function of the configuration at these times.
        cdf_of_baseline: The same for the baseline.
        band: Simultaneous 95 % band of the mean difference.
        judgement: The verdict on the configuration, with its reason.
        sign_flip_p_value: Exact p-value of "no difference anywhere".
    """

    names: tuple[str, str]
    time_s: FloatArray
    cdf: FloatArray
    cdf_of_baseline: FloatArray
    band: Band | NotEnoughReplications
    judgement: Judgement
    sign_flip_p_value: float

    @classmethod
    def of(
        cls, names: tuple[str, str], times: Sequence[ResponseTimes], baseline: Sequence[ResponseTimes]
    ) -> CurveDifference:
        """The difference of replications, in the same order on both sides; each has an ended exchange."""
        grid = np.linspace(0.0, UNTIL_S, round(UNTIL_S / GRID_STEP_S) + 1)
        own, others = (np.array([one.cdf(grid) for one in side]) for side in (times, baseline))
        differences, band = paired_distributions(times, baseline, time_s=grid)
        cdf, cdf_of_baseline = own.mean(axis=0), others.mean(axis=0)
        return cls(
            names=names,
            time_s=grid,
            cdf=cdf,
            cdf_of_baseline=cdf_of_baseline,
            band=band,
            judgement=judge(band, responses=(cdf + cdf_of_baseline) / 2.0),
            sign_flip_p_value=sign_flip_p_value(differences),
        )

    def within(self, from_s: float, until_s: float, *, widened: float = 1.0) -> Judgement:
        """The verdict on responses between two times (in seconds), optionally with a wider band."""
        if isinstance(self.band, NotEnoughReplications):
            return judge(self.band)
        keep = (self.time_s >= from_s) & (self.time_s <= until_s)
        band = self.band.between(from_s, until_s)
        return judge(band if widened == 1.0 else band.widened(widened), responses=self.responses[keep])

    @property
    def responses(self) -> FloatArray:
        """Mean of both distribution functions on the grid, for the share of responses in a range."""
        return np.asarray((self.cdf + self.cdf_of_baseline) / 2.0)

    @property
    def difference(self) -> FloatArray:
        """Mean difference of the distribution functions at the grid's times."""
        return np.asarray(self.cdf - self.cdf_of_baseline)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the difference with its band, into `axes` or new ones."""
        return shown.plot(self, axes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "verdict": str(self.judgement.verdict),
            "reason": self.judgement.reason,
            "crossing_s": self.judgement.crossing_s,
            "sign_flip_p_value": self.sign_flip_p_value,
            "time_s": self.time_s.tolist(),
            "difference": self.difference.tolist(),
            "band": _band_to_dict(self.band),
        }


def _band_to_dict(band: Band | NotEnoughReplications) -> dict[str, Any]:
    if isinstance(band, NotEnoughReplications):
        return dict(band.to_dict())
    return {
        "confidence": band.confidence,
        "critical_value": band.critical_value,
        "path_length": band.path_length,
        "lower": band.lower.tolist(),
        "upper": band.upper.tolist(),
    }
