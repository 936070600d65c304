"""What a search found: tables for the terminal and a folder to keep."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Group

from aqmlab._core import version
from aqmlab.errors import FolderError
from aqmlab.folders import write_whole
from aqmlab.reading import read_json
from aqmlab.scenario_toml import to_toml
from aqmlab.spelling import quoted
from aqmlab.statistics import Interval, NotEnoughReplications, mean_interval
from aqmlab.statistics.recorded import said_of_links
from aqmlab.statistics.summary import restricted_mean_name
from aqmlab.sweep.export import write
from aqmlab.terminal import Table, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aqmlab.scenario import Scenario
    from aqmlab.tune.candidates import Candidate
    from aqmlab.tune.objectives import Objective
    from aqmlab.tune.search import Plan
    from aqmlab.tune.space import Space


@dataclass(frozen=True)
class Outcome:
    """What a search found.

    Attributes:
        base: The scenario with the scheme that was searched.
        given: The scenario as given, its own queue and all, with the figures of the fresh seeds.
        space: What was searched.
        objective: What was sought.
        plan: How much was searched.
        candidates: What the search started from (the scenario as given, or the defaults of the scheme where
            its queue is of another), then every proposal, with the figures of its search seeds.
        winner: The candidate with the lowest cost over the search seeds.
        front: Those run with all search seeds that no other one dominates, by fresh seeds.
        published: Settings of an experiment, with the figures of the fresh seeds.
        runs: Runs that were asked for, fresh seeds included.
        links: The links that utilization, loss and queue are of.
        queues: The dotted keys of the queues that were set, all alike.
    """

    base: Scenario
    given: Candidate
    space: Space
    objective: Objective
    plan: Plan
    candidates: tuple[Candidate, ...]
    winner: Candidate
    front: tuple[Candidate, ...]
    published: tuple[Candidate, ...]
    runs: int
    links: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()

    @property
    def shown(self) -> list[Candidate]:
        """The winner, the front, the start, the scenario as given and the published settings, each once."""
        start = self.candidates[0]
        return list(dict.fromkeys((self.winner, *self.front, start, self.given, *self.published)))

    def against(self, other: Candidate) -> Interval | NotEnoughReplications:
        """The winner's cost minus that of another candidate, paired by fresh seed."""
        ours, theirs = self.winner.fresh_costs(self.objective), other.fresh_costs(self.objective)
        return mean_interval([ours[seed] - theirs[seed] for seed in self.plan.fresh_seeds])

    def role(self, candidate: Candidate) -> str:
        """Why a candidate is shown."""
        roles = [
            name
            for name, holds in (
                ("winner", candidate is self.winner),
                ("front", candidate in self.front),
                ("as given", candidate is self.given),
                ("defaults", candidate.origin == "defaults"),
            )
            if holds
        ]
        return ", ".join(roles) or ("published" if candidate in self.published else "")

    def __rich__(self) -> Group:
        return Group(_table(self), shown(self.summary()))

    def summary(self) -> str:
        """The winner in words."""
        settings = ", ".join(f"{name} = {value}" for name, value in self.winner.settings.items())
        stopped = sum(candidate.fate.value == "stopped" for candidate in self.candidates)
        lines = [f"{each.label}: {each.note}" for each in self.published]
        lines += [f"queues set, all alike: {', '.join(self.queues)}"] if len(self.queues) > 1 else []
        lines += [
            f"{self.objective.name}: {self.winner.label} ({settings})",
            f"{len(self.candidates) - 1} candidates, {stopped} stopped by the race; {self.runs} runs",
        ]
        if self.winner is not self.given:
            difference = self.against(self.given)
            mean = difference.mean if difference.mean is not None else float("nan")
            told = str(difference) if isinstance(difference, Interval) else f"{mean:.4g} ({difference})"
            queue = self.given.label.removeprefix("as given")
            lines.append(
                f"against the scenario as given{queue}, on fresh seeds: {told} {self.objective.unit}"
            )
        return "\n".join(lines)


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


def _table(outcome: Outcome) -> Table:
    limit = f"{outcome.objective.restricted_to_s:g}"
    table = Table(
        title=f"{outcome.base.name}, {outcome.space.scheme} for {outcome.objective.name}: "
        f"means over {len(outcome.plan.fresh_seeds)} fresh seeds",
        title_justify="left",
        caption=f"min(t, {limit}): mean response time, counting {limit} s at most, with its 95 % interval; "
        f"winner − it: difference of costs, paired by seed; {said_of_links([', '.join(outcome.links)])}",
        caption_justify="left",
    )
    table.add_column("", no_wrap=True)
    for parameter in outcome.space.parameters:
        table.add_column(parameter.name.removesuffix("_packets"), justify="right", no_wrap=True)
    table.add_column(f"min(t, {limit}) s", justify="right", no_wrap=True)
    for heading in ("median s", "< 1 s %", "busy %", "loss %", "queue"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(f"winner − it, {outcome.objective.unit}", justify="right", no_wrap=True)
    table.add_column("what it is", no_wrap=True)
    for candidate in outcome.shown:
        table.add_row(*_cells(outcome, candidate))
    return table


def _cells(outcome: Outcome, candidate: Candidate) -> Sequence[str]:
    name = restricted_mean_name(outcome.objective.restricted_to_s)
    means = candidate.means(fresh=True)
    interval = mean_interval([float(run[name] or 0.0) for run in candidate.fresh.values()])
    bounds = f" ± {interval.half_width:.3f}" if isinstance(interval, Interval) else ""
    forms = (
        ("response_p50_s", ".3f"), ("responses_within_1s_percent", ".1f"), ("utilization_percent", ".1f"),
        ("loss_percent", ".2f"), ("queue_mean_packets", ".1f"),
    )  # fmt: skip
    return (
        candidate.label,
        *(_setting(candidate.settings.get(parameter.name)) for parameter in outcome.space.parameters),
        f"{means[name]:.3f}{bounds}",
        *(format(means[key], form) for key, form in forms),
        _difference(outcome, candidate),
        outcome.role(candidate),
    )


def _difference(outcome: Outcome, candidate: Candidate) -> str:
    if candidate is outcome.winner:
        return ""
    difference = outcome.against(candidate)
    bounds = f" ± {difference.half_width:.4f}" if isinstance(difference, Interval) else ""
    return f"{difference.mean:+.4f}{bounds}"


def _setting(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else "-" if value is None else str(value)
