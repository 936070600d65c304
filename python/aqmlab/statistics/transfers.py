"""How long transfers of a size take: completion times, slowdowns, and what did not finish.

The transfers of a group are those that began in the measured window; of a group of which none did, as where
all begin with the run, those that began before its end. When they begin is the scenario's, so that every
queue is judged by the same ones. They are followed to the end of the run. One that was under way then, was
stopped, or gave up takes at least as long as it was seen (right-censored), as a page does
(`aqmlab.statistics.pages`): the distribution is the estimate of Kaplan and Meier, and a quantile that it does
not reach is at least that of what each was seen to take.

The slowdown of a transfer is its time over the time that it would take alone on an idle path at the lowest
rate on its way: 1.5 round trips, and its bytes without headers (`alone_s` of `run.json`; defined in
crates/driver/src/telling/transfers.rs).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.pages import FollowedPages
from aqmlab.statistics.quantity import observed_of_part, of_part
from aqmlab.statistics.recorded import ended_s, has_name, measured_window, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.quantity import OfPart
    from aqmlab.statistics.recorded import Recorded

_SHARES = {50: "median", 95: "95 %"}


def transfer_groups(result: Recorded) -> list[str]:
    """The groups of flows with a size, in the order of the scenario."""
    groups = result.run["scenario"].get("flows") or ()
    return [str(each["name"]) for each in groups if each.get("bytes") is not None]


def followed_transfers(result: Recorded, part: str, *, per_time_alone: bool = False) -> FollowedPages:
    """The transfers of a group as what is followed: seconds, or how many times the time alone."""
    name = part.partition(".")[2]
    rows = table(result, "transfers", setting="[[flows]] with bytes")
    if name not in transfer_groups(result):
        listed = ", ".join(transfer_groups(result)) or "none"
        raise MissingDataError(f"{part} has no transfers of a size; groups of flows with bytes: {listed}")
    began, took, flow = (to_numpy(rows[column]) for column in ("started_s", "transfer_time_s", "flow"))
    start, until = measured_window(result)
    early = has_name(rows, "flow_group", name) & (began < until)
    own = early & (began >= start) if (early & (began >= start)).any() else early
    if not own.any():
        raise TooLittleDataError(f"no transfer of {part} began before the end of the measured window")
    done = ~np.isnan(took[own])
    seen = np.where(done, took[own], ended_s(result) - began[own])
    if per_time_alone:
        seen = seen / _alone_s(result, name)[flow[own]]
    return FollowedPages(np.zeros(seen.size), seen, seen, done, np.ones(seen.size))


def _alone_s(result: Recorded, name: str) -> FloatArray:
    """Of each flow of a group how long it would take alone."""
    alone: list[float] = next(
        (entry.get("alone_s") or [] for entry in result.run["flows"] if entry["name"] == name), []
    )
    if not alone or min(alone) <= 0.0:
        raise MissingDataError(f"the run does not say how long flows.{name} would take alone")
    return np.array(alone, dtype=np.float64)


def _quantile(result: Recorded, part: str, percentile: int, *, per_time_alone: bool) -> Observation:
    times = followed_transfers(result, part, per_time_alone=per_time_alone).times()
    found = times.quantile(percentile / 100.0)
    if math.isfinite(found):
        return Observation.exact(found)
    return Observation.at_least(times.least_quantile(percentile / 100.0))


def completion_s_of(percentile: int) -> OfPart:
    """The time in seconds within which a share of the transfers of a group was complete."""

    @observed_of_part(
        f"completion_p{percentile}_s", "s", f"completion time of {{}}, {_SHARES[percentile]}, s",
        f"{_SHARES[percentile]} s", 2,
        definition=f"time within which {percentile} % of the transfers were complete that began in the "
        "measured window (of a group without one: before its end); a bound where too few were",
        denominator="transfers, the unfinished among them", on_logarithms=True,
    )  # fmt: skip
    def completion_s(result: Recorded, part: str) -> Observation:
        return _quantile(result, part, percentile, per_time_alone=False)

    return completion_s


def slowdown_of(percentile: int) -> OfPart:
    """A percentile of the time of transfers over the time that each would take alone."""

    @observed_of_part(
        f"slowdown_p{percentile}", "", f"slowdown of {{}}, {_SHARES[percentile]}",
        f"slowdown {_SHARES[percentile]}", 2,
        definition=f"{percentile}th percentile of the transfers' times over the time alone on an idle "
        "path: 1.5 round trips of propagation, and the bytes without headers at the lowest rate there",
        denominator="transfers, the unfinished among them", on_logarithms=True,
    )  # fmt: skip
    def slowdown(result: Recorded, part: str) -> Observation:
        return _quantile(result, part, percentile, per_time_alone=True)

    return slowdown


@of_part(
    "transfers", "", "transfers of {}", "transfers", 0,
    definition="transfers that began in the measured window (of a group without one: before its end)",
)  # fmt: skip
def transfers_of(result: Recorded, part: str) -> float:
    """How many transfers of a group count."""
    return followed_transfers(result, part).pages


@of_part(
    "unfinished_transfers", "", "unfinished transfers of {}", "unfinished", 1,
    definition="of these transfers, those that were not complete at the end of the run: under way, "
    "stopped, or given up",
)  # fmt: skip
def unfinished_transfers_of(result: Recorded, part: str) -> float:
    """How many of them had not completed when the run ended."""
    return followed_transfers(result, part).unfinished


OF_TRANSFERS: Mapping[str, OfPart] = {
    **{f"completion_p{percentile}_s": completion_s_of(percentile) for percentile in _SHARES},
    **{f"slowdown_p{percentile}": slowdown_of(percentile) for percentile in _SHARES},
    "transfers": transfers_of,
    "unfinished_transfers": unfinished_transfers_of,
}
"""The quantities of a group of flows with a size."""
