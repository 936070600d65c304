"""Delay, delay variation, loss and goodput of a group of datagrams: what a call or a game feels.

A group is a group of `[[datagrams]]`; its sources are alike. Datagrams sent in the measured window count,
whatever became of them later. Delay is one way, from the sender's hand-over to the arrival of the last bit;
of what was sent back (`echo`, the group `NAME-echo`) it is the round trip, from the hand-over of the probe.
Of several sources each number is the mean over the sources: what one of these people feels on average.

Delay variation is that of RFC 5481 section 4.2 (packet delay variation), delay less the least delay of the
same source; here its 99th percentile. A receiver's playout buffer has to be about as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics import loss
from aqmlab.statistics.quantity import OfRun
from aqmlab.statistics.recorded import Recorded, has_name, measured_window_s, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    # The numbers of a group's sources, by the name of their column.
    Column = Callable[[str], NDArray[np.float64]]

DELAY_PERCENTILES = (50, 95, 99)
_MILLISECONDS = 1000.0


def datagram_groups(result: Recorded) -> list[str]:
    """The names of the run's groups of datagrams, in the order of the scenario; none where there are none."""
    if "datagrams" not in result.tables:
        return []
    return list(dict.fromkeys(result.tables["datagrams"]["group"].to_pylist()))


def echo_groups(result: Recorded) -> list[str]:
    """The names of the groups of what was sent back, whose delays are round trips."""
    groups = result.run["scenario"].get("datagrams", ())
    return [f"{group['name']}-echo" for group in groups if group.get("echo")]


def groups_with_adaptive_video(result: Recorded) -> list[str]:
    """The names of the groups whose sources are video calls with congestion control."""
    groups = result.run["scenario"].get("datagrams", ())
    return [str(group["name"]) for group in groups if group.get("adaptive_video") is not None]


def feedback_groups(result: Recorded) -> list[str]:
    """The names of the groups of the reports that receivers of video calls send back."""
    return [f"{name}-feedback" for name in groups_with_adaptive_video(result)]


def delay_ms_of(percentile: int) -> Callable[[str], OfRun]:
    """A percentile of the one-way delay of a group's datagrams, in milliseconds."""

    def of_group(part: str) -> OfRun:
        def delay_ms(result: Recorded) -> float:
            return _MILLISECONDS * mean_of_sources(
                result, part, lambda column: column(f"delay_p{percentile}_s")
            )

        which = "median" if percentile == 50 else f"{percentile} %"
        title = f"delay of {part}, {which}, ms"
        return OfRun(
            f"delay_p{percentile}_ms/{part}",
            "ms",
            title,
            "delay ms" if percentile == 50 else f"delay {which} ms",
            1,
            delay_ms,
            definition=f"{percentile}th percentile of the delay, one way (of `NAME-echo` the round trip); "
            "mean over the sources",
        )

    return of_group


def delay_variation_ms_of(part: str) -> OfRun:
    """The 99th percentile of the delay variation of a group's datagrams in milliseconds (RFC 5481)."""

    def variation_ms(result: Recorded) -> float:
        return _MILLISECONDS * mean_of_sources(
            result, part, lambda column: column("delay_p99_s") - column("delay_minimum_s")
        )

    title = f"delay variation of {part}, 99 %, ms"
    return OfRun(
        f"delay_variation_p99_ms/{part}", "ms", title, "jitter ms", 1, variation_ms,
        definition="99th percentile of the delay minus its least (RFC 5481); mean over the sources",
    )  # fmt: skip


def loss_percent_of_datagrams(part: str) -> OfRun:
    """Datagrams of a group that were lost on the way, per 100 of those that arrived or were lost."""

    def percent(result: Recorded) -> float:
        column = _sources(result, part)
        lost, received = (float(column(f"{fate}_packets").sum()) for fate in ("lost", "received"))
        none = TooLittleDataError(f"no datagram of {part} arrived or was lost in the measured window")
        return loss.percent(lost, lost + received, where_none=none)

    return OfRun(
        f"loss_percent/{part}", "%", f"loss of {part}, %", "loss %", 2, percent,
        definition="datagrams lost, of those sent in the measured window that arrived or were lost",
        denominator=loss.SETTLED,
    )  # fmt: skip


def goodput_kbps_of_datagrams(part: str) -> OfRun:
    """IP bytes of a group's datagrams that arrived, in kbit/s."""

    def kilobits_per_s(result: Recorded) -> float:
        received = float(_sources(result, part)("received_bytes").sum())
        return 8.0 * received / 1000.0 / measured_window_s(result)

    return OfRun(
        f"goodput_kbps/{part}", "kbit/s", f"goodput of {part}, kbit/s", "kbit/s", 0, kilobits_per_s,
        definition="IP bytes of datagrams that arrived, in bits per second of the measured window",
    )  # fmt: skip


def mean_of_sources(result: Recorded, part: str, number: Callable[[Column], NDArray[np.float64]]) -> float:
    """The mean over a group's sources of a number of each, computed from the columns of `datagrams`.

    Raises:
        MissingDataError: There is no such group, or nothing of a source arrived.
    """
    column = _sources(result, part)
    if not (column("received_packets") > 0).all():
        raise TooLittleDataError(f"a source of {part} sent nothing that arrived in the measured window")
    return float(number(column).mean())


def _sources(result: Recorded, part: str) -> Column:
    """The numeric columns of a group's sources, by name."""
    name = part.partition(".")[2]
    rows = table(result, "datagrams", setting="[[datagrams]]")
    own = has_name(rows, "group", name)
    if not own.any():
        raise MissingDataError(f"the run has no {part}")
    return lambda column: to_numpy(rows[column])[own].astype(np.float64)


OF_DATAGRAMS: Mapping[str, Callable[[str], OfRun]] = {
    **{f"delay_p{percentile}_ms": delay_ms_of(percentile) for percentile in DELAY_PERCENTILES},
    "delay_variation_p99_ms": delay_variation_ms_of,
    "loss_percent": loss_percent_of_datagrams,
    "goodput_kbps": goodput_kbps_of_datagrams,
}
"""The quantities of a group of datagrams."""
