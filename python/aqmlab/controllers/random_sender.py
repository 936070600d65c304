"""A sender that tells a controller random facts, and what the controller does that breaks a law.

Only what is legal is compared: an answer that would end a run ends the case. So no comparison ever has a NaN.
"""

from __future__ import annotations

import copy
import math
import random
from typing import TYPE_CHECKING, NamedTuple, SupportsFloat, SupportsIndex

from aqmlab.controllers.controller import LEAST_THRESHOLD, Controller
from aqmlab.controllers.facts import (
    Acknowledged,
    DeliveryRate,
    Loss,
    LostSegment,
    Marks,
    Opening,
    RoundTrip,
    Sent,
    Timeout,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.controllers.loading import Loaded

WORKS = "no method raises an exception, whatever it is told"
LEGAL = "a window is at least 1 segment, a threshold 2, a quantum 1, a pace 1 bit/s (RFC 5681 equation 4)"
TIMEOUT = "after a timeout the window lets one segment leave (RFC 5681 section 3.1)"
PAUSE = "a pause opens no window (RFC 2861)"
MISTAKE = "a mistake that is taken back leaves no smaller window than there was (RFC 3522)"
SAME = "the same facts give the same answers, to a copy as well"
GROWTH = "an acknowledgement opens the window by no more than it covers, or by one (RFC 5681 section 3.1)"
UNUSED = "what the application limits opens no window (RFC 7661)"
REDUCED = "a loss, mark or timeout leaves a threshold within the window, once (RFC 5681 section 3.2)"
OVER = "the end of a reduction leaves the threshold (RFC 5681 section 3.2 step 6)"

LAWS = (WORKS, LEGAL, TIMEOUT, PAUSE, MISTAKE, SAME)
"""What every controller owes, those of the package too (`crates/tcp/src/congestion/any_facts.rs`)."""
LAWS_OF_RENO = (GROWTH, UNUSED, REDUCED, OVER)
"""What those owe besides that answer a loss with a smaller window: all without `on_lost`."""

Breach = tuple[str, str]
"""A law, and what happened that breaks it."""

_MOST_SEGMENTS, _MOST_BPS = 1e9, 1e15
"""What a run takes of an answer (`crates/plugin/src/controller_answers.rs`)."""
_RANGES = {
    "window": (1, _MOST_SEGMENTS),
    "threshold": (LEAST_THRESHOLD, math.inf),
    "send_quantum": (1, _MOST_SEGMENTS),
}
_ANSWERS = (*_RANGES, "pacing_bps", "limits_samples")


class IllegalAnswer(Exception):  # noqa: N818 (it is what a controller did)
    """An answer that would end a run."""


class _Levels(NamedTuple):
    """Window and threshold."""

    window: float
    threshold: float


class RandomSender:
    """What a sender does at random, a controller that hears of it, and a copy that is told the same."""

    def __init__(self, loaded: Loaded, case: int) -> None:
        self._numbers = numbers = random.Random(case)  # noqa: S311 (no secret)
        self._is_kin = not loaded.hears_each_loss
        self._now_ns, self._in_flight, self._timed_out, self._phase = 1_000_000_000, 0, False, "open"
        self._delivered = self._sent_ever = self._lost = 0
        host = numbers.choice((1, 2, 10, 100)), numbers.choice((100, 1500, 9000)), numbers.random() < 0.5
        self._own = loaded.make(loaded.defaults_json, host)
        self._own.coins = _Numbers(numbers.random())  # type: ignore[assignment]
        _require_legal(self._own, "start")
        opening = self._opening()
        self._feedback = opening.feedback
        self._hears_marks = not (opening.feedback == "accurate" and loaded.answers_marks)
        self._own.on_established(opening)
        _require_legal(self._own, "on_established")
        self._copy = copy.deepcopy(self._own)

    def _opening(self) -> Opening:
        numbers = self._numbers
        active, syn_lost = numbers.random() < 0.5, numbers.random() < 0.3
        round_trip_ns = None if syn_lost else numbers.choice((None, 1, 30_000_000))
        reduces_window = syn_lost and numbers.random() < 0.5
        feedback = numbers.choice(("none", "classic", "accurate"))
        return Opening(self._now_ns, round_trip_ns, active, syn_lost, reduces_window, feedback)

    def go_on(self) -> Iterator[Breach]:
        """Something happens; answers with the laws that the controller breaks."""
        self._now_ns += self._numbers.choice((0, 1_000_000, 3_000_000_000))
        before = self._levels()
        happens = self._numbers.choices(
            (
                self._sent,
                self._acknowledged,
                self._loss,
                self._marks,
                self._timeout,
                self._over,
                self._idle,
                self._unused,
            ),
            (4, 12, 1, 1, 1, 4, 1, 1),
        )[0]
        yield from happens(before)
        for name in _ANSWERS:
            own, other = getattr(self._own, name), getattr(self._copy, name)
            if own != other:
                yield SAME, f"{name} {own} and {other}"

    def _tell(self, method: str, *facts: object) -> None:
        for each in (self._own, self._copy):
            getattr(each, method)(*facts)
            _require_legal(each, method)

    def _levels(self) -> _Levels:
        return _Levels(float(self._own.window), float(self._own.threshold))

    def _sent(self, _: _Levels) -> Iterator[Breach]:
        self._in_flight += 1
        self._sent_ever += 1
        again, limited = self._numbers.random() < 0.2, self._sent_ever % 3 == 0
        self._tell("on_sent", Sent(self._now_ns, again, self._in_flight, limited, self._phase))
        yield from ()

    def _acknowledged(self, before: _Levels) -> Iterator[Breach]:
        fact = self._report()
        if fact.round_trip_ns is not None:
            self._tell("on_round_trip", RoundTrip(self._now_ns, fact.round_trip_ns, fact.round_begins))
        self._lose(fact.lost)
        self._tell("on_acknowledged", fact)
        self._timed_out &= not fact.advanced
        if not self._is_kin or self._phase in ("reducing", "recovery"):
            return
        grown = int(self._levels().window) - int(before.window)
        if grown > max(1, fact.delivered):
            yield GROWTH, f"by {grown} segments with {fact.delivered} delivered"
        if grown > 0 and fact.window_unused:
            yield UNUSED, f"by {grown} segments, in phase {self._phase}"

    def _report(self) -> Acknowledged:
        numbers = self._numbers
        delivered, self._in_flight = (numbers.choice((0, 1, 2, 3, numbers.randrange(200))) for _ in range(2))
        unused, advanced = numbers.random() < 0.3, numbers.random() < 0.7
        self._delivered += delivered
        rate = DeliveryRate(max(1, delivered), 10_000_000, unused, self._in_flight + delivered, 0)
        return Acknowledged(
            now_ns=self._now_ns,
            delivered=delivered,
            delivered_ever=self._delivered,
            marked=numbers.randrange(delivered + 1) if self._feedback == "accurate" else 0,
            lost=numbers.choice((0, 0, 0, 3)),
            in_flight=self._in_flight,
            advanced=advanced,
            may_grow=advanced,
            round_trip_ns=numbers.choice((None, 1, 30_000_000, 20_000_000_000)),
            delivery_rate=numbers.choice((None, rate)),
            window_unused=unused,
            window_full=not unused,
            round_begins=advanced and numbers.random() < 0.5,
            phase=self._phase,
        )

    def _lose(self, segments: int) -> None:
        """So many segments are taken for lost, one by one."""
        for _ in range(min(segments, 20)):
            self._lost += 1
            place, since, limited = 2 * self._lost, 1 + self._lost % 7, self._lost % 5 == 0
            in_flight = self._in_flight + 1
            fact = LostSegment(self._now_ns, self._delivered, place, in_flight, since, limited)
            self._tell("on_lost", fact)

    def _loss(self, before: _Levels) -> Iterator[Breach]:
        if self._phase == "recovery":
            return
        repaired = self._phase == "open" and self._numbers.random() < 0.5
        reduced = self._phase == "reducing"
        self._tell("on_loss", Loss(self._now_ns, self._in_flight, reduced, repaired))
        if not repaired:
            self._phase = "recovery"
        yield from self._reduced(before, first=not reduced)

    def _marks(self, before: _Levels) -> Iterator[Breach]:
        if self._phase != "open" or self._feedback == "none" or not self._hears_marks:
            return
        marked = self._numbers.randrange(1, 100) if self._feedback == "accurate" else 1
        self._tell("on_marks", Marks(self._now_ns, marked))
        self._phase = "reducing"
        yield from self._reduced(before, first=True)

    def _timeout(self, before: _Levels) -> Iterator[Breach]:
        in_flight = self._in_flight % 100
        self._lose(in_flight)
        repeated, self._timed_out, self._phase = self._timed_out, True, "loss"
        self._tell("on_timeout", Timeout(self._now_ns, in_flight, repeated))
        if int(self._levels().window) != in_flight + 1:
            yield TIMEOUT, f"a window of {self._own.window} with {in_flight} segments in the network"
        yield from self._reduced(before, first=not repeated)

    def _reduced(self, before: _Levels, *, first: bool) -> Iterator[Breach]:
        after = self._levels().threshold
        most = max(before.window, LEAST_THRESHOLD)
        if self._is_kin and (after > most if first else after != before.threshold):
            times = "first" if first else "second"
            yield REDUCED, f"the {times} time, a threshold of {after} of a window of {before.window}"

    def _over(self, before: _Levels) -> Iterator[Breach]:
        """The phase is over, or was a mistake."""
        if self._phase == "open":
            return
        mistaken = self._numbers.random() < 0.3
        how = "mistaken" if mistaken else "after-timeout" if self._phase == "loss" else "complete"
        self._tell("on_recovered", how)
        self._phase, self._timed_out = "open", False
        after = self._levels()
        if mistaken and (after.window < before.window or after.threshold < before.threshold):
            yield MISTAKE, f"a window of {after.window} after one of {before.window}"
        is_left = after.threshold < math.inf and int(after.window) == int(after.threshold)
        if self._is_kin and how == "complete" and not is_left:
            yield OVER, f"a window of {after.window}, a threshold of {after.threshold}"

    def _idle(self, before: _Levels) -> Iterator[Breach]:
        if self._phase == "open":
            yield from self._pause("on_idle", self._numbers.choice((1, 2, 1000)), before)

    def _unused(self, before: _Levels) -> Iterator[Breach]:
        """For a timeout the application has used a part of the window."""
        if self._phase == "open":
            yield from self._pause("on_unused", self._numbers.randrange(int(before.window)), before)

    def _pause(self, method: str, told: int, before: _Levels) -> Iterator[Breach]:
        self._tell(method, told)
        after = self._levels()
        if after.window > before.window:
            yield PAUSE, f"{method}({told}): from {before.window} to {after.window} segments"


def _require_legal(own: Controller, method: str) -> None:
    """Refuses the answers after a method that would end a run."""
    for name, (least, most) in _RANGES.items():
        value = getattr(own, name)
        if not least <= _number(value) <= most:
            raise IllegalAnswer(f"after {method}, {name} is {value!r}")
    pace = own.pacing_bps
    if pace is not None and not 1 <= _number(pace) <= _MOST_BPS:
        raise IllegalAnswer(f"after {method}, pacing_bps is {pace!r}")


def _number(value: object) -> float:
    """The number that an answer is; NaN, which is in no range, where it is none."""
    try:
        # In this order: whether something keeps a protocol takes long to find out.
        is_one = isinstance(value, float | int | SupportsFloat | SupportsIndex)
        return float(value) if is_one else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


class _Numbers:
    """What stands for `coins` outside of a run."""

    def __init__(self, seed: float) -> None:
        self._numbers = random.Random(seed)  # noqa: S311 (no secret)

    def uniform(self) -> float:
        """The next uniform number in [0, 1)."""
        return self._numbers.random()

    def below(self, below: int) -> int:
        """The next whole number uniform in [0, below)."""
        return self._numbers.randrange(below)
