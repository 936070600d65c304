"""A congestion controller tried outside of any scenario: what every controller owes, on random facts.

The laws are those that the controllers of the package are held to (`crates/tcp/src/congestion/any_facts.rs`).
Facts are random, in any order in which a sender may tell them; the numbers of a case are the same every time.
"""

from __future__ import annotations

import copy
import math
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab.controllers.controller import LEAST_THRESHOLD
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
from aqmlab.controllers.library import is_library, loaded_library
from aqmlab.controllers.loading import Loaded, load
from aqmlab.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = 200
"""How many cases are tried."""
_FACTS = 200
"""How many facts a case has."""

_WORKS = "no method raises an exception, whatever it is told"
_LEGAL = "a window is at least 1 segment, a threshold 2, a quantum 1, a pace above 0 (RFC 5681 equation 4)"
_TIMEOUT = "after a timeout the window lets one segment leave (RFC 5681 section 3.1)"
_PAUSE = "a pause opens no window (RFC 2861)"
_MISTAKE = "a mistake that is taken back leaves no smaller window than there was (RFC 3522)"
_SAME = "the same facts give the same answers, to a copy as well"
_GROWTH = "an acknowledgement opens the window by no more than it covers, or by one (RFC 5681 section 3.1)"
_UNUSED = "what the application limits opens no window (RFC 7661)"
_REDUCED = "a loss, mark or timeout leaves a threshold within the window, once (RFC 5681 section 3.2)"
_OVER = "the end of a reduction leaves the threshold (RFC 5681 section 3.2 step 6)"

LAWS = (_WORKS, _LEGAL, _TIMEOUT, _PAUSE, _MISTAKE, _SAME)
"""What every controller owes."""
LAWS_OF_RENO = (_GROWTH, _UNUSED, _REDUCED, _OVER)
"""What those owe besides that answer a loss with a smaller window: all without `on_lost`."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A law that a controller breaks.

    Attributes:
        law: The law, with its source.
        case: The number of the case, which is the same every time.
        wrong: What happened.
    """

    law: str
    case: int
    wrong: str

    def __str__(self) -> str:
        return f"fails: {self.law}\n  case {self.case}: {self.wrong}"


def laws_of(name: str, *, folder: str | Path = ".") -> tuple[str, ...]:
    """The laws that a controller is held to.

    Raises:
        ScenarioError: The file or what is in it is refused.
    """
    return LAWS if _loaded(name, folder).hears_each_loss else LAWS + LAWS_OF_RENO


def check(name: str, *, folder: str | Path = ".", cases: int = CASES) -> list[Broken]:
    """Tells a controller random facts, with its defaults, and answers with the laws that it breaks.

    Args:
        name: `FILE.py:CLASS` or `LIBRARY.so:SYMBOL`.
        folder: Where the file is looked for.
        cases: How many cases, each of 200 facts.

    Returns:
        Each law that is broken once, with its first case.

    Raises:
        ScenarioError: The file or what is in it is refused.
    """
    loaded = _loaded(name, folder)
    found: dict[str, Broken] = {}
    for case in range(cases):
        for law, wrong in _broken_in(loaded, case):
            found.setdefault(law, Broken(law, case, wrong))
    return [*found.values()]


def _loaded(name: str, folder: str | Path) -> Loaded:
    if is_library(name):
        return loaded_library(name, folder)
    file, _, own = name.rpartition(":")
    if not file.endswith(".py") or not own:
        raise ScenarioError(f"controller {name}: not in a file; legal: FILE.py:CLASS or LIBRARY.so:SYMBOL")
    try:
        text = (Path(folder) / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"controller {name}: {file} cannot be read: {error}") from None
    loaded = load(file, own, text)
    if loaded.refusal:
        raise ScenarioError(f"controller {name}: {loaded.refusal}")
    return loaded


def _broken_in(loaded: Loaded, case: int) -> Iterator[tuple[str, str]]:
    """The laws that a case breaks; it ends with the first method that fails."""
    numbers = random.Random(case)  # noqa: S311 (no secret)
    try:
        trial = _Trial(loaded, numbers)
        for _ in range(_FACTS):
            yield from trial.go_on()
    except Exception as error:  # noqa: BLE001 (a stranger's code)
        yield _WORKS, loaded.described(error, error.__traceback__)


class _Trial:
    """A controller, a copy of it that is told the same, and what its sender is doing."""

    def __init__(self, loaded: Loaded, numbers: random.Random) -> None:
        self.numbers, self.kin = numbers, not loaded.hears_each_loss
        self.now_ns, self.delivered, self.in_flight = 1_000_000_000, 0, 0
        self.phase, self.timed_out, self.lost = "open", False, 0
        initial = numbers.choice((1, 2, 10, 100))
        self.own = loaded.make(loaded.defaults_json, (initial, numbers.choice((100, 1500, 9000)), False))
        self.own.coins = _Numbers(numbers.random())  # type: ignore[assignment]
        opening = Opening(self.now_ns, 30_000_000, numbers.random() < 0.5, False, False, "classic")
        self.own.on_established(opening)
        self.copy = copy.deepcopy(self.own)

    def go_on(self) -> Iterator[tuple[str, str]]:
        """Something happens; answers with the laws that it breaks."""
        self.now_ns += self.numbers.choice((0, 1_000_000, 3_000_000_000))
        before = self.own.window, self.own.threshold
        happens = self.numbers.choices(
            (self._sent, self._acknowledged, self._loss, self._marks, self._timeout, self._over, self._idle),
            (4, 12, 1, 1, 1, 4, 1),
        )[0]
        broken = [*happens(before)]
        yield from broken
        yield from self._answers()

    def _tell(self, method: str, *facts: object) -> None:
        for each in (self.own, self.copy):
            getattr(each, method)(*facts)

    def _answers(self) -> Iterator[tuple[str, str]]:
        own, other = self.own, self.copy
        legal = 1 <= own.window < 1e9 and own.threshold >= LEAST_THRESHOLD and own.send_quantum >= 1
        if not legal or not (own.pacing_bps is None or 0 < own.pacing_bps < math.inf):
            told = f"window {own.window}, threshold {own.threshold}, quantum {own.send_quantum}"
            yield _LEGAL, f"{told}, pace {own.pacing_bps}"
        if (own.window, own.threshold, own.pacing_bps) != (other.window, other.threshold, other.pacing_bps):
            yield _SAME, f"window {own.window} and {other.window}"

    def _sent(self, _: tuple[float, float]) -> Iterator[tuple[str, str]]:
        self.in_flight += 1
        again = self.numbers.random() < 0.2
        self._tell("on_sent", Sent(self.now_ns, again, self.in_flight, False, self.phase))
        yield from ()

    def _acknowledged(self, before: tuple[float, float]) -> Iterator[tuple[str, str]]:
        fact = self._report()
        if fact.round_trip_ns is not None:
            self._tell("on_round_trip", RoundTrip(self.now_ns, fact.round_trip_ns, fact.round_begins))
        for _ in range(min(fact.lost, 20)):
            self.lost += 1
            lost = LostSegment(self.now_ns, self.delivered, 2 * self.lost, self.in_flight + 1, 1, False)
            self._tell("on_lost", lost)
        self._tell("on_acknowledged", fact)
        self.timed_out &= not fact.advanced
        if not self.kin or self.phase in ("reducing", "recovery"):
            return
        grown = int(self.own.window) - int(before[0])
        if grown > max(1, fact.delivered):
            yield _GROWTH, f"by {grown} segments with {fact.delivered} delivered"
        if grown > 0 and fact.window_unused:
            yield _UNUSED, f"by {grown} segments, in phase {self.phase}"

    def _report(self) -> Acknowledged:
        numbers = self.numbers
        delivered, self.in_flight = (numbers.choice((0, 1, 2, 3, numbers.randrange(200))) for _ in range(2))
        unused, advanced = numbers.random() < 0.3, numbers.random() < 0.7
        self.delivered += delivered
        rate = DeliveryRate(max(1, delivered), 10_000_000, unused, self.in_flight + delivered, 0)
        return Acknowledged(
            now_ns=self.now_ns,
            delivered=delivered,
            delivered_ever=self.delivered,
            marked=numbers.randrange(delivered + 1),
            lost=numbers.choice((0, 0, 0, 3)),
            in_flight=self.in_flight,
            advanced=advanced,
            may_grow=advanced,
            round_trip_ns=numbers.choice((None, 1, 30_000_000, 20_000_000_000)),
            delivery_rate=numbers.choice((None, rate)),
            window_unused=unused,
            window_full=not unused,
            round_begins=advanced and numbers.random() < 0.5,
            phase=self.phase,
        )

    def _loss(self, before: tuple[float, float]) -> Iterator[tuple[str, str]]:
        if self.phase == "recovery":
            return
        repaired = self.phase == "open" and self.numbers.random() < 0.5
        reduced = self.phase == "reducing"
        self._tell("on_loss", Loss(self.now_ns, self.in_flight, reduced, repaired))
        if not repaired:
            self.phase = "recovery"
        yield from self._reduced(before, first=not reduced)

    def _marks(self, before: tuple[float, float]) -> Iterator[tuple[str, str]]:
        if self.phase != "open":
            return
        self._tell("on_marks", Marks(self.now_ns, self.numbers.randrange(1, 100)))
        self.phase = "reducing"
        yield from self._reduced(before, first=True)

    def _timeout(self, before: tuple[float, float]) -> Iterator[tuple[str, str]]:
        in_flight = self.in_flight % 100
        repeated, self.timed_out, self.phase = self.timed_out, True, "loss"
        self._tell("on_timeout", Timeout(self.now_ns, in_flight, repeated))
        if int(self.own.window) != in_flight + 1:
            yield _TIMEOUT, f"a window of {self.own.window} with {in_flight} segments in the network"
        yield from self._reduced(before, first=not repeated)

    def _reduced(self, before: tuple[float, float], *, first: bool) -> Iterator[tuple[str, str]]:
        window, threshold = before
        after = self.own.threshold
        if self.kin and (after > max(window, LEAST_THRESHOLD) if first else after != threshold):
            times = "first" if first else "second"
            yield _REDUCED, f"the {times} time, a threshold of {after} of a window of {window}"

    def _over(self, before: tuple[float, float]) -> Iterator[tuple[str, str]]:
        """The phase is over, or was a mistake."""
        if self.phase == "open":
            return
        mistaken = self.numbers.random() < 0.3
        how = "mistaken" if mistaken else "after-timeout" if self.phase == "loss" else "complete"
        self._tell("on_recovered", how)
        self.phase, self.timed_out = "open", False
        if mistaken and (self.own.window < before[0] or self.own.threshold < before[1]):
            yield _MISTAKE, f"a window of {self.own.window} after one of {before[0]}"
        if self.kin and how == "complete" and int(self.own.window) != int(self.own.threshold):
            yield _OVER, f"a window of {self.own.window}, a threshold of {self.own.threshold}"

    def _idle(self, before: tuple[float, float]) -> Iterator[tuple[str, str]]:
        if self.phase != "open":
            return
        self._tell("on_idle", self.numbers.choice((1, 2, 1000)))
        if self.own.window > before[0]:
            yield _PAUSE, f"from {before[0]} to {self.own.window} segments"


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
