"""`aqmlab.tune`: the settings of a queue that are best for an objective, and how much is searched."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import arguments
from aqmlab.errors import TuneError
from aqmlab.load.parametrized_scheme import warn_of_remarks
from aqmlab.runs import SEED_MAX
from aqmlab.runs.budget import in_words, mean_run_time_s, workers_of
from aqmlab.runs.executors import chosen_executor
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds, given_seeds, given_seeds_if_any
from aqmlab.statistics.quantities import RESTRICTED_TO_S
from aqmlab.study.tuning.objectives import NAMES, RESPONSE, Objective
from aqmlab.study.tuning.search import search
from aqmlab.study.tuning.space import read_ranges_file, space_of
from aqmlab.terminal.spelling import counted, quoted
from aqmlab.traffic_control import is_linux, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike
    from aqmlab.study.tuning.outcome import Outcome

_SHOWN = 5
"""So many candidates, about, are run with fresh seeds: the winner, those on the front, the start."""


@dataclass(frozen=True)
class Plan:
    """How much is searched, and with which random numbers.

    Attributes:
        trials: Candidates that the optimiser proposes.
        seeds: The seeds that candidates are compared on.
        fresh_seeds: The seeds that the figures come from; none of them is a search seed.
        budget_runs: No candidate is proposed once so many runs were asked for; none: no limit.
        batch: Candidates that are proposed together. The search depends on it, never on workers.
        optimiser_seed: Seed of the optimiser.
    """

    trials: int = 40
    seeds: tuple[int, ...] = (1, 2, 3, 4)
    fresh_seeds: tuple[int, ...] = field(default=())
    budget_runs: int | None = None
    batch: int = 4
    optimiser_seed: int = 1

    @property
    def most_runs(self) -> int:
        """The runs of the search, if none is stopped early, and those of what is shown with fresh seeds."""
        return (self.trials + 1) * len(self.seeds) + _SHOWN * len(self.fresh_seeds)

    def within(self, seconds: float, each_s: float) -> Plan:
        """A plan with as many candidates as a time has room for; a warning tells of fewer."""
        around = self.most_runs - self.trials * len(self.seeds)
        most = min(0.9 * seconds / each_s, float(self.most_runs))
        trials = int((most - around) / len(self.seeds))
        if trials < 1:
            least_s = (around + len(self.seeds)) * each_s / 0.9
            legal = f"{in_words(max(least_s, 1.0))} or more, or fewer seeds and fresh seeds"
            raise TuneError(
                f"within {in_words(seconds)} there is no time for one candidate; legal: {legal}",
                place="within_s",
                value=seconds,
                legal=legal,
            )
        if trials < self.trials:
            told = f"{trials} of {counted(self.trials, 'candidate')}"
            warnings.warn(f"within {in_words(seconds)}: {told}", stacklevel=3)
        return replace(self, trials=min(trials, self.trials))

    def __post_init__(self) -> None:
        for name in ("trials", "budget_runs", "batch"):
            given = getattr(self, name)
            if given is not None or name != "budget_runs":
                object.__setattr__(self, name, TuneError.whole(name, given, 1))
        TuneError.whole("optimiser_seed", self.optimiser_seed, 0, 2**32 - 1)
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise TuneError("seeds: at least one, and each once", place="seeds", value=self.seeds)
        if not self.fresh_seeds:
            after, count = max(self.seeds) + 1, max(8, len(self.seeds))
            if after + count > SEED_MAX + 1:
                raise TuneError(
                    f"seeds: no {count} fresh seeds are left after {max(self.seeds)}: give fresh ones",
                    place="seeds",
                    value=max(self.seeds),
                )
            object.__setattr__(self, "fresh_seeds", tuple(range(after, after + count)))
        if shared := set(self.seeds) & set(self.fresh_seeds):
            raise TuneError(
                f"fresh seeds: {min(shared)} is a search seed; a fresh seed is one the search never saw",
                place="fresh_seeds",
                value=min(shared),
            )


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
