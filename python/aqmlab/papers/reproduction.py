"""A paper's experiment, run: the users of each load, every cell with every seed, its calibration, its price.

`run_study` makes the runs of a scale, and finds in the store what was run before. With other hosts nothing is
reproduced: the paper's statements are put to these and to the study's own, so that `planned` has two studies.
`aqmlab.show.papers.reproduce` sets what is found beside what was published.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from aqmlab.errors import ExperimentError, ScenarioError
from aqmlab.load import Calibration, Demand, calibrate
from aqmlab.load.matching import MatchedLoad, match_loads
from aqmlab.papers import experiments, today
from aqmlab.papers.cost import cost_of, measured_pace, sum_of
from aqmlab.papers.documents import CalibrationRuns
from aqmlab.papers.study import Study
from aqmlab.runs import Execution, Job
from aqmlab.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.papers.cost import Cost, Pace
    from aqmlab.papers.documents import Configuration, Scale
    from aqmlab.papers.experiment import Experiment
    from aqmlab.result import Result


class Choice(TypedDict, total=False):
    """How much of an experiment is run: a scale, and what is chosen instead of what it has."""

    scale: str
    cells: Sequence[str] | None
    loads: Sequence[int] | None
    replications: int | None
    seeds: Sequence[int] | None


def with_hosts(own: Experiment, hosts: str | None) -> Experiment:
    """The study with its own hosts, or with those of a profile."""
    return own if hosts is None else today.with_hosts(own, hosts)


def planned(own: Experiment, scale: Scale, hosts: str | None) -> list[tuple[Experiment, Scale]]:
    """What runs of a study at a scale: with other hosts it runs with these first, then with its own."""
    first = with_hosts(own, hosts), scale
    return [first] if hosts is None else [first, (today.by_its_runs(own), _without_today(own, scale))]


def _without_today(own: Experiment, chosen: Scale) -> Scale:
    """The same runs without queues that came after the paper: no statement is about them."""
    cells = tuple(cell for cell in chosen.cells if own.configuration(cell).group != today.GROUP)
    if not cells:
        raise ExperimentError(
            f"cells {', '.join(chosen.cells)}: came after the paper, which states nothing about them; name "
            f"a cell of the paper as well, such as {own.scale(chosen.name).cells[0]}"
        )
    return replace(chosen, cells=cells, overrides=own.scale(chosen.name).overrides)


def choose(
    experiment: Experiment,
    *,
    scale: str = "quick",
    cells: Sequence[str] | None = None,
    loads: Sequence[float] | None = None,
    replications: int | None = None,
    seeds: Sequence[int] | None = None,
) -> Scale:
    """The scale with what the user chose instead."""
    chosen = experiment.scale(scale)
    if cells is not None:
        wanted = experiment.cells_of(cells)
        chosen = replace(chosen, cells=wanted)
        if chosen.users_from == "published" or chosen.load_matched:
            # Nothing but the claims about traffic rests on the calibration then: some cells do without it.
            chosen = replace(chosen, calibration=CalibrationRuns())
    if loads is not None:
        unknown = [load for load in loads if float(load) not in experiment.loads_percent]
        if unknown or not loads:
            there = ", ".join(f"{load:g}" for load in experiment.loads_percent)
            raise ExperimentError(f"loads {list(loads)}: {experiment.name} has the loads {there} (per cent)")
        chosen = replace(chosen, loads_percent=tuple(float(load) for load in loads))
    if replications is not None:
        if replications < 1:
            raise ExperimentError(f"replications: at least 1, not {replications}")
        if chosen.chosen_seeds and replications > len(chosen.chosen_seeds):
            raise ExperimentError(
                f"replications: at most {len(chosen.chosen_seeds)}, not {replications}: scale {scale} has "
                f"seeds of its own, {', '.join(map(str, chosen.chosen_seeds))}; name others with seeds"
            )
        own = chosen.chosen_seeds[:replications]
        chosen = replace(chosen, replications=replications, chosen_seeds=own)
    if seeds is not None:
        if replications is not None:
            raise ExperimentError("seeds and replications: give one of them")
        if not seeds or len(set(seeds)) < len(seeds):
            raise ExperimentError(f"seeds: at least one, each once, not {list(seeds)}")
        chosen = replace(chosen, replications=len(seeds), chosen_seeds=tuple(sorted(seeds)))
    return chosen


def costs(name: str, *, hosts: str | None = None, **choice: Unpack[Choice]) -> dict[str, Cost]:
    """What each scale costs on this machine, the one named with what was chosen for it.

    Makes short runs, which take some seconds. With a profile of hosts it costs the runs with these and those
    with the study's own.
    """
    own = experiments.load(name)
    return costs_of(own, choose(with_hosts(own, hosts), **choice), hosts)


def costs_of(own: Experiment, chosen: Scale, hosts: str | None) -> dict[str, Cost]:
    """What each scale costs, the chosen one with what was chosen for it."""
    scales = {**with_hosts(own, hosts).scales, chosen.name: chosen}
    starts = {each.start for each in scales.values()}
    paces = [_pace(*each, starts) for each in planned(own, chosen, hosts)]  # hosts differ in their work
    return {
        name: sum_of([cost_of(*each, pace) for each, pace in zip(plan, paces, strict=True)])
        for name, plan in ((name, planned(own, scale, hosts)) for name, scale in scales.items())
    }


def _pace(experiment: Experiment, scale: Scale, starts: set[str]) -> Pace:
    return measured_pace(
        replace(experiment, users_per_side_at_100_percent=_full(experiment, scale)),
        lambda start: base_scenario(experiment, replace(scale, start=start)),
        starts,
    )


def _full(experiment: Experiment, scale: Scale) -> int | None:
    """About how many users of a side offer what the link carries, at this scale."""
    return scale.users_per_side_at_100_percent or experiment.users_per_side_at_100_percent


def run_study(experiment: Experiment, scale: Scale, execution: Execution) -> Study:
    """Runs every cell of a scale with every seed, and its calibration if it has one."""
    base = base_scenario(experiment, scale)
    calibration, calibration_runs = _calibrate(experiment, scale, base, execution)
    loads = _match(experiment, scale, base, execution) if scale.load_matched else {}
    plan = _plan(experiment, scale, base, loads, calibration)
    results = execution.run([job for _, job in plan], f"{experiment.name}: {scale.name}")
    cells: dict[tuple[str, float], list[Result]] = {}
    for (cell, _), result in zip(plan, results, strict=True):
        cells.setdefault(cell, []).append(result)
    return Study(experiment, scale, cells, loads, calibration, calibration_runs)


def base_scenario(experiment: Experiment, scale: Scale) -> Scenario:
    """The study's scenario with the times and the start of a scale."""
    overrides: dict[str, Any] = {
        "duration_s": scale.duration_s,
        "warm_up_s": scale.warm_up_s,
        "cool_down_s": scale.cool_down_s,
        "users.start": scale.start,
        **scale.overrides,
    }
    try:
        return Scenario.from_toml(
            experiment.scenario_toml, source_name=f"{experiment.name}/scenario.toml", overrides=overrides
        )
    except (ScenarioError, TypeError, RecursionError) as error:
        raise ExperimentError(f"{experiment.name}: scale {scale.name}: {error}") from None


def cell_scenario(base: Scenario, configuration: Configuration) -> Scenario:
    """The scenario of one configuration."""
    try:
        return _cell_scenario(base, configuration)
    except (ScenarioError, TypeError, RecursionError) as error:
        raise ExperimentError(f"{base.name}: cell {configuration.name}: {error}") from None


def _cell_scenario(base: Scenario, configuration: Configuration) -> Scenario:
    if configuration.twin:
        own = base.with_overrides(configuration.overrides) if configuration.overrides else base
        return own.uncongested_twin()
    named: dict[str, Any] = {"name": configuration.name}
    return base.with_overrides({**configuration.overrides, **named})


def _match(
    experiment: Experiment, scale: Scale, base: Scenario, execution: Execution
) -> dict[tuple[float, int], MatchedLoad]:
    return match_loads(
        Demand.of(base),
        loads_percent=scale.loads_percent,
        seeds=scale.seeds,
        size_at_100_percent=_full(experiment, scale) or 0,
        run=execution.run_pairs,
    )


def _calibrate(
    experiment: Experiment, scale: Scale, base: Scenario, execution: Execution
) -> tuple[Calibration | None, list[Result]]:
    asked = scale.calibration
    if not asked.users_per_side:
        return None, []
    own = base.with_overrides(asked.overrides) if asked.overrides else base
    results: list[Result] = []

    def run(pairs: Sequence[tuple[Scenario, int]], label: str) -> list[Result]:
        results.extend(execution.run_pairs(pairs, f"{experiment.name}: {label}"))
        return results

    seeds = range(1, asked.replications + 1)
    sizes = asked.users_per_side
    # Figure 2 of the study of 2003 and figure 2 of that of 2000 have one line, the mean of both directions.
    calibration = calibrate(Demand.of(own), sizes=sizes, seeds=seeds, run=run, mean_of_directions=True)
    return calibration, results


def _plan(
    experiment: Experiment,
    scale: Scale,
    base: Scenario,
    loads: Mapping[tuple[float, int], MatchedLoad],
    calibration: Calibration | None,
) -> list[tuple[tuple[str, float], Job]]:
    """Every run of the study with its cell; the same seeds, and the same users, for all cells."""
    plan = []
    demand = Demand.of(base)
    line = calibration if scale.users_from == "calibration" else None
    for load in scale.loads_percent:
        for seed in scale.seeds:
            match = loads.get((load, seed))
            if scale.users_from == "scenario":
                shared: Mapping[str, int] = {part.key: part.size for part in demand.parts}
            else:
                shared = _users(experiment, demand, load, match, line)
            for configuration in experiment.run_at(scale, load):
                own = configuration.users_at(load)
                sizes = shared if own is None else demand.sizes(own)
                populated = demand.with_sizes(sizes)
                facts = match.to_dict() if match and own is None else _nominal(scale, load, sizes)
                if own is not None:
                    facts["matched_to"] = "users given by the configuration"
                scenario = cell_scenario(populated, configuration)
                plan.append(((configuration.name, load), Job(scenario, seed, offered_load=facts)))
    if not plan:
        raise ExperimentError(f"none of {', '.join(scale.cells)} is run at the chosen loads")
    return plan


def _users(
    experiment: Experiment,
    demand: Demand,
    load_percent: float,
    match: MatchedLoad | None,
    calibration: Calibration | None,
) -> Mapping[str, int]:
    """The users of every population at a load."""
    if match is not None:
        return match.sizes
    line = calibration.line if calibration else experiment.published.line
    if line is None:
        raise ExperimentError(
            f"{experiment.name}: no calibration line gives the number of users for {load_percent:g} %"
        )
    (bottleneck,) = demand.bottlenecks()
    return demand.sizes(line.size(bottleneck.capacity_mbps * load_percent / 100.0))


_MATCHED_TO = {
    "calibration": "our calibration",
    "published": "the published calibration",
    "scenario": "nothing: the scenario sets the traffic",
}


def _nominal(scale: Scale, load_percent: float, sizes: Mapping[str, int]) -> dict[str, object]:
    return {
        "nominal_percent": load_percent,
        "demand": dict(sizes),
        "matched_to": _MATCHED_TO[scale.users_from],
    }
