"""The folder that a search leaves behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aqmlab._core import version
from aqmlab.errors import FolderError
from aqmlab.files.folders import write_whole
from aqmlab.files.reading import read_json
from aqmlab.files.scenario_toml import to_toml
from aqmlab.statistics import Interval, NotEnoughReplications, mean_interval
from aqmlab.sweep.export import write
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aqmlab.scenario import Scenario
    from aqmlab.tune.candidates import Candidate
    from aqmlab.tune.outcome import Outcome


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
            raise FolderError(f"{folder}: holds the search of {quoted(name)}; name another with --output")


def save(outcome: Outcome, folder: Path) -> dict[str, Path]:
    """Writes trials.parquet, front.csv, best.toml, search.json and the figure; returns them by name."""
    from aqmlab.tune.picture import draw_trade_off  # noqa: PLC0415 (matplotlib is slow to import)

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
    names = tuple(parameter.name for parameter in outcome.space.parameters)
    write(
        [_trial(each, place) for place, each in enumerate(outcome.candidates)],
        files["trials.parquet"],
        as_text=names,
    )
    write([_row(outcome, each) for each in _evaluated(outcome)], files["front.csv"], as_text=names)
    write_whole(files["best.toml"], _best(outcome))
    write_whole(files["search.json"], json.dumps(_facts(outcome), indent=1) + "\n")
    draw_trade_off(outcome, svg=files["trade-off.svg"], png=files["trade-off.png"])
    return files


def _evaluated(outcome: Outcome) -> list[Candidate]:
    every = dict.fromkeys((*outcome.candidates, outcome.given, *outcome.published))
    return [each for each in every if each.fresh]


def _trial(candidate: Candidate, number: int) -> dict[str, Any]:
    return {
        "trial": number,
        "origin": candidate.origin,
        "fate": candidate.fate.value,
        "note": candidate.note,
        **candidate.settings,
        "search_seeds": len(candidate.figures),
        "cost_estimate": candidate.estimate,
        **candidate.means(fresh=False),
    }


def _row(outcome: Outcome, candidate: Candidate) -> dict[str, Any]:
    return {
        "label": candidate.label,
        "role": outcome.role(candidate),
        "on_front": candidate in outcome.front,
        "note": candidate.note,
        **candidate.settings,
        "fresh_seeds": len(candidate.fresh),
        **_bounds("cost", mean_interval(list(candidate.fresh_costs(outcome.objective).values()))),
        **_bounds("winner_minus_this", outcome.against(candidate)),
        **candidate.means(fresh=True),
    }


def _bounds(name: str, interval: Interval | NotEnoughReplications) -> dict[str, float | None]:
    lower, upper = (interval.lower, interval.upper) if isinstance(interval, Interval) else (None, None)
    return {f"{name}_mean": interval.mean, f"{name}_lower": lower, f"{name}_upper": upper}


def _best(outcome: Outcome) -> str:
    scenario = outcome.winner.scenario or outcome.base
    named: Mapping[str, object] = {
        "name": f"{outcome.base.name}, {outcome.space.scheme} for {outcome.objective.name}",
        "description": f"Found by aqmlab tune {version()}: {outcome.winner.label} of {outcome.plan.trials}.",
    }
    return to_toml(scenario.with_overrides(named).resolved)


def _facts(outcome: Outcome) -> dict[str, Any]:
    import optuna  # noqa: PLC0415 (only a search has made an outcome)

    plan = outcome.plan
    return {
        "aqmlab_version": version(),
        "optuna_version": optuna.__version__,
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
