"""`aqmlab.compare`: compares existing results, or runs one scenario under several schemes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from aqmlab import arguments
from aqmlab.comparison.comparison import Comparison, compared
from aqmlab.comparison.reading import read_configurations, read_first_stage, results_of, unfinished
from aqmlab.errors import ComparisonError
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from aqmlab.comparison.reading import Results
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario, ScenarioLike
    from aqmlab.statistics import Recorded

DEFAULT_SCHEMES = ("pie", "fq-codel", "cake")
"""What a scenario's own queues are compared with, where nobody says."""
DEFAULT_SEEDS = "1-8"
"""Two more than an interval needs."""


@arguments.checked(
    ComparisonError,
    schemes=arguments.listed("['drop-tail', 'red']"),
    seeds=given_seeds,
    queues=arguments.texts("['left-to-right']"),
    until_width_s=arguments.optional(arguments.above_zero),
    links=arguments.texts("['left-to-right']"),
    output=arguments.optional(arguments.folder),
    baseline=arguments.optional(arguments.text),
    store=arguments.optional(arguments.path),
)
def compare(
    what: ScenarioLike | Results | Mapping[str, ScenarioLike],
    *,
    schemes: Sequence[str] = (),
    seeds: Iterable[int] | str = DEFAULT_SEEDS,
    queues: Sequence[str] = (),
    queue_in: str | None = None,
    shaped_share: float | None = None,
    until_width_s: float | None = None,
    within_s: float | None = None,
    links: Sequence[str] = (),
    overrides: Mapping[str, object] | None = None,
    output: str | Path | None = None,
    baseline: str | None = None,
    population: str | None = None,
    same_users: bool = True,
    store: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Comparison:
    """Compares queue disciplines, or whole configurations, with the same seeds.

    Args:
        what: One scenario (a `Scenario`, a path, TOML text, a dict), with `schemes` or by itself; or
            scenarios by name; or results, of which nothing is run: by name, a list with one result for each
            seed or the folder of these; or the folder of a comparison.
        schemes: Queue disciplines to compare, with the scenario's buffer limits and default parameters or
            given ones, such as codel:target_ms=20:interval_ms=200, or as Linux spells them, such as fq_codel
            target 20ms. The first is the baseline; one alone is compared with the scenario's own queues. By
            default these are compared with pie, fq-codel and cake. `aqmlab list` prints the names, `aqmlab
            explain NAME` the parameters.
        seeds: Random seeds to run; at least 6 for confidence intervals.
        queues: Links that get the schemes; by default those that carry data, or of a `[line]` those whose
            queues act.
        queue_in: Whose queues the schemes are, of a home's line: router (which shapes the line),
            router-unshaped, modem (the way up alone), provider (the way down alone) or line (modem and
            provider). The line as it is comes first, and is the baseline.
        shaped_share: The share of the line's rate that the router leaves it; by default the file's, or 0.95.
        until_width_s: Add seeds until the confidence interval of each difference of the median page load time
            is at most so many seconds wide. Runs that measure less than twice their warm-up and cool-down are
            lengthened first. The seeds of --seeds decide how many it takes.
        within_s: Time to do it in, by an estimate for this machine: fewer seeds are run, or one of shorter
            runs, if more do not fit, with a warning.
        links: Links for throughput, loss and queue; by default those that carry data.
        overrides: Dotted keys with the values that replace the scenario's, or those of every scenario.
        output: A folder for the results, which `aqmlab.compare(folder)` and `aqmlab report` read; finished
            runs there are not repeated.
        baseline: The baseline of the differences, by its name or as its scheme was typed; by default the
            first.
        population: The population whose response times are compared; by default all together.
        same_users: Whether different users on one side are an error; only a comparison of loads turns this
            off.
        store: A folder for finished runs by content.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Raises:
        ScenarioError: The scenario, or a scheme in it, is refused.
        ComparisonError: The results cannot be paired, or an argument is of another kind; the message names
            the seed, the setting or the argument.
        UnknownLinkError: A link is not monitored; of scenarios nothing was run.
        DemandError: No monitored link carries data; nothing was run.
    """
    scenarios = _scenarios(what, schemes, queues, overrides, (queue_in, shaped_share))
    if schemes and baseline is not None:
        from aqmlab.load.parametrized_scheme import labels_of  # noqa: PLC0415

        baseline = labels_of(schemes).get(baseline, baseline)
    if scenarios is None:
        if overrides:
            raise ComparisonError(
                "overrides: only of scenarios; these are results", place="overrides", value=dict(overrides)
            )
        results, first_stage, lacks = _at_hand(cast("Results", what))
        return Comparison.of(
            results,
            baseline=baseline,
            links=links,
            population=population,
            same_users=same_users,
            first_stage=first_stage,
            unfinished=lacks,
        )
    from aqmlab.comparison.running import run_comparison  # noqa: PLC0415 (results at hand need no runner)
    from aqmlab.runs.budget import affordable  # noqa: PLC0415
    from aqmlab.runs.executors import chosen_executor  # noqa: PLC0415

    if within_s is not None and until_width_s is not None:
        raise ComparisonError("within_s: excludes until_width_s; legal: one of the two", place="within_s")
    engine, wanted = chosen_executor(executor, workers), Seeds.of(seeds, refusal=ComparisonError)
    room = affordable([*scenarios.values()], wanted, within_s, engine, may_shorten=True)
    return run_comparison(
        room.of(scenarios),
        room.seeds,
        until_width_s=until_width_s,
        folder=None if output is None else Path(output),
        store=None if store is None else Path(store),
        executor=engine,
        progress=progress,
        told=partial(compared, baseline=baseline, same_users=same_users),
        links=links,
        population=population,
        same_users=same_users,
    )


def _scenarios(
    what: object,
    schemes: Sequence[str],
    queues: Sequence[str],
    overrides: Mapping[str, object] | None,
    placed: tuple[str | None, float | None],
) -> dict[str, Scenario] | None:
    """The scenarios to run, by name; none where results are at hand."""
    from aqmlab.scenario import Scenario  # noqa: PLC0415

    if schemes:
        if _are_configurations(what):
            raise ComparisonError(
                "schemes need one scenario; legal: one scenario, or no schemes", place="schemes"
            )
        scenario = Scenario.of(cast("ScenarioLike", what), overrides=overrides)
        return configurations(scenario, schemes, queues, *placed)
    if isinstance(what, Scenario) or (not _is_folder(what) and _is_one_scenario(what)):
        scenario = Scenario.of(cast("ScenarioLike", what), overrides=overrides)
        return configurations(scenario, (), queues, *placed)
    if any(placed):
        raise ComparisonError("queue_in: says where schemes stand; legal: of one scenario", place="queue_in")
    if _is_folder(what):
        return None
    given = _given(what)
    of_scenarios = {
        name: each
        for name, each in given.items()
        if isinstance(each, Scenario | str | Path) and not _is_folder(each)
    }
    if not of_scenarios:
        return None
    if len(of_scenarios) < len(given):
        raise ComparisonError("scenarios and results are mixed; legal: scenarios alone, or results alone")
    return {name: Scenario.of(each, overrides=overrides) for name, each in of_scenarios.items()}


def _at_hand(what: Results) -> tuple[Mapping[str, Sequence[Recorded]], int, str]:
    """Results by name, how many of the first seeds decided how many there are, and what is unfinished."""
    if not isinstance(what, str | Path):
        return results_of(what, ComparisonError), 0, ""
    folder = Path(what)
    results = read_configurations([folder])
    return results, read_first_stage([folder], results), unfinished([folder], results)


def _given(what: object) -> Mapping[str, object]:
    """Configurations by name, as they were handed over."""
    if not isinstance(what, Mapping):
        legal = (
            "a scenario with schemes=[...], a dict of scenarios or of lists of results by name, or the "
            "folder of a comparison"
        )
        absent = isinstance(what, str | Path) and not _is_file(what)
        why = ": there is no such file or folder" if absent else " cannot be compared"
        raise ComparisonError(f"{quoted(what)}{why}; legal: {legal}", place="what", value=what, legal=legal)
    if not what:
        raise ComparisonError("nothing to compare; legal: two configurations or more")
    return what


def _is_one_scenario(what: object) -> bool:
    """Whether it is a scenario's file or text, or a document of one."""
    if isinstance(what, Mapping):
        return "duration_s" in what
    return isinstance(what, str | Path) and (_is_file(what) or "\n" in str(what))


def _is_file(what: str | Path) -> bool:
    """Whether there is a file of this name; a scenario as text is too long, or no name at all."""
    with suppress(OSError, ValueError):
        return Path(what).is_file()
    return False


def _is_folder(what: object) -> bool:
    """Whether it names a folder of results; likewise."""
    with suppress(OSError, ValueError):
        return isinstance(what, str | Path) and Path(what).is_dir()
    return False


def _are_configurations(what: object) -> bool:
    """Whether it holds scenarios or results by name; a scenario as a dict holds neither."""
    from aqmlab.scenario import Scenario  # noqa: PLC0415

    if not isinstance(what, Mapping):
        return False
    return all(isinstance(each, Scenario | list | tuple | Path) for each in what.values())


def configurations(
    scenario: Scenario,
    schemes: Sequence[str],
    links: Sequence[str] = (),
    queue_in: str | None = None,
    shaped_share: float | None = None,
) -> dict[str, Scenario]:
    """A scenario under several schemes, by their names.

    Args:
        scenario: The scenario.
        schemes: Different schemes, optionally with parameters: `codel:target_ms=20`, or as Linux spells them;
            one alone is compared with the scenario's own queues. None: these, and `DEFAULT_SCHEMES`.
        links: The links that get the schemes; by default those that carry data.
        queue_in: Whose queues on a line they are; the line as it is then comes first.
        shaped_share: The share of its rate that a router leaves the line.

    Raises:
        ComparisonError: Two are the same configuration, such as the only scheme and the scenario as it is.
        RefusalError: There is no such place, or the network is no line.
        ScenarioError: A scheme is invalid.
        UnknownLinkError: A link is not monitored.
        DemandError: None carries data.
    """
    ComparisonError.require_list("schemes", schemes, "['drop-tail', 'red']")
    if not schemes:
        return _beside_its_own(scenario, links, queue_in, shaped_share)
    for scheme in schemes:
        if not isinstance(scheme, str):
            raise ComparisonError(
                "schemes: names, perhaps with parameters, such as 'codel:target_ms=20', not "
                f"{quoted(scheme)}",
                place="schemes",
                value=scheme,
            )
    if queue_in is not None:
        return _placed(scenario, schemes, links, queue_in, shaped_share)
    if shaped_share is not None:
        raise ComparisonError(
            "shaped_share: only a router shapes; legal: together with queue_in = router", place="shaped_share"
        )
    from aqmlab.load.queues import Queues  # noqa: PLC0415 (results at hand need no queues)
    from aqmlab.presets.line import AS_IT_IS  # noqa: PLC0415

    found = Queues.of(scenario, links, argument="queues")
    beside = {AS_IT_IS: scenario} if len(schemes) == 1 else {}
    return _under(schemes, beside, partial(found.with_scheme, scenario))


def _beside_its_own(
    scenario: Scenario, links: Sequence[str], queue_in: str | None, shaped_share: float | None
) -> dict[str, Scenario]:
    """A scenario as it is, and with other schemes than its own."""
    if queue_in is not None:
        return configurations(scenario, DEFAULT_SCHEMES, links, queue_in, shaped_share)
    from aqmlab.load.queues import Queues  # noqa: PLC0415 (results at hand need no queues)
    from aqmlab.presets.line import AS_IT_IS  # noqa: PLC0415

    own = Queues.of(scenario, links, argument="queues").schemes(scenario)
    others = [scheme for scheme in DEFAULT_SCHEMES if own != [scheme]]
    return {AS_IT_IS: scenario, **configurations(scenario, others, links)}


def _placed(
    scenario: Scenario,
    schemes: Sequence[str],
    links: Sequence[str],
    queue_in: str,
    shaped_share: float | None,
) -> dict[str, Scenario]:
    """A line as it is, and with schemes at a place of it."""
    from aqmlab.load.queue_place import place_named  # noqa: PLC0415
    from aqmlab.load.queues import (  # noqa: PLC0415 (results at hand need no queues)
        placed,
        warn_of_what_is_left_out,
    )
    from aqmlab.presets.home_line import as_line  # noqa: PLC0415
    from aqmlab.presets.line import AS_IT_IS  # noqa: PLC0415

    if links:
        raise ComparisonError(
            "queues: queue_in names the links already; legal: one of the two", place="queues"
        )
    place, own = place_named(queue_in), as_line(scenario)
    warn_of_what_is_left_out(own, place)
    return _under(schemes, {AS_IT_IS: own}, lambda scheme: placed(own, scheme, place, shaped_share))


def _under(
    schemes: Sequence[str], made: dict[str, Scenario], with_scheme: Callable[[str], Scenario]
) -> dict[str, Scenario]:
    """Adds a scenario under each of the schemes to those that are made, by its label."""
    from aqmlab.load.parametrized_scheme import labels_of, warn_of_remarks  # noqa: PLC0415

    warn_of_remarks(schemes)
    labels = labels_of(schemes)
    for scheme in schemes:
        own = with_scheme(scheme)
        same = next((name for name, other in made.items() if other == own), None)
        if same is not None:
            both = f"{same} and {scheme} are the same configuration"
            twice = f"{scheme} is given twice" if same == labels[scheme] else both
            # One scheme alone, which is the scenario's own, has nothing beside it.
            more = ", or a second scheme" if len(schemes) == 1 else ""
            raise ComparisonError(
                f"schemes: {twice}; legal: each configuration once{more}", place="schemes", value=scheme
            )
        made[labels[scheme]] = own
    return made
