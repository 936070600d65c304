import pytest

from aqmlab.statistics import (
    Interval,
    NotEnoughReplications,
    completed_per_90_minutes,
    loss_percent,
    mean_interval,
    throughput_mbps,
)
from aqmlab.statistics.measures import loss_percent_by_link, throughput_mbps_by_link
from synthetic_results import synthetic_result


def test_the_interval_is_students() -> None:
    # 1..6: mean 3.5, standard deviation sqrt(3.5); Student's 97.5 % point of 5 degrees is 2.570582.
    interval = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert isinstance(interval, Interval)
    assert interval.mean == 3.5
    assert interval.half_width == pytest.approx(2.570582 * (3.5 / 6.0) ** 0.5, rel=1e-6)


def test_five_replications_give_a_mean_and_no_interval() -> None:
    answer = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert isinstance(answer, NotEnoughReplications)
    assert (answer.have, answer.need, answer.mean) == (5, 6, 3.0)
    assert "not enough replications (5" in str(answer)


def test_no_value_at_all_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        mean_interval([])


def test_throughput_is_the_mean_of_both_directions_and_each_is_kept() -> None:
    result = synthetic_result(throughput_mbps=(80.0, 90.0))
    assert throughput_mbps(result) == 85.0
    assert throughput_mbps_by_link(result) == {"left-to-right": 80.0, "right-to-left": 90.0}


def test_loss_is_pooled_over_both_queues_not_averaged() -> None:
    result = synthetic_result(arrived=(1000, 3000), discarded=(100, 0))
    assert loss_percent(result) == pytest.approx(2.5)
    assert loss_percent_by_link(result) == {"left-to-right": 10.0, "right-to-left": 0.0}


def test_a_link_that_saw_nothing_lost_nothing() -> None:
    assert loss_percent(synthetic_result(arrived=(0, 0))) == 0.0


def test_completed_exchanges_are_scaled_to_ninety_minutes() -> None:
    assert completed_per_90_minutes(synthetic_result(completed=1000, window_s=(30.0, 150.0))) == 45_000.0
