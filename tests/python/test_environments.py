"""A queue as an environment of Gymnasium: its rules, its numbers, and episodes that go back."""

from __future__ import annotations

import math
import runpy
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import aqmlab  # noqa: E402
from aqmlab.environments import OF_A_LINK, QueueEnvironment  # noqa: E402
from aqmlab.errors import RefusalError, ScenarioError  # noqa: E402
from documented import ROOT  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

LINE = """
name = "an agent's"
duration_s = 6.0
warm_up_s = 1.0

[dumbbell]
rate_mbps = 4.0
queue = { scheme = "red", limit_packets = 200, min_th_packets = 1, max_th_packets = 100, ecn = true }

[[flows]]
count = 3
direction = "left-to-right"
base_rtt_ms = 40.0
host = { ecn = "on" }
"""
LINK = "left-to-right"


def environment(**given: Any) -> QueueEnvironment:  # noqa: ANN401
    return QueueEnvironment(LINE, **{"link": LINK, "actions": {"max_p": (0.01, 1.0)}, **given})


def test_it_keeps_the_rules_of_gymnasium() -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice on ranges: that of a parameter is its own
        check_env(environment(), skip_render_check=True)


def test_an_episode_is_a_run_and_what_changes_nothing_leaves_its_tables() -> None:
    """Each step sets `max_p` to what it is: everything is as in the run without an agent."""
    alone = aqmlab.run(aqmlab.Scenario.from_toml(LINE), seed=7)
    episode = environment(step_s=0.5)
    _, facts = episode.reset(options={"seed": 7})
    assert facts == {"seed": 7, "time_s": 1.0}
    over, steps = False, 0
    max_p = aqmlab.Scenario.from_toml(LINE).resolved["dumbbell"]["queue"]["max_p"]
    while not over:
        _, _, ended, over, facts = episode.step(np.array([max_p]))
        assert not ended
        steps += 1
    assert (steps, facts["time_s"]) == (10, 6.0)
    result = episode.result()
    assert len(result.actions) == 10
    for name, table in alone.tables.items():
        assert result.tables[name].equals(table), name


def test_what_an_agent_sees_is_what_a_simulation_observes() -> None:
    episode, simulation = environment(step_s=0.25), aqmlab.Simulation(LINE, seed=3)
    seen, _ = episode.reset(options={"seed": 3})
    simulation.advance_until(1.0)
    for value in (0.02, 0.9, 0.3):
        observed = simulation.observe()
        link, flows = observed.links[LINK], observed.groups["flows-0"]
        since_s = observed.time_s - observed.since_s
        expected = {
            f"{LINK}.queueing_delay_s": link.queueing_delay_s,
            f"{LINK}.mean_backlog_packets": link.mean_backlog_packets,
            f"{LINK}.utilization": link.utilization,
            f"{LINK}.arrived_mbps": link.arrived_bytes * 8e-6 / since_s,
            f"{LINK}.marked_share": link.marked_packets / link.arrived_packets,
            "flows-0.delivered_mbps": flows.delivered_bytes * 8e-6 / since_s,
        }
        found = dict(zip(episode.names, seen, strict=True))
        for name, number in expected.items():
            assert found[name] == pytest.approx(number, rel=1e-6), name
        simulation.act(LINK, max_p=value)
        simulation.advance_until(simulation.time_s + 0.25)
        seen, reward, *_ = episode.step(np.array([value]))
        link = simulation.copy().observe().links[LINK]
        assert reward == pytest.approx(link.utilization - link.queueing_delay_s / 0.1)


def test_an_episode_goes_back_and_on_from_there_as_often_as_one_likes() -> None:
    episode = environment()
    episode.reset(options={"seed": 5})
    episode.step(np.array([0.5]))
    here = episode.state()

    def ahead(value: float) -> list[tuple[Any, ...]]:
        episode.rewind(here)
        return [
            (seen.tobytes(), reward)
            for seen, reward, *_ in (episode.step(np.array([value])) for _ in range(8))
        ]

    gentle, harsh, again = ahead(0.02), ahead(1.0), ahead(0.02)
    assert gentle == again
    assert gentle != harsh
    # An episode that never went back is the same as the one that did.
    straight = environment()
    straight.reset(options={"seed": 5})
    straight.step(np.array([0.5]))
    assert gentle == [
        (seen.tobytes(), reward) for seen, reward, *_ in (straight.step(np.array([0.02])) for _ in range(8))
    ]


def test_what_was_observed_is_that_of_the_state_that_was_gone_back_to() -> None:
    episode = environment()
    episode.reset(options={"seed": 5})
    seen, *_ = episode.step(np.array([0.5]))
    here, then = episode.state(), episode.observed
    episode.step(np.array([1.0]))
    assert episode.observed.time_s > then.time_s
    # Also in another environment, whose episode has not begun, and from a copy of the state.
    for other, state in [(episode, here), (environment(), here), (episode, here.copy())]:
        other.rewind(state)
        assert (other.observed.since_s, other.observed.time_s) == (then.since_s, then.time_s)
        assert other._seen(other.observed).tobytes() == seen.tobytes()
        assert other.state().time_s == then.time_s


def test_seeds_are_gymnasiums_or_the_runs_own() -> None:
    one, other = environment(), environment()
    seeds = [one.reset(seed=11)[1]["seed"], one.reset()[1]["seed"]]
    assert [other.reset(seed=11)[1]["seed"], other.reset()[1]["seed"]] == seeds
    assert seeds[0] != seeds[1]
    assert one.reset(options={"seed": 2})[1]["seed"] == 2


def test_several_at_once_see_what_each_sees_alone() -> None:
    several = gymnasium.vector.SyncVectorEnv([environment, environment])
    seen, _ = several.reset(seed=[1, 2])
    seen, reward, *_ = several.step(np.array([[0.1], [0.7]], dtype=np.float32))
    for place, (seed, value) in enumerate([(1, 0.1), (2, 0.7)]):
        alone = environment()
        alone.reset(seed=seed)
        expected, earned, *_ = alone.step(np.array([value], dtype=np.float32))
        assert seen[place].tobytes() == expected.tobytes()
        assert reward[place] == earned
    several.close()


def test_an_agent_is_paid_by_what_it_is_told_to_be() -> None:
    episode = environment(reward=lambda seen, link: -seen.groups["flows-0"].delivered_bytes * len(link))
    episode.reset(options={"seed": 1})
    _, reward, *_ = episode.step(np.array([0.1]))
    assert reward == -episode.observed.groups["flows-0"].delivered_bytes * len(LINK) < 0


@pytest.mark.parametrize(("reward", "shown"), [(math.nan, "nan"), (-math.inf, "-inf"), (None, "None")])
def test_a_reward_is_a_finite_number(reward: Any, shown: str) -> None:  # noqa: ANN401
    episode = environment(reward=lambda _seen, _link: reward)
    episode.reset(seed=1)
    with pytest.raises(RefusalError, match=f"^reward: a finite number, not {shown}$"):
        episode.step(np.array([0.1]))


def test_the_rate_and_whole_numbers_are_set_too() -> None:
    episode = environment(actions={"rate_mbps": (1.0, 8.0), "limit_packets": (10, 200)})
    assert episode.keys == ("rate_mbps", "limit_packets")
    episode.reset(options={"seed": 1})
    episode.step(np.array([2.5, 40.4]))
    episode.step(np.array([99.0, 0.0]))  # beyond both ranges: their ends
    told = episode.result().actions
    assert [(each["rate_mbps"], each["limit_packets"]) for each in told] == [(2.5, 40), (8.0, 10)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"actions": {}}, "actions: one parameter or more"),
        ({"actions": {"max_p": 0.5}}, "actions: max_p: the least and the largest value"),
        ({"actions": {"max_p": (1.0, 0.1)}}, "max_p: the least and the largest value"),
        ({"actions": {"max_p": (0.1, float("inf"))}}, "max_p: the least and the largest value"),
        ({"actions": {"max_q": (0.1, 1.0)}}, "`max_q` of red cannot be changed during a run; legal: .*max_p"),
        ({"actions": {"max_p": (0.1, 2.0)}}, "max_p"),
        ({"link": "up"}, 'no monitored link is called "up"'),
        ({"step_s": 0.0}, "step_s"),
        ({"step_s": None}, "step_s: a number of seconds above 0: this queue has no timer"),
        ({"start_s": 6.0}, "start_s: from 0 to below 6"),
    ],
)
def test_what_it_cannot_be_is_said_when_it_is_made(given: dict[str, Any], said: str) -> None:
    with pytest.raises((RefusalError, ScenarioError), match=said):
        environment(**given)


def refused(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(RefusalError) as found:
        ask()
    assert str(found.value) == said


NO_EPISODE = "no episode goes on; legal: reset() first"


def test_before_a_reset_there_is_no_episode() -> None:
    episode = environment()
    asked = {
        "step": lambda: episode.step(np.array([0.5])),
        "state": episode.state,
        "result": episode.result,
        "observed": lambda: episode.observed,
    }
    for what, ask in asked.items():
        refused(ask, f"{what}: {NO_EPISODE}")
    assert episode.reset(options={"seed": 1})[1] == {"seed": 1, "time_s": 1.0}


@pytest.mark.parametrize("ends", ["by its last step", "by its result"])
def test_behind_the_end_of_an_episode_there_is_no_step(ends: str) -> None:
    episode = environment(step_s=10.0)
    episode.reset(options={"seed": 1})
    before = episode.state()
    if ends == "by its last step":
        assert episode.step(np.array([0.5]))[3]
        actions = [0.5]
    else:
        episode.result()
        actions = []
    refused(lambda: episode.step(np.array([0.7])), f"step: {NO_EPISODE}")
    assert [each["max_p"] for each in episode.result().actions] == actions
    episode.rewind(before)
    assert episode.step(np.array([0.7]))[3]
    assert [each["max_p"] for each in episode.result().actions] == pytest.approx([0.7])


@pytest.mark.parametrize(
    ("action", "shown"),
    [
        (0.5, "0.5"),
        (np.array([0.5, 0.5]), "array([0.5, 0.5])"),
        (np.array([[0.5]]), "array([[0.5]])"),
        ([np.nan], "[nan]"),
        ([np.inf], "[inf]"),
        (["much"], "['much']"),
        ([[0.1], [0.1, 0.2]], "[[0.1], [0.1, 0.2]]"),
        (None, "None"),
    ],
)
def test_an_action_is_a_finite_number_for_each_key(action: Any, shown: str) -> None:  # noqa: ANN401
    episode = environment()
    episode.reset(options={"seed": 1})
    refused(lambda: episode.step(action), f"action: 1 finite number (max_p), not {shown}")
    assert episode.step(np.array([0.5]))[4]["time_s"] == pytest.approx(1.1)
    assert len(episode.result().actions) == 1


def test_an_action_for_two_keys_has_two_numbers() -> None:
    episode = environment(actions={"rate_mbps": (1.0, 8.0), "limit_packets": (10, 200)})
    episode.reset(options={"seed": 1})
    with pytest.raises(RefusalError, match=r"action: 2 finite numbers \(rate_mbps, limit_packets\), not"):
        episode.step(np.array([2.0]))


def test_a_rewind_takes_a_state_of_the_scenario() -> None:
    episode = environment()
    episode.reset(options={"seed": 1})
    legal = "state: what state() has returned, of the same scenario"
    refused(lambda: episode.rewind(7), f"{legal}, not 7")  # type: ignore[arg-type]
    other = environment(overrides={"dumbbell.rate_mbps": 8.0})
    other.reset(options={"seed": 1})
    refused(lambda: episode.rewind(other.state()), f'{legal}, not a simulation of "an agent\'s"')
    assert episode.step(np.array([0.5]))[4] == {"seed": 1, "time_s": pytest.approx(1.1)}


def test_the_seed_is_that_of_the_state_that_was_gone_back_to() -> None:
    """Also where no episode of the environment's own has begun."""
    first, other = environment(), environment()
    first.reset(options={"seed": 3})
    first.step(np.array([0.2]))
    three = first.state()
    assert three.seed == 3
    first.reset(options={"seed": 4})
    for episode in (first, other):
        episode.rewind(three)
        assert episode.step(np.array([0.5]))[4] == {"seed": 3, "time_s": pytest.approx(1.2)}
    assert first.result().run == other.result().run


DIVISORS = ((1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0))


def updated(probability: float, delay_s: float, before_s: float) -> float:
    """RFC 8033, section 4.2, with its gains and its target."""
    step = 0.125 * (delay_s - 0.015) + 1.25 * (delay_s - before_s)
    probability += step / next((by for below, by in DIVISORS if probability < below), 1.0)
    if delay_s == before_s == 0.0:
        probability *= 0.98
    return min(max(probability, 0.0), 1.0)


@pytest.mark.parametrize(("seed", "ecn"), [(1, False), (2, True), (3, False)])
def test_pie_as_a_policy_is_pie_byte_for_byte(seed: int, ecn: bool) -> None:
    pie = {"scheme": "pie", "limit_packets": 200, "ecn": ecn}
    alone = aqmlab.run(LINE, seed=seed, overrides={"dumbbell.queue": pie})
    fixed = {"dumbbell.queue": {**pie, "fixed_probability": 0.0}}
    actions = {"fixed_probability": (0.0, 1.0)}
    episode = environment(actions=actions, step_s=None, start_s=0.0, overrides=fixed)
    episode.reset(options={"seed": seed})
    probability, before_s, largest, over = 0.0, 0.0, 0.0, False
    while not over:
        _, _, _, over, _ = episode.step(np.array([probability]))
        delay_s = round(episode.observed.links[LINK].state["delay_old_ms"] * 1e6) / 1e9
        probability, before_s = updated(probability, delay_s, before_s), delay_s
        largest = max(largest, probability)
    result = episode.result()
    # An update every 15 ms for six seconds, and one action before the first.
    assert len(result.actions) in (400, 401)
    assert largest > 0.01, "the policy had something to do"
    for name, table in alone.tables.items():
        assert result.tables[name].equals(table), name
    # What it decides counts: the same policy with half the probability is another run.
    episode.reset(options={"seed": seed})
    over = False
    while not over:
        _, _, _, over, _ = episode.step(np.array([largest / 2]))
    assert not all(episode.result().tables[name].equals(table) for name, table in alone.tables.items())


def test_a_step_may_end_with_the_timer_of_the_queue_after_a_rewind_too() -> None:
    fixed = {"scheme": "pie", "limit_packets": 200, "fixed_probability": 0.0}
    episode = environment(
        actions={"fixed_probability": (0.0, 1.0)}, step_s=None, overrides={"dumbbell.queue": fixed}
    )
    _, facts = episode.reset(options={"seed": 1})

    def times() -> list[float]:
        return [episode.step(np.array([0.01]))[4]["time_s"] for _ in range(5)]

    here = episode.state()
    first = times()
    assert np.diff(first) == pytest.approx([0.015] * 4)
    assert 0.0 < first[0] - facts["time_s"] <= 0.015
    episode.rewind(here)
    assert times() == first


def test_only_pie_with_a_fixed_probability_has_one_to_set() -> None:
    with pytest.raises(ScenarioError, match="`fixed_probability` of pie cannot be changed"):
        environment(
            actions={"fixed_probability": (0.0, 1.0)},
            overrides={"dumbbell.queue": {"scheme": "pie", "limit_packets": 200}},
        )


def test_the_numbers_have_names() -> None:
    episode = environment()
    assert episode.names[: len(OF_A_LINK)] == tuple(f"{LINK}.{name}" for name in OF_A_LINK)
    assert episode.observation_space.shape == (len(episode.names),)


def test_the_example_trains_an_agent_whose_episodes_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "my_agent.py"))
    line = example["LINE"].replace("duration_s = 40.0", "duration_s = 14.0")
    env = QueueEnvironment(line, link=LINK, actions={"limit_packets": (5, 256)}, step_s=0.2)
    # Globals of a file that was run are those of its functions.
    names = example["trained"].__globals__
    monkeypatch.setitem(names, "GENERATIONS", 1)
    monkeypatch.setitem(names, "CANDIDATES", 4)
    weights = example["trained"](env)
    assert weights.shape == (4,)
    example["episode"](env, weights, 1)
    own = env.result()
    limits = {action["limit_packets"] for action in own.actions}
    assert limits <= set(range(5, 257))
    beside = aqmlab.run(aqmlab.Scenario.from_toml(line), seed=1)
    found = aqmlab.compare({"drop-tail": [beside], "agent": [own]})
    assert found.names == ("drop-tail", "agent")


def test_what_the_example_has_learnt_runs_as_a_queue_discipline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its limit is the agent's for what it sees; in a run it sees what an agent would."""
    agent = runpy.run_path(str(ROOT / "examples" / "my_agent.py"))
    learnt = runpy.run_path(str(ROOT / "examples" / "my_trained_limit.py"))
    scheme = learnt["TrainedLimit"]
    weights = np.array(
        [getattr(scheme, key).default for key in ("of_one", "of_backlog", "of_utilization", "of_delay")]
    )
    for delay_s, backlog, utilization in ((0.0, 0.0, 0.0), (0.004, 3.5, 0.98), (0.3, 240.0, 1.0)):
        inclination = weights @ [1.0, np.log1p(backlog), utilization, min(10.0 * delay_s, 5.0)]
        [limit] = agent["limit"](weights, np.array([delay_s, backlog, utilization]))
        assert learnt["limit"](inclination) == round(limit)

    monkeypatch.chdir(ROOT / "examples")
    queue = {"scheme": "my_trained_limit.py:TrainedLimit", "limit_packets": 256}
    line = agent["LINE"].replace("duration_s = 40.0", "duration_s = 14.0")
    simulation = aqmlab.Simulation(line, seed=1, overrides={"dumbbell.queue": queue})
    for step in range(1, 60):
        simulation.observe()
        simulation.advance_until(0.2 * step)
        seen = simulation.observe().links[LINK]
        state = [seen.queueing_delay_s, seen.mean_backlog_packets, seen.utilization]
        [limit] = agent["limit"](weights, np.array(state))
        # Its timer is due at the end of the step, and looks at the packets that leave, as they do.
        assert seen.state["limit"] == pytest.approx(limit, abs=1.0), step
