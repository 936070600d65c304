"""A run that ends with a number of exchanges: what Python makes of its end."""

from __future__ import annotations

import pytest

import aqmlab
from aqmlab import Scenario, ScenarioError, Simulation
from aqmlab.statistics import measured_window_s, response_times
from aqmlab.statistics.recorded import ended_s

LINK = {"rate_mbps": 2.0, "queue": {"scheme": "drop-tail", "limit_packets": 30}}
CLOUDS = {
    "left": 0,
    "right": 1,
    "profile": "ns2-full",
    "model": {"model": "packmime", "connections_per_second": 10.0},
}


def scenario(exchanges: int) -> Scenario:
    return Scenario.of(
        {
            "name": "enough",
            "duration_s": 60.0,
            "warm_up_s": 5.0,
            "end_after": {"population": "right", "exchanges": exchanges},
            "dumbbell": LINK,
            "users": CLOUDS,
            "record": {"responses": "rows"},
        }
    )


def test_the_run_has_so_many_exchanges_and_ends_with_the_last() -> None:
    result = aqmlab.run(scenario(200), seed=1)
    assert response_times(result, population="right").ended == 200
    last_s = max(result.tables["responses"]["completed_at_s"].to_pylist())
    assert ended_s(result) == pytest.approx(last_s + 1e-9, abs=1e-11)
    assert measured_window_s(result) == pytest.approx(last_s - 5.0, abs=1e-8)


def test_with_too_few_the_clock_ends_it() -> None:
    assert ended_s(aqmlab.run(scenario(1_000_000), seed=1)) == 60.0


def test_steps_are_refused() -> None:
    with pytest.raises(ScenarioError, match="end_after: steps go on to duration_s; leave the key out"):
        Simulation(scenario(200), seed=1)


def test_runs_that_end_by_themselves_at_other_instants_are_compared() -> None:
    red = {"scheme": "red", "limit_packets": 30}
    other = Scenario.of({**scenario(200).resolved, "dumbbell": {**LINK, "queue": red}})
    runs = {
        name: [aqmlab.run(each, seed=seed) for seed in (1, 2, 3)]
        for name, each in {"drop-tail": scenario(200), "red": other}.items()
    }
    assert len({ended_s(each) for of_queue in runs.values() for each in of_queue}) > 3
    assert aqmlab.Comparison.of(runs).seeds == (1, 2, 3)
