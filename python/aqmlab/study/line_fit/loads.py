"""What was seen of a line while it was idle, and while transfers filled it.

Records that share a clock are put together first: ping beside iperf3, a capture of each direction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.files.line_records.record import WAYS, Carried, LineRecord, Probes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from aqmlab.files.line_records.record import Carried

    Floats = NDArray[np.float64]

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


_ONSET_S, _ONSET_SHARE, _END_S = 4.0, 0.3, 0.5
"""How a load begins is looked at by itself; its last half second, in which transfers end, not at all."""
_DRAINED_S, _BEFORE_S = 2.5, 0.5
"""A line counts as idle so long after a load, and until so long before the next."""
_LEAST_IDLE = 3


@dataclass(frozen=True)
class Load:
    """What was seen while one way was full, or both were.

    Attributes:
        way: The way.
        both: Whether the other way was full too.
        seconds_mbps: What transfers carried second by second, when they had got going.
        other_mbps: What went the other way meanwhile.
        onset_ms: How much longer round trips took than on the idle line while transfers began.
        steady_ms: The same later; not a number where no answer came.
        drained_megabits: What transfers carried while each of these waited: what stood before it.
        apart: Whether these are of this way alone; else what waits the other way is in them too.
        of_flows: Whether these are round trips of the transfers' own packets.
        in_flow_ms: How much longer the transfers' own round trips took at the median; none if not known.
        probes_per_s: How many probes went beside them.
        carried: The transfers, for what is known of their packets.
    """

    way: str
    both: bool
    seconds_mbps: Floats
    other_mbps: float
    onset_ms: Floats
    steady_ms: Floats
    drained_megabits: Floats
    apart: bool
    of_flows: bool
    in_flow_ms: float | None
    probes_per_s: float
    carried: Sequence[Carried]


@dataclass(frozen=True)
class Seen:
    """What a session shows.

    Attributes:
        sources: Its files.
        idle_ms: Round trips on the idle line; all of them where it never was.
        idle_was_seen: Whether the line was idle for a while.
        loads: What was seen under load.
        too_short: The ways that were full for less than `LEAST_LOADED_S` at a time.
    """

    sources: tuple[str, ...]
    idle_ms: Floats
    idle_was_seen: bool
    loads: list[Load] = field(default_factory=list)
    too_short: set[str] = field(default_factory=set)

    @property
    def base_ms(self) -> float:
        """What waits is added to this: the median idle round trip, or the least where none was idle."""
        if not len(self.idle_ms):
            return float("nan")
        return float(np.median(self.idle_ms) if self.idle_was_seen else np.min(self.idle_ms))


@dataclass(frozen=True)
class _Stretch:
    """A time in which the same ways were full."""

    ways: tuple[str, ...]
    begin_s: float
    end_s: float


def seen_in(session: Session) -> Seen:
    """What a session shows of its line, idle and under each load."""
    stretches = _stretches(session) if session.carried else []
    every = session.probes or next(iter(session.flow_probes.values()), None)
    idle = _idle(every, stretches)
    if every is None or idle is None:
        came = np.array([]) if every is None else every.round_trip_ms[np.isfinite(every.round_trip_ms)]
        seen = Seen(session.sources, came, idle_was_seen=False)
    else:
        seen = Seen(session.sources, every.round_trip_ms[idle], idle_was_seen=True)
    up_ms = None if every is None else every.up_ms
    base_up_ms = 0.0
    if up_ms is not None and np.isfinite(up_ms).any():
        base_up_ms = float(np.nanmin(up_ms) if idle is None else np.nanmedian(up_ms[idle]))
    for each in stretches:
        if each.end_s - each.begin_s < LEAST_LOADED_S:
            seen.too_short.update(each.ways)
        else:
            seen.loads.extend(_load(session, each, way, seen.base_ms, base_up_ms) for way in each.ways)
    return seen


def _stretches(session: Session) -> list[_Stretch]:
    """The times in which something was full."""
    grid, full = session.full()
    found = []
    for ways, places in groupby(range(len(grid)), key=lambda at: tuple(way for way in WAYS if full[way][at])):
        at = list(places)
        if ways:
            found.append(_Stretch(ways, float(grid[at[0]]), float(grid[at[-1]]) + GRID_S))
    return found


def _idle(probes: Probes | None, busy: Sequence[_Stretch]) -> NDArray[np.bool_] | None:
    """Which round trips began on the idle line; none where it never was."""
    if probes is None or not busy:
        return None
    idle = np.isfinite(probes.round_trip_ms)
    for each in busy:
        idle &= (probes.at_s < each.begin_s - _BEFORE_S) | (probes.at_s > each.end_s + _DRAINED_S)
    return idle if idle.sum() >= _LEAST_IDLE else None


def _load(session: Session, stretch: _Stretch, way: str, base_ms: float, base_up_ms: float) -> Load:
    onset_s = stretch.begin_s + min(_ONSET_S, _ONSET_SHARE * (stretch.end_s - stretch.begin_s))
    end_s = stretch.end_s - _END_S
    seconds_s = np.arange(onset_s + 1.0, end_s + 1e-9, 1.0)
    flows, both = session.flow_probes.get(way), len(stretch.ways) > 1
    at_s, added = _added(session.probes or flows, way, both, base_ms, base_up_ms)
    onset, steady = (at_s >= stretch.begin_s) & (at_s < onset_s), (at_s >= onset_s) & (at_s < end_s)
    entered_s = at_s[steady] + base_ms / 1e3
    left_s = entered_s + np.maximum(added[steady], 0.0) / 1e3
    own = session.carried[way]
    in_flow = None
    if flows is not None and session.probes is not None:
        during = (flows.at_s >= onset_s) & (flows.at_s < end_s)
        in_flow = float(np.median(flows.round_trip_ms[during])) - base_ms if during.any() else None
    span = np.array([onset_s]), np.array([end_s])
    return Load(
        way,
        both,
        session.mbps(way, seconds_s - 1.0, seconds_s),
        float(session.mbps("up" if way == "down" else "down", *span)[0]),
        added[onset],
        added[steady],
        np.sum([each.until(left_s) - each.until(entered_s) for each in own], axis=0),
        not both or (session.probes is not None and session.probes.up_ms is not None),
        session.probes is None,
        in_flow,
        int(steady.sum()) / (end_s - onset_s) if session.probes else 0.0,
        own,
    )


def _added(
    probes: Probes | None,
    way: str,
    both: bool,
    base_ms: float,
    base_up_ms: float,
) -> tuple[Floats, Floats]:
    """When, and what is added to the base; of one way where both are full, if one-way delays are known."""
    if probes is None:
        return np.array([]), np.array([])
    added = probes.round_trip_ms - base_ms
    if both and probes.up_ms is not None:
        up = probes.up_ms - base_up_ms
        added = up if way == "up" else added - up
    return probes.at_s, added
