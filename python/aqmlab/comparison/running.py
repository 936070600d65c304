"""The runs of a comparison: every configuration with every seed, and more of both until it is decided."""

from __future__ import annotations

import math
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from aqmlab import shown
from aqmlab.comparison.asked import Asked, keep_compared
from aqmlab.comparison.comparison import Comparison
from aqmlab.comparison.early_reading import EarlyReading
from aqmlab.comparison.pairing import require_comparable
from aqmlab.comparison.pooled_pages import carry
from aqmlab.comparison.reading import keep_first_stage
from aqmlab.errors import ComparisonError, MissingDataError, TooLittleDataError
from aqmlab.files.folders import folder_names
from aqmlab.inference import MINIMUM_REPLICATIONS, smooth_quantile
from aqmlab.load.demand import USERS, named_links, parts_of
from aqmlab.runs import Job, run_each
from aqmlab.statistics.catalogue import LOADED_P95

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario
    from aqmlab.statistics.quantity import Measured


MOST_SEEDS = 1_000
"""The most seeds that a comparison up to a width adds."""


class _Told(Protocol):
    def __call__(
        self, results: Mapping[str, Sequence[Result]], reading: EarlyReading, *, first_stage: int = ...
    ) -> Comparison: ...


def run_comparison(
    scenarios: Mapping[str, Scenario],
    seeds: Sequence[int],
    *,
    told: _Told,
    executor: Executor,
    links: Sequence[str] = (),
    population: str | None = None,
    same_users: bool = True,
    until_width_s: float | None = None,
    folder: Path | None = None,
    store: Path | None = None,
    progress: bool = False,
) -> Comparison:
    """Runs configurations with the same seeds, or finds the runs, and compares them."""
    if until_width_s is not None and len(seeds) < MINIMUM_REPLICATIONS:
        raise ComparisonError(
            f"until_width_s: needs {MINIMUM_REPLICATIONS} seeds or more to begin with", place="seeds"
        )
    if until_width_s is not None:
        _require_users(scenarios.values(), until_width_s)
    if same_users:
        require_comparable({name: scenario.resolved for name, scenario in scenarios.items()})
    for scenario in scenarios.values():
        named_links(scenario, links)
    longer = dict(scenarios)
    if until_width_s is not None:
        longer = {name: lengthened(scenario) for name, scenario in scenarios.items()}

    reading = EarlyReading(links, population=population)

    def run(seeds: Sequence[int], place: Path | None) -> dict[str, list[Result]]:
        jobs = _jobs(longer, seeds, place)
        finished: dict[int, Result] = {}
        for place_of_job, result in run_each(jobs, store=store, progress=progress, executor=executor):
            first = reading.read(result)
            if place is not None and not finished:
                _prepare(first, len(seeds))
            finished[place_of_job] = result
        results = [finished[at] for at in range(len(jobs))]
        starts = (at * len(seeds) for at in range(len(longer)))
        return {name: results[at : at + len(seeds)] for name, at in zip(longer, starts, strict=True)}

    asked = Asked(scenarios, seeds, until_width_s, links)
    with nullcontext() if folder is None else asked.own_folder(folder) as place:
        found = told(run(seeds, place), reading)
        if until_width_s is not None:
            more = _more_seeds(found, until_width_s, place)
            found = told(run([*seeds, *more], place), reading, first_stage=len(seeds))
        if place is not None:
            if until_width_s is not None:
                keep_first_stage(place, seeds, until_width_s)
            keep_compared(place, found, asked)
    return replace(found, folder=place)


def _prepare(first: Measured, seeds: int) -> None:
    """Loads what tells and draws what is kept, for which nobody waits while other runs run."""
    shown.prepare(Comparison)
    with suppress(MissingDataError):
        if carry(first.followed_pages.pages * seeds, LOADED_P95.share):
            smooth_quantile.prepare()


def _jobs(scenarios: Mapping[str, Scenario], seeds: Sequence[int], folder: Path | None) -> list[Job]:
    places = folder_names(scenarios)
    # Of the first seed a report shows how delay goes, packet by packet: a megabyte a run, hardly any time.
    shown = {name: _with_single_datagrams(scenario) for name, scenario in scenarios.items()}
    return [
        Job(
            shown[name] if seed == seeds[0] else scenario,
            seed,
            folder=None if folder is None else folder / places[name] / f"seed-{seed}",
            label=name,
        )
        for name, scenario in scenarios.items()
        for seed in seeds
    ]


MOST_DATAGRAMS = 2_000_000
"""If more are to be expected of a run, none is kept one by one unless the scenario says so."""
_OTHER_MBPS = 5.0
"""More than what a source sends that has no rate of its own: a video call, a cloud game."""


def _with_single_datagrams(scenario: Scenario) -> Scenario:
    """The scenario, keeping its datagrams one by one if they are few."""
    per_s = (
        float(each["count"])
        * float(each.get("rate_mbps") or _OTHER_MBPS)
        * 1e6
        / 8.0
        / float(each["packet_bytes"])
        for each in scenario.resolved.get("datagrams") or ()
    )
    if not 0.0 < scenario.duration_s * sum(per_s) <= MOST_DATAGRAMS or scenario.resolved["record"].get(
        "datagrams"
    ):
        return scenario
    return scenario.with_overrides({"record.datagrams": True})


def _require_users(scenarios: Iterable[Scenario], width_s: float) -> None:
    """Checks that each scenario has users: the width is that of the load times of their pages."""
    for scenario in scenarios:
        if not any(part.unit == USERS and part.size for part in parts_of(scenario)):
            legal = "scenarios with users, or a fixed number of seeds"
            raise ComparisonError(
                f"until_width_s: {scenario.name} has no users, and the width is that of page load times; "
                f"legal: {legal}",
                place="until_width_s",
                value=width_s,
                legal=legal,
            )


def _more_seeds(found: Comparison, width_s: float, folder: Path | None) -> range:
    """The seeds to add, after the largest seed of the first stage; errors name the folder of its runs."""
    kept = "" if folder is None else f"{folder}: "
    try:
        wanted = found.seeds_for(width_s)
    except TooLittleDataError as error:
        raise ComparisonError(f"{kept}until_width_s: {error}", place="until_width_s", value=width_s) from None
    if wanted > MOST_SEEDS:
        narrowest = width_s * math.sqrt(wanted / MOST_SEEDS)
        legal = f"{narrowest:.2g} s or more, with {MOST_SEEDS} seeds, or longer runs"
        raise ComparisonError(
            f"{kept}a width of {width_s:g} s needs {wanted:,} seeds; legal: {legal}",
            place="until_width_s",
            value=width_s,
            legal=legal,
        )
    greatest = max(found.seeds)
    return range(greatest + 1, greatest + 1 + wanted - len(found.seeds))


LEAST_WINDOW_PER_EDGE = 2.0
"""A measured window of at least so many times warm-up and cool-down together keeps its length."""

WINDOW_PER_EDGE = 6.0
"""Another becomes so many times as long as they are, which are then a seventh of the run."""


def lengthened(scenario: Scenario) -> Scenario:
    """The scenario with a longer measured window; itself where it has a long one, or is `scheduled`.

    Longer runs are of the same traffic only where nothing begins or ends at an instant of its own.
    """
    edges_s = float(scenario.resolved["warm_up_s"]) + float(scenario.resolved["cool_down_s"])
    least_s = edges_s * (1.0 + LEAST_WINDOW_PER_EDGE)
    # Three times 2.1 is more than 6.3, in binary.
    long_enough = scenario.duration_s >= least_s or math.isclose(scenario.duration_s, least_s)
    if long_enough or any(scheduled(scenario.resolved)):
        return scenario
    return scenario.with_overrides({"duration_s": edges_s * (1.0 + WINDOW_PER_EDGE)})


def scheduled(resolved: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a resolved scenario that let traffic begin or end within the measured window.

    Transfers of a size that arrive all the time, or that somebody thinks about, are no such traffic.
    """
    warm_up_s = float(resolved["warm_up_s"])
    for kind in ("flows", "datagrams"):
        for place, group in enumerate(resolved.get(kind) or ()):
            starts_s = [group.get("start_s") or 0.0, *(group.get("starts_s") or ())]
            late = max(starts_s) + (group.get("start_spread_s") or 0.0) > warm_up_s
            ends = group.get("stop_s") is not None or group.get("phases") is not None
            goes_on = group.get("arrivals_hz") is not None or group.get("think_s") is not None
            once = group.get("bytes") is not None and not goes_on
            if late or ends or once:
                yield f"{kind}.{place}"
    for place, population in enumerate([resolved.get("users") or {}, *(resolved.get("populations") or ())]):
        if (population.get("start_spread_s") or 0.0) > warm_up_s:
            yield f"populations.{place - 1}" if place else "users"
