"""`aqmlab.sqm`: what to set in the router in front of a line, as it can be typed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments, shown
from aqmlab.comparison.comparison import Comparison, compared
from aqmlab.comparison.running import run_comparison
from aqmlab.errors import RefusalError
from aqmlab.load.queue_place import LEAST_SHARE
from aqmlab.presets.home_line import as_line
from aqmlab.presets.household import household
from aqmlab.presets.line import AS_IT_IS, warn_of_assumed_rates
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.tidy import Tidy
from aqmlab.study.line_test import SavedTable
from aqmlab.study.sqm.candidates import Judged, best, candidates, judged
from aqmlab.study.sqm.typed import autorate_config, can_be_typed, require_device, sqm_config, tc_lines
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike

DEFAULT_SCHEMES = ("fq-codel", "cake")
DEFAULT_SHARES = (0.98, 0.95, 0.9, 0.8)
DEFAULT_SEEDS = "1-3"
_LEGAL_SHARES = "numbers from 0.01 to 1, such as 0.95"


@dataclass(frozen=True, repr=False)
class RouterAdvice(shown.Shown, Tidy, SavedTable):
    """What to set in a router.

    Attributes:
        scenario: The household on its line, as it is.
        rows: What was tried, with what it does to people; first the line as it is.
        recommended: The row to choose.
        found: The comparison that the rows are of.
        device: What the router's port to the modem is called.
    """

    scenario: Scenario
    rows: tuple[Judged, ...]
    recommended: Judged
    found: Comparison
    device: str

    @property
    def own(self) -> Judged:
        """The line as it is."""
        return next(row for row in self.rows if row.candidate.name == AS_IT_IS)

    def tc_lines(self) -> list[str]:
        """The lines for plain Linux; empty where nothing is to be set."""
        chosen = self.recommended.candidate
        return tc_lines(chosen.scheme, chosen.shapers, self.device) if chosen.scheme else []

    def openwrt(self) -> list[str]:
        """The section of OpenWrt's /etc/config/sqm; empty where nothing is to be set."""
        chosen = self.recommended.candidate
        return sqm_config(chosen.scheme, chosen.shapers, self.device) if chosen.scheme else []

    def autorate(self) -> list[str]:
        """The configuration of cake-autorate; empty without."""
        chosen = self.recommended.candidate
        return autorate_config(chosen.scenario, chosen.shapers, self.device) if chosen.follows else []

    def to_arrow(self) -> pa.Table:
        """One row for each way to set up the line, seed and number: the columns of `aqmlab.frame`."""
        return self.found.to_arrow()

    def __repr__(self) -> str:
        return f"RouterAdvice({self.recommended.candidate.name!r}, {len(self.rows)} tried)"


@arguments.checked(
    RefusalError,
    schemes=arguments.schemes,
    shares=arguments.listed("[0.95, 0.9]"),
    seeds=given_seeds,
    device=arguments.text,
    output=arguments.optional(arguments.table_file),
)
def sqm(
    line: ScenarioLike | None = None,
    *,
    overrides: Mapping[str, object] | None = None,
    down_mbps: float | None = None,
    up_mbps: float | None = None,
    technology: str | None = None,
    schemes: Sequence[str] = DEFAULT_SCHEMES,
    shares: Sequence[float] = DEFAULT_SHARES,
    seeds: Iterable[int] | str = DEFAULT_SEEDS,
    within_s: float | None = None,
    device: str = "WAN",
    output: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> RouterAdvice:
    """Says what to set in the router in front of a line, and prints it as it can be typed.

    Args:
        line: A scenario with a `[line]` or a `[dumbbell]` and those who use it; without one a household on a
            line of `technology`, with `down_mbps` and `up_mbps`.
        overrides: Dotted keys with the values that replace the scenario's.
        down_mbps: The line's rate down, in Mbit/s: as the modem shows it (vdsl, adsl) or as sold.
        up_mbps: Its rate up.
        technology: cable, vdsl, adsl, fibre, lte, 5g or starlink; by default cable.
        schemes: Queue disciplines to try in the router.
        shares: Shares of the line's rate to leave it.
        seeds: Random seeds; numbers are means over them.
        within_s: Time to do it in, by an estimate for this machine: fewer seeds are run if all do not fit,
            with a warning.
        device: What the router's port to the modem is called in what is printed.
        output: Also write what was tried, a row each.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Returns:
        What to set, and what everything that was tried does to the people in the home.

    Raises:
        RefusalError: The line is named twice, or is no line; an argument is of another kind.
        ScenarioError: The line, or a scheme on it, is refused.
        RunError: A run failed.
    """
    if output is not None:
        require_form(Path(output))
    _require(schemes, shares)
    require_device(device)
    own = _own(line, overrides, down_mbps, up_mbps, technology)
    tried = candidates(own, schemes, shares)
    engine = chosen_executor(executor, workers)
    scenarios = {each.name: each.scenario for each in tried}
    room = affordable([*scenarios.values()], Seeds.of(seeds), within_s, engine, may_shorten=True)
    found = run_comparison(
        room.of(scenarios),
        room.seeds,
        told=compared,
        executor=engine,
        progress=progress,
    )
    rows = judged(found, tried)
    advice = RouterAdvice(own, tuple(rows), best(rows), found, device)
    if output is not None:
        advice.save(output)
    return advice


def _own(
    line: ScenarioLike | None,
    overrides: Mapping[str, object] | None,
    down_mbps: float | None,
    up_mbps: float | None,
    technology: str | None,
) -> Scenario:
    """The household on its line, as it is."""
    if line is None:
        if overrides:
            raise RefusalError("overrides replace values of a scenario, and there is none", place="overrides")
        return Scenario.of(household(down_mbps, up_mbps, technology or "cable"))
    given = {"down_mbps": down_mbps, "up_mbps": up_mbps, "technology": technology}
    for name, value in given.items():
        if value is not None:
            legal = "of a line without a scenario"
            raise RefusalError(f"{name}: is {legal}", place=name, value=value, legal=legal)
    read = Scenario.of(line, overrides=overrides)
    warn_of_assumed_rates(read)
    return as_line(read)


def _require(schemes: Sequence[str], shares: Sequence[float]) -> None:
    """What is tried can be typed, and is a share."""
    for scheme in schemes:
        if not can_be_typed(scheme):
            legal = "fq-codel, cake, codel, pie, drop-tail"
            raise RefusalError(
                f"schemes: what to type for {scheme} is not known; legal: {legal}",
                place="schemes",
                value=scheme,
                legal=legal,
            )
    if not shares:
        raise RefusalError("shares: none given", place="shares", legal=_LEGAL_SHARES)
    for share in shares:
        if not LEAST_SHARE <= share <= 1.0:
            raise RefusalError(
                f"shares: {share:g} is out of range; legal: {_LEGAL_SHARES}",
                place="shares",
                value=share,
                legal=_LEGAL_SHARES,
            )
