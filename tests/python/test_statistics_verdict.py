import numpy as np
import pytest
from numpy.typing import NDArray

from aqmlab.inference import Band, Judgement, NotEnoughReplications, Verdict, judge

TIME_S = np.linspace(0.0, 2.0, 401)
EVENLY = TIME_S / 2.0
"""Responses spread evenly over 0..2 s: a range holds as many as it is long."""


def band(mean: NDArray[np.float64] | float, half_width: float = 0.004) -> Band:
    curve = np.broadcast_to(np.asarray(mean, dtype=np.float64), TIME_S.shape)
    return Band(TIME_S, curve, curve - half_width, curve + half_width, 8, 0.95, 4.0, 3.0)


def judged(mean: NDArray[np.float64] | float, half_width: float = 0.004) -> Judgement:
    return judge(band(mean, half_width), responses=EVENLY)


def bump(height: float, *, start_s: float, end_s: float) -> NDArray[np.float64]:
    return np.asarray(np.where((start_s <= TIME_S) & (end_s >= TIME_S), height, 0.0))


def test_a_narrow_band_around_zero_is_equivalence() -> None:
    assert judged(0.0).verdict is Verdict.EQUIVALENT
    assert judged(0.015).verdict is Verdict.EQUIVALENT
    assert judged(0.0, half_width=0.02).verdict is Verdict.EQUIVALENT


def test_curves_that_are_both_near_zero_are_not_equivalent() -> None:
    # Nine in a hundred responses are complete within the two seconds that the band covers: nothing is known
    # of the others.
    few = 0.09 * TIME_S / TIME_S[-1]
    judgement = judge(band(0.0), responses=few)
    assert judgement.verdict is Verdict.CANNOT_BE_JUDGED
    assert judgement.reason == "only 9.0% of the responses are complete within 2 s"
    assert judge(band(0.0), responses=0.1 * TIME_S / TIME_S[-1]).verdict is Verdict.EQUIVALENT


def test_a_band_that_reaches_beyond_two_hundredths_is_no_equivalence() -> None:
    assert judged(0.0, half_width=0.0201).verdict is Verdict.CANNOT_BE_JUDGED


def test_a_gain_over_a_tenth_of_responses_without_harm_is_better() -> None:
    judgement = judged(bump(0.05, start_s=0.5, end_s=0.8))
    assert judgement.verdict is Verdict.BETTER
    assert judgement.largest_gain == pytest.approx(0.05)
    assert judgement.gain_share == pytest.approx(0.15, abs=0.01)


def test_worse_is_better_mirrored() -> None:
    curve = bump(0.05, start_s=0.5, end_s=0.8)
    for mean in (curve, 0.002 + curve, bump(0.03, start_s=0.0, end_s=2.0)):
        assert judged(mean).verdict is Verdict.BETTER
        assert judged(-mean).verdict is Verdict.WORSE


def test_a_gain_over_fewer_responses_cannot_be_judged_and_says_so() -> None:
    judgement = judged(bump(0.05, start_s=0.5, end_s=0.6))
    assert judgement.verdict is Verdict.CANNOT_BE_JUDGED
    assert "only over" in judgement.reason


def test_two_short_gains_are_not_one_long_gain() -> None:
    halves = bump(0.05, start_s=0.2, end_s=0.35) + bump(0.05, start_s=1.0, end_s=1.15)
    assert judged(halves).verdict is Verdict.CANNOT_BE_JUDGED


def test_a_gain_with_harm_not_excluded_cannot_be_judged_and_says_so() -> None:
    judgement = judged(bump(0.06, start_s=0.5, end_s=1.5), half_width=0.011)
    assert judgement.verdict is Verdict.CANNOT_BE_JUDGED
    assert "not excluded" in judgement.reason


def test_shown_gain_and_shown_harm_are_a_trade_off_with_their_crossing() -> None:
    judgement = judged(0.04 * (TIME_S - 0.7))
    assert judgement.verdict is Verdict.TRADE_OFF
    assert judgement.crossing_s == pytest.approx(0.7, abs=0.01)
    mirrored = judged(-0.04 * (TIME_S - 0.7))
    assert mirrored.verdict is Verdict.TRADE_OFF
    assert mirrored.crossing_s == pytest.approx(0.7, abs=0.01)


def test_a_wide_band_asks_for_more_replications() -> None:
    judgement = judged(0.0, half_width=0.5)
    assert judgement.verdict is Verdict.CANNOT_BE_JUDGED
    assert "more replications" in judgement.reason


def test_too_few_replications_cannot_be_judged() -> None:
    judgement = judge(NotEnoughReplications(have=3))
    assert judgement.verdict is Verdict.CANNOT_BE_JUDGED
    assert "(3;" in judgement.reason


def test_a_share_is_of_the_responses_in_the_range_that_is_judged() -> None:
    # A gain over 0.5..0.6 s holds 5 % of all responses, but a third of those between 0.4 and 0.7 s.
    whole = band(bump(0.05, start_s=0.5, end_s=0.6))
    part = whole.between(0.4, 0.7)
    keep = (TIME_S >= 0.4) & (TIME_S <= 0.7)
    assert judge(part, responses=EVENLY[keep]).verdict is Verdict.BETTER


def test_a_range_without_any_time_is_refused() -> None:
    with pytest.raises(ValueError, match="no time between"):
        band(0.0).between(5.0, 6.0)


def test_responses_count_where_they_are_not_where_the_axis_is_long() -> None:
    # Nine tenths of the responses end before 0.2 s: a gain from 0.5 to 2 s touches few of them.
    early = np.interp(TIME_S, [0.0, 0.2, 2.0], [0.0, 0.93, 1.0])
    judgement = judge(band(bump(0.05, start_s=0.5, end_s=2.0)), responses=early)
    assert judgement.verdict is Verdict.CANNOT_BE_JUDGED
