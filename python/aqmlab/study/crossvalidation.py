"""`aqmlab.crossvalidate`: simulation and live run side by side, seed by seed: what differs, how much.

Both have the same users, the same delays and the same queues, so a difference is TCP's or the machine's.
Where the kernel has the schemes of the queues, a third run beside them has its queue disciplines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import arguments, shown
from aqmlab.comparison import Change, Values
from aqmlab.comparison.change import Inference
from aqmlab.errors import ScenarioError
from aqmlab.files.folders import folder_name
from aqmlab.result import Result
from aqmlab.runs import Job, run_many
from aqmlab.runs.live.disciplines import Offer, in_words, offers
from aqmlab.runs.live.running import run_live
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.catalogue import shown_of_all
from aqmlab.statistics.quantities import Measured
from aqmlab.statistics.tidy import Tidy, tidy_table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.scenario import ScenarioLike
    from aqmlab.statistics.quantity import Quantity

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Compared:
    """One quantity of all, as comparisons have it.

    Attributes:
        quantity: The quantity.
        simulated: Of the simulations, seed by seed.
        live: Of the live runs, in the same order.
        kernel: Of the live runs through the kernel's queue disciplines; none if there are none.
    """

    quantity: Quantity
    simulated: Values
    live: Values
    kernel: Values | None = None

    @property
    def change(self) -> Change:
        """From simulated to live."""
        return _change(self.quantity, self.simulated, self.live)

    @property
    def kernel_change(self) -> Change | None:
        """From the scenario's own queue disciplines, live, to the kernel's; none without such runs."""
        return None if self.kernel is None else _change(self.quantity, self.live, self.kernel)


def _change(quantity: Quantity, before: Values, after: Values) -> Change:
    return Change.of(quantity, before, after, Inference(_CONFIDENCE))


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a cross-validation, each in the order of the seeds.

    Attributes:
        simulated: The simulations.
        live: The live runs.
        kernel: The live runs through the kernel's queue disciplines, if there are any.
    """

    simulated: list[Result]
    live: list[Result]
    kernel: list[Result]

    def audits(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The audit of each live run, with what the run is called."""
        for result in self.live:
            yield f"seed {result.seed}", result.live or {}
        for result in self.kernel:
            yield f"seed {result.seed}, kernel's queues", result.live or {}


@dataclass(frozen=True, repr=False)
class CrossValidation(shown.Shown, Tidy):
    """Live runs of a scenario beside simulated ones.

    Attributes:
        scenario: What was run.
        runs: The runs of each kind.
        offers: The kernel's discipline for each queue; empty where it was not asked.
        folder: Where the results are.
    """

    scenario: Scenario
    runs: Runs
    offers: tuple[Offer, ...]
    folder: Path

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds."""
        return tuple(result.seed for result in self.runs.simulated)

    @property
    def compared(self) -> tuple[Compared, ...]:
        """Every shown quantity, simulated, live and through the kernel's queues, with differences."""
        return tuple(compared(self.runs.simulated, self.runs.live, self.runs.kernel))

    @property
    def results(self) -> dict[str, list[Result]]:
        """The results by name: `simulated`, `live` and, if there are any, `kernel`."""
        named = {"simulated": self.runs.simulated, "live": self.runs.live, "kernel": self.runs.kernel}
        return {name: each for name, each in named.items() if each}

    def to_arrow(self) -> pa.Table:
        """One row for each kind of run, seed and quantity: the columns of `aqmlab.frame`."""
        return tidy_table_of(self.results, [row.quantity for row in self.compared])

    def __repr__(self) -> str:
        return f"CrossValidation({self.scenario.name!r}, seeds {Seeds(self.seeds)})"


@arguments.checked(
    ScenarioError,
    seeds=given_seeds,
    hosts=arguments.label,
    kernel=arguments.optional(arguments.flag),
    output=arguments.optional(arguments.folder),
)
def crossvalidate(
    scenario: ScenarioLike,
    *,
    seeds: Iterable[int] | str = "1-6",
    hosts: str = "",
    kernel: bool | None = None,
    overrides: Mapping[str, object] | None = None,
    output: str | Path | None = None,
    progress: bool = False,
) -> CrossValidation:
    """Compares live runs of a scenario with simulated ones.

    Args:
        scenario: A `Scenario`, a path, TOML text or a dict.
        seeds: Seeds, such as 1-6; at least 6 for confidence intervals of the differences.
        hosts: TCP settings of the hosts, as in `aqmlab live`.
        kernel: Also run each seed through the kernel's queue disciplines. By default if the kernel has all
            schemes of the scenario with these parameters.
        overrides: Dotted keys with the values that replace the scenario's.
        output: Folder for the results; by default results/<name>/crossvalidation.
        progress: Whether to show a progress bar.

    Returns:
        The runs of each kind, and how far live runs are from simulated ones.

    Raises:
        ScenarioError: The scenario needs something that only the simulator has, or that the kernel lacks.
        FolderError, StorageError: The folder holds something else; a result could not be stored.
        RunError: The machine does not allow a live run (`aqmlab doctor` says why), or a run failed.
    """
    checked = Scenario.of(scenario, overrides=overrides)
    folder = Path(output or Path("results") / folder_name(checked.name) / "crossvalidation")
    found = offers(checked) if kernel is not False else []
    has_all = bool(found) and not any(offer.problem for offer in found)
    if kernel and not has_all:
        lacks = in_words(offer for offer in found if offer.problem)
        raise ScenarioError(f"kernel: {lacks}", place="kernel", value=True)
    numbers = Seeds.of(seeds)
    live_runs, kernel_runs = [], []
    lived = partial(_lived, checked, hosts=hosts, progress=progress)
    for seed in numbers:
        live_runs.append(lived(folder / f"live-{seed}", seed))
        if has_all:
            kernel_runs.append(lived(folder / f"kernel-{seed}", seed, kernel_queues=True))
    jobs = [Job(checked, seed, folder=folder / f"simulated-{seed}") for seed in numbers]
    runs = Runs(run_many(jobs, progress=progress), live_runs, kernel_runs)
    return CrossValidation(checked, runs, tuple(found), folder)


def _lived(
    scenario: Scenario, folder: Path, seed: int, *, hosts: str, kernel_queues: bool = False, progress: bool
) -> Result:
    """The live run of a seed: made, or found in its folder."""
    if folder.exists():
        found = Result.load(folder)
        wanted = Result({"content_address": scenario.content_address(seed)})
        address = wanted.with_live({"kernel_queues": kernel_queues}).content_address
        if found.content_address == address and hosts in {"", (found.live or {}).get("hosts")}:
            return found
    return run_live(scenario, folder, seed=seed, hosts=hosts, kernel=kernel_queues, progress=progress)


def compared(
    simulated: Sequence[Result], live: Sequence[Result], kernel: Sequence[Result] = ()
) -> Iterator[Compared]:
    """What is shown of any of them, as far as runs of each kind have it."""
    for quantity in shown_of_all(simulated):
        of_all = [_observed(quantity, runs) for runs in (simulated, live, kernel) if runs]
        if all(each.known.any() for each in of_all):
            yield Compared(quantity, *of_all)


def _observed(quantity: Quantity, runs: Sequence[Result]) -> Values:
    return Values.observed(quantity.observed(Measured(run)) for run in runs)
