"""Results in folders, grouped into the configurations that a comparison is of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from aqmlab import arguments
from aqmlab.comparison.asked import read_compared
from aqmlab.comparison.comparability import listed
from aqmlab.errors import ComparisonError, ResultError, UnknownQuantityError
from aqmlab.files.folders import finished_files, folder_names, write_whole
from aqmlab.files.reading import read_json
from aqmlab.files.shape import NUMBER, SEED, ListOf, Table, conform
from aqmlab.inference import MINIMUM_REPLICATIONS
from aqmlab.result import Result
from aqmlab.runs.store import is_address
from aqmlab.statistics.catalogue import shown_of_all
from aqmlab.statistics.tidy import tidy_table_of
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from aqmlab.comparison.comparison import Comparison
    from aqmlab.errors import RefusalError
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.quantity import Quantity


class _WithResults(Protocol):
    """Results that something else holds, by name."""

    @property
    def results(self) -> Mapping[str, Sequence[Recorded]]:
        """By the names of their configurations."""


Results: TypeAlias = (
    "Recorded | Mapping[str, Sequence[Recorded] | Recorded | Path | str] | Sequence[Recorded]"
    " | Sequence[Path | str]"
    " | str | Path | _WithResults"
)
"""Results as they may be handed over: see `results_of`."""

FIRST_STAGE = "first_stage.json"
"""Stands beside the results of a comparison whose first seeds decided how many there are: says which."""
_FIRST_STAGE_SHAPE = Table({"seeds": ListOf(SEED, shortest=MINIMUM_REPLICATIONS), "width_s": NUMBER})


def read_configurations(folders: Sequence[Path]) -> dict[str, list[Result]]:
    """The results in folders, by configuration; the seeds of one scenario form one configuration.

    Args:
        folders: Folders with a result, or with results at any depth, as written by `aqmlab run` and
            `compare`.

    Returns:
        Configurations by name: for the folder of a comparison with its names and order, the baseline first.
        Otherwise in the order found, by the name of the scenario; if several have the same name, by the
        folder of their seeds.
    """
    groups: dict[str, list[Result]] = {}
    by_place = {place.resolve(): place for folder in folders for place in _places_in(folder)}
    for place in by_place.values():
        result = Result.load(place)
        groups.setdefault(_scenario_in_short(result), []).append(result)
    for results in groups.values():
        places = {result.seed: result.folder for result in results}
        if len(places) < len(results):
            twice = next(each for each in results if places[each.seed] != each.folder)
            raise ComparisonError(
                f"{twice.folder} and {places[twice.seed]} are of the same scenario and seed: a replication "
                "counts once"
            )
    named = dict(zip(_names(list(groups.values())), groups.values(), strict=True))
    return _as_compared(folders[0], named) if len(folders) == 1 else named


def read_each(folders: Sequence[Path], names: Sequence[str] = ()) -> dict[str, list[Result]]:
    """Of each folder its one configuration, by these names, by default those of the folders."""
    called = list(names or (folder.name for folder in folders))
    if len(set(called)) < len(called):
        called = [str(folder) for folder in folders]
    return {name: _one_configuration(folder) for name, folder in zip(called, folders, strict=True)}


def _one_configuration(folder: Path) -> list[Result]:
    found = read_configurations([folder])
    if len(found) > 1:
        raise ResultError(
            f"{folder}: contains results of {len(found)} scenarios ({', '.join(found)}); "
            f"legal: results of one scenario, or aqmlab report {folder}"
        )
    return next(iter(found.values()))


def results_of(what: Results, refusal: type[RefusalError] = ResultError) -> dict[str, list[Recorded]]:
    """Results by the names of their configurations, whatever they are given as."""
    if isinstance(what, str | Path):
        return {name: list(each) for name, each in read_configurations([Path(what)]).items()}
    if isinstance(what, Mapping):
        return {
            str(name): _of_seeds(each, f"results[{quoted(name)}]", refusal) for name, each in what.items()
        }
    if hasattr(what, "results"):
        return results_of(what.results, refusal)
    each: list[Any] = (
        _of_seeds(what, "results", refusal) if isinstance(what, Iterable) or hasattr(what, "run") else []
    )
    if each and all(isinstance(one, str | Path) for one in each):
        return {name: list(ones) for name, ones in read_configurations([Path(one) for one in each]).items()}
    if not each or not all(hasattr(one, "run") for one in each):
        legal = "results, a list or dict of them, or their folder"
        raise refusal(f"{legal}, not {quoted(what)}", place="results", value=what, legal=legal)
    groups: dict[str, list[Recorded]] = {}
    for one in each:
        groups.setdefault(_scenario_in_short(one), []).append(one)
    return dict(zip(_names(list(groups.values())), groups.values(), strict=True))


def _of_seeds(what: Any, argument: str, refusal: type[RefusalError]) -> list[Any]:  # noqa: ANN401
    """The results of one configuration, one for each seed, or in a folder: a result alone is of one seed."""
    if hasattr(what, "run"):
        return [what]
    if isinstance(what, str | Path):
        return _one_configuration(Path(what))
    found = list(arguments.listed("[result]")(argument, what, refusal))
    if not all(hasattr(one, "run") or isinstance(one, str | Path) for one in found):
        legal = "a list of results"
        raise refusal(f"{argument}: {legal}, not {quoted(what)}", place=argument, value=what, legal=legal)
    return found


def keep_first_stage(folder: Path, seeds: Sequence[int], width_s: float) -> None:
    """Stores next to the results which seeds decided the number of seeds, and for which width."""
    text = json.dumps({"seeds": list(seeds), "width_s": width_s})
    write_whole(folder / FIRST_STAGE, f"{text}\n")


def _as_compared(folder: Path, named: Mapping[str, list[Result]]) -> dict[str, list[Result]]:
    """Configurations with the names, the seeds and in the order of the comparison in the folder.

    Others come last. Runs of other seeds, which an earlier comparison left, are left out.
    """
    note = read_compared(folder)
    places = {place: name for name, place in folder_names(_configurations_of(note)).items()}
    compared: dict[str, list[Result]] = {}
    others: dict[str, list[Result]] = {}
    for name, results in named.items():
        place = _place_below(folder, results)
        if place in places:
            of_seeds = [each for each in results if each.seed in note.get("seeds", [each.seed])]
            compared |= {places[place]: of_seeds} if of_seeds else {}
        else:
            others[name] = results
    return {name: compared[name] for name in places.values() if name in compared} | others


def _configurations_of(note: Mapping[str, Any]) -> list[str]:
    """The configurations of a comparison, the baseline first; of an unfinished one those asked for."""
    return list(note.get("configurations", note.get("asked", {}).get("configurations", ())))


def unfinished(folders: Sequence[Path], results: Mapping[str, Sequence[Result]]) -> str:
    """What an interrupted comparison in the one folder lacks, in a sentence; empty if it lacks nothing.

    Raises:
        ResultError: Its configurations have different seeds, which no comparison can pair.
    """
    note = read_compared(folders[0]) if len(folders) == 1 else {}
    asked: dict[str, Any] = note.get("asked", {})
    names, seeds = _configurations_of(note), note.get("seeds", asked.get("seeds", ()))
    have = {name: {each.seed for each in results.get(name, ())} for name in names}
    lacks = _what_is_lacking(have, seeds)
    if not lacks and "configurations" not in note and "until_width_s" in asked:
        lacks = f"seeds were still to be added up to a width of {asked['until_width_s']:g} s"
    if not lacks:
        return ""
    told = f"Unfinished comparison: {lacks}; the same aqmlab compare command completes it."
    if len({frozenset(each) for each in have.values() if each}) > 1:
        raise ResultError(
            f"{folders[0]}: configurations have different seeds. {told} To look at one of them: "
            f"aqmlab report {folders[0]}/NAME"
        )
    return told


def _what_is_lacking(have: Mapping[str, set[int]], seeds: Sequence[int]) -> str:
    """How many of the runs there are, and the configurations without any; empty if all are there."""
    lacking = sum(len(set(seeds) - own) for own in have.values())
    if not lacking:
        return ""
    wanted = len(have) * len(seeds)
    none = ", ".join(name for name, own in have.items() if not own)
    return f"{wanted - lacking} of {wanted} runs{none and f', none with {none}'}"


def _place_below(folder: Path, results: Sequence[Result]) -> str | None:
    """The one folder directly below `folder` that holds all results of a configuration."""
    found = {
        each.folder.resolve().relative_to(folder.resolve()).parts[:1]
        for each in results
        if each.folder is not None
    }
    (parts,) = found if len(found) == 1 else {()}
    return parts[0] if parts else None


def require_one_comparison(folders: Sequence[Path], found: Comparison) -> None:
    """Checks that the folder of a comparison contains only what was compared; skipped for several folders.

    Raises:
        ResultError: Configurations differ in a setting that the comparison did not change.
    """
    note = read_compared(folders[0]) if len(folders) == 1 else {}
    if "besides_the_queue" not in note:
        return
    for name in found.names:
        beyond = [each for each in found.beyond_the_queue(name) if each.key not in note["besides_the_queue"]]
        if beyond:
            raise ResultError(
                f"{folders[0]}: {name} and {found.baseline} are not of one scenario: {listed(beyond)}, which "
                "the comparison here did not change; legal: without the runs of the other scenario, or the "
                "folders that are meant, one by one"
            )


def read_first_stage(folders: Sequence[Path], results: Mapping[str, Sequence[Result]]) -> int:
    """The number of first seeds in the folders that decided the number of seeds; 0 if it was fixed.

    Raises:
        ResultError: The note cannot be read, names other seeds, or the folder is read together with others.
    """
    noted = [folder / FIRST_STAGE for folder in folders if (folder / FIRST_STAGE).exists()]
    if not noted:
        return 0
    if len(folders) > 1:
        raise ResultError(
            f"{noted[0].parent}: its first seeds decided the number of seeds, valid only for "
            "its own comparison; legal: this folder alone"
        )
    note = read_json(noted[0], ResultError)
    conform(note, _FIRST_STAGE_SHAPE, str(noted[0]), ResultError)
    seeds = sorted(note["seeds"])
    of_results = sorted({result.seed for each in results.values() for result in each})
    if of_results[: len(seeds)] != seeds:
        raise ResultError(
            f"{noted[0]}: seeds {seeds} decided the number of seeds, but the first in the folder are "
            f"{of_results[: len(seeds)]}; legal: without runs of other seeds, or without this file"
        )
    return len(seeds)


def _places_in(folder: Path) -> list[Path]:
    """The folder itself if it is a result, or those in it that are."""
    arguments.path("results", folder, ResultError)
    if (folder / "run.json").exists():
        return [folder]
    found = [file.parent for file in finished_files(folder, "**/run.json")]
    # A store beside results holds the same runs once more.
    found = [place for place in found if not is_address(place.name)] or found
    if not found:
        absent = "is a file" if folder.exists() else "there is no such folder"
        what = "holds no result" if folder.is_dir() else absent
        raise ResultError(f"{folder}: {what}; legal: a folder that aqmlab run or compare left")
    return found


def _scenario_in_short(result: Recorded) -> str:
    """What identifies a scenario: not its name and description, nor what only first seeds keep."""
    said = {key: value for key, value in result.run["scenario"].items() if key not in {"name", "description"}}
    kept = said.get("record") or {}
    said["record"] = {key: value for key, value in kept.items() if key != "datagrams"}
    return json.dumps(said, sort_keys=True)


def _names(groups: Sequence[Sequence[Recorded]]) -> list[str]:
    """A name for each group: that of its scenario, or else of its folder, or else both with a number."""
    of_scenarios = [str(results[0].run["scenario"]["name"]) for results in groups]
    of_folders = [_folder_of_seeds(results[0]) for results in groups]
    for names in (of_scenarios, of_folders):
        if len(set(names)) == len(names):
            return names
    return [f"{name} {place}" for place, name in enumerate(of_folders, start=1)]


def _folder_of_seeds(result: Recorded) -> str:
    folder: Path | None = getattr(result, "folder", None)
    if folder is None:
        return str(result.run["scenario"]["name"])
    own = folder.name == f"seed-{result.run['seed']}"
    return folder.resolve().parent.name if own else folder.resolve().name


@arguments.checked(UnknownQuantityError)
def frame(
    results: Results, quantities: Sequence[Quantity | str] | None = None, *, links: Sequence[str] = ()
) -> pa.Table:
    """The quantities of results as a tidy table: one row for each configuration, seed and quantity.

    `polars.from_arrow` and `pandas` (`.to_pandas()`) take the table as it is, DuckDB queries it by name.

    Args:
        results: A result, results by name, a list of results or of their folders, the folder of a
            comparison, a `Comparison` or a `SweepResults`.
        quantities: Quantities by name (`aqmlab.quantities` lists them); by default those that `compare`
            shows.
        links: The links that loss, throughput and so on are of; by default those that carry data.

    Returns:
        The columns `configuration`, `seed`, `who`, `quantity`, `unit`, `value`, `at_least` and `at_most`.
        `who` is the group or link of a number, null where it is of all together. A value that a run did not
        record is null, as is that of a group that only other results have. Where a run has only one bound,
        the value is infinite and the bound stands in `at_least` or `at_most`; between two bounds it is null,
        and both stand there; elsewhere both are the value.

    Raises:
        UnknownQuantityError: No quantity has one of the names, or no result the group that it is of; the
            message lists them.
        UnknownLinkError: A link is not monitored.
        ResultError: A folder contains no result.
    """
    by_name = results_of(results)
    if quantities is None:
        quantities = shown_of_all([result for each in by_name.values() for result in each], links)
    return tidy_table_of(by_name, quantities, links=links)
