"""Settings that an experiment runs, to be evaluated beside what the search finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import TuneError
from aqmlab.load.queues import Queues
from aqmlab.papers import experiments
from aqmlab.scenario import Scenario
from aqmlab.study.tuning.candidates import Candidate

if TYPE_CHECKING:
    from aqmlab.study.tuning.space import Space


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
