"""How large a demand makes a load: throughput of each bottleneck against the size of the demand.

Offered load is what the same traffic causes where nothing holds it back, so the runs are uncongested twins of
the scenario with a growing demand. Each direction of a bottleneck that carries its data has a line, or, as
the study of 2003 counts, the mean of both directions. What is full first decides.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping  # noqa: TC003 (records are read by their types)
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from aqmlab._core import version
from aqmlab.errors import CalibrationError
from aqmlab.files.folders import write_whole
from aqmlab.files.own_folders import Holds, warned_own_folder
from aqmlab.files.reading import read_json
from aqmlab.files.records import NOT_EMPTY, Count, read_as
from aqmlab.files.shape import COUNT, TEXT, WHOLE, ListOf, Table
from aqmlab.load.demand import bottlenecks_of, links_of_run
from aqmlab.load.line import BITS_PER_MBIT, LoadLine, Point, line_through
from aqmlab.seeds import Seeds
from aqmlab.statistics import loss_percent
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.load.demand import Bottleneck, Demand
    from aqmlab.load.line import Line
    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.statistics import Recorded

    Runner = Callable[[Sequence[tuple[Scenario, int]], str], Sequence[Result]]
    """Runs scenarios with seeds and returns results in their order; the text is the progress bar's title."""

FORMAT = 2
CALIBRATION = "calibration.json"
"""The file of a calibration in its folder."""


@dataclass(frozen=True)
class Calibration:
    """The lines of all bottlenecks of a demand.

    Attributes:
        bottlenecks: Each bottleneck's points and lines.
        version: The version that made the runs.
        asked: What it was asked for, where a command kept it: scenario, demand, links, sizes and seeds.
    """

    bottlenecks: tuple[LoadLine, ...]
    version: str = ""
    asked: Mapping[str, Any] | None = None

    @property
    def tightest(self) -> LoadLine:
        """The bottleneck that is full first."""
        return self.at_load(1.0)

    def at_load(self, load: float) -> LoadLine:
        """The bottleneck that first reaches this share of its rate as the demand grows."""
        return min(self.bottlenecks, key=lambda each: each.unrounded_size(load))

    @property
    def line(self) -> Line:
        """The line of the tightest bottleneck."""
        return self.tightest.line

    def require_rise(self, name: str) -> None:
        """Checks that some line answers which size causes a load; `name` is the scenario's."""
        if any(each.rises for each in self.bottlenecks):
            return
        every = [size for each in self.bottlenecks for size in each.sizes]
        slopes = "; ".join(
            f"{', '.join(each.links)}: {each.line.bits_per_second_per_user:,.1f} bit/s for each more"
            f"{each.fit_in_words(', R² {:.2f}')}"
            for each in self.bottlenecks
        )
        raise CalibrationError(
            f"{name}: throughput does not clearly grow with the demand from size {min(every):,.0f} to "
            f"{max(every):,.0f} ({slopes}): no size can be told for a load; use sizes further apart, a "
            "longer duration_s or more seeds"
        )

    def save(self, file: str | Path) -> Path:
        """Writes the calibration as JSON."""
        document = {
            "format": FORMAT,
            "aqmlab_version": self.version,
            **({} if self.asked is None else {"asked": dict(self.asked)}),
            "bottlenecks": [
                {
                    "rate_mbps": each.rate_mbps,
                    "line": asdict(each.line),
                    "r_squared": each.r_squared,
                    "lines_by_seed": {str(seed): asdict(line) for seed, line in each.lines_by_seed.items()},
                    "points": [asdict(point) for point in each.points],
                }
                for each in self.bottlenecks
            ],
        }
        return write_whole(Path(file), json.dumps(document, indent=1) + "\n")

    @classmethod
    def load(cls, file: str | Path) -> Self:
        """Reads what `save` wrote."""
        document = read_json(file, CalibrationError)
        if document.get("format") != FORMAT:
            raise CalibrationError(f"{file}: holds no calibration of layout {FORMAT}")
        kept = read_as(_File, document, str(file), CalibrationError)
        return cls(kept.bottlenecks, kept.aqmlab_version, kept.asked)

    def __str__(self) -> str:
        return "\n".join(
            f"throughput of {', '.join(each.links)}: {each.line.intercept_mbps:.4g} Mbit/s, and "
            f"{each.line.bits_per_second_per_user / BITS_PER_MBIT:.4g} Mbit/s for each more "
            f"({each.fit_in_words('R² {:.3f}, ')}{counted(len(each.points), 'run')})"
            for each in self.bottlenecks
        )


_ASKED = Table(
    {
        "scenario": TEXT,
        "demand": TEXT,
        "links": ListOf(TEXT),
        "sizes": ListOf(COUNT),
        "seeds": ListOf(WHOLE),
    }
)


@dataclass(frozen=True)
class _File:
    """What is kept of a calibration, as `save` writes it."""

    format: Count
    aqmlab_version: str
    bottlenecks: Annotated[tuple[LoadLine, ...], NOT_EMPTY]
    asked: Annotated[Mapping[str, Any] | None, _ASKED] = None


def calibrate(
    demand: Demand,
    *,
    sizes: Sequence[int],
    seeds: Sequence[int],
    run: Runner,
    mean_of_directions: bool = False,
) -> Calibration:
    """Runs the uncongested twin with each size of the demand, and fits the lines."""
    demand.require_offered_load()
    seeds = Seeds.of(seeds, refusal=CalibrationError)
    if (least := min(sizes, default=1)) < 1:
        raise CalibrationError(
            f"size {least} of {demand}: no load at this size; legal: 1 or more",
            place="sizes",
            value=least,
            legal="1 or more",
        )
    joined = demand.bottlenecks(max(sizes))
    bottlenecks = joined if mean_of_directions else [way for each in joined for way in each.directions]
    pairs = [(demand.twin_of(demand.at(size)), seed, size) for seed in seeds for size in sizes]
    results = run([(twin, seed) for twin, seed, _ in pairs], "calibration")
    _warn_of_congestion(results, bottlenecks)
    return fit([size for *_, size in pairs], results, bottlenecks)


def _warn_of_congestion(results: Sequence[Result], bottlenecks: Sequence[Bottleneck]) -> None:
    """Warns where packets were discarded: what passed then is less than what was offered."""
    names = [link.name for each in bottlenecks for link in each.links]
    losses = [
        (loss, name) for result in results for name, loss in loss_percent.by_link(result, names).items()
    ]
    worst, name = max(losses)
    if worst > 0.0:
        warnings.warn(
            f"{name}: up to {worst:.2g} % of the packets were discarded on the uncongested network: lines "
            "may be too low: raise uncongested_rate_mbps, or use smaller sizes",
            stacklevel=3,
        )


def fit(
    sizes: Sequence[int], results: Sequence[Recorded], bottlenecks: Sequence[Bottleneck] = ()
) -> Calibration:
    """Fits lines to uncongested runs, of which each had the size of the demand that is given for it."""
    lines = [
        line_through(
            [
                Point.of(result, size, [link.name for link in each.links])
                for size, result in zip(sizes, results, strict=True)
            ],
            rate_mbps=each.capacity_mbps,
        )
        for each in bottlenecks or bottlenecks_of(links_of_run(results[0]))
    ]
    return Calibration(tuple(lines), str(results[0].run.get("aqmlab_version", "")))


def calibration_folder(wanted: Path, asked: Mapping[str, Any]) -> Path:
    """The wanted folder, or one beside it if it holds another calibration, which a warning tells."""
    return warned_own_folder(wanted, lambda each: _held_calibration(each, asked))


def _held_calibration(folder: Path, asked: Mapping[str, Any]) -> Holds | str:
    if not (folder / CALIBRATION).exists():
        return Holds.NOTHING
    try:
        held = Calibration.load(folder / CALIBRATION)
    except CalibrationError:
        return "a calibration that cannot be read"
    if held.version != version() or held.asked is None:
        return f"a calibration made by version {held.version}"
    for key, says in _CALIBRATIONS_DIFFER.items():
        if held.asked[key] != asked[key]:
            of = held.asked[key]
            return f"a calibration {says.format(', '.join(map(str, of)) if isinstance(of, list) else of)}"
    return Holds.THE_SAME


_CALIBRATIONS_DIFFER = {
    "scenario": "of another scenario",
    "demand": "of {}",
    "links": "judged by other links",
    "sizes": "of sizes {}",
    "seeds": "of seeds {}",
}
"""What calibrations are asked for, and what is said where that differs."""
