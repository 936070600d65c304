"""Section 3, figures 1 to 4 and 6, table 2: what the users ask for where nothing holds them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.christiansen2000.claims.cells import FRESH, UNCONGESTED, christiansen2000
from aqmlab.load import load_line
from aqmlab.reproduce.claims.answers import attempt
from aqmlab.reproduce.claims.numbers import above, within
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import Interval, MissingDataError, mean_interval
from aqmlab.statistics.per_second import (
    bytes_requested_per_second,
    index_of_dispersion,
    mean_response_size,
    requests_per_second,
)
from aqmlab.statistics.quantities import share_within

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.reproduce.published import Column, PublishedRow
    from aqmlab.reproduce.study import Study
    from aqmlab.statistics import Recorded

POISSON = 1.0
AFTER_S, BEFORE_S = 1200.0, 5340.0
"""From the end of the discarded minutes to a minute before the end: what was under way then left no row."""


@christiansen2000("C01")
def offered_load_is_linear(
    study: Study, *, least_r_squared: float, offered: Sequence[tuple[int, float]], approximately: float
) -> list[Part]:
    """A straight line, and the numbers of users that section 3.3 reads off it."""
    seven = [*study.calibration_runs, *_runs_of(study, UNCONGESTED)]
    return [
        _linear("figure 2: throughput is linear in the users of seven machines", seven, least_r_squared),
        *[_offered(seven, users, mbps, approximately) for users, mbps in offered],
        _linear(
            "figure 1: throughput is linear in the users of one machine",
            _runs_of(study, "one-machine"),
            least_r_squared,
        ),
    ]


def _runs_of(study: Study, configuration: str) -> list[Recorded]:
    return [
        result for (name, _), results in study.cells.items() if name == configuration for result in results
    ]


def _linear(statement: str, runs: Sequence[Recorded], least_r_squared: float) -> Part:
    said = f"{statement} (R² at least {least_r_squared})"

    def ask() -> Part:
        line = load_line(runs)
        evidence = (
            f"R² = {line.r_squared:.5f} through the means of {len(runs)} runs "
            f"at {len(set(line.sizes))} numbers of users "
            f"from {line.sizes.min():.0f} to {line.sizes.max():.0f}; "
            f"{line.line.bits_per_second_per_user:,.0f} bit/s per user"
        )
        return Part(said, line.r_squared >= least_r_squared, evidence, line.r_squared)

    return attempt(said, ask)


def _offered(runs: Sequence[Recorded], users: int, mbps: float, share: float) -> Part:
    said = f"{users:,} users offer {mbps:g} Mbit/s (frames) within {share:.0%}"

    def ask() -> Part:
        bounds = mbps * (1.0 - share), mbps * (1.0 + share)
        return within(said, load_line(runs).offered_mbps(users), *bounds, unit="Mbit/s")

    return attempt(said, ask)


@christiansen2000("C02")
def most_complete_within_500_ms(study: Study, *, within_500_ms: tuple[float, float]) -> list[Part]:
    """About 90 % at 3,500 users without a constraint."""
    share = study.measure(*FRESH, share_within(0.5))
    low, high = (100.0 * bound for bound in within_500_ms)
    return [
        within(
            f"about 90 % ({low:.0f} to {high:.0f}) of 3,500 users' requests complete within 500 ms",
            share,
            *within_500_ms,
        )
    ]


@christiansen2000("C03")
def requests_of_table_2(study: Study) -> list[Part]:
    """The number of requests in 70 minutes on the unconstrained network, load by load."""
    table = study.experiment.table("2")
    return [_requests(study, table.columns[0], row) for row in table.rows.values()]


def _requests(study: Study, column: Column, row: PublishedRow) -> Part:
    load, published = row.load_percent, row.values[column.quantity.name]
    tolerance = study.experiment.tolerances[column.tolerance].around(published)
    said = f"{published:,.0f} requests in 70 minutes at {load:g} % within {tolerance / published:.0%}"

    def ask() -> Part:
        ours = mean_interval(study.values(UNCONGESTED, load, column.quantity))
        # Above 10,000 four digits would hide what is compared.
        part = within(said, ours, published - tolerance, published + tolerance)
        if not isinstance(ours, Interval):
            return part
        evidence = (
            f"{ours.mean:,.0f} [{ours.lower:,.0f}, {ours.upper:,.0f}], {ours.mean / published - 1.0:+.1%}"
        )
        return Part(said, part.holds, evidence, ours)

    return attempt(said, ask)


@christiansen2000("C14")
def traffic_is_bursty(study: Study, *, highly: float) -> list[Part]:
    """Requests and bytes asked for per second vary far more than a Poisson process would."""
    return [
        part
        for what, of in (
            ("requests per second", _dispersion_of_requests),
            ("bytes requested per second, in mean responses,", _dispersion_of_bytes),
        )
        for part in _bursty(study, what, of, highly)
    ]


def _bursty(study: Study, what: str, of: Callable[[Recorded], float], highly: float) -> list[Part]:
    index = study.measure(*FRESH, of)
    name = f"the index of dispersion of {what}"
    return [
        above(f"{name} exceeds a Poisson process's 1", index, POISSON),
        above(f"{name} exceeds {highly:g}: highly bursty", index, highly),
    ]


def _dispersion_of_requests(result: Recorded) -> float:
    _require_the_window(result)
    return index_of_dispersion(requests_per_second(result, from_s=AFTER_S, until_s=BEFORE_S))


def _dispersion_of_bytes(result: Recorded) -> float:
    """In units of the mean response, so that Poisson arrivals of equal responses have 1."""
    _require_the_window(result)
    octets = bytes_requested_per_second(result, from_s=AFTER_S, until_s=BEFORE_S)
    return index_of_dispersion(octets / mean_response_size(result))


def _require_the_window(result: Recorded) -> None:
    if float(result.run["measured_from_s"]) > AFTER_S or float(result.run["measured_until_s"]) < BEFORE_S:
        raise MissingDataError(f"the run does not measure {AFTER_S:g} s to {BEFORE_S:g} s")
