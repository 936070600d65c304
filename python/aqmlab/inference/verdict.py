"""From a band to a word: equivalent, better, worse, trade-off, or cannot be judged.

The band is that of F_a - F_b, where F(t) is the share of responses complete within t: above zero means that
more of a's users already have their answer.

- *equivalent*: the whole band lies within +-0.02;
- *better*: the band lies above +0.01 over one range that holds at least 10 % of the responses, and no part
  of it lies below -0.01 (gain is shown and harm is excluded); *worse* is the mirror image;
- *trade-off*: the band lies above +0.01 at some times and below -0.01 at others, with the crossing;
- *cannot be judged*: everything else, with the reason, or too few replications. Where fewer than 10 % of the
  responses are complete by the end of the range, curves that are equal near zero are not *equivalent*.

The responses held by a range are counted with the mean of both distribution functions. A statement about
part of the times ("responses above 500 ms") judges that part, and shares are of the responses in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aqmlab.inference.replication import NotEnoughReplications

if TYPE_CHECKING:
    from aqmlab.inference.band import Band

FloatArray = NDArray[np.float64]


class Verdict(StrEnum):
    """What a band shows."""

    EQUIVALENT = "equivalent"
    BETTER = "better"
    WORSE = "worse"
    TRADE_OFF = "trade-off"
    CANNOT_BE_JUDGED = "cannot be judged"


@dataclass(frozen=True, slots=True)
class Margins:
    """The thresholds of the verdicts, as shares of responses."""

    equivalence: float = 0.02
    relevant: float = 0.01
    least_share: float = 0.10


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with the numbers and the reason behind it.

    `largest_gain` and `largest_harm` are the extremes of the mean difference (share of responses) and
    `at_s` of each its time; `crossing_s` the time where the mean changes sign between the two sides of a
    trade-off; `gain_share`, `harm_share` the responses held by the longest range on either side.
    """

    verdict: Verdict
    reason: str
    largest_gain: float = float("nan")
    largest_gain_at_s: float = float("nan")
    largest_harm: float = float("nan")
    largest_harm_at_s: float = float("nan")
    gain_share: float = 0.0
    harm_share: float = 0.0
    crossing_s: float | None = None


def judge(
    band: Band | NotEnoughReplications,
    *,
    responses: FloatArray | None = None,
    margins: Margins | None = None,
) -> Judgement:
    """Judge a band; `responses` is the mean of both distribution functions at the band's times."""
    if isinstance(band, NotEnoughReplications):
        return Judgement(Verdict.CANNOT_BE_JUDGED, str(band))
    if responses is None or responses.shape != band.time_s.shape:
        raise ValueError("judging a band needs the distribution function at each of its times")
    limits = margins or Margins()
    gain = band.lower > limits.relevant
    harm = band.upper < -limits.relevant
    held = max(float(responses[-1] - responses[0]), np.finfo(float).tiny)
    facts = {
        "largest_gain": float(band.mean.max()),
        "largest_gain_at_s": float(band.time_s[band.mean.argmax()]),
        "largest_harm": float(band.mean.min()),
        "largest_harm_at_s": float(band.time_s[band.mean.argmin()]),
        "gain_share": _largest_share(gain, responses) / held,
        "harm_share": _largest_share(harm, responses) / held,
    }
    crossing = _crossing_s(band, gain, harm) if gain.any() and harm.any() else None
    verdict, reason = _decide(band, facts, limits, crossing)
    if verdict is Verdict.EQUIVALENT and responses[-1] < limits.least_share:
        verdict = Verdict.CANNOT_BE_JUDGED
        reason = f"only {responses[-1]:.1%} of the responses are complete within {band.time_s[-1]:g} s"
    return Judgement(verdict, reason, **facts, crossing_s=crossing)


def _decide(
    band: Band, facts: dict[str, float], limits: Margins, crossing_s: float | None
) -> tuple[Verdict, str]:
    lowest, highest = float(band.lower.min()), float(band.upper.max())
    extent = f"band from {lowest:+.3f} to {highest:+.3f}"
    if -limits.equivalence <= lowest and highest <= limits.equivalence:
        return Verdict.EQUIVALENT, f"{extent}, within +-{limits.equivalence}"
    if crossing_s is not None:
        return Verdict.TRADE_OFF, f"{extent}; the curves cross near {crossing_s:.2f} s"
    if facts["gain_share"] >= limits.least_share and lowest >= -limits.relevant:
        return Verdict.BETTER, _shown("above", facts, "gain", extent)
    if facts["harm_share"] >= limits.least_share and highest <= limits.relevant:
        return Verdict.WORSE, _shown("below", facts, "harm", extent)
    return Verdict.CANNOT_BE_JUDGED, _undecided(facts, limits, lowest, highest)


def _shown(side: str, facts: dict[str, float], kind: str, extent: str) -> str:
    difference, at_s = facts[f"largest_{kind}"], facts[f"largest_{kind}_at_s"]
    share = facts[f"{kind}_share"]
    return f"{side} zero over {share:.0%} of responses, at most {difference:+.3f} at {at_s:.2f} s; {extent}"


def _undecided(facts: dict[str, float], limits: Margins, lowest: float, highest: float) -> str:
    for kind, opposite, edge in (("gain", "harm", lowest), ("harm", "gain", highest)):
        share = facts[f"{kind}_share"]
        if share == 0.0:
            continue
        if share < limits.least_share:
            return f"a {kind} is shown, but only over {share:.1%} of responses"
        reach = f"a {opposite} to {edge:+.3f} is not excluded"
        return f"a {kind} is shown over {share:.0%} of responses, but {reach}"
    return f"the band, from {lowest:+.3f} to {highest:+.3f}, is too wide to tell: more replications needed"


def _largest_share(inside: NDArray[np.bool_], responses: FloatArray) -> float:
    """Share of responses held by the fullest unbroken range of times marked in `inside`."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], inside.astype(np.int8), [0]))))
    starts, stops = edges[::2], edges[1::2] - 1
    return float(np.max(responses[stops] - responses[starts], initial=0.0))


def _crossing_s(band: Band, gain: NDArray[np.bool_], harm: NDArray[np.bool_]) -> float:
    """Time where the mean changes sign between the first neighbouring pair of gain and harm."""
    decided = np.flatnonzero(gain | harm)
    change = np.flatnonzero(gain[decided][1:] != gain[decided][:-1])[0]
    left, right = int(decided[change]), int(decided[change + 1])
    signs = np.sign(band.mean[left : right + 1])
    step = left + int(np.flatnonzero(signs != signs[0])[0])
    before, after = band.mean[step - 1], band.mean[step]
    return float(np.interp(0.0, *_increasing(before, after, band.time_s[step - 1], band.time_s[step])))


def _increasing(
    before: float, after: float, time_before: float, time_after: float
) -> tuple[list[float], list[float]]:
    if before < after:
        return [before, after], [time_before, time_after]
    return [after, before], [time_after, time_before]
