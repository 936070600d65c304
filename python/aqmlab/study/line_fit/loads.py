"""When a line was idle and when transfers filled it, in records that share a clock; what was seen meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.files.line_records.record import WAYS, Carried, LineRecord, Probes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_GRID_S, _SECOND = 0.2, 1.0
_LOADED = 0.3
"""A way is loaded while it carries this share of what it carries at most."""
LEAST_LOADED_S = 4.0
_ONSET_S, _ONSET_SHARE, _END_S = 4.0, 0.3, 0.5
"""How a load begins is looked at by itself; its last half second, in which transfers end, not at all."""
_DRAINED_S, _BEFORE_S = 2.5, 0.5
"""A line counts as idle so long after a load, and until so long before the next."""
_APART_S = 120.0
_CLEAR_MS, _CLEAR_SHARE = 5.0, 0.5


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


@dataclass(frozen=True)
class Load:
    """What was seen while one way was full, or both were.

    Attributes:
        way: The way.
        both: Whether the other way was full too.
        seconds_mbps: What transfers carried second by second, when they had got going.
        other_mbps: What went the other way meanwhile, on average.
        onset_ms: How much longer round trips took than on the idle line while transfers began.
        steady_ms: The same later, with none where no answer came.
        drained_megabits: What transfers carried while each of these round trips waited: what stood before it.
        of_flows: Whether these are round trips of the transfers' own packets.
        in_flow_ms: How much longer the transfers' own round trips took at the median; none if not known.
        carried: The transfers, for what is known of their packets.
        sources: The files.
        probes_per_s: How many probes went beside them.
    """

    way: str
    both: bool
    seconds_mbps: NDArray[np.float64]
    other_mbps: float
    onset_ms: NDArray[np.float64]
    steady_ms: NDArray[np.float64]
    drained_megabits: NDArray[np.float64]
    of_flows: bool
    in_flow_ms: float | None
    carried: Sequence[Carried]
    sources: tuple[str, ...]
    probes_per_s: float


@dataclass(frozen=True)
class Seen:
    """What a session shows.

    Attributes:
        session: The session.
        idle_ms: Round trips on the idle line; all of them where it never was.
        idle_was_seen: Whether the line was idle for a while.
        loads: What was seen under load.
        too_short: The ways that were full for less than `LEAST_LOADED_S` at a time.
    """

    session: Session
    idle_ms: NDArray[np.float64]
    idle_was_seen: bool
    loads: list[Load] = field(default_factory=list)
    too_short: set[str] = field(default_factory=set)


def sessions_of(records: Iterable[LineRecord]) -> list[Session]:
    """Records with dates belong together where they are near each other; untimed round trips are aligned."""
    records = list(records)
    own = [[each] for each in records if each.timed and not each.dated]
    dated = sorted((each for each in records if each.dated), key=_begin_s)
    together: list[list[LineRecord]] = []
    for each in dated:
        if together and _begin_s(each) < max(map(_end_s, together[-1])) + _APART_S:
            together[-1].append(each)
        else:
            together.append([each])
    for untimed in (each for each in records if not each.timed):
        target = next((each for each in (*together, *own) if not any(one.probes for one in each)), None)
        aligned = None if target is None else _aligned(untimed, _merged(target))
        if target is None or aligned is None:
            own.append([untimed])
        else:
            target.append(aligned)
    return [_merged(each) for each in (*own, *together)]


def _begin_s(record: LineRecord) -> float:
    return min(_instants(record))


def _end_s(record: LineRecord) -> float:
    return max(_instants(record))


def _instants(record: LineRecord | Session) -> list[float]:
    groups = [each.at_s for of in record.carried.values() for each in of]
    groups += [each.at_s for each in (record.probes, *record.flow_probes.values()) if each]
    return [float(each) for at_s in groups for each in (at_s[0], at_s[-1])]


def _merged(records: Sequence[LineRecord]) -> Session:
    def joined(each: Sequence[Probes]) -> Probes:
        parts = [np.concatenate(of) for of in zip(*((one.at_s, one.round_trip_ms) for one in each), strict=True)]
        return each[0] if len(each) == 1 else Probes.of(*parts)

    probes = [each.probes for each in records if each.probes]
    flows = {way: [each.flow_probes[way] for each in records if way in each.flow_probes] for way in WAYS}
    return Session(
        tuple(each.source for each in records),
        joined(probes) if probes else None,
        {way: found for way in WAYS if (found := [one for each in records for one in each.carried.get(way, ())])},
        {way: joined(each) for way, each in flows.items() if each},
    )


def _aligned(untimed: LineRecord, session: Session) -> LineRecord | None:
    """Untimed round trips where they rise most while transfers run; none where they do not clearly rise."""
    probes = untimed.probes
    grid, loaded = _loaded(session)
    if probes is None or not session.carried:
        return None
    busy = np.any(list(loaded.values()), axis=0)
    trips = np.nan_to_num(probes.round_trip_ms, nan=float(np.nanmax(probes.round_trip_ms)))
    first, last = grid[0] - probes.at_s[-1], grid[-1]
    best, moved_s = -np.inf, 0.0
    for by_s in np.arange(first, last, _GRID_S):
        during = np.interp(probes.at_s + by_s, grid, busy, left=0.0, right=0.0) > 0.5
        if LEAST_LOADED_S <= during.sum() * np.median(np.diff(probes.at_s)) and not during.all():
            rise = float(np.median(trips[during]) - np.median(trips[~during]))
            rise += 1e-3 * float(trips[during].mean() - trips[~during].mean()) * during.sum()
            if rise > best:
                best, moved_s = rise, float(by_s)
    if best < _CLEAR_MS + _CLEAR_SHARE * float(np.median(trips)) * 0.1:
        return None
    return LineRecord(untimed.source, untimed.kind, probes.moved(moved_s))


def _loaded(session: Session) -> tuple[NDArray[np.float64], dict[str, NDArray[np.bool_]]]:
    """Instants, and whether each way was full at each."""
    instants = _instants(session)
    grid = np.arange(min(instants) - _SECOND, max(instants) + _SECOND, _GRID_S)
    loaded = {}
    for way, carried in session.carried.items():
        mbps = _mbps(carried, grid - _SECOND / 2, grid + _SECOND / 2)
        most = np.quantile(mbps[mbps > 0.0], 0.9) if (mbps > 0.0).any() else np.inf
        loaded[way] = mbps > _LOADED * most
    return grid, loaded


def _mbps(
    carried: Sequence[Carried], begins_s: NDArray[np.float64], ends_s: NDArray[np.float64]
) -> NDArray[np.float64]:
    sent = np.sum([each.until(ends_s) - each.until(begins_s) for each in carried], axis=0)
    found: NDArray[np.float64] = sent / (ends_s - begins_s)
    return found


def seen_in(session: Session) -> Seen:
    """What a session shows of its line, idle and under each load."""
    if not session.carried:
        trips = session.probes.round_trip_ms if session.probes else np.array([])
        return Seen(session, trips[np.isfinite(trips)], idle_was_seen=False)
    grid, loaded = _loaded(session)
    stretches = []
    states = list(zip(*(loaded.get(way, np.zeros(len(grid), dtype=bool)) for way in WAYS), strict=True))
    for state, places in groupby(range(len(grid)), key=lambda place: states[place]):
        at = list(places)
        stretches.append((state, float(grid[at[0]]), float(grid[at[-1]]) + _GRID_S))
    every = session.probes or next(iter(session.flow_probes.values()), None)
    idle, was_seen = _idle(every, [each for each in stretches if any(each[0])])
    seen = Seen(session, idle, was_seen)
    for state, begin_s, end_s in stretches:
        ways = [way for way, full in zip(WAYS, state, strict=True) if full]
        if end_s - begin_s < LEAST_LOADED_S:
            seen.too_short.update(ways)
            continue
        seen.loads.extend(_load(seen, way, len(ways) > 1, begin_s, end_s) for way in ways)
    return seen


def _idle(
    probes: Probes | None, busy: Sequence[tuple[object, float, float]]
) -> tuple[NDArray[np.float64], bool]:
    """Round trips on the idle line, or all of them where it never was, and whether it was."""
    if probes is None:
        return np.array([]), False
    idle = np.isfinite(probes.round_trip_ms)
    came = probes.round_trip_ms[idle]
    for _, begin_s, end_s in busy:
        idle &= (probes.at_s < begin_s - _BEFORE_S) | (probes.at_s > end_s + _DRAINED_S)
    return (probes.round_trip_ms[idle], True) if idle.sum() >= 3 else (came, False)


def _load(seen: Seen, way: str, both: bool, begin_s: float, end_s: float) -> Load:  # noqa: FBT001
    session = seen.session
    onset_s = begin_s + min(_ONSET_S, _ONSET_SHARE * (end_s - begin_s))
    ends_s = np.arange(onset_s + _SECOND, end_s - _END_S + 1e-9, _SECOND)
    other = session.carried.get("up" if way == "down" else "down", [])
    flows = session.flow_probes.get(way)
    probes = session.probes or flows
    base = base_ms(seen)
    onset, steady = (
        _added(probes, way, both, base, seen, since_s, until_s)
        for since_s, until_s in ((begin_s, onset_s), (onset_s, end_s - _END_S))
    )
    drained = np.full(len(steady), np.nan)
    if probes is not None and len(steady):
        entered_s = probes.at_s[(probes.at_s >= onset_s) & (probes.at_s < end_s - _END_S)] + base / 1e3
        left_s = entered_s + np.maximum(steady, 0.0) / 1e3
        drained = np.sum([each.until(left_s) - each.until(entered_s) for each in session.carried[way]], axis=0)
    in_flow = None
    if flows is not None and session.probes is not None:
        during = (flows.at_s >= onset_s) & (flows.at_s < end_s - _END_S)
        if during.any():
            in_flow = float(np.median(flows.round_trip_ms[during])) - base
    return Load(
        way,
        both,
        _mbps(session.carried[way], ends_s - _SECOND, ends_s),
        float(_mbps(other, np.array([onset_s]), np.array([end_s]))[0]) if both else 0.0,
        onset,
        steady,
        drained,
        session.probes is None,
        in_flow,
        session.carried[way],
        session.sources,
        len(steady) / (end_s - _END_S - onset_s) if session.probes else 0.0,
    )


def base_ms(seen: Seen) -> float:
    """The round trip to which what waits is added: the median idle one, or the least where none was idle."""
    if not len(seen.idle_ms):
        return float("nan")
    return float(np.median(seen.idle_ms) if seen.idle_was_seen else np.min(seen.idle_ms))


def _added(
    probes: Probes | None,
    way: str,
    both: bool,  # noqa: FBT001
    base: float,
    seen: Seen,
    since_s: float,
    until_s: float,
) -> NDArray[np.float64]:
    """What is added to the base between two instants; of both ways by one-way delays, where they are known."""
    if probes is None:
        return np.array([])
    during = (probes.at_s >= since_s) & (probes.at_s < until_s)
    if not both:
        return probes.round_trip_ms[during] - base
    if probes.up_ms is None or not np.isfinite(probes.up_ms).any():
        return np.array([])
    idle_up = probes.up_ms[np.isin(probes.round_trip_ms, seen.idle_ms)]
    base_up = float(np.nanmedian(idle_up) if seen.idle_was_seen else np.nanmin(probes.up_ms))
    up = probes.up_ms[during] - base_up
    return up if way == "up" else probes.round_trip_ms[during] - base - up
