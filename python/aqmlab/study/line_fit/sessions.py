"""Records of a line that share a clock, put together: ping beside iperf3, a capture of each direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.files.line_records.record import WAYS, Carried, LineRecord, Probes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

GRID_S = 0.2
LEAST_LOADED_S = 4.0
"""A load of less is not judged."""
_SECOND, _LOADED = 1.0, 0.3
"""A way is full while it carries this share of what it carries at most, a second at a time."""
_APART_S, _LONGEST_S = 120.0, 86_400.0
_CLEAR_MS, _CLEAR_SHARE = 5.0, 0.05
"""What round trips without times have to rise by, at the median, to be aligned with transfers."""


@dataclass(frozen=True)
class Session:
    """What was recorded on one clock.

    Attributes:
        sources: The files.
        probes: Round trips beside the transfers; none if there are none.
        carried: What transfers carried, by way.
        flow_probes: Their own round trips, by the way that they fill.
    """

    sources: tuple[str, ...]
    probes: Probes | None
    carried: dict[str, list[Carried]]
    flow_probes: dict[str, Probes]

    def mbps(
        self, way: str, begins_s: NDArray[np.float64], ends_s: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What one way carried between instants."""
        zero = np.zeros(len(begins_s))
        sent = sum((each.until(ends_s) - each.until(begins_s) for each in self.carried.get(way, ())), zero)
        found: NDArray[np.float64] = sent / (ends_s - begins_s)
        return found

    def full(self) -> tuple[NDArray[np.float64], dict[str, NDArray[np.bool_]]]:
        """Instants, and whether each way was full at each."""
        instants = _instants(self)
        grid = np.arange(min(instants) - _SECOND, max(instants) + _SECOND, GRID_S)
        full = {}
        for way in WAYS:
            mbps = self.mbps(way, grid - _SECOND / 2, grid + _SECOND / 2)
            most = np.quantile(mbps[mbps > 0.0], 0.9) if (mbps > 0.0).any() else np.inf
            full[way] = mbps > _LOADED * most
        return grid, full


def sessions_of(records: Iterable[LineRecord]) -> list[Session]:
    """Records with dates belong together where they are near each other; untimed round trips are aligned."""
    records = list(records)
    groups = [[each] for each in records if each.timed and not each.dated]
    last = -np.inf
    for each in sorted((each for each in records if each.dated), key=lambda each: min(_instants(each))):
        if min(_instants(each)) < last + _APART_S:
            groups[-1].append(each)
        else:
            groups.append([each])
        last = max(last, *_instants(each))
    for untimed in (each for each in records if not each.timed):
        target = next((each for each in groups if not any(one.probes for one in each)), None)
        aligned = None if target is None else _aligned(untimed, _merged(target))
        if target is None or aligned is None:
            groups.append([untimed])
        else:
            target.append(aligned)
    return [_merged(each) for each in groups]


def _instants(record: LineRecord | Session) -> list[float]:
    """The first and last of each series."""
    series = [each.at_s for of in record.carried.values() for each in of]
    series += [each.at_s for each in (record.probes, *record.flow_probes.values()) if each]
    return [float(each) for at_s in series for each in (at_s[0], at_s[-1])]


def _merged(records: Sequence[LineRecord]) -> Session:
    carried = {way: [one for each in records for one in each.carried.get(way, ())] for way in WAYS}
    flows = {way: [each.flow_probes[way] for each in records if way in each.flow_probes] for way in WAYS}
    sources = tuple(each.source for each in records)
    instants = [at_s for each in records for at_s in _instants(each)] or [0.0]
    if not max(instants) - min(instants) <= _LONGEST_S:
        raise RefusalError(
            f"{', '.join(sources)}: times span more than a day; legal: files of one test", place=sources[0]
        )
    return Session(
        sources,
        _joined([each.probes for each in records if each.probes]),
        {way: each for way, each in carried.items() if each},
        {way: found for way, each in flows.items() if (found := _joined(each))},
    )


def _joined(probes: Sequence[Probes]) -> Probes | None:
    if len(probes) < 2:
        return probes[0] if probes else None
    return Probes.of(
        *(np.concatenate([getattr(each, of) for each in probes]) for of in ("at_s", "round_trip_ms"))
    )


def _aligned(untimed: LineRecord, session: Session) -> LineRecord | None:
    """Untimed round trips where they rise most while transfers run; none where they do not clearly rise."""
    probes = untimed.probes
    if probes is None or not session.carried:
        return None
    grid, full = session.full()
    busy = np.any(list(full.values()), axis=0)
    trips = np.nan_to_num(probes.round_trip_ms, nan=float(np.nanmax(probes.round_trip_ms)))
    step_s = float(np.median(np.diff(probes.at_s)))
    best, rise, moved_s = -np.inf, 0.0, 0.0
    for by_s in np.arange(grid[0] - probes.at_s[-1], grid[-1], GRID_S):
        during = np.interp(probes.at_s + by_s, grid, busy, left=0.0, right=0.0) > 0.5
        if during.sum() * step_s >= LEAST_LOADED_S and not during.all():
            # What all of them take longer together is greatest where all that are under load are in.
            risen = float(np.sum(trips[during] - np.median(trips[~during])))
            if risen > best:
                best, moved_s = risen, float(by_s)
                rise = float(np.median(trips[during]) - np.median(trips[~during]))
    if rise < _CLEAR_MS + _CLEAR_SHARE * float(np.median(trips)):
        return None
    return LineRecord(untimed.source, untimed.kind, Probes(probes.at_s + moved_s, probes.round_trip_ms))
