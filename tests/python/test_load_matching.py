"""Load matching against a world whose users are known to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pytest

from aqmlab.load import Bottleneck, Demand, Link, Part
from aqmlab.load.matching import (
    Knobs,
    MatchedLoad,
    Survey,
    choose_numbers,
    survey_users,
    take_survey,
    verify,
)
from synthetic_results import LINKS, POPULATIONS, SyntheticResult, names, synthetic_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.load.calibration import Runner
    from aqmlab.scenario import Scenario

WINDOW_S = (30.0, 150.0)
SECONDS = 120.0
TOLERANCE = 0.005
LEFT, RIGHT = 0, 1
PARTS = ("users.left", "users.right")
ENDS = ("router-left", "router-right")


class FakeScenario:
    """Remembers the overrides it was given."""

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        self.settings = settings or {}

    def with_overrides(self, overrides: dict[str, Any]) -> FakeScenario:
        return FakeScenario({**self.settings, **overrides})

    def offering_twin(self, kept_flows: Sequence[str]) -> FakeScenario:
        assert not kept_flows
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


def knobs(*sides: int) -> Knobs:
    """Users on these sides of a link of 100 Mbit/s, and nobody on the other."""
    parts = tuple(Part(name, name, "users", int(side in sides)) for side, name in enumerate(PARTS))
    demand = Demand(cast("Scenario", FakeScenario()), parts)
    # What users on the left ask for travels from right to left, and the other way round.
    links = tuple(Link(LINKS[way], ENDS, 100.0, 100.0) for way in (0, 1) if 1 - way in sides)
    turned = tuple(Demand(demand.scenario, (parts[side],)) for side in sides) if len(sides) > 1 else (demand,)
    return Knobs(demand, Bottleneck(links), turned)


BOTH = knobs(LEFT, RIGHT)


def surveyed(
    world: World, *, users: int = 3000, load: float = 0.9, seeds: Sequence[int] = (1,), of: Knobs = BOTH
) -> dict[int, Survey]:
    runner = counted(world)
    return survey_users(of.demand, [of.bottleneck], seeds=seeds, load=load, size=users, run=runner)


def counted(world: World) -> Runner:
    return lambda pairs, label: world.run(pairs) if label else []


def matched(
    world: World, loads: Sequence[float] = (90.0,), of: Knobs = BOTH
) -> dict[tuple[float, int], MatchedLoad]:
    surveys = surveyed(world, load=max(loads) / 100.0, of=of)
    wanted = [(load, load, 1) for load in loads]
    return verify(of, surveys, wanted, run=counted(world), tolerance=TOLERANCE)


def chosen(
    survey: Survey, of: Knobs = BOTH, *, load: float = 89.0, tolerance: float = TOLERANCE
) -> tuple[int, ...]:
    return choose_numbers(of, survey, targets_mbps=dict.fromkeys(LINKS, load), tolerance=tolerance)


def test_the_survey_knows_what_any_number_of_users_offers() -> None:
    world = World(users=50)
    survey = take_survey(world.result(50, 40, 1, {"record.users": True}), BOTH.demand, LINKS)
    assert survey.others_mbps == dict.fromkeys(LINKS, 0.0)
    for left, right in ((0, 0), (1, 0), (10, 33), (50, 40)):
        direct = world.result(left, right, 1, {}).run["links"]
        predicted = survey.load_mbps(dict(zip(PARTS, (left, right), strict=True)))
        assert list(predicted.values()) == pytest.approx(
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
    left, _ = chosen(surveyed(world)[1])
    match = matched(World(giant_at=left))[90.0, 1]
    assert not all(abs(error) <= TOLERANCE for error in match.errors.values())
    assert len(match.warnings) == 1
    assert "one user's transfer" in match.warnings[0]
    assert abs(match.mean_error) <= 3.4 / 90.0


def test_hopeless_corrections_are_not_run_again_and_again() -> None:
    world = World(giant_at=10)
    offered = {(part, link): np.array([0.0, 50.0, 130.0]) / 2.0 for part in PARTS for link in LINKS}
    survey = Survey(1, offered, dict.fromkeys(LINKS, 0.0))
    verify(BOTH, {1: survey}, [(90.0, 90.0, 1)], run=counted(world), tolerance=TOLERANCE)
    assert world.runs <= 4


def test_too_few_users_in_the_first_run_are_followed_by_more() -> None:
    world = World()
    surveys = surveyed(world, users=300, seeds=(1, 2))
    assert world.runs > 2
    assert sorted(surveys) == [1, 2]
    assert all(min(survey.load_mbps(survey.users).values()) >= 90.0 for survey in surveys.values())


def test_a_load_that_no_number_of_users_offers_is_refused() -> None:
    with pytest.raises(ValueError, match=r"do not offer 9000 Mbit/s \(left-to-right, right-to-left\)"):
        surveyed(World(), users=100, load=90.0)


def test_the_chosen_users_are_the_best_of_all_pairs() -> None:
    generator = np.random.default_rng(8)
    for _ in range(20):
        sums = {
            (part, link): np.concatenate(
                ([0.0], np.cumsum(generator.pareto(1.3, 30) * (1.0 if side != way else 0.1)))
            )
            for side, part in enumerate(PARTS)
            for way, link in enumerate(LINKS)
        }
        survey = Survey(1, sums, dict.fromkeys(LINKS, 0.0))
        full = survey.load_mbps(survey.users)
        target = dict.fromkeys(LINKS, 0.5 * full[LINKS[0]])

        def worst(pair: tuple[int, ...], survey: Survey = survey, target: dict[str, float] = target) -> float:
            loads = survey.load_mbps(dict(zip(PARTS, pair, strict=True)))
            return max(abs(loads[link] / target[link] - 1.0) for link in LINKS)

        best = min(worst((left, right)) for left in range(31) for right in range(31))
        found = chosen(survey, load=target[LINKS[0]], tolerance=1.0)
        assert worst(found) == pytest.approx(best, rel=1e-12)


def test_both_loads_go_on_record() -> None:
    record = matched(World())[90.0, 1].to_dict()
    assert record["nominal_percent"] == 90.0
    assert record["realised_percent"] == pytest.approx(90.0, rel=TOLERANCE)
    assert set(cast("dict[str, float]", record["realised_mbps"])) == {"left-to-right", "right-to-left"}


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_users_on_one_side_meet_the_load_of_the_direction_that_carries_their_data(side: int) -> None:
    match = matched(World(friction=0.97), of=knobs(side))[90.0, 1]
    assert [users > 0 for users in match.sizes.values()] == [side == LEFT, side == RIGHT]
    assert list(match.realised_mbps) == ["right-to-left" if side == LEFT else "left-to-right"]
    assert abs(match.mean_error) <= TOLERANCE
    assert match.realised_percent == pytest.approx(90.0, rel=TOLERANCE)
    assert match.warnings == ()
    assert match.attempts == 2


def test_a_giant_on_the_only_side_is_said() -> None:
    own = knobs(RIGHT)
    (right,) = chosen(surveyed(World(), of=own)[1], own)
    (warning,) = matched(World(giant_at=right), of=own)[90.0, 1].warnings
    assert "the load is not within 0.5% of the nominal load" in warning


def test_users_that_are_not_turned_are_part_of_the_load() -> None:
    world = World(users=50)
    left = Demand(BOTH.demand.scenario, BOTH.demand.parts[:1])
    survey = take_survey(world.result(50, 40, 1, {"record.users": True}), left, LINKS)
    whole = take_survey(world.result(50, 40, 1, {"record.users": True}), BOTH.demand, LINKS)
    for count in (0, 20):
        alone, both = (
            survey.load_mbps({PARTS[0]: count}),
            whole.load_mbps(dict(zip(PARTS, (count, 40), strict=True))),
        )
        assert alone == pytest.approx(both)


def test_populations_that_are_turned_together_keep_their_ratio() -> None:
    parts = tuple(Part(name, name, "users", size) for name, size in zip(PARTS, (10, 5), strict=True))
    own = Demand(BOTH.demand.scenario, parts)
    together = Knobs(own, BOTH.bottleneck, (own,))
    world = World(users=50)
    survey = take_survey(world.result(50, 25, 1, {"record.users": True}), own, LINKS)
    for number, sizes in ((0, (0, 0)), (1, (1, 1)), (7, (7, 4)), (50, (50, 25))):
        assert tuple(together.sizes((number,)).values()) == sizes
        predicted = survey.load_mbps(together.sizes((number,)))
        for link in LINKS:
            assert survey.sums(own, link)[number] == pytest.approx(predicted[link])
