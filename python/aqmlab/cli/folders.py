"""Where commands keep results, so that nothing that is there is replaced by something else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab.errors import FolderError, ResultError
from aqmlab.files.folders import finished_files
from aqmlab.files.own_folders import Holds, warned_own_folder
from aqmlab.files.reading import read_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.scenario import Scenario

RESULTS = Path("results")
"""Where results go, unless told otherwise."""
STORE = RESULTS / "store"
"""Where sweeps and searches keep their runs, and where those of folders in `RESULTS` are found again."""


def shared_store(folder: Path) -> Path | None:
    """The store that the runs of a folder are shared with: that of `RESULTS` for what is in it."""
    inside = RESULTS.resolve() in folder.resolve().parents
    return STORE if inside else None


class RunFolder:
    """The folder of runs of one scenario: one result, or one for each seed in `seed-N`."""

    def __init__(
        self, scenario: Scenario, seeds: Sequence[int], wanted: Path, *, alone: bool, pcap: Sequence[str]
    ) -> None:
        self._scenario = scenario
        self._seeds = seeds
        self._wanted = wanted
        self._alone = alone
        self._pcap = pcap

    def find(self) -> Path:
        """The wanted folder, or one beside it if it holds something else, which a warning tells."""
        return warned_own_folder(self._wanted, self._held_alone if self._alone else self._held, this="this")

    def place(self, folder: Path, seed: int) -> Path:
        """The folder of the result of a seed."""
        return folder if self._alone else folder / f"seed-{seed}"

    def _held(self, folder: Path) -> Holds | str:
        if not folder.exists():
            return Holds.NOTHING
        if not folder.is_dir():
            return "a file of its name"
        if (folder / "run.json").exists():
            return "the result of a run"
        there = sorted(each.parent for each in folder.glob("seed-*/run.json"))
        found = [other for place in there if (other := self._other_run(place))]
        wanted = [self._held_alone(folder / f"seed-{seed}") for seed in self._seeds]
        others = [*found, *(each for each in wanted if isinstance(each, str))]
        if others:
            return others[0]
        return Holds.THE_SAME if there else Holds.NOTHING

    def _held_alone(self, folder: Path) -> Holds | str:
        from aqmlab.result import capture_name
        from aqmlab.runs.store import State, inspect

        found = inspect(folder, self._scenario.content_address(self._seed_of(folder)))
        if found.state is State.MISSING:
            return Holds.NOTHING
        if found.state is not State.FOREIGN:
            unseen = [port for port in self._pcap if not (folder / capture_name(port)).is_file()]
            return f"this run without the packets of {', '.join(unseen)}" if unseen else Holds.THE_SAME
        if found.result is not None:
            return self._other_run(folder) or "another run"
        if (folder / "run.json").exists():
            return "a result of another version"
        if finished_files(folder, "**/run.json"):
            return "other results"
        # Not a mistake that another name beside it would mend: somebody named a folder of his own.
        raise FolderError(f"{found.reason}; name another folder or remove it")

    def _seed_of(self, folder: Path) -> int:
        return self._seeds[0] if self._alone else int(folder.name.removeprefix("seed-"))

    def _other_run(self, folder: Path) -> str:
        """In what the run in a folder differs from that of this scenario; empty if in nothing."""
        from aqmlab._core import version
        from aqmlab.comparison.comparability import differences, listed

        try:
            held: dict[str, Any] = read_json(folder / "run.json", ResultError)
        except ResultError:
            return ""  # damaged: it is made again
        seed, scenario = held.get("seed"), held.get("scenario")
        if not isinstance(seed, int) or not isinstance(scenario, dict):
            return ""
        if self._alone and seed != self._seeds[0]:
            return f"another run, of seed {seed}"
        if held.get("content_address") == self._scenario.content_address(seed):
            return ""
        if held.get("aqmlab_version") != version():
            return f"a run of version {held.get('aqmlab_version')}"
        told = listed(differences(self._scenario.resolved, scenario))
        return f"a run of another scenario{', ' if told else ''}{told}"


def new_folder(wanted: Path) -> Path:
    """The wanted folder if it is free, or the first free one beside it, which a warning tells."""

    def held(folder: Path) -> Holds | str:
        free = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
        return Holds.NOTHING if free else "something already"

    return warned_own_folder(wanted, held, this="this")
