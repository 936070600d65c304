"""What a calibrated demand looks like: printed, and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.load.line import LEAST_UNROUNDED_SIZE
from aqmlab.show.tables.printed import Unwrapped, shows
from aqmlab.show.words.amounts import bit_rate
from aqmlab.study.calibration import CalibratedDemand

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.load import Calibration, Demand, LoadLine


def lines_in_words(demand: Demand, calibration: Calibration) -> Iterator[str]:
    """What a size counts, then the line of each bottleneck."""
    yield f"size: {demand.unit} of {demand}"
    yield str(calibration)


def sizes_in_words(demand: Demand, calibration: Calibration, loads: Sequence[int]) -> Iterator[str]:
    """The size of the demand for each load in percent, or why it has none."""
    for load in loads:
        full = calibration.at_load(load / 100)
        where = f" (of {', '.join(full.links)})" if len(calibration.bottlenecks) > 1 else ""
        yield f"  {load:>3} % load{where}: {_size(demand, full, load / 100)}"


def _size(demand: Demand, full: LoadLine, load: float) -> str:
    """The size of each part that causes this share of the rate, or that 1 of the demand is too much."""
    unrounded = full.unrounded_size(load)
    if unrounded <= 0:
        return f"below the line: already {bit_rate(full.line.intercept_mbps)} without {demand}"
    if unrounded < LEAST_UNROUNDED_SIZE:
        return f"less than 1 of {demand}: 1 causes {bit_rate(full.line.throughput_mbps(1))}"
    sizes = demand.sizes(full.size(load))
    turned = [part for part in demand.parts if part.size or not demand.size]
    named = ", ".join(f"{sizes[part.name]:,} {part.name}" for part in turned)
    return named + _extrapolated(full.size(load), [point.size for point in full.points])


def _extrapolated(size: int, ran: Sequence[int]) -> str:
    """What to know of a size that no run comes near: nothing of one between those that ran."""
    least, most = min(ran), max(ran)
    return "" if least <= size <= most else f" (extrapolated from {least:,} to {most:,})"


shows(CalibratedDemand, lambda found: [Unwrapped("\n".join(_said(found)))])


@shown.facts.register(CalibratedDemand)
def _facts(found: CalibratedDemand) -> dict[str, Any]:
    """The line of each bottleneck, and the sizes that cause the loads."""
    return {"demand": str(found.demand), "sentences": list(_said(found))}


def _said(found: CalibratedDemand) -> Iterator[str]:
    yield from lines_in_words(found.demand, found.calibration)
    if any(each.rises for each in found.calibration.bottlenecks):
        yield from sizes_in_words(found.demand, found.calibration, found.loads_percent)
