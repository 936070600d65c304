"""How large a demand makes a load, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.load import Calibration, Demand


def sizes_in_words(demand: Demand, calibration: Calibration, loads: Sequence[int]) -> Iterator[str]:
    """The lines of the calibration, then the size of the demand for each load in percent."""
    yield f"size: {demand.unit} of {demand}{', of the largest' if len(demand.parts) > 1 else ''}"
    yield str(calibration)
    for load in loads:
        full = calibration.at_load(load / 100)
        where = f" (of {', '.join(full.links)})" if len(calibration.bottlenecks) > 1 else ""
        size = full.size(load / 100)
        sizes = demand.sizes(size)
        turned = [part for part in demand.parts if part.size or not demand.size]
        yield (
            f"  {load:>3} % load{where}: "
            + ", ".join(f"{sizes[part.name]:,} {part.name}" for part in turned)
            + _extrapolated(size, [point.size for point in full.points])
        )


def _extrapolated(size: int, ran: Sequence[int]) -> str:
    """What to know of a size that no run comes near: nothing of one between those that ran."""
    least, most = min(ran), max(ran)
    return "" if least <= size <= most else f" (extrapolated from {least:,} to {most:,})"
