"""What a search looks like: printed, in a notebook, and as its folder with the figure of the trade-off.

Its tables have candidates with the figures of their fresh seeds, and every proposal.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab._core import version
from aqmlab.errors import FolderError
from aqmlab.files.folders import write_whole
from aqmlab.files.own_folders import Holds, warned_own_folder
from aqmlab.files.reading import read_json
from aqmlab.inference import mean_interval
from aqmlab.show.tables.headings import heading_of
from aqmlab.show.tables.printed import shows
from aqmlab.statistics.catalogue import OF_SEARCHES
from aqmlab.statistics.recorded import said_of_links
from aqmlab.statistics.run_summary import restricted_mean_name
from aqmlab.study.tuning.objectives import RPM, RPM_FIGURE
from aqmlab.study.tuning.outcome import Outcome
from aqmlab.study.tuning.proposals import optuna_version
from aqmlab.tables import save as save_table
from aqmlab.tables.model import (
    Column,
    Medium,
    Table,
    TableCell,
    bounds_in_csv,
    finite,
    in_csv,
    number,
    text,
    with_half_width,
)
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from aqmlab.inference import Interval, NotEnoughReplications
    from aqmlab.show.tables.printed import Part
    from aqmlab.statistics.run_summary import Figures
    from aqmlab.study.tuning.candidates import Candidate


def printed(outcome: Outcome) -> list[Part]:
    """What is shown of a search on a terminal: its candidates, and the winner in words."""
    return [candidates_table(outcome, outcome.shown), *outcome.summary().splitlines()]


def candidates_table(outcome: Outcome, candidates: Sequence[Candidate]) -> Table:
    """Candidates that were run with fresh seeds: in print the figures that are sought, for programs all."""
    means = {each: each.means(fresh=True) for each in candidates}
    objective = outcome.objective
    limit, response = f"{objective.restricted_to_s:g}", restricted_mean_name(objective.restricted_to_s)

    headings = {each: heading_of(each, outcome.links) for each in OF_SEARCHES}

    def in_print(cell: Callable[[Candidate], TableCell], title: str, **how: Any) -> Column[Candidate]:  # noqa: ANN401
        return Column("", cell, title, media=Medium.TERMINAL, **how)

    def response_time(each: Candidate) -> TableCell:
        known = (run[response] for run in each.fresh.values())
        values = [float("nan") if value is None else float(value) for value in known]
        return text(with_half_width(mean_interval(values), 3))

    def sought(each: Candidate) -> TableCell:
        return text(with_half_width(mean_interval(list(each.fresh_costs(objective).values())), 2))

    def difference(each: Candidate) -> TableCell:
        winner = each is outcome.winner
        return text("" if winner else with_half_width(outcome.against(each), 4, sign="+"))

    has_responses = any(run[response] is not None for each in candidates for run in each.fresh.values())
    columns: list[Column[Candidate]] = [
        Column("label", lambda each: text(each.label), words=True),
        in_print(lambda each: text(outcome.role(each)), "what it is", words=True),
        *([in_print(sought, f"{objective.name}, {objective.unit}")] if objective.is_own_column else []),
        *(
            [in_print(lambda each: number(_mean(means, each, name=RPM_FIGURE), ".0f"), "RPM")]
            if objective.name == RPM
            else []
        ),
        *([in_print(response_time, f"min(t, {limit}) s")] if has_responses else []),
        *(
            in_print(
                lambda each, of=quantity: number(_mean(means, each, name=of.name), f".{of.digits}f"),  # type: ignore[misc]
                heading.what,
                group=heading.of,
                stacked=True,
            )
            for quantity, heading in headings.items()
            if any(_mean(means, each, name=quantity.name) is not None for each in candidates)
        ),
        in_print(difference, f"winner − it, {objective.unit}"),
        in_csv("role", outcome.role),
        in_csv("on_front", lambda each: each in outcome.front),
        in_csv("note", lambda each: each.note),
        *(
            Column(
                parameter.name,
                partial(_setting, name=parameter.name),
                parameter.name.removesuffix("_packets"),
            )
            for parameter in outcome.space.parameters
        ),
        *_for_programs(outcome, means),
    ]
    return Table.of(
        candidates,
        columns,
        title=f"{outcome.base.name}, {outcome.space.scheme} for {objective.name}: "
        f"means over {counted(len(outcome.plan.fresh_seeds), 'fresh seed')}",
        caption=(
            f"min(t, {limit}): mean response time, at most {limit} s each, with its 95 % interval; "
            if has_responses
            else ""
        )
        + f"winner − it: difference of costs, paired by seed; {said_of_links([', '.join(outcome.links)])}",
    )


def _for_programs(outcome: Outcome, means: Mapping[Candidate, Figures]) -> list[Column[Candidate]]:
    """The columns of a file behind the settings: costs, differences and every figure."""
    return [
        in_csv("fresh_seeds", lambda each: len(each.fresh)),
        *_bounds("cost", lambda each: mean_interval(list(each.fresh_costs(outcome.objective).values()))),
        *_bounds("winner_minus_this", outcome.against),
        *(
            in_csv(name, partial(_mean, means, name=name))
            for name in dict.fromkeys(key for row in means.values() for key in row)
        ),
    ]


def _mean(means: Mapping[Candidate, Figures], each: Candidate, *, name: str) -> float | None:
    """A mean of a candidate's; a quantile that no run reached is infinite: nothing that a table can hold."""
    return finite(means[each].get(name))


def trials_table(outcome: Outcome) -> Table:
    """Every proposal with the means of its search seeds."""
    return Table.of_records([
        {
            "trial": number,
            "origin": each.origin,
            "state": each.state.value,
            "note": each.note,
            **each.shown_settings,
            "search_seeds": len(each.figures),
            "cost_estimate": each.estimate,
            **each.means(fresh=False),
        }
        for number, each in enumerate(outcome.candidates)
    ])  # fmt: skip


def _bounds(
    name: str, interval: Callable[[Candidate], Interval | NotEnoughReplications]
) -> list[Column[Candidate]]:
    return [
        in_csv(f"{name}_mean", lambda each: interval(each).mean),
        *bounds_in_csv(f"{name}_lower", f"{name}_upper", interval),
    ]


def _setting(candidate: Candidate, *, name: str) -> TableCell:
    value = candidate.shown_settings.get(name)
    shown = f"{value:.3g}" if isinstance(value, float) else "-" if value is None else str(value)
    return TableCell(value, text(shown).lines)


_FACTS = "search.json"
_FOUND = {"runs", "winner"}
"""Facts of what was found; the others are of what was asked for."""


def own(outcome: Outcome, wanted: Path) -> Path:
    """The folder for an outcome: the wanted one, or one beside it if it holds another search.

    Which one is told by a warning.
    """
    asked = _asked(json.loads(json.dumps(_facts_of_folder(outcome))))

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

    return warned_own_folder(wanted, held)


def _asked(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if key not in _FOUND}


def save(outcome: Outcome, folder: Path) -> dict[str, Path]:
    """Writes trials.parquet, front.csv, best.toml, search.json and the figure; returns them by name.

    A folder that holds another search is left alone: the files go to one beside it.
    """
    from aqmlab.show.figures.trade_offs import draw_trade_off  # noqa: PLC0415 (matplotlib is slow to import)

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
    write_whole(files["search.json"], json.dumps(_facts_of_folder(outcome), indent=1) + "\n")
    draw_trade_off(outcome, svg=files["trade-off.svg"], png=files["trade-off.png"])
    return files


def _best(outcome: Outcome) -> str:
    scenario = outcome.winner.scenario or outcome.base
    named: Mapping[str, object] = {
        "name": f"{outcome.base.name}, {outcome.space.scheme} for {outcome.objective.name}",
        "description": f"Found by aqmlab tune {version()}: {outcome.winner.label} of {outcome.plan.trials}.",
    }
    return scenario.with_overrides(named).as_toml()


def _facts_of_folder(outcome: Outcome) -> dict[str, Any]:
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


shown.save.register(Outcome)(save)


shows(Outcome, printed)


@shown.facts.register(Outcome)
def _facts(outcome: Outcome) -> dict[str, Any]:
    """The winner and every other candidate with its settings, and which seeds are fresh."""
    every = dict.fromkeys((*outcome.candidates, outcome.given, *outcome.published))
    return {
        "objective": outcome.objective.name,
        "unit": outcome.objective.unit,
        "seeds": list(outcome.plan.seeds),
        "fresh_seeds": list(outcome.plan.fresh_seeds),
        "winner": outcome.winner.label,
        "candidates": {
            each.label: {
                "role": outcome.role(each),
                "state": each.state.value,
                "settings": each.shown_settings,
            }
            for each in every
        },
        "summary": outcome.summary().splitlines(),
    }
