"""Section 3, figures 1 to 4 and 6, table 2: what the users ask for where nothing holds them back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aqmlab.errors import TooLittleDataError
from aqmlab.inference import Interval, mean_interval
from aqmlab.load import load_line
from aqmlab.papers.claims import Answer
from aqmlab.papers.claims.checks import between_bounds
from aqmlab.statistics.series import (
    bytes_requested_per_second,
    index_of_dispersion,
    mean_response_size,
    requests_per_second,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aqmlab.load import LoadLine
    from aqmlab.papers.claims import Question
    from aqmlab.papers.study import Study
    from aqmlab.statistics import Recorded

UNCONGESTED = "uncongested"
"""The configuration without a bottleneck."""
AFTER_S, BEFORE_S = 1200.0, 5340.0
"""From the end of the discarded minutes to a minute before the end: what was under way then left no row."""


def linear(study: Study, *, least: float, configuration: str = UNCONGESTED) -> Answer:
    """Throughput is a straight line in the users of a configuration."""
    line = _line(study, configuration)
    evidence = (
        f"R² = {line.r_squared:.5f} through the means of {len(line.points)} runs "
        f"at {len(set(line.sizes))} numbers of users "
        f"from {line.sizes.min():.0f} to {line.sizes.max():.0f}; "
        f"{line.line.bits_per_second_per_user:,.0f} bit/s per user"
    )
    return Answer(line.r_squared >= least, evidence, line.r_squared)


def offered(study: Study, *, users: int, bounds: tuple[float, float]) -> Answer:
    """What a number of users of seven machines offers lies between the bounds, in Mbit/s."""
    return between_bounds(_line(study, UNCONGESTED).offered_mbps(users), *bounds, unit="Mbit/s")


def _line(study: Study, configuration: str) -> LoadLine:
    """The line through runs of a configuration; the calibration's are of the uncongested network."""
    calibration = study.calibration_runs if configuration == UNCONGESTED else ()
    cells = [results for (name, _), results in study.cells.items() if name == configuration]
    return load_line([*calibration, *(result for results in cells for result in results)])


def requests_of_table_2(study: Study) -> Iterator[tuple[str, Question]]:
    """The number of requests in 70 minutes on the unconstrained network, load by load."""
    table = study.experiment.published.table("2")
    (column,) = table.columns
    for row in table.rows.values():
        published = row.values[column.quantity.name]
        tolerance = study.experiment.tolerance_of(column, published)
        said = f"{published:,.0f} requests in 70 minutes at {row.load_percent:g} %"
        said += f" within {tolerance / published:.0%}"
        values = partial(study.values, UNCONGESTED, row.load_percent, column.quantity)
        yield said, partial(_requests, values, published, tolerance)


def _requests(values: Callable[[], list[float]], published: float, tolerance: float) -> Answer:
    ours = mean_interval(values())
    answer = between_bounds(ours, published - tolerance, published + tolerance)
    if not isinstance(ours, Interval):
        return answer
    # Above 10,000 four digits would hide what is compared.
    bounds = f"[{ours.lower:,.0f}, {ours.upper:,.0f}]"
    return answer._replace(evidence=f"{ours.mean:,.0f} {bounds}, {ours.mean / published - 1.0:+.1%}")


def dispersion_of_requests(result: Recorded) -> float:
    """Of the requests in each second: variance over mean."""
    _require_the_window(result)
    return index_of_dispersion(requests_per_second(result, from_s=AFTER_S, until_s=BEFORE_S))


def dispersion_of_bytes(result: Recorded) -> float:
    """In units of the mean response, so that Poisson arrivals of equal responses have 1."""
    _require_the_window(result)
    octets = bytes_requested_per_second(result, from_s=AFTER_S, until_s=BEFORE_S)
    return index_of_dispersion(octets / mean_response_size(result))


def _require_the_window(result: Recorded) -> None:
    if float(result.run["measured_from_s"]) > AFTER_S or float(result.run["measured_until_s"]) < BEFORE_S:
        raise TooLittleDataError(f"the run does not measure {AFTER_S:g} s to {BEFORE_S:g} s")
