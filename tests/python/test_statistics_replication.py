import numpy as np
import pytest

from aqmlab.errors import UnknownQuantityError
from aqmlab.inference import Interval, NotEnoughReplications, mean_interval, run_to_run
from aqmlab.inference.replication import two_stage_interval
from aqmlab.statistics import completed_per_90_minutes, loss_percent, throughput_mbps
from aqmlab.statistics.quantities import quantity
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


@pytest.mark.parametrize("lacking", [float("inf"), float("nan")])
def test_a_replication_without_a_value_leaves_no_interval_and_no_mean(lacking: float) -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, lacking, lacking]
    for found in (
        mean_interval(values),
        run_to_run(values).next_run,
        two_stage_interval(np.array(values), 6),
    ):
        assert isinstance(found, NotEnoughReplications)
        assert found.mean is None
        assert str(found) == "no value in 2 of 8 replications"
        assert found.to_dict()["without_value"] == 2
    assert run_to_run(values).p_value(3.0) is None


def test_no_value_at_all_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        mean_interval([])


def test_throughput_is_the_mean_of_both_directions_and_each_is_kept() -> None:
    result = synthetic_result(throughput_mbps=(80.0, 90.0))
    assert throughput_mbps(result) == 85.0
    assert throughput_mbps.by_link(result) == {"left-to-right": 80.0, "right-to-left": 90.0}


def test_loss_is_pooled_over_both_queues_not_averaged() -> None:
    result = synthetic_result(arrived=(1000, 3000), discarded=(100, 0))
    assert loss_percent(result) == pytest.approx(2.5)
    assert loss_percent.by_link(result) == {"left-to-right": 10.0, "right-to-left": 0.0}


def test_a_link_that_saw_nothing_lost_nothing() -> None:
    assert loss_percent(synthetic_result(arrived=(0, 0))) == 0.0


def test_completed_exchanges_are_scaled_to_ninety_minutes() -> None:
    assert completed_per_90_minutes(synthetic_result(completed=1000, window_s=(30.0, 150.0))) == 45_000.0


def test_one_further_run_lies_in_students_prediction_interval() -> None:
    # 1..6: mean 3.5, s = sqrt(3.5); t at 97.5 % with 5 degrees is 2.570582; half width t s sqrt(1 + 1/6).
    runs = run_to_run([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    half = 2.570582 * 3.5**0.5 * (7.0 / 6.0) ** 0.5
    assert isinstance(runs.next_run, Interval)
    assert runs.standard_deviation == pytest.approx(3.5**0.5)
    assert (runs.minimum, runs.maximum) == (1.0, 6.0)
    assert (runs.next_run.lower, runs.next_run.upper) == pytest.approx((3.5 - half, 3.5 + half))
    assert runs.p_value(3.5 + half) == pytest.approx(0.05, rel=1e-5)
    assert runs.p_value(3.5) == 1.0


def test_the_prediction_interval_holds_one_further_run_as_often_as_it_says() -> None:
    generator = np.random.default_rng(4)
    inside = 0
    for _ in range(4000):
        sample = generator.normal(10.0, 3.0, size=8)
        p_value = run_to_run(list(sample[:7])).p_value(float(sample[7]))
        assert p_value is not None
        inside += p_value >= 0.05
    # Binomial: 3,800 with a standard deviation of 13.8; four of them either way.
    assert abs(inside - 3800) < 56


def test_too_few_runs_score_nothing() -> None:
    runs = run_to_run([1.0, 2.0, 3.0, 4.0, 5.0])
    assert isinstance(runs.next_run, NotEnoughReplications)
    assert runs.p_value(3.0) is None
    assert run_to_run([2.0]).standard_deviation == 0.0
    with pytest.raises(ValueError, match="at least one value"):
        run_to_run([])


def test_runs_that_all_agree_leave_no_room() -> None:
    runs = run_to_run([2.0] * 6)
    assert (runs.p_value(2.0), runs.p_value(2.1)) == (1.0, 0.0)


def test_only_the_loaded_link_counts_where_all_users_sit_on_one_side() -> None:
    result = synthetic_result(
        users=(0, 100), throughput_mbps=(8.0, 0.5), arrived=(1000, 900), discarded=(50, 0)
    )
    assert throughput_mbps(result) == 8.0
    assert loss_percent(result) == pytest.approx(5.0)
    assert throughput_mbps.by_link(result) == {"left-to-right": 8.0}
    mirrored = synthetic_result(users=(100, 0), throughput_mbps=(0.5, 8.0))
    assert throughput_mbps.by_link(mirrored) == {"right-to-left": 8.0}


def test_quantities_are_in_the_units_of_their_names() -> None:
    times_s = np.array([0.2] * 5 + [0.9, 1.5, 2.5, 10.0])
    result = synthetic_result(
        users=(0, 100),
        times_s=times_s,
        failed=1,
        completed=420,
        window_s=(0.0, 420.0),
        throughput_mbps=(8.192, 1.0),
        queue_packets=(40.0, 2.0),
    )

    def of(name: str) -> float:
        return quantity(name)(result)

    assert of("throughput_kilobytes_per_s") == pytest.approx(1000.0)
    assert of("requests_in_70_min") == pytest.approx(4200.0)
    assert of("queue_mean_packets") == 40.0
    assert of("utilization_percent") == pytest.approx(8.192)
    # Ten exchanges ended, one of them without a response; bins are 0.1 % wide.
    shares = [
        of(f"responses_{name}_percent") for name in ("within_1s", "1s_to_2s", "2s_to_3s", "over_3s_or_failed")
    ]
    assert shares == pytest.approx([60.0, 10.0, 10.0, 20.0])
    assert of("median_response_ms") == pytest.approx(200.0, rel=2e-3)
    # (5 x 0.2 + 0.9 + 1.5 + 3 x 2) / 10 s
    assert of("restricted_mean_response_ms") == pytest.approx(940.0, rel=2e-3)


def test_an_unknown_quantity_is_answered_with_its_nearest_name() -> None:
    with pytest.raises(UnknownQuantityError, match='did you mean "median_response_ms"'):
        quantity("median_reponse_ms")
