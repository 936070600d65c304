"""What a congestion controller is, for those who write one: facts as methods, answers as attributes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from aqmlab._core import Coins
    from aqmlab.controllers.facts import (
        Acknowledged,
        Loss,
        LostSegment,
        Marks,
        Opening,
        RoundTrip,
        Sent,
        Timeout,
    )

LEAST_THRESHOLD = 2
"""Segments (RFC 5681 equation 4)."""
_REDUCTIONS = ("reducing", "recovery")


class Host(NamedTuple):
    """What a controller may know of its host.

    Attributes:
        initial_window: Segments.
        packet_bytes: An IP packet with a full segment.
        pacing: Whether the host's settings want segments to leave at a rate: `pacing_bps`.
    """

    initial_window: int
    packet_bytes: int
    pacing: bool


class Controller:
    """A congestion controller: it is told what happens on one connection, and keeps a window.

    What was lost, what is sent again and when, the sender decides. The answers are attributes; the sender
    reads them after each method. As it stands this is Reno as Linux has it, whose window falls to the
    threshold at once. Most controllers replace `grow` and `window_after_loss` alone; one that replaces an
    `on_...` method answers for what stands in it. Draw random numbers only from `coins`: then the same seed
    gives the same run.

    Attributes:
        window: Segments that may be in the network, at least 1; the whole ones count.
        threshold: The window up to which slow start lasts, at least 2; infinite where there is none.
        pacing_bps: The rate at which segments leave, in bit/s of IP packets; none: at once. It counts where
            the class has `paces`, or the host `pacing`.
        send_quantum: Segments that may leave in one instant of that pace, at least 1.
        limits_samples: Whether what leaves from here on is limited by the controller's own choice, so that
            delivery rates say nothing against the path. It counts with `on_lost`.
        coins: Random numbers of the connection.
        codepoint: The codepoint of its data where ECN is on: `ect0`, or `ect1` for queues that may mark early
            and often (RFC 9331).
        accurate_ecn: Whether its hosts have accurate ECN, which tells how many packets were marked.
        answers_marks: Whether it answers marks by `acknowledged.marked`; then accurate ECN brings no
            `on_marks`.
        paces: Whether its hosts pace, whatever their settings.
    """

    window: float
    threshold: float = math.inf
    pacing_bps: float | None = None
    send_quantum: int = 1
    limits_samples: bool = False
    coins: Coins

    codepoint: ClassVar[str] = "ect0"
    accurate_ecn: ClassVar[bool] = False
    answers_marks: ClassVar[bool] = False
    paces: ClassVar[bool] = False

    initial_window: int
    """The window of a connection that begins, in segments."""
    _counted: float = 0
    """Segments acknowledged towards the next one of the window."""
    _before: tuple[float, float]
    """Window and threshold that a mistake would bring back."""

    def check(self) -> None:
        """Raises `IllegalParameter` where parameters contradict each other; ranges are checked before."""

    def start(self, host: Host) -> None:
        """A connection begins; `window` is the host's initial one. Initialise state here."""

    def grow(self, acknowledged: Acknowledged) -> None:
        """Segments were acknowledged, the window was used, and nothing is being reduced (RFC 5681)."""
        left: float = acknowledged.delivered
        if self.window < self.threshold:
            taken = min(left, self.threshold - self.window)
            self.window += taken
            left -= taken
        if left > 0:
            self._grow_by_one_per(self.window, left)

    def window_after_loss(self) -> float:
        """Segments that a loss or a mark leaves of the window; two at the least where it is less."""
        return self.window // 2

    def on_established(self, opening: Opening) -> None:
        """The connection is open, and nothing has been sent yet."""
        if opening.reduces_window:
            self.window = 1

    def on_sent(self, sent: Sent) -> None:
        """A segment leaves."""

    def on_round_trip(self, round_trip: RoundTrip) -> None:
        """A round trip has ended."""

    def on_acknowledged(self, acknowledged: Acknowledged) -> None:
        """An acknowledgement was processed."""
        reduces = acknowledged.phase in _REDUCTIONS
        if acknowledged.may_grow and not reduces and not acknowledged.window_unused:
            self.grow(acknowledged)

    def on_lost(self, lost: LostSegment) -> None:
        """A segment is taken for lost. With this method the controller models the path by itself."""

    def on_loss(self, loss: Loss) -> None:
        """Segments were lost."""
        if loss.reduced:
            return
        if not loss.repaired:
            self._keep()
        self._fall()

    def on_timeout(self, timeout: Timeout) -> None:
        """Everything outstanding is taken for lost."""
        if not timeout.repeated:
            self._keep()
            self.threshold = self._left()
        self.window, self._counted = timeout.in_flight + 1, 0

    def on_marks(self, marks: Marks) -> None:
        """Packets were marked: told once in a window of data."""
        del marks
        self._fall()

    def on_recovered(self, how: str) -> None:
        """A reduction is over: `complete`, `mistaken` (nothing was lost), or `after-timeout`."""
        if how == "complete":
            self.window = self.threshold
        elif how == "mistaken":
            window, threshold = self._before
            self.window = max(self.window, window)
            self.threshold = max(self.threshold, threshold)

    def on_idle(self, timeouts: int) -> None:
        """So many retransmission timeouts have passed without data (Linux `tcp_cwnd_restart`)."""
        self.threshold = max(self.threshold, self._three_quarters())
        # Halved more often than this, any window is the initial one.
        for _ in range(min(timeouts, 64)):
            if self.window <= self.initial_window:
                return
            self.window = max(self.window // 2, self.initial_window)

    def on_unused(self, used: int) -> None:
        """For a timeout no more than these segments of the window were used (RFC 2861)."""
        used = max(used, self.initial_window)
        if used < self.window:
            self.threshold = max(self.threshold, self._three_quarters())
            self.window = (self.window + used) // 2

    def _grow_by_one_per(self, per_segment: float, segments: float) -> None:
        """A segment for every so many acknowledged (Linux `tcp_cong_avoid_ai`)."""
        if self._counted >= per_segment:
            self._counted = 0
            self.window += 1
        self._counted += segments
        if self._counted >= per_segment:
            self.window += self._counted // per_segment
            self._counted %= per_segment

    def _keep(self) -> None:
        self._before = self.window, max(self.threshold, self._three_quarters())

    def _fall(self) -> None:
        self.threshold = self._left()
        self.window, self._counted = self.threshold, 0

    def _left(self) -> float:
        """What `window_after_loss` answers, two segments at the least."""
        left = self.window_after_loss()
        if not left >= 0:  # nor is what is no number
            raise ValueError(f"window_after_loss() is {left}; legal: a number of segments, 0 or more")
        return max(LEAST_THRESHOLD, left)

    def _three_quarters(self) -> float:
        return self.window // 2 + self.window // 4


QUIET = ("on_sent", "on_round_trip", "on_lost")
"""The methods that do nothing unless a class replaces them: they are not called then."""
METHODS = (
    "on_established",
    "on_sent",
    "on_round_trip",
    "on_acknowledged",
    "on_lost",
    "on_loss",
    "on_timeout",
    "on_marks",
    "on_recovered",
    "on_idle",
    "on_unused",
)
"""The methods that the sender calls."""
ASKED = ("check", "start", "grow", "window_after_loss")
"""The other methods that are called."""
CODEPOINTS = ("ect0", "ect1")
