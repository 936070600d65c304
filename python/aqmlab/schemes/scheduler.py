"""What a scheduler is, for those who write one: several queues, and whose turn it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from aqmlab.schemes.scheme import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab._core import Header, Packet, Queues
    from aqmlab.schemes.scheme import Port


@dataclass(frozen=True, slots=True)
class At:
    """No queue has a turn before an instant.

    Attributes:
        opens_ns: The instant, in nanoseconds, later than now: the link asks again then.
    """

    opens_ns: int


@dataclass(frozen=True, slots=True)
class Victim:
    """What is discarded to make room.

    Attributes:
        queue: The queue, in which packets wait.
        from_head: Whether packets are taken from the head, which have waited longest.
        packets: How many at most.
    """

    queue: int
    from_head: bool = False
    packets: int = 1


class Scheduler:
    """Sorts packets into queues and says which queue sends next, and when.

    `classify` and `next` are required. Each queue works under the scheme that the scenario gives as `inner`.
    Queues have numbers from 0. Instants are whole nanoseconds since the run began and never decrease.
    `packet`, `header` and `queues` are valid only during the call.

    Attributes:
        limit_packets: Packets that may wait in all queues together; the port enforces it.
        limit_bytes: Bytes that may wait in all queues together; likewise.
        observed: The names of the values that `observe` returns.
    """

    limit_packets: int | None
    limit_bytes: int | None

    observed: ClassVar[tuple[str, ...]] = ()

    def queues(self) -> int:
        """How many queues there are, 1 to 65,536; asked when the parameters are set, before `start`."""
        return 1

    def check(self) -> None:
        """Raises `IllegalParameter` where parameters contradict each other; ranges are checked before."""

    def start(self, port: Port) -> None:
        """Called at the start of a run, after the parameters are set: initialise state here."""

    def classify(self, now_ns: int, packet: Packet, header: Header, queues: Queues) -> int:
        """The queue of an arrival."""
        raise NotImplementedError

    def on_queued(self, now_ns: int, queue: int, packet: Packet, queues: Queues) -> None:
        """A packet was queued; the queue contains it."""

    def next(self, now_ns: int, queues: Queues) -> int | At:
        """The queue whose turn it is, or `At(opens_ns)`; asked only while packets wait."""
        raise NotImplementedError

    def on_departure(self, now_ns: int, queue: int, packet: Packet, queues: Queues) -> Verdict:
        """A packet was taken from the head of the queue whose turn it is, and its scheme lets it pass."""
        del now_ns, queue, packet, queues
        return Verdict.PASS

    def on_sent(self, now_ns: int, queue: int, bytes: int) -> None:  # noqa: A002  (the field's word)
        """The queue whose turn it was has sent a packet."""

    def on_empty(self, now_ns: int, queue: int) -> None:
        """The queue whose turn it was had nothing to send, or its scheme discarded it."""

    def victim(self, now_ns: int, queues: Queues) -> int | Victim:
        """Too much waits: the queue whose last packet is discarded, or a `Victim`.

        Without this method the queue with the most bytes loses its last packet.
        """
        raise NotImplementedError

    def observe(self) -> Sequence[float]:
        """The values of the names in `observed`."""
        return ()


METHODS = (
    "classify",
    "on_queued",
    "next",
    "on_departure",
    "on_sent",
    "on_empty",
    "victim",
    "observe",
)
"""The methods that the port calls."""
