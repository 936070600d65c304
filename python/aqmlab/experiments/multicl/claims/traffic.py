"""Sections III and IV: what PackMime generates and offers, whose losses are larger, how responses degrade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.comparison import Values, paired_difference
from aqmlab.errors import MissingDataError
from aqmlab.inference import mean_interval
from aqmlab.papers.claims.checks import above_bound, above_zero, between_bounds
from aqmlab.statistics.quantities import quantity, restricted_mean_response_ms
from aqmlab.statistics.recorded import has_name, measured_window_s, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.papers.claims import Answer
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

    Bounds = tuple[float, float]
    from aqmlab.papers.claims.checks import Number

CONGESTED_MBPS = 10.0
"""The rate of a congested link, of which the paper's percentages are."""
_GENERATED: Mapping[str, Callable[[Mapping[str, Any]], float]] = {
    "median": lambda generated: generated["response_bytes_p50"],
    "mean": lambda generated: generated["response_bytes"] / generated["objects"],
    "exchanges": lambda generated: generated["objects"] / generated["connections"],
}


def generated(study: Study, a: Cell, *, what: str, bounds: Bounds) -> Answer:
    """The median or mean size of the responses in bytes, or the exchanges of a connection, of all clouds."""
    values = [_of_all_clouds(result, _GENERATED[what]) for result in study.results(*a)]
    return between_bounds(mean_interval(values), *bounds)


def _of_all_clouds(result: Recorded, number: Callable[[Mapping[str, Any]], float]) -> float:
    """The mean over the clouds that opened connections."""
    clouds = [entry["generated"] for entry in result.run["populations"] if entry["whole_run"]["started"]]
    return sum(map(number, clouds)) / len(clouds)


def quickest(study: Study, a: Cell, *, bounds: Bounds) -> Answer:
    """The least response time of an exchange that opened its connection, in seconds."""
    return between_bounds(
        mean_interval([_quickest_s(result) for result in study.results(*a)]), *bounds, unit="s"
    )


def _quickest_s(result: Recorded) -> float:
    rows = table(result, "responses", setting='record.responses = "rows"')
    first = rows["first_on_connection"].to_numpy() == 1
    return float(rows["response_time_s"].to_numpy()[first].min())


def offered_percent(study: Study, a: Cell, *, link: str, bounds: Bounds, parts: Sequence[str] = ()) -> Answer:
    """What servers of populations, or without any all, put on a link, in per cent of 10 Mbit/s."""
    values = [offered_percent_of_run(result, link, parts) for result in study.results(*a)]
    return between_bounds(mean_interval(values), *bounds, unit="%")


def offered_percent_of_run(result: Recorded, link: str, parts: Sequence[str] = ()) -> float:
    """The same of one run."""
    rows = table(result, "traffic", setting="record.traffic")
    wanted = has_name(rows, "link", link)
    if not wanted.any():
        raise MissingDataError(f"the run has no monitored link {link}")
    if parts:
        wanted &= sum(has_name(rows, "population", part) for part in parts) > 0
        wanted &= has_name(rows, "sender", "server")
    sent = int(rows["sent_bytes"].to_numpy()[wanted].sum())
    return 8e-4 * sent / measured_window_s(result) / CONGESTED_MBPS


def loses_more(study: Study, a: Cell, *, of: Number, than: str) -> Answer:
    """In one cell a part of the traffic loses more than another: percentage points, paired by seed."""
    of_cell = [study.by_seed(a, number) for number in (of, quantity(than))]
    more, less = (Values.of([each[seed] for seed in sorted(each)]) for each in of_cell)
    return above_bound(paired_difference(less, more), unit="points")


def degrades_more(study: Study, a: Cell, b: Cell, *, links: int) -> Answer:
    """From one congested link to `links` the mean up to 2 s grows more under `a` than under `b`."""
    first, second = (_growth_ms(study, cell, links) for cell in (a, b))
    return above_zero([first[seed] - second[seed] for seed in sorted(first)], unit="ms")


def _growth_ms(study: Study, cell: Cell, links: int) -> dict[int, float]:
    """How much a cell of one link gains in its mean where so many have its scheme, by seed."""
    scheme, load = cell
    one, many = (
        study.by_seed((name, load), restricted_mean_response_ms)
        for name in (scheme, "-".join([scheme] * links))
    )
    return {seed: many[seed] - one[seed] for seed in one.keys() & many.keys()}
