"""What is kept below a folder: comparisons, runs, searches, reproductions and stores of runs.

What has the same name, schemes and seeds as something older is told apart by the settings that differ.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aqmlab.comparison.asked import COMPARED, read_compared
from aqmlab.comparison.comparability import differences, listed
from aqmlab.errors import ResultError
from aqmlab.files.folders import PARTIAL_PREFIX, folder_names
from aqmlab.files.reading import read_json
from aqmlab.runs.store import is_address
from aqmlab.seeds import Seeds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DEEPEST = 4
"""Folders below that which is looked through."""


@dataclass(frozen=True)
class Kept:
    """Something that is kept.

    Attributes:
        what: `comparison`, `runs`, `live run`, `search`, `reproduction` or `store`.
        folder: Where.
        scenario: The name of the scenario; empty where there are several.
        schemes: The configurations of a comparison, or the queue disciplines of the runs.
        seeds: The seeds.
        runs: How many runs are there.
        finished: Whether all is there that was asked for.
        modified_s: When it was written last, in seconds since 1970.
        differs: In which settings it differs from the oldest with the same name, schemes and seeds, with
            both values: "dumbbell.rate_mbps 50 instead of 100"; empty for the oldest, and where none differ.
    """

    what: str
    folder: Path
    scenario: str = ""
    schemes: tuple[str, ...] = ()
    seeds: Seeds = Seeds()  # noqa: RUF009 (it cannot be changed)
    runs: int = 0
    finished: bool = True
    modified_s: float = 0.0
    differs: str = ""


def kept_in(folder: Path) -> list[Kept]:
    """What is kept in a folder and below it, the newest last.

    What cannot be read is passed over: whoever names it is told why.
    """
    if not folder.is_dir():
        raise ResultError(f"{folder}: there is no such folder; legal: a folder that aqmlab left")
    return _told_apart(sorted(_found(folder, 0), key=lambda each: (each.modified_s, str(each.folder))))


def _told_apart(found: list[Kept]) -> list[Kept]:
    """The same, with the differences of what else looks the same."""
    oldest: dict[tuple[object, ...], Kept] = {}
    told = []
    for each in found:
        looks = each.what, each.scenario, each.schemes, each.seeds
        first = oldest.setdefault(looks, each)
        told.append(each if first is each else replace(each, differs=_difference(first, each)))
    return told


def _difference(first: Kept, other: Kept) -> str:
    """In what two that look the same differ; of a comparison also in what was asked for."""
    before, after = (_settings(each) for each in (first, other))
    told = listed(differences(before, after)) if before and after else ""
    with suppress(ResultError):
        asked = [read_compared(each.folder).get("asked", {}) for each in (first, other)]
        for key in ("until_width_s", "links", "aqmlab_version"):
            old, new = (each.get(key) for each in asked)
            if old != new:
                said = [", ".join(each) if isinstance(each, list) else each for each in (new, old)]
                words = ("absent" if each is None else str(each) for each in said)
                told = "; ".join(filter(None, [told, f"{key} {' instead of '.join(words)}"]))
    return told


def _settings(kept: Kept) -> dict[str, Any]:
    """The scenario of one of its runs; of a comparison one of the baseline. Empty without one."""
    own = next(iter(folder_names(kept.schemes).values()), "") if kept.what == "comparison" else ""
    places = [kept.folder / "run.json", *sorted((kept.folder / own).glob("seed-*/run.json"))]
    for file in places:
        with suppress(ResultError):
            return dict(_read_run(file)["scenario"])
    return {}


def _found(folder: Path, depth: int) -> Iterator[Kept]:
    for read in (_comparison, _run, _search, _reproduction, _store):
        with suppress(ResultError, OSError):
            if (found := read(folder)) is not None:
                yield found
                return
    with suppress(ResultError, OSError):
        if (found := _runs(folder)) is not None:
            yield found
    if depth < _DEEPEST:
        for below in sorted(each for each in folder.iterdir() if each.is_dir()):
            if not below.name.startswith((PARTIAL_PREFIX, "seed-")):
                yield from _found(below, depth + 1)


def _comparison(folder: Path) -> Kept | None:
    if not (file := folder / COMPARED).is_file():
        return None
    note = read_compared(folder)
    asked: dict[str, Any] = note.get("asked", {})
    places = list(folder.glob("*/seed-*/run.json"))
    return Kept(
        "comparison",
        folder,
        str(asked.get("scenario", "")),
        tuple(note.get("configurations", asked.get("configurations", ()))),
        Seeds.of(note.get("seeds", asked.get("seeds", ())), may_be_empty=True),
        len(places),
        "configurations" in note,
        file.stat().st_mtime,
    )


def _run(folder: Path) -> Kept | None:
    if not (file := folder / "run.json").is_file():
        return None
    run = _read_run(file)
    what = "live run" if "live" in run else "runs"
    return Kept(
        what, folder, _name(run), _schemes(run), Seeds.of([run.get("seed")]), 1, True, file.stat().st_mtime
    )


def _runs(folder: Path) -> Kept | None:
    files = list(folder.glob("seed-*/run.json"))
    if not files:
        return None
    runs = [_read_run(file) for file in files]
    seeds = Seeds.of(sorted(int(run["seed"]) for run in runs))
    names = dict.fromkeys(_name(run) for run in runs)
    schemes = dict.fromkeys(scheme for run in runs for scheme in _schemes(run))
    newest_s = max(file.stat().st_mtime for file in files)
    return Kept("runs", folder, ", ".join(names), tuple(schemes), seeds, len(files), True, newest_s)


def _search(folder: Path) -> Kept | None:
    if not (file := folder / "search.json").is_file():
        return None
    facts = read_json(file, ResultError)
    seeds = Seeds.of(facts.get("search_seeds", ()), may_be_empty=True)
    scenario = facts.get("scenario")
    name = str(scenario.get("name", "")) if isinstance(scenario, dict) else ""
    return Kept("search", folder, name, (), seeds, 0, True, file.stat().st_mtime)


def _reproduction(folder: Path) -> Kept | None:
    """Of a study: its scorecard, or with other hosts its statements."""
    for file in (folder / "scorecard.csv", folder / "today.csv"):
        if file.is_file():
            return Kept("reproduction", folder, modified_s=file.stat().st_mtime)
    return None


def _store(folder: Path) -> Kept | None:
    runs = [each for each in folder.iterdir() if is_address(each.name)]
    return Kept("store", folder, runs=len(runs), modified_s=folder.stat().st_mtime) if runs else None


def _read_run(file: Path) -> dict[str, Any]:
    run: dict[str, Any] = read_json(file, ResultError)
    if not isinstance(run.get("scenario"), dict) or not isinstance(run.get("links"), list):
        raise ResultError(f"{file}: is no run of ours")
    return run


def _name(run: dict[str, Any]) -> str:
    return str(run["scenario"].get("name", ""))


def _schemes(run: dict[str, Any]) -> tuple[str, ...]:
    named = (str(link["scheme"]) for link in run["links"] if isinstance(link, dict) and "scheme" in link)
    return tuple(dict.fromkeys(named))
