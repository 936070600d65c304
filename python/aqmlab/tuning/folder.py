"""The folder that a search leaves behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aqmlab._core import version
from aqmlab.errors import FolderError
from aqmlab.files.folders import write_whole
from aqmlab.files.reading import read_json
from aqmlab.tables import save as save_table
from aqmlab.terminal.spelling import quoted
from aqmlab.tuning.proposals import optuna_version
from aqmlab.tuning.tables import candidates_table, trials_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aqmlab.scenario import Scenario
    from aqmlab.tuning.outcome import Outcome


def require_own(folder: Path, scenario: Scenario) -> None:
    """Checks, before hours of work, that the folder holds no search of a scenario with another name.

    Raises:
        FolderError: It does: names that differ may give the same folder, such as "a b" and "a-b".
    """
    facts = folder / "search.json"
    if facts.exists():
        held = read_json(facts, FolderError).get("scenario")
        name = held.get("name") if isinstance(held, dict) else None
        if name != scenario.name:
            raise FolderError(f"{folder}: holds the search of {quoted(name)}; name another folder")


def save(outcome: Outcome, folder: Path) -> dict[str, Path]:
    """Writes trials.parquet, front.csv, best.toml, search.json and the figure; returns them by name."""
    from aqmlab.tuning.picture import draw_trade_off  # noqa: PLC0415 (matplotlib is slow to import)

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
