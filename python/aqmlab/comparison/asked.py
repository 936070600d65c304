"""What a comparison was asked for, and the folder that is its own from its first run on.

A comparison of another scenario, of other schemes or of other seeds has a folder of its own beside it, so
that a report is never replaced by that of something else. The same command finds its folder again.
"""

from __future__ import annotations

import json
import os
import secrets
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab._core import version
from aqmlab.comparison.comparability import differences, listed
from aqmlab.errors import FolderError, ResultError
from aqmlab.files.folders import (
    PARTIAL_PREFIX,
    finished_files,
    folder_names,
    real_path,
    require_writable,
    write_whole,
)
from aqmlab.files.own_folders import Holds, own_folder
from aqmlab.files.reading import read_json
from aqmlab.files.shape import NUMBER, SEED, TEXT, ListOf, Table, TableOf, conform
from aqmlab.result import holds_remains
from aqmlab.runs.store import State, inspect
from aqmlab.seeds import Seeds
from aqmlab.terminal.spelling import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from aqmlab.comparison.comparison import Comparison
    from aqmlab.scenario import Scenario

COMPARED = "comparison.json"
"""Stands beside the results of a comparison: what was asked for; once it is finished also its configurations,
baseline first, its seeds, and in what configurations differ."""
_ASKED_SHAPE = Table(
    {"aqmlab_version": TEXT, "scenario": TEXT, "configurations": TableOf(TEXT), "seeds": ListOf(SEED)},
    {"until_width_s": NUMBER, "links": ListOf(TEXT)},
)
_COMPARED_SHAPE = Table(
    optional={
        "asked": _ASKED_SHAPE,
        "besides_the_queue": ListOf(TEXT),
        "configurations": ListOf(TEXT),
        "seeds": ListOf(SEED),
    }
)
_LONGEST_LIST = 60


def read_compared(folder: Path) -> dict[str, Any]:
    """The note of the comparison in a folder; an empty one where there is none."""
    if not (folder / COMPARED).exists():
        return {}
    note: dict[str, Any] = read_json(folder / COMPARED, ResultError)
    conform(note, _COMPARED_SHAPE, str(folder / COMPARED), ResultError)
    return note


@dataclass(frozen=True)
class Asked:
    """What a comparison was asked for."""

    scenarios: Mapping[str, Scenario]  # the configurations by name, the baseline first
    seeds: Sequence[int]
    until_width_s: float | None = None  # up to which width seeds are added; none if their number is fixed
    links: Sequence[str] = ()  # the judged links, if they were chosen

    def note(self) -> dict[str, Any]:
        """As it stands in `comparison.json`."""
        optional: dict[str, Any] = {}
        if self.until_width_s is not None:
            optional["until_width_s"] = self.until_width_s
        if self.links:
            optional["links"] = list(self.links)
        return {
            "aqmlab_version": version(),
            "scenario": next(iter(self.scenarios.values())).name,
            # The seed of the address is none of the runs': it stands for the scenario alone.
            "configurations": {name: each.content_address(0) for name, each in self.scenarios.items()},
            "seeds": list(self.seeds),
            **optional,
        }

    @contextmanager
    def own_folder(self, wanted: Path) -> Iterator[Path]:
        """The folder of this comparison: the wanted one, unless it holds another; then one beside it.

        A folder that is left without a run in it is removed.
        """
        require_writable(wanted)
        place, why = self._claimed(wanted)
        if why:
            warnings.warn(f"{wanted} holds {why}: this one goes to {place}", stacklevel=2)
        try:
            yield place
        except BaseException:
            if [each.name for each in place.iterdir()] == [COMPARED]:
                with suppress(OSError):  # the same command at the same time may use it
                    (place / COMPARED).unlink()
                    place.rmdir()
            raise

    def _claimed(self, wanted: Path) -> tuple[Path, str]:
        """The folder, with the note in it; who comes second to a free folder looks for another one."""
        while True:
            place, why = own_folder(wanted, self._held)
            real_path(place).mkdir(parents=True, exist_ok=True)
            if not (place / COMPARED).exists():
                _put_first(place / COMPARED, {"asked": self.note()})
            if self._held(place) is Holds.THE_SAME:
                return place, why

    def _held(self, folder: Path) -> Holds | str:
        if not folder.is_dir():
            return "a file of its name" if folder.exists() else Holds.NOTHING
        try:
            note = read_compared(folder)
        except ResultError:
            return "a comparison that cannot be read"
        return self._held_by_note(note, folder) if note else self._held_without_note(folder)

    def _held_by_note(self, note: Mapping[str, Any], folder: Path) -> Holds | str:
        """What a comparison's note says that was asked."""
        if "asked" not in note:
            return "a comparison of an earlier version"
        asked: dict[str, Any] = note["asked"]
        # In this order: the first configuration is the baseline.
        if json.dumps(asked) == json.dumps(self.note()):
            return Holds.THE_SAME
        return f"another comparison, {self._other(asked, folder)}"

    def _held_without_note(self, folder: Path) -> Holds | str:
        """Nothing, as long as all results in it are runs of this comparison, each in its place."""
        if holds_remains(folder):
            return "the result of a run"
        places = {
            folder / name / f"seed-{seed}": self.scenarios[configuration].content_address(seed)
            for configuration, name in folder_names(self.scenarios).items()
            for seed in self.seeds
        }
        if {file.parent for file in finished_files(folder, "**/run.json")} - places.keys():
            return "other results"
        if any(inspect(place, address).state is State.FOREIGN for place, address in places.items()):
            return "other results"
        return Holds.NOTHING

    def _other(self, asked: Mapping[str, Any], folder: Path) -> str:
        """In what another comparison differs from this one, in a few words."""
        own = self.note()
        if list(asked["configurations"]) != list(own["configurations"]):
            return f"of {shortened(', '.join(asked['configurations']), _LONGEST_LIST)}"
        if asked["aqmlab_version"] != own["aqmlab_version"]:
            return f"made by version {asked['aqmlab_version']}"
        if asked["configurations"] != own["configurations"]:
            return self._other_scenario(folder)
        if asked["seeds"] != own["seeds"]:
            return f"of seeds {shortened(str(Seeds(asked['seeds'])), _LONGEST_LIST)}"
        if asked.get("until_width_s") != own.get("until_width_s"):
            width_s = asked.get("until_width_s")
            return "of these seeds alone" if width_s is None else f"up to a width of {width_s:g} s"
        return f"judged by {', '.join(asked.get('links', ())) or 'the links that carry data'}"

    def _other_scenario(self, folder: Path) -> str:
        """In which settings its runs differ, if one is there."""
        for configuration, name in folder_names(self.scenarios).items():
            for file in (folder / name).glob("seed-*/run.json"):
                with suppress(ResultError):
                    held = read_json(file, ResultError).get("scenario")
                    now = self.scenarios[configuration].resolved
                    if isinstance(held, dict) and (found := differences(now, held)):
                        return f"of another scenario, {listed(found)}"
        return "of another scenario"


def keep_compared(folder: Path, found: Comparison, asked: Asked | None = None) -> None:
    """Notes beside the results which configurations and seeds were compared, and what else differs."""
    keys = {each.key for name in found.names for each in found.beyond_the_queue(name)}
    note = {
        **({} if asked is None else {"asked": asked.note()}),
        "configurations": list(found.names),
        "seeds": list(found.seeds),
        "besides_the_queue": sorted(keys),
    }
    write_whole(folder / COMPARED, f"{json.dumps(note)}\n")


def _put_first(file: Path, note: Mapping[str, Any]) -> None:
    """Writes a file whole, unless another process has put one there meanwhile."""
    partial = file.with_name(f"{PARTIAL_PREFIX}{secrets.token_hex(8)}")
    try:
        partial.write_text(f"{json.dumps(note)}\n", encoding="utf-8")
        with suppress(FileExistsError):
            os.link(partial, file)
    except OSError as error:
        raise FolderError(f"{file.parent}: cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
