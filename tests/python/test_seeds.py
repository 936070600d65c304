"""One reader of seeds for everything that takes them, and one rule: a seed given twice is one run."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pytest

import aqmlab
from aqmlab.cli import commands
from aqmlab.cli.options import read_seeds
from aqmlab.load import Demand, calibrate
from aqmlab.seeds import MOST_SEEDS, SEED_MAX, Seeds, seed_of
from aqmlab.study.sweeps import read_text
from small import BULK, WEB

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUEUE = "dumbbell.queue.limit_packets"


@pytest.mark.parametrize(
    ("given", "seeds"),
    [
        ("1-8", range(1, 9)),
        ("1, 3,5-7", (1, 3, 5, 6, 7)),
        ("18446744073709551615", (SEED_MAX,)),
        ([4, 2, 4, 2, 4], (4, 2)),
        ((np.int64(3), np.uint64(SEED_MAX)), (3, SEED_MAX)),
        (np.arange(3), (0, 1, 2)),
        ((each for each in (2, 2, 1)), (2, 1)),
        ({3, 1, 2}, (1, 2, 3)),
    ],
)
def test_seeds_are_read_from_whatever_holds_whole_numbers(given: object, seeds: Any) -> None:  # noqa: ANN401
    found = Seeds.of(given)
    assert found == tuple(seeds)
    assert all(type(each) is int for each in found)
    assert Seeds.of(str(found)) == found


@pytest.mark.parametrize(
    "given",
    [
        *(None, 5, 1.0, True, np.int64(3), np.array(3), np.zeros((2, 2), dtype=int), b"12", {1: 2}),
        *([True], [1.0], [-1], [SEED_MAX + 1], ["1"], [np.nan], [[1]], [], (), set()),
        *("", "a", "1-", "2-1", "1,,2", "-1", str(SEED_MAX + 1), "9" * 5000, "٣"),
        *(itertools.count(), range(MOST_SEEDS + 1), f"0-{SEED_MAX}"),
    ],
)
def test_what_is_no_seed_is_refused_and_the_argument_named(given: object) -> None:
    with pytest.raises(aqmlab.TuneError, match=r"^fresh_seeds: ") as error:
        Seeds.of(given, argument="fresh_seeds", refusal=aqmlab.TuneError)
    assert error.value.place == "fresh_seeds"
    with pytest.raises(ValueError, match=r"^seed: a whole number from 0 to"):
        seed_of([given])


def test_no_seed_is_legal_only_where_that_means_something() -> None:
    assert Seeds.of([], may_be_empty=True) == ()
    assert read_seeds(click.Context(commands), click.Option(["--x"]), None) == ()
    assert read_seeds(click.Context(commands), click.Option(["--x"]), "5,1,5-6") == (5, 1, 6)
    with pytest.raises(click.BadParameter, match="seeds: "):
        read_seeds(click.Context(commands), click.Option(["--x"]), " ")


def _of_sweep(seeds: object) -> object:
    return aqmlab.sweep(BULK, grid={QUEUE: [50]}, seeds=seeds).sweep.seeds  # type: ignore[arg-type]


def _of_tune(seeds: object) -> object:
    given: dict[str, Any] = {"scheme": "codel", "objective": "lowest-drop-rate", "trials": 1, "seeds": "7"}
    return aqmlab.tune(BULK, fresh_seeds=seeds, store="store", **given).plan.fresh_seeds  # type: ignore[arg-type]


def _of_calibration(seeds: object) -> list[int]:
    asked: list[int] = []

    def run(pairs: Any, _: str) -> Any:  # noqa: ANN401
        asked.extend(seed for _, seed in pairs)
        return aqmlab.run_many([aqmlab.Job(scenario, seed) for scenario, seed in pairs])

    demand = Demand.of(aqmlab.Scenario.of(WEB, overrides={"duration_s": 8.0}))
    calibrate(demand, sizes=[10, 20], seeds=seeds, run=run)  # type: ignore[arg-type]
    return asked[::2]


@pytest.mark.parametrize(
    "seeds_of",
    [
        lambda seeds: aqmlab.compare(BULK, schemes=["drop-tail", "pie"], seeds=seeds).seeds,
        lambda seeds: aqmlab.evaluate("red", schemes=[], only=["5.1.1"], seeds=seeds).seeds,
        _of_sweep,
        _of_tune,
        _of_calibration,
    ],
)
def test_a_seed_that_is_given_twice_is_one_run_everywhere(
    seeds_of: Callable[[object], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tuple(seeds_of([2] * 6)) == (2,)
    assert tuple(seeds_of("2")) == tuple(seeds_of(np.array([2, 2]))) == (2,)


def test_a_sweep_in_a_file_takes_the_same_seeds() -> None:
    table = f'[grid]\n"{QUEUE}" = [50]\n[scenario]\n{BULK}'.replace("[dumbbell]", "[scenario.dumbbell]")
    table = table.replace("[[flows]]", "[[scenario.flows]]")
    for seeds in ("[1, 1, 2]", '"1-2,1"'):
        assert read_text(f"seeds = {seeds}\n{table}").seeds == (1, 2)


def test_a_point_is_the_one_that_is_meant_or_refused() -> None:
    found = aqmlab.sweep(BULK, grid={"dumbbell.rate_mbps": [5, 10], QUEUE: [20, 40]}, seeds=[1])
    (one,) = found.at({"dumbbell.rate_mbps": np.int64(10), QUEUE: 40})
    assert (one.scenario["dumbbell"]["rate_mbps"], one.scenario["dumbbell"]["queue"]["limit_packets"]) == (
        10,
        40,
    )
    for settings, message in (
        ({}, "4 points are meant"),
        ({QUEUE: 20}, "limit_packets = 20: 2 points are meant"),
        ({"nonsense": None}, "no key 'nonsense'"),
        ({QUEUE: 21}, "no point has limit_packets = 21"),
        ({QUEUE: None}, "no point has"),
        ({QUEUE: np.array([20, 40])}, "no point has"),
        ([QUEUE], "a dict of dotted keys"),
    ):
        with pytest.raises(aqmlab.SweepError, match=message):
            found.at(settings)  # type: ignore[arg-type]
    listed = aqmlab.sweep(BULK, points=[{QUEUE: 20}, {"dumbbell.rate_mbps": 5}], seeds=[1])
    assert [each.scenario["dumbbell"]["rate_mbps"] for each in listed.at({QUEUE: 20})] == [10]


def test_points_that_print_alike_keep_names_of_their_own() -> None:
    found = aqmlab.sweep(BULK, points=[{QUEUE: 5}, {QUEUE: 5}], seeds=[1])
    assert list(found.results) == [f"{QUEUE} = 5 (point 1)", f"{QUEUE} = 5 (point 2)"]
    last = {"flows.0.count": 1, "datagrams.0.count": 2}
    datagrams = '[[datagrams]]\ndirection = "left-to-right"\npacket_bytes = 200\nrate_mbps = 0.1\ncount = 1\n'
    both = aqmlab.sweep(
        BULK + datagrams, points=[last, {"flows.0.count": 2}, {"datagrams.0.count": 2}], seeds=[1]
    )
    assert list(both.results) == [
        "flows.0.count = 1, datagrams.0.count = 2",
        "flows.0.count = 2",
        "datagrams.0.count = 2",
    ]
    assert aqmlab.frame(both, ["loss_percent"]).num_rows == 3


def test_folders_by_name_are_results(tmp_path: Path) -> None:
    for name, limit in (("small", 5), ("large", 500)):
        for seed in (1, 2):
            made = aqmlab.run(BULK, seed=seed, overrides={QUEUE: limit})
            made.save(tmp_path / name / f"seed-{seed}")
    found = aqmlab.compare({"a": tmp_path / "small", "b": str(tmp_path / "large")})
    assert (found.names, found.seeds) == (("a", "b"), (1, 2))
    limits = [each[0].scenario["dumbbell"]["queue"]["limit_packets"] for each in found.results.values()]
    assert limits == [5, 500]
    assert aqmlab.frame({"a": tmp_path / "small"}, ["loss_percent"]).num_rows == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(aqmlab.ResultError, match="holds no result"):
        aqmlab.frame({"a": tmp_path / "empty"})
