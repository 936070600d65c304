"""Whatever is handed to a public function, it works or raises an error of ours that names the argument."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import aqmlab
from aqmlab import arguments
from aqmlab.errors import RefusalError
from aqmlab.runs.executors import executor_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINK = """
name = "t"
duration_s = 1.2
warm_up_s = 0.1

[dumbbell]
rate_mbps = 5.0
queue = { scheme = "drop-tail", limit_packets = 40 }

[[flows]]
name = "bulk"
count = 1
direction = "left-to-right"
base_rtt_ms = 30.0
"""


class Odd:
    """Nothing that anybody expects."""


def once() -> Iterator[int]:
    """What can be gone through once."""
    yield 1


ABSURD: list[Callable[[], Any]] = [
    *(lambda: None, lambda: float("nan"), lambda: float("inf"), lambda: -float("inf"), lambda: -1, lambda: 0),
    *(lambda: 0.5, lambda: 10**30, lambda: 1e308, lambda: True, lambda: 1j, lambda: b"abc", lambda: slice(3)),
    *(lambda: "", lambda: "nonsense", lambda: "a\0b", lambda: "\udc80", lambda: "x" * 5000, lambda: "."),
    *(list, dict, tuple, once, Odd, lambda: {1, "a"}, lambda: [None], lambda: [[["a"]]], lambda: ["", ""]),
    *(lambda: {"a": 1}, lambda: {1: [None]}, lambda: ["a"], lambda: [float("nan")], lambda: range(0)),
    *(lambda: int, lambda: len, lambda: Path("nowhere"), lambda: np.float64(1.5), lambda: np.int64(3)),
    *(lambda: np.array([1.0, np.nan]), lambda: np.array(2.0), lambda: np.array(["a", "b"])),
]


class NoRuns:
    """An executor that makes none: what comes so far was taken."""

    def compute(self, jobs: object, *, bar: object) -> Any:  # noqa: ANN401
        del jobs, bar
        raise aqmlab.RunError("taken")


@pytest.fixture(scope="module", name="calls")
def the_public_functions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, dict[str, Any]]]:
    """By name each with arguments that it takes."""
    scenario = aqmlab.Scenario.from_toml(LINK)
    result = aqmlab.run(scenario)
    kept = result.save(tmp_path_factory.mktemp("results") / "kept")
    found = aqmlab.compare({"a": [result], "b": [result]})
    swept = aqmlab.sweep(scenario, grid={"dumbbell.rate_mbps": [5, 6]}, seeds=[1])
    none: dict[str, Any] = {"executor": NoRuns()}
    search = {
        "scheme": "codel",
        "objective": "lowest-drop-rate",
        "trials": 1,
        "seeds": [1],
        "fresh_seeds": [2],
    }
    return {
        "run": (aqmlab.run, {"scenario": scenario}),
        "run_many": (aqmlab.run_many, {"jobs": [aqmlab.Job(scenario, 1)], **none}),
        "run_each": (aqmlab.run_each, {"jobs": [aqmlab.Job(scenario, 1)], **none}),
        "Job": (aqmlab.Job, {"scenario": scenario, "seed": 1}),
        "compare": (
            aqmlab.compare,
            {"what": scenario, "schemes": ["drop-tail", "pie"], "seeds": [1], **none},
        ),
        "compare results": (aqmlab.compare, {"what": {"a": [result], "b": [result]}}),
        "sweep": (aqmlab.sweep, {"what": scenario, "grid": {"dumbbell.rate_mbps": [5]}, **none}),
        "tune": (aqmlab.tune, {"scenario": scenario, **search, **none}),
        "evaluate": (aqmlab.evaluate, {"what": "red", "schemes": [], "only": ["5.1.1"], **none}),
        "frame": (aqmlab.frame, {"results": result, "quantities": ["loss_percent"]}),
        "plot": (aqmlab.plot, {"results": result, "what": "queue"}),
        "quantity": (aqmlab.quantity, {"name": "loss_percent"}),
        "quantities": (aqmlab.quantities, {}),
        "Scenario.of": (aqmlab.Scenario.of, {"scenario": LINK}),
        "Scenario.from_file": (aqmlab.Scenario.from_file, {"path": "nowhere"}),
        "Scenario.from_toml": (aqmlab.Scenario.from_toml, {"text": LINK}),
        "with_overrides": (scenario.with_overrides, {"overrides": {}}),
        "content_address": (scenario.content_address, {"seed": 1}),
        "offering_twin": (scenario.offering_twin, {}),
        "Simulation": (aqmlab.Simulation, {"scenario": scenario}),
        "advance_until": (aqmlab.Simulation(scenario).advance_until, {"time_s": 0.1}),
        "Result.load": (aqmlab.Result.load, {"folder": kept}),
        "Result.save": (result.save, {"folder": "saved"}),
        "Result.value": (result.value, {"quantity": "loss_percent"}),
        "SweepResults.at": (swept.at, {"settings": {"dumbbell.rate_mbps": 5}}),
        "SweepResults.to_arrow": (swept.to_arrow, {"quantities": ["loss_percent"]}),
        "Sweep.from_file": (aqmlab.Sweep.from_file, {"file": "nowhere"}),
        "Comparison.of": (aqmlab.Comparison.of, {"results": {"a": [result]}}),
        "against": (found.against, {"baseline": "b"}),
        "change": (found.change, {"name": "b", "quantity": "loss_percent"}),
        "level": (found.level, {"name": "b", "quantity": "loss_percent"}),
        "Comparison.to_arrow": (found.to_arrow, {"quantities": ["loss_percent"]}),
        "report": (found.report, {"file": "report.html"}),
    }


NAMES = [
    *("run", "run_many", "run_each", "Job", "compare", "compare results", "sweep", "evaluate", "frame"),
    *("quantity", "quantities", "Scenario.of", "Scenario.from_file", "Scenario.from_toml", "with_overrides"),
    *("content_address", "offering_twin", "Simulation", "advance_until", "Result.load", "Result.save"),
    *("Result.value", "SweepResults.at", "SweepResults.to_arrow", "Sweep.from_file", "Comparison.of"),
    *("against", "change", "level", "Comparison.to_arrow"),
]
SLOW = [pytest.param(name, marks=pytest.mark.exhaustive) for name in ("tune", "plot", "report")]


@pytest.mark.parametrize("name", [*NAMES, *SLOW])
def test_an_absurd_argument_is_taken_or_refused_as_ours(
    name: str,
    calls: dict[str, tuple[Any, dict[str, Any]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    function, given = calls[name]
    unlike: list[str] = []
    for argument in inspect.signature(function).parameters:
        for make in ABSURD:
            absurd = make()
            if argument == "only" and isinstance(absurd, list | tuple | range) and not absurd:
                continue  # which is legal, and takes minutes
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = function(**{**given, argument: absurd})
                    if inspect.isgenerator(made):
                        list(made)
            except aqmlab.AqmlabError:
                pass
            except Exception as error:  # noqa: BLE001 (that is what is looked for)
                unlike.append(f"{argument}={absurd!r:.40}: {type(error).__name__}: {error!s:.80}")
    assert not unlike, "\n".join(unlike)


@pytest.mark.parametrize("workers", [0, -1, float("inf"), float("nan"), 1.5, True, "2", np.array([1, 2])])
def test_workers_are_a_whole_number(workers: object) -> None:
    for name in ("threads", "local"):
        with pytest.raises(aqmlab.AqmlabError, match="workers: a whole number of at least 1, not"):
            executor_of(name, workers=workers)  # type: ignore[arg-type]
    with pytest.raises(aqmlab.AqmlabError, match="executor: threads, local"):
        aqmlab.run_many([], executor=3)  # type: ignore[arg-type]


def test_what_is_meant_is_taken() -> None:
    @arguments.checked(
        RefusalError, names=arguments.links, much=arguments.above_zero, whole=arguments.whole(1)
    )
    def taken(names: Any, much: Any, *, whole: Any = 5) -> tuple[Any, ...]:  # noqa: ANN401
        """As it was."""
        return names, much, whole

    assert taken((each for each in "ab"), np.float32(0.5), whole=np.uint8(3)) == (("a", "b"), 0.5, 3)
    assert taken(["a"], 10**400 // 10**399) == (("a",), 10.0, 5)
    assert (taken.__doc__, list(inspect.signature(taken).parameters)) == (
        "As it was.",
        ["names", "much", "whole"],
    )
    with pytest.raises(ValueError, match=r"names: a list of names such as \['left-to-right'\], not \[1\]"):
        taken([1], 1)
    with pytest.raises(ValueError, match="much: a number above 0, not a whole number of"):
        taken([], 10**400)
    with pytest.raises(TypeError):
        taken()  # type: ignore[call-arg]
