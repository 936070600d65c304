"""The search: an optimiser proposes candidates, racing stops the worse, fresh seeds give the figures.

Beside what it finds, settings that an experiment runs are evaluated too.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.errors import ScenarioError, TuneError
from aqmlab.load.demand import named_links
from aqmlab.load.queues import Queues
from aqmlab.papers import experiments
from aqmlab.runs import Job, run_each
from aqmlab.runs.budget import announce_runs
from aqmlab.scenario import Scenario
from aqmlab.statistics import judged_links
from aqmlab.statistics.run_summary import figures
from aqmlab.study.tuning.candidates import Candidate, TrialState, front
from aqmlab.study.tuning.outcome import Outcome
from aqmlab.study.tuning.proposals import Proposals, require_optuna
from aqmlab.study.tuning.racing import adjusted, is_worse, rungs
from aqmlab.terminal.progress import Bar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab.runs.executors import Executor
    from aqmlab.statistics.run_summary import Figures
    from aqmlab.study.tuning.objectives import Objective
    from aqmlab.study.tuning.running import Plan
    from aqmlab.study.tuning.space import Space


def search(
    scenario: Scenario,
    space: Space,
    objective: Objective,
    plan: Plan,
    *,
    store: Path,
    executor: Executor,
    beside: str | None = None,
    links: Sequence[str] = (),
    queues: Sequence[str] = (),
    progress: bool = True,
    typed: str | None = None,
) -> Outcome:
    """Searches, and evaluates what was found on fresh seeds."""
    require_optuna()
    named_links(scenario, links)
    searched = Queues.of(scenario, queues or links, argument="queues" if queues else "links")
    objective.require_in(scenario)
    if progress:
        announce_runs(objective.scenario_of(scenario), plan.most_runs, executor)
    base = searched.with_scheme(scenario, typed or space.scheme)
    published = settings_of(beside, base, searched, space) if beside else []
    evaluation = _Evaluation(store, executor, objective, links, progress)
    start = _start(scenario, base, searched, space)
    # A queue of another scheme takes no part in the search; what it does is run and shown beside it.
    given = start if start.origin == "scenario" else _given(scenario, searched)
    # The search asks for a few runs at a time: worker processes stay from one time to the next.
    with executor if isinstance(executor, AbstractContextManager) else nullcontext():
        candidates = _Search(
            start, base, searched, space=space, plan=plan, evaluation=evaluation
        ).candidates()
        full = [candidate for candidate in candidates if candidate.state is TrialState.FULL]
        winner = min(full, key=lambda candidate: candidate.estimate or 0.0)
        compared = dict.fromkeys((*full, given, *published))
        runs = [(candidate, seed) for candidate in compared for seed in plan.fresh_seeds]
        with evaluation.bar("fresh seeds", len(runs), base) as bar:
            evaluation.run(runs, bar, fresh=True)
    return Outcome(
        base=base,
        given=given,
        space=space,
        objective=objective,
        plan=plan,
        candidates=tuple(candidates),
        winner=winner,
        front=tuple(front(full, objective)),
        published=tuple(published),
        runs=evaluation.asked,
        links=evaluation.judged,
        queues=searched.keys,
    )


@dataclass
class _Evaluation:
    """Makes runs, or finds them in the store, and notes their figures."""

    store: Path
    executor: Executor
    objective: Objective
    links: Sequence[str]
    progress: bool
    asked: int = 0
    judged: tuple[str, ...] = ()

    def bar(self, label: str, runs: int, base: Scenario) -> Bar:
        return Bar(
            label=label,
            runs=runs,
            total_s=runs * self.objective.scenario_of(base).duration_s,
            hidden=not self.progress,
        )

    def run(
        self, wanted: Sequence[tuple[Candidate, int]], bar: Bar, *, done: int = 0, fresh: bool = False
    ) -> int:
        """Makes the runs; returns how many are done, counted from `done`."""
        scenarios = [candidate.scenario for candidate, _ in wanted if candidate.scenario is not None]
        jobs = [
            Job(self.objective.scenario_of(scenario), seed, label=candidate.label)
            for scenario, (candidate, seed) in zip(scenarios, wanted, strict=True)
        ]
        self.asked += len(jobs)
        made: dict[int, Figures] = {}
        for position, result in run_each(jobs, store=self.store, progress=False, executor=self.executor):
            made[position] = figures(result, restricted_to_s=self.objective.restricted_to_s, links=self.links)
            made[position] |= self.objective.figures_of(result, scenarios[position])
            self.judged = tuple(link["name"] for link in judged_links(result, self.links))
            done += 1
            bar.show(done_s=done * jobs[position].scenario.duration_s, finished=done)
        # In the order of the plan, not of their ends: the last bit of a sum depends on the order.
        for position, (candidate, seed) in enumerate(wanted):
            (candidate.fresh if fresh else candidate.figures)[seed] = made[position]
        return done


class _Search:
    """Proposes candidates and lets them race against the best so far."""

    def __init__(
        self,
        start: Candidate,
        base: Scenario,
        queues: Queues,
        *,
        space: Space,
        plan: Plan,
        evaluation: _Evaluation,
    ) -> None:
        self._space = space
        self._objective = evaluation.objective
        self._plan = plan
        self._evaluation = evaluation
        self._scenario = base
        self._queues = queues
        self._start = start
        self._incumbent = start
        self._proposals = Proposals(space, plan)
        self._done = 0

    def candidates(self) -> list[Candidate]:
        """What the search starts from, then every candidate in the order of the proposals."""
        plan, found = self._plan, [self._start]
        runs = (plan.trials + 1) * len(plan.seeds)
        label = f"{self._space.scheme}, {self._objective.name}"
        with self._evaluation.bar(label, runs, self._scenario) as bar:
            self._race([self._start], bar)
            while len(found) <= plan.trials and self._may_go_on():
                size = min(plan.batch, plan.trials + 1 - len(found))
                found += self._batch(size, first=len(found), bar=bar)
        return found

    def _may_go_on(self) -> bool:
        budget = self._plan.budget_runs
        return budget is None or self._evaluation.asked < budget

    def _batch(self, size: int, *, first: int, bar: Bar) -> list[Candidate]:
        drawn = self._proposals.draw(size)
        batch = [self._candidate(each, first + place) for place, each in enumerate(drawn)]
        self._race([candidate for candidate in batch if candidate.state is not TrialState.REFUSED], bar)
        self._done += len(self._plan.seeds) * sum(each.state is TrialState.REFUSED for each in batch)
        self._proposals.learn([candidate.estimate for candidate in batch])
        return batch

    def _candidate(self, drawn: dict[str, Any], number: int) -> Candidate:
        settings = self._space.settings(drawn)
        label = f"trial {number}"
        try:
            scenario = self._queues.with_settings(self._scenario, settings)
        except ScenarioError as error:
            return Candidate(label, settings, None, "search", str(error), TrialState.REFUSED)
        return Candidate(label, settings, scenario, "search")

    def _race(self, batch: Sequence[Candidate], bar: Bar) -> None:
        racing = list(batch)
        left = len(self._plan.seeds)
        for seeds in rungs(self._plan.seeds):
            wanted = [(candidate, seed) for seed in seeds for candidate in racing]
            self._done = self._evaluation.run(wanted, bar, done=self._done)
            left -= len(seeds)
            if left == 0:
                break
            slower = [each for each in racing if self._is_beaten(each)]
            for candidate in slower:
                candidate.state = TrialState.STOPPED
                self._done += left
            racing = [candidate for candidate in racing if candidate not in slower]
        reference = self._start.costs(self._objective)
        for candidate in batch:
            candidate.estimate = adjusted(candidate.costs(self._objective), reference)
        for candidate in racing:
            if (candidate.estimate or 0.0) < (self._incumbent.estimate or 0.0):
                self._incumbent = candidate

    def _is_beaten(self, candidate: Candidate) -> bool:
        if candidate is self._incumbent:
            return False
        return is_worse(candidate.costs(self._objective), self._incumbent.costs(self._objective))


def _start(scenario: Scenario, base: Scenario, queues: Queues, space: Space) -> Candidate:
    """What the search starts from: the scenario as given, or with the defaults of another scheme."""
    names = [parameter.name for parameter in space.parameters]
    settings, in_force = queues.settings(base, names), queues.settings_in_force(base, names)
    if base is scenario:
        return Candidate("as given", settings, base, "scenario", in_force=in_force)
    return Candidate(f"defaults of {space.scheme}", settings, base, "defaults", in_force=in_force)


def _given(scenario: Scenario, queues: Queues) -> Candidate:
    return Candidate(f"as given ({', '.join(queues.schemes(scenario))})", {}, scenario, "scenario")


def settings_of(named: str, base: Scenario, queues: Queues, space: Space) -> list[Candidate]:
    """The settings of an experiment's cells, laid over a scenario's queues; equal ones are one candidate."""
    name, _, cells = named.partition(":")
    experiment = experiments.load(name)
    names = [cell.strip() for cell in cells.split(",")] if cells else list(experiment.configurations)
    parameters = [parameter.name for parameter in space.parameters]
    study = Scenario.from_toml(experiment.scenario_toml, source_name=name)
    candidates: dict[str, Candidate] = {}
    for cell in experiment.cells_of(names):
        configuration = experiment.configuration(cell)
        own = study.with_overrides(configuration.overrides)
        theirs = Queues.of(own)
        if configuration.twin or theirs.schemes(own) != [space.scheme]:
            continue
        settings = {
            key: value for key, value in theirs.settings(own, parameters).items() if value is not None
        }
        if (known := candidates.get(str(settings))) is not None:
            known.note += f", {cell}"
            continue
        scenario = queues.with_settings(base, settings)
        candidates[str(settings)] = Candidate(
            configuration.label, settings, scenario, name, f"{name}: {cell}"
        )
    if not candidates:
        raise TuneError(f"beside {named}: none of its cells has a queue of {space.scheme}")
    return list(candidates.values())
