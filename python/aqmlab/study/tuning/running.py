"""`aqmlab.tune`: the settings of a queue that are best for an objective."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import arguments
from aqmlab.errors import TuneError
from aqmlab.runs.executors import chosen_executor
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds
from aqmlab.statistics.summary import RESTRICTED_TO_S
from aqmlab.study.tuning.objectives import RESPONSE, Objective
from aqmlab.study.tuning.plan import Plan
from aqmlab.study.tuning.search import search
from aqmlab.study.tuning.space import read_ranges_file, space_of
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike
    from aqmlab.study.tuning.outcome import Outcome


MOST_TRIALS = 100_000
"""The most candidates of a search."""


@arguments.checked(
    TuneError,
    scheme=arguments.text,
    objective=arguments.text,
    restricted_to_s=arguments.above_zero,
    weights=arguments.optional(arguments.mapping),
    ranges=arguments.optional(arguments.mapping),
    ranges_file=arguments.optional(arguments.path),
    trials=arguments.whole(1, MOST_TRIALS),
    budget_runs=arguments.optional(arguments.whole(1)),
    overrides=arguments.optional(arguments.mapping),
    beside=arguments.optional(arguments.text),
    links=arguments.links,
    queues=arguments.links,
    store=arguments.path,
    progress=arguments.flag,
)
def tune(
    scenario: ScenarioLike,
    *,
    scheme: str = "red",
    objective: str = RESPONSE,
    restricted_to_s: float = RESTRICTED_TO_S,
    weights: Mapping[str, float] | None = None,
    ranges: Mapping[str, object] | None = None,
    ranges_file: str | Path | None = None,
    trials: int = 40,
    seeds: Iterable[int] | str = (1, 2, 3, 4),
    fresh_seeds: Iterable[int] | str = (),
    overrides: Mapping[str, object] | None = None,
    budget_runs: int | None = None,
    optimiser_seed: int = 1,
    beside: str | None = None,
    links: Sequence[str] = (),
    queues: Sequence[str] = (),
    store: str | Path = "results/store",
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Outcome:
    """Searches for the queue parameters that are best for an objective; needs Optuna (`aqmlab[tune]`).

    All candidates are run with the same seeds; one that is clearly worse than the best so far is stopped
    early. The figures of the winner come from seeds that the search did not use. The same call resumes an
    interrupted search from the store.

    Args:
        scenario: The link and its users (a `Scenario`, a path, TOML text, a dict).
        scheme: The queue discipline, or `FILE.py:CLASS`.
        objective: `best-response-times` (the mean of min(t, limit)), `highest-utilization`,
            `lowest-drop-rate`, `weighted`, or `page-load-p50` to `page-load-p99`.
        restricted_to_s: The limit above in seconds, above 0.
        weights: For `weighted`: what the mean response time (`response`, s), the `idle` share and the `loss`
            ratio (0 to 1) count; 1 each by default.
        ranges: By parameter: `(low, high)`, `{"low": ..., "high": ..., "log": True}`, `{"values": [...]}`, or
            a single value that holds it fixed. Others have the ranges of `tuning/ranges.toml`.
        ranges_file: A file of ranges by scheme, for those that `ranges` does not have.
        trials: Number of candidates, at least 1.
        seeds: Seeds for comparing candidates, as a list or as in `1-8`; one that is given twice counts once.
        fresh_seeds: Seeds of the printed figures; by default the next eight after `seeds`, or as many.
        overrides: Dotted keys with the values that replace the scenario's.
        budget_runs: No candidate is proposed after so many runs, at least 1.
        optimiser_seed: Seed of the optimiser, from 0 to 2³² − 1.
        beside: An experiment whose settings are evaluated too; `EXPERIMENT:CELL,...` for some of its cells.
        links: The links that utilization, loss and queue are of; by default those that carry data.
        queues: The links whose queues are set, all alike; by default those of `links`.
        store: A folder for finished runs by content.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Returns:
        The outcome: `best` is the scenario of the winner, `save(folder)` writes tables and a figure.

    Raises:
        TuneError: The scheme, a parameter, a range or the objective is not legal; nothing was run.
        UnknownLinkError: A link is not monitored; nothing was run.
        DemandError: No monitored link carries data; nothing was run.
        ScenarioError: The scenario is refused.
        RunError: A run failed; finished runs are kept.
    """
    plan = Plan(
        trials,
        Seeds.of(seeds, refusal=TuneError),
        Seeds.of(fresh_seeds, argument="fresh_seeds", refusal=TuneError, may_be_empty=True),
        budget_runs,
        optimiser_seed=optimiser_seed,
    )
    base = Scenario.of(scenario, overrides=overrides)
    own = {} if ranges_file is None else read_ranges_file(Path(ranges_file), scheme, folder=base.folder)
    given = {name: _range(name, each) for name, each in (ranges or {}).items()}
    return search(
        base,
        space_of(scheme, {**own, **given}, folder=base.folder),
        Objective(objective, restricted_to_s, **({"weights": weights} if weights else {})),
        plan,
        store=Path(store),
        executor=chosen_executor(executor, workers),
        beside=beside,
        links=links,
        queues=queues,
        progress=progress,
    )


def _range(name: str, given: object) -> Any:  # noqa: ANN401 (as in a file: a table or a value)
    if isinstance(given, Mapping):
        return dict(given)
    if not isinstance(given, tuple):
        return given
    if len(given) != 2:
        raise TuneError(
            f"ranges.{name}: low and high, not {quoted(given)}", place=f"ranges.{name}", value=given
        )
    return {"low": given[0], "high": given[1]}
