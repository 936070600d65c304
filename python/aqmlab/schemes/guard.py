"""What a guard is, for those who write one: a filter in front of any scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab._core import Behind, Coins, Header, Packet
    from aqmlab.schemes.scheme import Port, Verdict


class Guard:
    """Stands in front of a queue and may refuse what arrives.

    `admits` is required. The scheme behind it is the one that the scenario gives as `inner`. Instants are
    whole nanoseconds since the run began and never decrease. Draw random numbers only from `coins`.
    `packet`, `header`, `behind` and `coins` are valid only during the call.

    Attributes:
        limit_packets: Packets that may wait behind it; the port enforces it.
        limit_bytes: Bytes that may wait behind it; likewise.
        observed: The names of the values that `observe` returns.
    """

    limit_packets: int | None
    limit_bytes: int | None

    observed: ClassVar[tuple[str, ...]] = ()

    def check(self) -> None:
        """Raises `IllegalParameter` where parameters contradict each other; ranges are checked before."""

    def start(self, port: Port) -> None:
        """Called at the start of a run, after the parameters are set: initialise state here."""

    def admits(self, now_ns: int, packet: Packet, header: Header, behind: Behind, coins: Coins) -> Verdict:
        """A packet arrives: `PASS`, `SIGNAL_EARLY`, or a `DROP_...` to refuse it."""
        raise NotImplementedError

    def on_decision(self, now_ns: int, packet: Packet, decision: str) -> None:
        """What became of a packet that passed: `queued`, `marked`, `sent`, or the reason of a discard.

        A packet that is queued is reported again when it is sent or discarded.
        """

    def next_timer(self) -> int | None:
        """The next instant at which `on_timer` is due, in nanoseconds: as of `Scheme.next_timer`."""
        return None

    def on_timer(self, due_ns: int, behind: Behind) -> None:
        """The timer is due; it must have moved forward afterwards."""

    def observe(self) -> Sequence[float]:
        """The values of the names in `observed`."""
        return ()


METHODS = ("admits", "on_decision", "next_timer", "on_timer", "observe")
"""The methods that the port calls."""
