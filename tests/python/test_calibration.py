from pathlib import Path

import pytest

from aqmlab.calibration import Calibration, Line, browsing_sides, fit
from aqmlab.scenario import Scenario
from aqmlab.statistics import Interval, NotEnoughReplications
from synthetic_results import SyntheticResult, synthetic_result

PUBLISHED = Line(bits_per_second_per_user=10457.7012, intercept_mbps=0.423996)
USERS = (3500, 7000, 10500, 14000, 17500)


def run(users: int, throughput_mbps: float, *, seed: int = 1) -> SyntheticResult:
    directions = (throughput_mbps - 1.0, throughput_mbps + 1.0)
    return synthetic_result(seed=seed, users=(users, users), throughput_mbps=directions)


def test_the_published_line_offers_100_mbps_with_the_users_that_the_paper_names() -> None:
    # Section 3.2: approximately 9,520 users on each side of the link.
    assert PUBLISHED.throughput_mbps(9520) == pytest.approx(100.0, abs=0.05)
    assert PUBLISHED.users_per_side(100.0) == pytest.approx(9520, abs=5)


def test_points_on_a_line_give_that_line() -> None:
    calibration = fit([run(users, PUBLISHED.throughput_mbps(users)) for users in USERS])
    assert calibration.line.bits_per_second_per_user == pytest.approx(10457.7012)
    assert calibration.line.intercept_mbps == pytest.approx(0.423996)
    assert calibration.r_squared == pytest.approx(1.0)
    assert calibration.users_per_side(80.0) == PUBLISHED.users_per_side(80.0)


def test_the_mean_of_both_directions_is_fitted_and_each_is_kept() -> None:
    calibration = fit([run(1000, 10.0), run(2000, 20.0)])
    assert calibration.points[0].throughput_mbps == 10.0
    assert calibration.points[0].throughput_mbps_by_link == {"left-to-right": 9.0, "right-to-left": 11.0}


def test_scatter_lowers_r_squared_as_the_definition_says() -> None:
    # Points (0,0), (1,1), (2,0) in thousands of users: the best line is flat at 1/3, so R² is 0.
    calibration = fit([run(1000, 5.0), run(2000, 6.0), run(3000, 5.0)])
    assert calibration.r_squared == pytest.approx(0.0, abs=1e-12)
    assert calibration.line.bits_per_second_per_user == pytest.approx(0.0, abs=1e-6)


def test_the_slope_has_an_interval_over_seeds_from_six_on() -> None:
    slopes = (9.0, 9.5, 10.0, 10.5, 11.0, 10.0)
    results = [
        run(users, slope * users / 1000.0, seed=seed) for seed, slope in enumerate(slopes) for users in USERS
    ]
    interval = fit(results).slope_interval
    assert isinstance(interval, Interval)
    assert interval.mean == pytest.approx(10_000.0)
    assert isinstance(fit(results[:25]).slope_interval, NotEnoughReplications)


def test_the_difference_to_a_published_line_is_in_per_cent_of_the_slope() -> None:
    line = Line(bits_per_second_per_user=11503.47132, intercept_mbps=0.0)
    facts = fit([run(users, line.throughput_mbps(users)) for users in USERS]).against(PUBLISHED)
    assert facts["slope_difference_percent"] == pytest.approx(10.0)


def test_unequal_sides_and_single_points_are_refused() -> None:
    with pytest.raises(ValueError, match="as many users on either side"):
        fit([synthetic_result(users=(10, 20)), synthetic_result(users=(20, 30))])
    with pytest.raises(ValueError, match="at least two different"):
        fit([run(1000, 10.0), run(1000, 11.0, seed=2)])
    with pytest.raises(ValueError, match="below the line's intercept"):
        PUBLISHED.users_per_side(0.1)


def test_a_calibration_is_stored_and_read_back(tmp_path: Path) -> None:
    calibration = fit([run(users, PUBLISHED.throughput_mbps(users)) for users in USERS])
    assert Calibration.load(calibration.save(tmp_path / "new" / "calibration.json")) == calibration
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="no calibration"):
        Calibration.load(tmp_path / "other.json")


def test_users_on_one_side_are_fitted_to_the_direction_that_carries_their_data() -> None:
    runs = [
        synthetic_result(users=(0, users), throughput_mbps=(users * 2941.1765 / 1e6, 0.3))
        for users in (700, 3325, 5075)
    ]
    calibration = fit(runs)
    assert calibration.line.bits_per_second_per_user == pytest.approx(2941.1765)
    assert calibration.line.intercept_mbps == pytest.approx(0.0, abs=1e-9)
    assert [point.users_per_side for point in calibration.points] == [700, 3325, 5075]
    # Section 3.3: 3,400 users offer 10 Mbps.
    assert calibration.users_per_side(10.0) == 3400


def test_a_scenario_says_where_its_users_sit() -> None:
    text = """
name = "sides"
duration_s = 10.0
[dumbbell]
rate_mbps = 10.0
queue = {{ scheme = "drop-tail", limit_packets = 120 }}
[users]
left = {left}
right = {right}
"""
    sides = {
        (left, right): browsing_sides(Scenario.from_toml(text.format(left=left, right=right)))
        for left, right in ((0, 5), (5, 0), (5, 5))
    }
    assert sides == {(0, 5): (False, True), (5, 0): (True, False), (5, 5): (True, True)}
