"""Load matching against a world whose users are known to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pytest

from aqmlab.load_matching import (
    LEFT,
    RIGHT,
    MatchedLoad,
    Survey,
    choose_users,
    survey_users,
    take_survey,
    verify,
)
from synthetic_results import LINKS, POPULATIONS, SyntheticResult, names, synthetic_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.scenario import Scenario

WINDOW_S = (30.0, 150.0)
SECONDS = 120.0
TOLERANCE = 0.005


class FakeScenario:
    """Remembers the overrides it was given."""

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        self.settings = settings or {}

    def with_overrides(self, overrides: dict[str, Any]) -> FakeScenario:
        return FakeScenario({**self.settings, **overrides})

    def uncongested_twin(self) -> FakeScenario:
        return FakeScenario({**self.settings, "twin": True})


class World:
    """Users with fixed heavy-tailed traffic, and what a run of the first of them carries."""

    def __init__(self, *, users: int = 20_000, friction: float = 1.0, giant_at: int | None = None) -> None:
        self.friction = friction
        self.runs = 0
        generator = np.random.default_rng(1)
        size = (2, users)
        responses = 8e5 * (generator.pareto(1.3, size=size) + 0.2)
        if giant_at is not None:
            responses[:, giant_at] = 5e7
        self.frame_bytes = {
            (side, direction): responses[side] * (1.0 if side != direction else 0.15)
            for side in (0, 1)
            for direction in (0, 1)
        }

    def run(self, pairs: Sequence[tuple[Scenario, int]]) -> list[Any]:
        results = []
        for scenario, seed in pairs:
            settings = cast("FakeScenario", scenario).settings
            assert settings["twin"]
            self.runs += 1
            results.append(self.result(settings["users.left"], settings["users.right"], seed, settings))
        return results

    def result(self, left: int, right: int, seed: int, settings: dict[str, Any]) -> SyntheticResult:
        counts = (left, right)
        loads = [
            self.friction
            * 8e-6
            / SECONDS
            * sum(float(self.frame_bytes[side, direction][: counts[side]].sum()) for side in (0, 1))
            for direction in (0, 1)
        ]
        tables = {"users": self.table(counts)} if settings.get("record.users") else {}
        return synthetic_result(
            seed=seed, users=counts, window_s=WINDOW_S, throughput_mbps=(loads[0], loads[1]), tables=tables
        )

    def table(self, counts: tuple[int, int]) -> pa.Table:
        caused = [
            np.column_stack([self.frame_bytes[side, link][: counts[side]] for link in (0, 1)]).ravel()
            for side in (0, 1)
        ]
        return pa.table(
            {
                "population": names(np.repeat([0, 1], [2 * count for count in counts]), POPULATIONS),
                "user": np.concatenate([np.repeat(np.arange(count, dtype=np.uint32), 2) for count in counts]),
                "link": names(np.tile([0, 1], sum(counts)), LINKS),
                "bytes": np.concatenate(caused).astype(np.uint64),
            }
        )


def matched(world: World, loads: Sequence[float] = (90.0,)) -> dict[tuple[float, int], MatchedLoad]:
    scenario = cast("Scenario", FakeScenario())
    surveys = survey_users(scenario, seeds=[1], largest_mbps=max(loads), users=3000, run=world.run)
    return verify(scenario, surveys, [(load, load, 1) for load in loads], run=world.run, tolerance=TOLERANCE)


def test_the_survey_knows_what_any_number_of_users_offers() -> None:
    world = World(users=50)
    survey = take_survey(world.result(50, 40, 1, {"record.users": True}))
    for left, right in ((0, 0), (1, 0), (10, 33), (50, 40)):
        direct = world.result(left, right, 1, {}).run["links"]
        assert survey.load_mbps(left, right) == pytest.approx(
            [link["throughput_mbps"] for link in direct], rel=1e-5
        )


def test_the_nominal_load_is_met_in_both_directions() -> None:
    for load, match in matched(World(), loads=(80.0, 90.0, 98.0)).items():
        assert max(abs(error) for error in match.errors.values()) <= TOLERANCE
        assert match.realised_percent == pytest.approx(load[0], rel=TOLERANCE)
        assert match.warnings == ()
        assert match.attempts == 1


def test_a_world_in_which_users_hinder_one_another_is_corrected_and_verified() -> None:
    match = matched(World(friction=0.95))[90.0, 1]
    assert max(abs(error) for error in match.errors.values()) <= TOLERANCE
    assert match.attempts == 2


def test_a_giant_transfer_that_makes_the_load_unreachable_is_said() -> None:
    # The giant alone is 3.3 Mbit/s: the load just below her presence cannot be offered.
    world = World()
    survey = survey_users(
        cast("Scenario", FakeScenario()), seeds=[1], largest_mbps=90.0, users=3000, run=world.run
    )[1]
    left, _ = choose_users(survey, targets_mbps=(89.0, 89.0), tolerance=TOLERANCE)
    match = matched(World(giant_at=left))[90.0, 1]
    assert not all(abs(error) <= TOLERANCE for error in match.errors.values())
    assert len(match.warnings) == 1
    assert "one user's transfer" in match.warnings[0]
    assert abs(match.mean_error) <= 3.4 / 90.0


def test_hopeless_corrections_are_not_run_again_and_again() -> None:
    world = World(giant_at=10)
    survey = Survey(1, {key: np.array([0.0, 50.0, 130.0]) / 2.0 for key in ((0, 0), (0, 1), (1, 0), (1, 1))})
    scenario = cast("Scenario", FakeScenario())
    verify(scenario, {1: survey}, [(90.0, 90.0, 1)], run=world.run, tolerance=TOLERANCE)
    assert world.runs <= 4


def test_too_few_users_in_the_first_run_are_followed_by_more() -> None:
    world = World()
    surveys = survey_users(
        cast("Scenario", FakeScenario()), seeds=[1, 2], largest_mbps=90.0, users=300, run=world.run
    )
    assert world.runs > 2
    assert sorted(surveys) == [1, 2]
    assert all(survey.reaches(90.0) for survey in surveys.values())


def test_a_load_that_no_number_of_users_offers_is_refused() -> None:
    with pytest.raises(ValueError, match="do not offer 9000 Mbit/s"):
        survey_users(
            cast("Scenario", FakeScenario()), seeds=[1], largest_mbps=9000.0, users=100, run=World().run
        )


def test_the_chosen_users_are_the_best_of_all_pairs() -> None:
    generator = np.random.default_rng(8)
    for _ in range(20):
        sums = {
            (side, direction): np.concatenate(
                ([0.0], np.cumsum(generator.pareto(1.3, 30) * (1.0 if side != direction else 0.1)))
            )
            for side in (LEFT, RIGHT)
            for direction in (0, 1)
        }
        survey = Survey(1, sums)
        target = (0.5 * survey.load_mbps(30, 30)[0], 0.5 * survey.load_mbps(30, 30)[1])

        def worst(
            pair: tuple[int, int], survey: Survey = survey, target: tuple[float, float] = target
        ) -> float:
            return max(
                abs(load / aim - 1.0) for load, aim in zip(survey.load_mbps(*pair), target, strict=True)
            )

        best = min(worst((left, right)) for left in range(31) for right in range(31))
        chosen = choose_users(survey, targets_mbps=target, tolerance=1.0)
        assert worst(chosen) == pytest.approx(best, rel=1e-12)


def test_both_loads_go_on_record() -> None:
    record = matched(World())[90.0, 1].to_dict()
    assert record["nominal_percent"] == 90.0
    assert record["realised_percent"] == pytest.approx(90.0, rel=TOLERANCE)
    assert set(cast("dict[str, float]", record["realised_mbps"])) == {"left-to-right", "right-to-left"}


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_users_on_one_side_meet_the_load_of_the_direction_that_carries_their_data(side: int) -> None:
    world = World(friction=0.97)
    scenario = cast("Scenario", FakeScenario())
    sides = (side == LEFT, side == RIGHT)
    surveys = survey_users(scenario, seeds=[1], largest_mbps=90.0, users=3000, run=world.run, sides=sides)
    match = verify(scenario, surveys, [(90.0, 90.0, 1)], run=world.run, tolerance=TOLERANCE)[90.0, 1]
    assert (match.users_left > 0, match.users_right > 0) == sides
    # What users on the left ask for travels from right to left, and the other way round.
    assert list(match.realised_mbps) == ["right-to-left" if side == LEFT else "left-to-right"]
    assert abs(match.mean_error) <= TOLERANCE
    assert match.realised_percent == pytest.approx(90.0, rel=TOLERANCE)
    assert match.warnings == ()
    assert match.attempts == 2


def test_a_giant_on_the_only_side_is_said() -> None:
    world = World()
    scenario = cast("Scenario", FakeScenario())
    sides = (False, True)
    survey = survey_users(scenario, seeds=[1], largest_mbps=90.0, users=3000, run=world.run, sides=sides)[1]
    _, right = choose_users(survey, targets_mbps=(89.0, 89.0), tolerance=TOLERANCE)
    world = World(giant_at=right)
    surveys = survey_users(scenario, seeds=[1], largest_mbps=90.0, users=3000, run=world.run, sides=sides)
    match = verify(scenario, surveys, [(90.0, 90.0, 1)], run=world.run, tolerance=TOLERANCE)[90.0, 1]
    (warning,) = match.warnings
    assert "the load is not within 0.5% of the nominal load" in warning
