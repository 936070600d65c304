"""What a comparison reads of its runs while others are still under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aqmlab
from aqmlab.comparison.early_reading import EarlyReading
from aqmlab.runs.executors.threads import Threads
from aqmlab.statistics.catalogue import LOADED_MEDIAN
from aqmlab.statistics.quantity import Measured
from small import WEB

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    import pytest

    from aqmlab.result import Result
    from aqmlab.runs.job import Job
    from aqmlab.statistics.observation import Observation
    from aqmlab.statistics.quantity import Quantity
    from aqmlab.terminal.progress import Progressing

SCHEMES = ("drop-tail", "pie")


class OneByOne:
    """Makes runs one after the other, noting before each how many were asked for a number."""

    def __init__(self) -> None:
        self.read_before: list[int] = []
        self.read: set[int] = set()

    def compute(self, jobs: Sequence[Job], *, bar: Progressing) -> Generator[tuple[Job, Result]]:
        for job in jobs:
            self.read_before.append(len(self.read))
            yield from Threads(1).compute([job], bar=bar)


def test_each_run_is_read_before_the_next_one_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    executor, asked = OneByOne(), Measured.observation

    def observation(run: Measured, quantity: Quantity) -> Observation:
        executor.read.add(id(run.result))
        return asked(run, quantity)

    monkeypatch.setattr(Measured, "observation", observation)
    found = aqmlab.compare(WEB, schemes=SCHEMES, seeds=[1, 2], executor=executor, output=tmp_path / "kept")
    assert executor.read_before == [0, 1, 2, 3]
    # The comparison reads on where the reading stopped: of the same runs, by their identity.
    whole = {name: [run.result for run in runs] for name, runs in found.runs.items()}
    assert {id(result) for results in whole.values() for result in results} == executor.read


def test_what_was_read_early_is_what_is_read_afterwards(tmp_path: Path) -> None:
    early = aqmlab.compare(WEB, schemes=SCHEMES, seeds=[1, 2], output=tmp_path / "kept")
    afterwards = aqmlab.compare(tmp_path / "kept")
    assert early.to_dict() == afterwards.to_dict()
    assert early.names == afterwards.names == SCHEMES


def test_a_number_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Measured(aqmlab.run(WEB))
    first = run.observation(LOADED_MEDIAN)

    def refused(_quantity: object, _run: Measured) -> Observation:
        raise AssertionError("found again")

    monkeypatch.setattr(type(LOADED_MEDIAN), "observed", refused)
    assert run.observation(LOADED_MEDIAN) == first


def test_other_links_are_read_anew() -> None:
    result = aqmlab.run(WEB)
    reading = EarlyReading()
    reading.read(result)
    (first, *_) = [str(link["name"]) for link in result.run["links"]]
    assert [link["name"] for link in reading.of(result, [first]).links] == [first]
    assert reading.of(result, _links(result)) is reading.of(result, _links(result))


def _links(result: Result) -> list[str]:
    return [str(link["name"]) for link in result.run["links"] if link["carries_data"]]
