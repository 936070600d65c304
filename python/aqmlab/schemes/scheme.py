"""What a scheme is, for those who write one: methods, verdicts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import EnumMeta, IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab._core import Coins, Packet, Queue


class _Verdicts(EnumMeta):
    """Names the legal verdicts where somebody asks for another."""

    def __getattr__(cls, name: str) -> Any:  # noqa: ANN401 (a member)
        members: dict[str, Any] = cls.__dict__.get("_member_map_", {})
        if name in members:
            return members[name]
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"Verdict has no {name}; legal: {', '.join(members)}")


class Verdict(IntEnum, metaclass=_Verdicts):
    """What becomes of a packet.

    A signal marks the packet if it can be marked and the queue has `ecn`; otherwise it drops it. The last
    word is the reason under which a discard is counted. `DROP_...` and `EVICT_...` may be answered together
    with a list of positions in the queue (0 is the head, at most 16), `return Verdict.DROP_MATCH,
    [position]`: the packets there are discarded too.
    `EVICT_...` lets the packet itself pass.
    """

    PASS = 0
    SIGNAL_EARLY = 0x11
    SIGNAL_FORCED = 0x12
    DROP_EARLY = 0x21
    DROP_FORCED = 0x22
    DROP_MATCH = 0x23
    DROP_FILTER = 0x24
    EVICT_EARLY = 0x31
    EVICT_MATCH = 0x33


@dataclass(frozen=True, slots=True)
class Port:
    """What a scheme may know of the port that it works at.

    Attributes:
        link_rate_bps: Rate of the link that empties the queue, in bit/s.
        timer_phase: Where periodic timers tick within their period, from 0 to below 1: at `timer_phase + k`
        periods.
        flow_salt: A number of this port, for hashes.
    """

    link_rate_bps: int
    timer_phase: float
    flow_salt: int

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Names the legal attributes where somebody asks for another."""
            legal = ", ".join(each.name for each in fields(self))
            raise AttributeError(f"a port has no {name}; legal: {legal}")


class Scheme:
    """A queue management scheme: it is called for events at a port and decides about each packet.

    Implement the methods that it needs; the others cost nothing. Instants are whole
    nanoseconds since the run began and never decrease. Lengths exclude the packet on the link, and the packet
    that is asked about. Draw random numbers only from `coins`: then the same seed gives the same run.
    `packet`, `queue` and `coins` are valid only during the call.

    Attributes:
        limit_packets: Packets that may wait; the port enforces it.
        limit_bytes: Bytes that may wait; likewise.
        ecn: Whether signals mark what can be marked.
        observed: The names of the values that `observe` returns.
        needs_arrival_instants: Whether `packet.arrived_ns` is needed.
        evicts: Whether `on_arrival` may discard waiting packets.
    """

    limit_packets: int | None
    limit_bytes: int | None
    ecn: bool

    observed: ClassVar[tuple[str, ...]] = ()
    needs_arrival_instants: ClassVar[bool] = False
    evicts: ClassVar[bool] = False

    def check(self) -> None:
        """Raises `IllegalParameter` where parameters contradict each other; ranges are checked before."""

    def start(self, port: Port) -> None:
        """Called at the start of a run, after the parameters are set: initialise state here."""

    def on_arrival(
        self, now_ns: int, packet: Packet, queue: Queue, coins: Coins
    ) -> Verdict | tuple[Verdict, Sequence[int]]:
        """A packet arrives; the queue does not contain it yet."""
        del now_ns, packet, queue, coins
        return Verdict.PASS

    def on_departure(
        self, now_ns: int, packet: Packet, queue: Queue, coins: Coins
    ) -> Verdict | tuple[Verdict, Sequence[int]]:
        """A packet was taken from the head for the link; the queue contains the rest."""
        del now_ns, packet, queue, coins
        return Verdict.PASS

    def on_overflow(self, now_ns: int, packet: Packet) -> None:
        """A packet passed, or would have been marked, but did not fit."""

    def on_room_made(self, now_ns: int, packets: int) -> None:
        """This number of waiting packets was discarded to make room in a fair queue."""

    def on_idle(self, now_ns: int) -> None:
        """The link found the queue empty."""

    def next_timer(self) -> int | None:
        """The next instant at which `on_timer` is due; asked at the start and after each `on_timer`.

        In nanoseconds. A timer may be due once per microsecond on average: more than 1,000 times within 1 ms
        end the run.
        """
        return None

    def on_timer(self, due_ns: int, queue: Queue) -> None:
        """The timer is due; it must have moved forward afterwards."""

    def signal_probability(self) -> float:
        """The probability with which the scheme now signals to a packet of average size, for the tables."""
        return 0.0

    def observe(self) -> Sequence[float]:
        """The values of the names in `observed`."""
        return ()


METHODS = (
    "on_arrival",
    "on_departure",
    "on_overflow",
    "on_room_made",
    "on_idle",
    "next_timer",
    "on_timer",
    "signal_probability",
    "observe",
)
"""The methods that the port calls."""
