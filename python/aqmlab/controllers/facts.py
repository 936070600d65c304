"""What a congestion controller is told. Counts are in segments, instants and times in whole nanoseconds."""

from __future__ import annotations

from typing import NamedTuple


class Opening(NamedTuple):
    """The connection is open, and nothing has been sent yet.

    Attributes:
        now_ns: When.
        round_trip_ns: The round trip of the handshake; none where none was measured.
        active: Whether this end sent the first SYN.
        syn_lost: Whether a SYN or SYN/ACK of this end had to be sent again.
        reduces_window: Whether the initial window is one segment for that reason (RFC 5681 section 3.1).
        feedback: What the peer's acknowledgements tell of marks: `none`, that there were some (`classic`, RFC
            3168), or how many (`accurate`, RFC 9768).
    """

    now_ns: int
    round_trip_ns: int | None
    active: bool
    syn_lost: bool
    reduces_window: bool
    feedback: str


class Sent(NamedTuple):
    """A segment leaves.

    Attributes:
        now_ns: When.
        again: Whether it was sent before.
        in_flight: Segments in the network, with it.
        application_limited: Whether the rate at which it will arrive may be the application's.
        phase: As of `Acknowledged`.
    """

    now_ns: int
    again: bool
    in_flight: int
    application_limited: bool
    phase: str


class RoundTrip(NamedTuple):
    """A round trip has ended with an acknowledgement, of which the controller hears next.

    Attributes:
        now_ns: When.
        round_trip_ns: How long it took.
        round_begins: In slow start: whether everything is acknowledged that had been sent when this was last
            so.
    """

    now_ns: int
    round_trip_ns: int
    round_begins: bool


class DeliveryRate(NamedTuple):
    """So many segments were delivered in so long.

    Attributes:
        segments: How many.
        interval_ns: The longer of the times in which they left and in which they were acknowledged.
        application_limited: Whether the application limited what left then: the path may be faster.
        in_flight: Segments in the network when the newest of them left, with it.
        lost_since: Segments taken for lost since then.
    """

    segments: int
    interval_ns: int
    application_limited: bool
    in_flight: int
    lost_since: int


class Acknowledged(NamedTuple):
    """An acknowledgement was processed, whatever the sender is doing.

    Attributes:
        now_ns: When it arrived.
        delivered: Segments that it newly reports to have arrived.
        delivered_ever: All that ever were reported, with these.
        marked: Of these, how many the peer says were marked (accurate ECN).
        lost: Segments that it shows to be lost.
        in_flight: Segments in the network.
        advanced: Whether it acknowledges new data in order.
        may_grow: Whether the window may grow with it (Linux `tcp_may_raise_cwnd`).
        round_trip_ns: The round trip that ended with it; none where it is ambiguous.
        delivery_rate: How fast they arrived; none if it does not tell.
        window_unused: Whether the application left so much of the window unused that it is no reason to open
            it.
        window_full: Whether the window was full at some time of the last round trip.
        round_begins: Whether everything is acknowledged that had been sent when this was last so.
        phase: What the sender is doing: `open`, `reducing` after a mark, `recovery` after a loss, or `loss`
            after a timeout.
    """

    now_ns: int
    delivered: int
    delivered_ever: int
    marked: int
    lost: int
    in_flight: int
    advanced: bool
    may_grow: bool
    round_trip_ns: int | None
    delivery_rate: DeliveryRate | None
    window_unused: bool
    window_full: bool
    round_begins: bool
    phase: str


class LostSegment(NamedTuple):
    """One segment is taken for lost, whoever has found that.

    Attributes:
        now_ns: When.
        delivered_ever: Segments that ever were reported to have arrived.
        place: How many segments of new data had been sent before this one.
        in_flight: Segments in the network when it left, with it.
        lost_since: Segments taken for lost since it left, with it.
        application_limited: Whether the application limited what left then.
    """

    now_ns: int
    delivered_ever: int
    place: int
    in_flight: int
    lost_since: int
    application_limited: bool


class Loss(NamedTuple):
    """Segments were lost: a recovery begins.

    Attributes:
        now_ns: When.
        in_flight: Segments in the network.
        reduced: Whether a mark has reduced the window for these data already.
        repaired: Whether a probe has repaired it, so that no recovery follows (RFC 8985 section 7.4.2).
    """

    now_ns: int
    in_flight: int
    reduced: bool
    repaired: bool


class Timeout(NamedTuple):
    """The retransmission timer has expired: everything outstanding is taken for lost.

    Attributes:
        now_ns: When.
        in_flight: Segments that may still arrive, because they were sent a moment ago.
        repeated: Whether a reduction for the same data came before it.
    """

    now_ns: int
    in_flight: int
    repeated: bool


class Marks(NamedTuple):
    """The peer has reported marks, for the first time in this window of data.

    Attributes:
        now_ns: When.
        marked: Packets that arrived with a mark; one where the peer tells only that there were some.
    """

    now_ns: int
    marked: int
