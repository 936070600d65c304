"""`aqmlab.tune`: the settings of a queue that are best for an objective."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import arguments
from aqmlab.errors import TuneError
from aqmlab.load.parametrized_scheme import warn_of_remarks
from aqmlab.runs.budget import mean_run_time_s, workers_of
from aqmlab.runs.executors import chosen_executor
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds, given_seeds, given_seeds_if_any
from aqmlab.statistics.quantities import RESTRICTED_TO_S
from aqmlab.study.tuning.objectives import NAMES, RESPONSE, Objective
from aqmlab.study.tuning.plan import Plan
from aqmlab.study.tuning.search import search
from aqmlab.study.tuning.space import read_ranges_file, space_of
from aqmlab.terminal.spelling import quoted
from aqmlab.traffic_control import is_linux, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike
    from aqmlab.study.tuning.outcome import Outcome


MOST_TRIALS = 100_000
"""The most candidates of a search."""
MOST_OPTIMISER_SEED = 2**32 - 1
"""The largest seed of the optimiser."""


@arguments.checked(
    TuneError,
    scheme=arguments.text,
    objective=arguments.one_of(*NAMES),
    restricted_to_s=arguments.above_zero,
    weights=arguments.optional(arguments.mapping),
    ranges=arguments.optional(arguments.mapping),
    ranges_file=arguments.optional(arguments.path),
    trials=arguments.whole(1, MOST_TRIALS),
    seeds=given_seeds,
    fresh_seeds=given_seeds_if_any,
    budget_runs=arguments.optional(arguments.whole(1)),
    optimiser_seed=arguments.whole(0, MOST_OPTIMISER_SEED),
    beside=arguments.optional(arguments.text),
    queues=arguments.links,
    store=arguments.folder,
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
    seeds: Iterable[int] | str = "1-4",
    fresh_seeds: Iterable[int] | str = (),
    budget_runs: int | None = None,
    within_s: float | None = None,
    optimiser_seed: int = 1,
    beside: str | None = None,
    queues: Sequence[str] = (),
    store: str | Path = "results/store",
    links: Sequence[str] = (),
    overrides: Mapping[str, object] | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Outcome:
    """Searches for the queue parameters that are best for an objective; needs Optuna (`aqmlab[tune]`).

    All candidates are run with the same seeds; one that is clearly worse than the best so far is stopped
    early. The winner's figures come from seeds that the search did not use. The same call resumes an
    interrupted search from the store.

    A range of `ranges` is `(low, high)`, `{"low": ..., "high": ..., "log": True}`, `{"values": [...]}`, or a
    single value, which holds the parameter fixed; others have the ranges of `tuning/ranges.toml`. Weights are
    by `response`, `idle` and `loss`. Objectives of calls, games and meetings are of the group that is worst
    off; one for nobody in the scenario is refused before any run.

    Args:
        scenario: The link and its users (a `Scenario`, a path, TOML text, a dict).
        scheme: Queue discipline to tune; as Linux spells it, parameters that its words give are held fixed.
        objective: What to optimise: best-response-times (the mean of min(t, limit)), highest-utilization,
            lowest-drop-rate, weighted, page (half of them) or page-load-p50, -p75, -p90, -p95, -p99; of
            calls, games and meetings call-delay-p95, call-loss, mos, game-delay-p95, game-jitter, game-loss,
            meeting-delay-p95, meeting-frozen, cloud-game-delay-p95, or worst-off: whichever suffers most;
            of the line alone rpm, its round trips per minute with downloads and uploads at once (aqmlab rpm).
        restricted_to_s: The limit above: longer responses count as this.
        weights: For weighted: weights of the mean response time (s), the idle share and the loss ratio; 1
            each by default.
        ranges: Search this range of a queue parameter, or fix it with KEY=VALUE; repeatable.
        ranges_file: Ranges per scheme, in the format of aqmlab's ranges.toml.
        trials: Number of candidates.
        seeds: Seeds for comparing candidates; a clearly worse candidate is stopped after the first few.
        fresh_seeds: Seeds for the printed results; by default the next eight after --seeds, or as many as
            --seeds.
        budget_runs: Stop proposing candidates after this many runs.
        within_s: Time to do it in, by an estimate for this machine: fewer candidates are tried if all do not
            fit, with a warning.
        optimiser_seed: Seed of the optimiser; the same seed proposes the same candidates.
        beside: Also evaluate the settings of an experiment's cells, or of these cells or groups of cells.
        queues: Links whose queues are tuned, all alike; by default the judged links with a queue.
        store: Folder for finished runs.
        links: Links for throughput, loss and queue; by default those that carry data.
        overrides: Dotted keys with the values that replace the scenario's.
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
    sought = Objective(objective, restricted_to_s, **({"weights": weights} if weights else {}))
    engine = chosen_executor(executor, workers)
    if within_s is not None:
        sought.require_in(base)
        workers = workers_of(engine)
        plan = plan.within(within_s, mean_run_time_s([sought.scenario_of(base)], workers) / workers)
    name, fixed = scheme, frozenset[str]()
    if is_linux(scheme):
        queue = read(scheme)
        name, fixed = queue.scheme, queue.given
        warn_of_remarks([scheme])
    own = {} if ranges_file is None else read_ranges_file(Path(ranges_file), name, folder=base.folder)
    given = {key: _range(key, each) for key, each in (ranges or {}).items()}
    return search(
        base,
        space_of(name, {**own, **given}, folder=base.folder).without(fixed - {*own, *given}),
        sought,
        plan,
        store=Path(store),
        executor=engine,
        beside=beside,
        links=links,
        queues=queues,
        progress=progress,
        typed=scheme,
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
