import dataclasses
import re
from pathlib import Path

import pytest

import aqmlab
from aqmlab.errors import CalibrationError, DemandError
from aqmlab.inference import Interval, NotEnoughReplications
from aqmlab.load import Bottleneck, Calibration, Demand, Line, Link, LoadLine, calibrate, fit
from aqmlab.load.demand import bottlenecks_of
from small import aqmlab_run
from synthetic_results import SyntheticResult, synthetic_result

PUBLISHED = Line(bits_per_second_per_user=10457.7012, intercept_mbps=0.423996)
USERS = (3500, 7000, 10500, 14000, 17500)


def run(users: int, throughput_mbps: float, *, seed: int = 1) -> SyntheticResult:
    directions = (throughput_mbps - 1.0, throughput_mbps + 1.0)
    return synthetic_result(seed=seed, users=(users, users), throughput_mbps=directions)


def fitted(runs: list[SyntheticResult]) -> LoadLine:
    """The only line of these runs."""
    sizes = [max(int(entry["users"]) for entry in each.run["populations"]) for each in runs]
    (line,) = fit(sizes, runs).bottlenecks
    return line


def test_the_published_line_offers_100_mbps_with_the_users_that_the_paper_names() -> None:
    # Section 3.2: approximately 9,520 users on each side of the link.
    assert PUBLISHED.throughput_mbps(9520) == pytest.approx(100.0, abs=0.05)
    assert PUBLISHED.size(100.0) == pytest.approx(9520, abs=5)


def test_points_on_a_line_give_that_line() -> None:
    calibration = fitted([run(users, PUBLISHED.throughput_mbps(users)) for users in USERS])
    assert calibration.line.bits_per_second_per_user == pytest.approx(10457.7012)
    assert calibration.line.intercept_mbps == pytest.approx(0.423996)
    assert calibration.r_squared == pytest.approx(1.0)
    assert calibration.line.size(80.0) == PUBLISHED.size(80.0)


def test_the_mean_of_both_directions_is_fitted_and_each_is_kept() -> None:
    calibration = fitted([run(1000, 10.0), run(2000, 20.0)])
    assert calibration.points[0].throughput_mbps == 10.0
    assert calibration.points[0].throughput_mbps_by_link == {"left-to-right": 9.0, "right-to-left": 11.0}


def test_scatter_lowers_r_squared_as_the_definition_says() -> None:
    # Points (0,0), (1,1), (2,0) in thousands of users: the best line is flat at 1/3, so R² is 0.
    calibration = fitted([run(1000, 5.0), run(2000, 6.0), run(3000, 5.0)])
    assert calibration.r_squared == pytest.approx(0.0, abs=1e-12)
    assert calibration.line.bits_per_second_per_user == pytest.approx(0.0, abs=1e-6)


def test_the_slope_has_an_interval_over_seeds_from_six_on() -> None:
    slopes = (9.0, 9.5, 10.0, 10.5, 11.0, 10.0)
    results = [
        run(users, slope * users / 1000.0, seed=seed) for seed, slope in enumerate(slopes) for users in USERS
    ]
    interval = fitted(results).slope_interval
    assert isinstance(interval, Interval)
    assert interval.mean == pytest.approx(10_000.0)
    assert isinstance(fitted(results[:25]).slope_interval, NotEnoughReplications)


def test_the_difference_to_a_published_line_is_in_per_cent_of_the_slope() -> None:
    line = Line(bits_per_second_per_user=11503.47132, intercept_mbps=0.0)
    facts = fitted([run(users, line.throughput_mbps(users)) for users in USERS]).against(PUBLISHED)
    assert facts["slope_difference_percent"] == pytest.approx(10.0)


def test_a_load_that_no_line_reaches_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two different"):
        fitted([run(1000, 10.0), run(1000, 11.0, seed=2)])
    with pytest.raises(ValueError, match="does not grow with the demand"):
        fitted([run(1000, 11.0), run(2000, 10.0)]).size(0.5)
    # The line starts at 0.424 Mbit/s, and a user adds 0.0105: half of one reaches 0.4292.
    with pytest.raises(ValueError, match=r"0\.1 Mbit/s lies below the line.*at 0\.424 .*from 0\.4345 M"):
        PUBLISHED.size(0.1)
    with pytest.raises(ValueError, match=r"0\.429 Mbit/s lies below"):
        PUBLISHED.size(0.429)
    assert PUBLISHED.size(0.430) == 1


def test_a_calibration_is_stored_and_read_back(tmp_path: Path) -> None:
    calibration = Calibration((fitted([run(users, PUBLISHED.throughput_mbps(users)) for users in USERS]),))
    assert Calibration.load(calibration.save(tmp_path / "new" / "calibration.json")) == calibration
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="no calibration"):
        Calibration.load(tmp_path / "other.json")


def test_users_on_one_side_are_fitted_to_the_direction_that_carries_their_data() -> None:
    runs = [
        synthetic_result(users=(0, users), throughput_mbps=(users * 2941.1765 / 1e6, 0.3))
        for users in (700, 3325, 5075)
    ]
    calibration = fitted(runs)
    assert calibration.line.bits_per_second_per_user == pytest.approx(2941.1765)
    assert calibration.line.intercept_mbps == pytest.approx(0.0, abs=1e-9)
    assert [point.size for point in calibration.points] == [700, 3325, 5075]
    # Section 3.3: 3,400 users offer 10 Mbps.
    assert calibration.line.size(10.0) == 3400


def test_the_bottleneck_that_is_full_first_decides() -> None:
    # Two links in a chain: the first gets 1 Mbit/s from 100 users and has 10, the second 2 from 100 and has
    # 30 with 5 of others on it. At half their rates 500 users fill the first, and (15 - 5) / 0.02 = 500 the
    # second too; all full, the first takes 1,000 users and the second 1,250; at 20 % the second has as much
    # without anybody (5 of 6).
    first, second = (
        Bottleneck((Link(name, ("a", name), rate, rate),)) for name, rate in (("x", 10.0), ("y", 30.0))
    )
    runs = [synthetic_result(users=(0, users)) for users in (100, 300)]
    for result, users in zip(runs, (100, 300), strict=True):
        for link, name, mbps in zip(result.run["links"], "xy", (users / 100, 5 + users / 50), strict=True):
            link |= {"name": name, "throughput_mbps": mbps, "carries_data": True}
    calibration = fit((100, 300), runs, [first, second])
    assert [each.links for each in calibration.bottlenecks] == [("x",), ("y",)]
    assert [each.size(0.5) for each in calibration.bottlenecks] == [500, 500]
    assert calibration.tightest.links == ("x",)
    assert calibration.tightest.size(1.0) == 1000
    assert calibration.at_load(0.2).links == ("y",)
    assert calibration.at_load(0.2).size(0.2) == 50
    with pytest.raises(CalibrationError, match="3 Mbit/s lies below the line, which starts at 5 Mbit/s"):
        calibration.at_load(0.1).size(0.1)


def test_directions_of_other_rates_are_bottlenecks_of_their_own() -> None:
    """20 down and 2 up: 10 Mbit/s each way are half of the one, five times the other, 91 % of their mean."""
    down, up = Link("down", ("a", "b"), 20.0, 20.0), Link("up", ("b", "a"), 2.0, 2.0)
    found = bottlenecks_of([down, up])
    assert [each.name for each in found] == ["down", "up"]
    loads = [each.load({"down": 10.0, "up": 10.0}) for each in found]
    assert loads == [0.5, 5.0]
    alike = Link("up", ("b", "a"), 20.0, 20.0)
    [both] = bottlenecks_of([down, alike])
    assert both.name == "down, up"
    assert both.load({"down": 2.0, "up": 10.0}) == 0.5, "the fuller direction, not the mean of both"
    granted = Link("up", ("b", "a"), 20.0, 8.0)
    assert bottlenecks_of([granted])[0].load({"up": 4.0}) == 0.5, "of what its medium lets it carry"


ASYMMETRIC = """
name = "asymmetric"
duration_s = 20
[dumbbell]
rate_mbps = 20
rate_right_to_left_mbps = 2
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
per_side = 100
"""


def test_the_offered_load_of_an_asymmetric_line_is_that_of_its_fuller_direction() -> None:
    offered = aqmlab.run(ASYMMETRIC, measure_offered_load=True).offered_load
    assert offered is not None
    assert offered["bottleneck"] == ["right-to-left"]
    by_link = offered["realised_mbps"]
    assert offered["realised_percent"] == pytest.approx(100.0 * by_link["right-to-left"] / 2.0)
    assert by_link["right-to-left"] / 2.0 > 3.0 * by_link["left-to-right"] / 20.0


def test_a_line_rises_where_neither_rounding_nor_scatter_explains_it() -> None:
    # Throughputs 1, 3, 2 of sizes 1, 2, 3: slope 0.5, squared standard error 1.5 / 1 / 2 = 0.75, so the slope
    # is 0.58 standard errors above 0. Of 1, 2, 3.3 it is 1.15 with 0.015 / 2: 13 standard errors.
    def line(*throughput_mbps: float) -> LoadLine:
        runs = [run(size, mbps) for size, mbps in enumerate(throughput_mbps, start=1)]
        return dataclasses.replace(fitted(runs), rate_mbps=10.0)

    assert not line(1.0, 3.0, 2.0).rises
    assert line(1.0, 2.0, 3.3).rises
    assert not line(25.0, 25.0 + 1e-9).rises, "two points are on any line: what rises by nothing is level"
    assert line(1.0, 2.0).rises
    assert "(2 runs)" in str(Calibration((line(1.0, 2.0),))), "without R², which is 1 of any two points"
    assert "(R² 0.250, 3 runs)" in str(Calibration((line(1.0, 3.0, 2.0),)))
    assert line(1.0, 3.0, 2.0).unrounded_size(0.5) == float("inf")
    with pytest.raises(
        CalibrationError, match=r"home: .*from size 1 to 3 \(left.*R² 0\.25.*use sizes further"
    ):
        Calibration((line(1.0, 3.0, 2.0),)).require_rise("home")


ENDLESS = """
name = "endless"
duration_s = 3
[dumbbell]
rate_mbps = 10
queue = { scheme = "drop-tail", limit_packets = 50 }
[[flows]]
name = "backup"
count = 1
direction = "left-to-right"
[[datagrams]]
name = "calls"
count = 20
packet_bytes = 200
rate_mbps = 0.08
direction = "left-to-right"
"""


def test_flows_that_never_end_are_refused_as_a_demand_before_any_run(tmp_path: Path) -> None:
    """Two of them send as much as one: whatever the uncongested network carries."""
    file = tmp_path / "endless.toml"
    file.write_text(ENDLESS)
    refused = aqmlab_run("calibrate", str(file), "--output", str(tmp_path / "c"))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "endless: demand flows.backup: flows that never end" in refused.stderr
    assert "legal: flows with bytes = N, datagrams.calls" in refused.stderr
    assert not (tmp_path / "c").exists()
    with pytest.raises(DemandError, match=r"demand flows\.backup"):
        calibrate(
            Demand.of(aqmlab.Scenario.from_toml(ENDLESS)),
            sizes=(1, 2),
            seeds=(1,),
            run=lambda _pairs, _label: [],
        )


def test_a_load_without_a_size_is_said_and_the_others_are_answered(tmp_path: Path) -> None:
    """Calls of 0.084 Mbit/s beside 2.1 of a stream: 1 Mbit/s is there without a call, 5 take 34 calls."""
    file = tmp_path / "calls.toml"
    group = NOBODY[NOBODY.index("[[datagrams]]") :]
    stream = group.replace("calls", "stream").replace("count = 20", "count = 25")
    file.write_text(NOBODY + stream)
    done = aqmlab_run(
        "calibrate", str(file), "--demand", "datagrams.calls", "--sizes", "10,20,40", "--loads", "10,50",
        "--output", str(tmp_path / "kept"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    below, above = (line for line in done.stdout.splitlines() if "% load" in line)
    already = re.fullmatch(
        r" +10 % load: below the line: already (.+) Mbit/s without datagrams\.calls", below
    )
    assert already, below
    assert float(already[1]) == pytest.approx(2.1, abs=0.15)
    answered = re.fullmatch(r" +50 % load: (\d+) datagrams\.calls", above)
    assert answered, above
    assert int(answered[1]) == pytest.approx(34.5, rel=0.1)
    assert "kept in" in done.stdout


def test_a_calibration_that_answers_nothing_keeps_its_runs_and_is_an_error(tmp_path: Path) -> None:
    """Transfers that end before the measured window: what is there is calls, however many transfers run."""
    file = tmp_path / "early.toml"
    flows = '[[flows]]\nname = "early"\ncount = 1\nbytes = 1000\ndirection = "left-to-right"\n'
    file.write_text(NOBODY + flows)
    done = aqmlab_run(
        "calibrate", str(file), "--demand", "flows", "--sizes", "1,2", "--output", str(tmp_path / "kept")
    )
    assert done.returncode == 2, done.stdout
    assert "% load" not in done.stdout
    assert f"kept in {tmp_path / 'kept' / 'calibration.json'}" in done.stdout
    assert "nobody: throughput does not clearly grow with the demand from size 1 to 2" in done.stderr


NOBODY = """
name = "nobody"
duration_s = 3
warm_up_s = 1
[dumbbell]
rate_mbps = 10
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
per_side = 0
[[datagrams]]
name = "calls"
count = 20
packet_bytes = 200
rate_mbps = 0.08
direction = "left-to-right"
"""


def test_users_that_a_scenario_does_not_have_offer_nothing_and_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "nobody.toml"
    file.write_text(NOBODY)
    refused = aqmlab_run("calibrate", str(file), "--demand", "users", "--output", str(tmp_path / "c"))
    assert refused.returncode == 2, refused.stdout
    assert "the scenario has no users (users.left = 0, users.right = 0)" in refused.stderr
    assert "--demand datagrams.calls" in refused.stderr.replace("\n", " ")
    with pytest.raises(ValueError, match=r"size 0 of users\.left, users\.right: no load at this size"):
        calibrate(
            Demand.of(aqmlab.Scenario.from_toml(NOBODY), ("users",)),
            sizes=(0, 10),
            seeds=(1,),
            run=lambda _pairs, _label: [],
        )


def test_a_size_that_no_run_comes_near_is_told_as_extrapolated(tmp_path: Path) -> None:
    """A source sends 84 kbit/s with its framing: 2 Mbit/s are 24 sources, 10 Mbit/s 119."""
    file = tmp_path / "calls.toml"
    file.write_text(NOBODY)
    done = aqmlab_run(
        "calibrate", str(file), "--demand", "datagrams", "--sizes", "10,40", "--loads", "20,100",
        "--output", str(tmp_path / "kept"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    near, far = (line for line in done.stdout.splitlines() if "% load" in line)
    assert near.endswith(("23 datagrams.calls", "24 datagrams.calls"))
    assert far.endswith("(extrapolated from 10 to 40)")
