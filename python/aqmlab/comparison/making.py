"""`aqmlab.compare`: compares existing results, or runs one scenario under several schemes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from aqmlab.comparison.comparison import Comparison
from aqmlab.comparison.pairing import ComparisonError
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from aqmlab.scenario import Scenario, ScenarioLike
    from aqmlab.statistics import Recorded

Results: TypeAlias = "Mapping[str, Sequence[Recorded]]"
DEFAULT_SEEDS = range(1, 9)
"""Two more than an interval needs."""


def compare(
    what: ScenarioLike | Mapping[str, Sequence[Recorded]] | Mapping[str, ScenarioLike],
    *,
    schemes: Sequence[str] = (),
    seeds: Sequence[int] = DEFAULT_SEEDS,
    baseline: str | None = None,
    links: Sequence[str] = (),
    population: str | None = None,
    same_users: bool = True,
    store: str | Path | None = None,
    workers: int | None = None,
    progress: bool = False,
) -> Comparison:
    """Compares queue disciplines, or whole configurations, with the same seeds.

    Args:
        what: One scenario (a `Scenario`, a path, TOML text, a dict) together with `schemes`; or scenarios by
            name; or results by name, one for each seed, in which case nothing is run.
        schemes: Queue disciplines to put into the one scenario, with their defaults and its buffers
            (`Queues.with_scheme`), or with parameters: `codel:target_ms=20`.
        seeds: Seeds of the runs; at least six for confidence intervals.
        baseline: The baseline configuration of the differences; by default the first.
        links: The judged links; by default those that carry data.
        population: The population whose response times are compared; by default all together.
        same_users: Whether different users on one side are an error; only a comparison of loads turns this
            off.
        store: A folder for finished runs, which are not repeated.
        workers: Number of parallel runs; by default one per core.
        progress: Whether to show a progress bar.

    Raises:
        ScenarioError: The scenario, or a scheme in it, is refused.
        ComparisonError: The results cannot be paired, or an argument is of another kind; the message names
            the seed, the setting or the argument.
        UnknownLinkError: A link is not monitored.
    """
    _require_list("links", links, "['left-to-right']")
    results = _results(what, schemes, seeds, store=store, workers=workers, progress=progress)
    return Comparison.of(
        results, baseline=baseline, links=links, population=population, same_users=same_users
    )


def _require_list(argument: str, given: object, example: str) -> None:
    """Refuses what is no list, and texts, which Python takes for lists of letters."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ComparisonError(f"{argument}: a list such as {example}, not {quoted(given)}")


def _results(
    what: ScenarioLike | Mapping[str, Sequence[Recorded]] | Mapping[str, ScenarioLike],
    schemes: Sequence[str],
    seeds: Sequence[int],
    *,
    store: str | Path | None,
    workers: int | None,
    progress: bool,
) -> Results:
    from aqmlab.runs import Job, run_many  # noqa: PLC0415 (results at hand need no runner)
    from aqmlab.scenario import Scenario  # noqa: PLC0415

    if schemes and not _are_configurations(what):
        scenarios = configurations(Scenario.of(cast("ScenarioLike", what)), schemes)
    elif schemes:
        raise ComparisonError("schemes need one scenario; legal: one scenario, or no schemes")
    else:
        given = _given(what)
        of_scenarios = {name: each for name, each in given.items() if isinstance(each, Scenario | str | Path)}
        if not of_scenarios:
            return cast("Results", given)
        if len(of_scenarios) < len(given):
            raise ComparisonError("scenarios and results are mixed; legal: scenarios alone, or results alone")
        scenarios = {name: Scenario.of(each) for name, each in of_scenarios.items()}
    _require_list("seeds", seeds, "range(1, 9)")
    seeds = list(dict.fromkeys(seeds))
    if not seeds:
        raise ComparisonError("seeds: one or more, such as range(1, 9)")
    jobs = [Job(scenario, seed) for scenario in scenarios.values() for seed in seeds]
    results = run_many(jobs, store=store, workers=workers, progress=progress)
    return {
        name: results[place * len(seeds) : (place + 1) * len(seeds)] for place, name in enumerate(scenarios)
    }


def _given(what: object) -> Mapping[str, object]:
    """Configurations by name, as they were handed over."""
    if not isinstance(what, Mapping):
        raise ComparisonError(
            f"{quoted(what)} cannot be compared; legal: a scenario with schemes=[...], or a dict of "
            "scenarios or of lists of results, by name"
        )
    if not what:
        raise ComparisonError("nothing to compare; legal: two configurations or more")
    return what


def _are_configurations(what: object) -> bool:
    """Whether it holds scenarios or results by name; a scenario as a dict holds neither."""
    from aqmlab.scenario import Scenario  # noqa: PLC0415

    if not isinstance(what, Mapping):
        return False
    return all(isinstance(each, Scenario | list | tuple | Path) for each in what.values())


def configurations(
    scenario: Scenario, schemes: Sequence[str], links: Sequence[str] = ()
) -> dict[str, Scenario]:
    """A scenario under several schemes, by their names.

    Args:
        scenario: The scenario.
        schemes: Two or more different schemes, optionally with parameters: `codel:target_ms=20`.
        links: The links that get the schemes; by default those that carry data.

    Raises:
        ComparisonError: There are fewer than two schemes, or two of them are the same configuration.
        ScenarioError: A scheme is invalid.
        DemandError: A link is not monitored, or none carries data.
    """
    from aqmlab.load.queues import Queues  # noqa: PLC0415 (results at hand need no queues)

    _require_list("schemes", schemes, "['drop-tail', 'red']")
    for scheme in schemes:
        if not isinstance(scheme, str):
            raise ComparisonError(
                f"schemes: names, perhaps with parameters, such as 'codel:target_ms=20', not {quoted(scheme)}"
            )
    if len(schemes) < 2:
        raise ComparisonError("schemes: two or more, such as drop-tail and red")
    found = Queues.of(scenario, links)
    made: dict[str, Scenario] = {}
    for scheme in schemes:
        own = found.with_scheme(scenario, scheme)
        same = next((name for name, other in made.items() if other == own), None)
        if same is not None:
            both = f"{same} and {scheme} are the same configuration"
            twice = f"{scheme} is given twice" if same == scheme else both
            raise ComparisonError(f"schemes: {twice}; legal: each configuration once")
        made[scheme] = own
    return made
