"""The folder that a search leaves behind."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from aqmlab._core import version
from aqmlab.errors import FolderError
from aqmlab.files.folders import write_whole
from aqmlab.files.own_folders import Holds, own_folder
from aqmlab.files.reading import read_json
from aqmlab.show.tables.tuning import candidates_table, trials_table
from aqmlab.study.tuning.proposals import optuna_version
from aqmlab.tables import save as save_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aqmlab.study.tuning.outcome import Outcome


_FACTS = "search.json"
_FOUND = {"runs", "winner"}
"""Facts of what was found; the others are of what was asked for."""


def own(outcome: Outcome, wanted: Path) -> Path:
    """The folder for an outcome: the wanted one, or one beside it if it holds another search.

    Which one is told by a warning.
    """
    asked = _asked(json.loads(json.dumps(_facts(outcome))))

    def held(folder: Path) -> Holds | str:
        if not (folder / _FACTS).exists():
            return Holds.NOTHING
        try:
            there = _asked(read_json(folder / _FACTS, FolderError))
        except FolderError:
            return "a search that cannot be read"
        if there == asked:
            return Holds.THE_SAME
        other = next((key for key in asked if there.get(key) != asked[key]), "aqmlab_version")
        return f"another search, with another {other}"

    place, why = own_folder(wanted, held)
    if why:
        warnings.warn(f"{wanted} holds {why}: this one goes to {place}", stacklevel=3)
    return place


def _asked(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if key not in _FOUND}


def save(outcome: Outcome, folder: Path) -> dict[str, Path]:
    """Writes trials.parquet, front.csv, best.toml, search.json and the figure; returns them by name.

    A folder that holds another search is left alone: the files go to one beside it.
    """
    from aqmlab.show.figures.tuning import draw_trade_off  # noqa: PLC0415 (matplotlib is slow to import)

    folder = own(outcome, folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        name: folder / name
        for name in (
            "trials.parquet",
            "front.csv",
            "best.toml",
            "search.json",
            "trade-off.svg",
            "trade-off.png",
        )
    }
    save_table(trials_table(outcome), files["trials.parquet"])
    every = dict.fromkeys((*outcome.candidates, outcome.given, *outcome.published))
    evaluated = [each for each in every if each.fresh]
    save_table(candidates_table(outcome, evaluated), files["front.csv"])
    write_whole(files["best.toml"], _best(outcome))
    write_whole(files["search.json"], json.dumps(_facts(outcome), indent=1) + "\n")
    draw_trade_off(outcome, svg=files["trade-off.svg"], png=files["trade-off.png"])
    return files


def _best(outcome: Outcome) -> str:
    scenario = outcome.winner.scenario or outcome.base
    named: Mapping[str, object] = {
        "name": f"{outcome.base.name}, {outcome.space.scheme} for {outcome.objective.name}",
        "description": f"Found by aqmlab tune {version()}: {outcome.winner.label} of {outcome.plan.trials}.",
    }
    return scenario.with_overrides(named).as_toml()


def _facts(outcome: Outcome) -> dict[str, Any]:
    plan = outcome.plan
    return {
        "aqmlab_version": version(),
        "optuna_version": optuna_version(),
        "scenario": (outcome.given.scenario or outcome.base).resolved,
        "objective": outcome.objective.name,
        "restricted_to_s": outcome.objective.restricted_to_s,
        "weights": dict(outcome.objective.weights),
        "searched": [str(parameter) for parameter in outcome.space.parameters],
        "search_seeds": list(plan.seeds),
        "fresh_seeds": list(plan.fresh_seeds),
        "optimiser_seed": plan.optimiser_seed,
        "trials": plan.trials,
        "batch": plan.batch,
        "budget_runs": plan.budget_runs,
        "runs": outcome.runs,
        "links": list(outcome.links),
        "queues": list(outcome.queues),
        "winner": {"label": outcome.winner.label, "settings": dict(outcome.winner.settings)},
    }
