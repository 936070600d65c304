"""`aqmlab.calibrate`: how many users or flows cause a given load."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments, shown
from aqmlab.errors import CalibrationError, DemandError
from aqmlab.files.folders import require_writable
from aqmlab.load import Calibration, Demand
from aqmlab.load import calibrate as fitted
from aqmlab.load.calibration import CALIBRATION, calibration_folder
from aqmlab.load.demand import parts_of
from aqmlab.runs import Execution
from aqmlab.runs.executors import chosen_executor
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.tidy import Tidy, tidy_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike

_STEPS = (0.4, 0.8, 1.2, 1.6, 2.0)
"""Sizes that are run by default, in parts of the scenario's own."""
_LOADS_PERCENT = (50, 80, 90, 100)


@dataclass(frozen=True, repr=False)
class CalibratedDemand(shown.Shown, Tidy):
    """How large a demand causes which load.

    Attributes:
        demand: The users or flows whose number was changed.
        calibration: The line of each bottleneck, with its points.
        loads_percent: The loads to print sizes for.
        file: Where it is kept; none in memory.
    """

    demand: Demand
    calibration: Calibration
    loads_percent: tuple[int, ...]
    file: Path | None = None

    def size(self, load_percent: float) -> dict[str, int]:
        """Users or flows of each part of the demand that cause this load of the fullest bottleneck.

        Raises:
            CalibrationError: No number does.
        """
        load = CalibrationError.above_zero("load_percent", load_percent) / 100
        self.require_rise()
        return self.demand.sizes(self.calibration.at_load(load).size(load))

    def require_rise(self) -> None:
        """Checks that throughput grows with the demand.

        Raises:
            CalibrationError: It clearly does so at no bottleneck: no number causes a load.
        """
        self.calibration.require_rise(self.demand.scenario.name)

    def to_arrow(self) -> pa.Table:
        """Throughput of each judged link in each run: the columns of `aqmlab.frame`.

        `configuration` is the size of the demand.
        """
        return tidy_rows(
            (str(point.size), point.seed, f"throughput_mbps/links.{link}", "Mbit/s", Observation.exact(mbps))
            for each in self.calibration.bottlenecks
            for point in each.points
            for link, mbps in point.throughput_mbps_by_link.items()
        )

    def __repr__(self) -> str:
        return f"CalibratedDemand({self.demand.scenario.name!r}, {str(self.demand)!r})"


@arguments.checked(
    CalibrationError,
    sizes=arguments.optional(arguments.whole_numbers(0)),
    loads=arguments.whole_numbers(0),
    seeds=given_seeds,
    output=arguments.optional(arguments.folder),
    demand=arguments.texts("['users']"),
)
def calibrate(
    scenario: ScenarioLike,
    *,
    sizes: Iterable[int] | None = None,
    loads: Iterable[int] = _LOADS_PERCENT,
    seeds: Iterable[int] | str = "1",
    output: str | Path | None = None,
    demand: Sequence[str] = (),
    links: Sequence[str] = (),
    overrides: Mapping[str, object] | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> CalibratedDemand:
    """Finds how many users or flows cause a given load, on the scenario's uncongested twin.

    Args:
        scenario: A `Scenario`, a path, TOML text or a dict.
        sizes: Sizes of the demand to run: users of its largest population (per side of a dumbbell), or flows
            of its largest group. By default five sizes, up to twice the scenario's.
        loads: Loads to print sizes for, in percent of the rate of the bottleneck with the highest load.
        seeds: Seeds for each size; from six on the slope has a confidence interval.
        output: Folder for the runs and calibration.json. If it holds another calibration, FOLDER-2 and so on.
        demand: The demand to change: users, flows, datagrams, or parts of them: populations.NAME, flows.NAME,
            datagrams.NAME, users.left. By default all users, or all flows if there are no users. Several
            change in proportion.
        links: Links for throughput, loss and queue; by default those that carry data.
        overrides: Dotted keys with the values that replace the scenario's.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Returns:
        The line of each bottleneck, and the size for each load.

    Raises:
        ScenarioError: The scenario is refused, or does not say what its uncongested network is.
        DemandError: The scenario has no such demand, or none that offers a load of its own.
        CalibrationError: A size is not above 0, or there are fewer than two; an argument is of another kind.
        UnknownLinkError: A link is not monitored.
        RunError: A run failed.
    """
    turned = Demand.of(Scenario.of(scenario, overrides=overrides), demand, links=links)
    tried = _sizes(turned, sizes)
    turned.require_offered_load()
    # The seed of the address is none of the runs': it stands for the scenario alone.
    asked = {
        "scenario": turned.scenario.content_address(0),
        "demand": str(turned),
        "links": list(links),
        "sizes": list(tried),
        "seeds": list(Seeds.of(seeds)),
    }
    place = None
    if output is not None:
        require_writable(Path(output))
        place = calibration_folder(Path(output), asked)
    store = None if place is None else place / "runs"
    runs = Execution(chosen_executor(executor, workers), store=store, progress=progress)
    found = fitted(
        turned, sizes=tried, seeds=given_seeds("seeds", seeds, CalibrationError), run=runs.run_pairs
    )
    file = None if place is None else replace(found, asked=asked).save(place / CALIBRATION)
    return CalibratedDemand(turned, found, tuple(loads), file)


def _sizes(turned: Demand, sizes: Iterable[int] | None) -> tuple[int, ...]:
    """The sizes to run: the given ones, or some around the scenario's own."""
    if sizes is None:
        if not turned.size:
            raise DemandError(_nobody(turned), place="sizes")
        return tuple(dict.fromkeys(max(1, round(turned.size * step)) for step in _STEPS))
    given = tuple(sizes)
    if len(given) < 2:
        raise CalibrationError(
            "sizes: a line needs two different ones", place="sizes", value=given, legal="two different ones"
        )
    return given


def _nobody(demand: Demand) -> str:
    """The message for a demand that the scenario does not have."""
    keys = ", ".join(f"{part.key} = 0" for part in demand.parts)
    others = [part.name for part in parts_of(demand.scenario) if part.size]
    return (
        f"demand {demand}: the scenario has no {demand.unit} ({keys}), and other traffic does not "
        f"count; legal: sizes with numbers above 0{''.join(f', demand {name}' for name in others)}"
    )
