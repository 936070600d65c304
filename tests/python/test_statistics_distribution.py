import numpy as np
import pyarrow as pa
import pytest

from aqmlab.errors import MissingDataError
from aqmlab.statistics import ResponseTimes, response_times
from synthetic_results import SyntheticResult, exchange_times, histogram, synthetic_result


def two_bins(*, failed: int = 0) -> ResponseTimes:
    """One exchange somewhere in 0..1 s, one in 1..2 s."""
    return ResponseTimes(np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([1.0, 1.0]), failed)


def test_the_distribution_function_rises_evenly_inside_a_bin() -> None:
    np.testing.assert_allclose(
        two_bins().cdf([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0]), [0, 0, 0.25, 0.5, 0.75, 1, 1]
    )


def test_the_distribution_function_is_flat_across_a_gap_between_bins() -> None:
    gap = ResponseTimes(np.array([0.0, 3.0]), np.array([1.0, 4.0]), np.array([1.0, 3.0]))
    np.testing.assert_allclose(gap.cdf([1.0, 2.0, 3.0, 3.5]), [0.25, 0.25, 0.25, 0.625])


def test_a_failed_exchange_counts_as_one_that_never_completes() -> None:
    times = two_bins(failed=2)
    assert times.cdf(100.0) == 0.5
    assert times.ccdf(100.0) == 0.5
    assert times.quantile(0.75) == float("inf")
    assert times.quantile(0.25) == 1.0


def test_quantiles_invert_the_distribution_function() -> None:
    times = two_bins()
    for share in (0.0, 0.1, 0.5, 0.9, 1.0):
        assert times.quantile(share) == pytest.approx(2.0 * share)
    with pytest.raises(ValueError, match="between 0 and 1"):
        times.quantile(1.5)


def test_the_restricted_mean_is_the_mean_of_the_smaller_of_time_and_limit() -> None:
    # Half the mass is uniform on 0..1 (mean 0.5); the other half on 1..2 is cut at 1.5 (mean 1.375).
    assert two_bins().restricted_mean_s(1.5) == pytest.approx((0.5 + 1.375) / 2.0)
    assert two_bins(failed=2).restricted_mean_s(2.0) == pytest.approx((0.5 + 1.5 + 2.0 + 2.0) / 4.0)


def test_the_histogram_gives_back_the_sample_to_a_tenth_of_a_per_cent() -> None:
    sample = exchange_times(3, size=20_000)
    times = response_times(synthetic_result(times_s=sample))
    for share in (0.05, 0.5, 0.9, 0.99):
        assert times.quantile(share) == pytest.approx(np.quantile(sample, share), rel=0.002)
    assert times.restricted_mean_s() == pytest.approx(np.minimum(sample, 2.0).mean(), rel=0.001)


def test_populations_and_size_classes_are_pooled_or_picked() -> None:
    rows = pa.concat_tables(
        [
            histogram(np.full(10, 0.1), population=0, size_class=0),
            histogram(np.full(30, 0.4), population=1, size_class=2),
        ]
    )
    result = synthetic_result(failed=10)
    result = SyntheticResult(result.run, {"response_histogram": rows})
    assert response_times(result).cdf(0.2) == pytest.approx(10 / 50)
    assert response_times(result, population="left").cdf(0.2) == pytest.approx(10 / 20)
    assert response_times(result, population="right").cdf(0.2) == 0.0
    assert response_times(result, size_class=2).cdf(1.0) == 1.0


def test_what_was_not_recorded_is_said_with_its_remedy() -> None:
    with pytest.raises(MissingDataError, match=r"response_histogram.*record\.responses"):
        response_times(SyntheticResult(synthetic_result().run, {}))


def test_overlapping_bins_are_refused() -> None:
    with pytest.raises(ValueError, match="must not overlap"):
        ResponseTimes(np.array([0.0, 0.5]), np.array([1.0, 2.0]), np.array([1.0, 1.0]))


def test_an_empty_window_has_no_distribution() -> None:
    empty = ResponseTimes(np.array([]), np.array([]), np.array([]))
    with pytest.raises(ValueError, match="no exchange ended"):
        empty.cdf(1.0)
