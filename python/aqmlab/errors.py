"""What can go wrong, by whose doing: `AqmlabError` is the root of all.

`RunError` and `StorageError` are faults of aqmlab or of the machine; the others can be mended in what was
written. Each message names the place, what was found, and what is legal. The same stands in fields, for
programs: `place`, `value`, `legal`, `nearest`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, Any, Self

from aqmlab.terminal.spelling import closest, nearest, plain, quoted, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab import _core

__all__ = [
    "AqmlabError",
    "CalibrationError",
    "Cancelled",
    "ComparisonError",
    "DemandError",
    "ExecutorError",
    "ExperimentError",
    "FolderError",
    "LayoutError",
    "MissingDataError",
    "Mistake",
    "NotEnoughMemoryError",
    "PlotError",
    "RefusalError",
    "ResultError",
    "RunError",
    "RunsFailed",
    "ScenarioError",
    "StorageError",
    "SweepError",
    "TableError",
    "TooLittleDataError",
    "TuneError",
    "UnknownLinkError",
    "UnknownQuantityError",
]


class AqmlabError(Exception):
    """The root of all errors of aqmlab.

    Attributes:
        place: A file and line, a dotted key, an argument; empty if nowhere in particular.
        value: What was found there; none if it is no single value.
        legal: What would be legal: a range, or names separated by commas; empty if unknown.
        nearest: The legal name that is most like it, if any.
    """

    place: str = ""
    value: object = None
    legal: str = ""
    nearest: str | None = None


class RefusalError(AqmlabError, ValueError):
    """What a user wrote or named is refused; its message quotes it, with nothing that steers a terminal."""

    def __init__(
        self,
        message: str,
        *,
        place: str = "",
        value: object = None,
        legal: str = "",
        nearest: str | None = None,
    ) -> None:
        super().__init__(plain(message))
        self.place, self.value, self.legal, self.nearest = place, value, legal, nearest

    @classmethod
    def unknown(cls, place: str, name: str, known: Iterable[str]) -> Self:
        """The error of a name that is none of the known ones."""
        names = list(known)
        return cls(
            f"{place}: {unknown(name, names)}",
            place=place,
            value=name,
            legal=", ".join(names),
            nearest=closest(name, names),
        )

    @classmethod
    def not_among(cls, what: str, name: object, known: Iterable[str]) -> Self:
        """The error of a name that nothing of this kind has, such as `no population is called "guests"`."""
        names = list(known)
        there = f"there are: {', '.join(names) or 'none'}{nearest(str(name), names)}"
        return cls(
            f'no {what} is called "{name}"; {there}',
            place=what,
            value=name,
            legal=", ".join(names),
            nearest=closest(str(name), names),
        )

    @classmethod
    def require_list(cls, argument: str, given: object, example: str) -> None:
        """Refuses what is no list, and texts, which Python takes for lists of letters."""
        if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
            legal = f"a list such as {example}"
            raise cls(f"{argument}: {legal}, not {quoted(given)}", place=argument, value=given, legal=legal)

    @classmethod
    def whole(cls, argument: str, given: object, least: int, most: int | None = None) -> int:
        """A whole number of any kind, also NumPy's; refuses what is none, true and false among it."""
        number = None
        if not isinstance(given, bool) and hasattr(given, "__index__"):
            with suppress(TypeError):  # an array of several numbers
                number = index(given)
        if number is None or number < least or (most is not None and number > most):
            shown_most = "2^64 - 1" if most == 2**64 - 1 else f"{most}"
            legal = (
                f"a whole number of at least {least}"
                if most is None
                else (f"a whole number from {least} to {shown_most}")
            )
            raise cls(f"{argument}: {legal}, not {quoted(given)}", place=argument, value=given, legal=legal)
        return number

    @classmethod
    def above_zero(cls, argument: str, given: object) -> float:
        """A finite number above 0, also NumPy's; refuses what is none."""
        number = _as_float(given)
        if not (math.isfinite(number) and number > 0.0):
            legal = "a number above 0"
            raise cls(f"{argument}: {legal}, not {quoted(given)}", place=argument, value=given, legal=legal)
        return number

    @classmethod
    def between(cls, argument: str, given: object, least: float, most: float) -> float:
        """A number from the one bound to the other, also NumPy's; refuses what is none."""
        number = _as_float(given)
        if not least <= number <= most:
            legal = f"a number from {least:,g} to {most:,g}"
            raise cls(f"{argument}: {legal}, not {quoted(given)}", place=argument, value=given, legal=legal)
        return number

    @classmethod
    def of(cls, error: Exception, message: str) -> Self:
        """An error with the fields of another one, and a message of its own."""
        fields = {name: getattr(error, name, getattr(cls, name)) for name in _FIELDS}
        return cls(message, **fields)


def _as_float(given: object) -> float:
    """A number of any kind, not a number where it is none, true and false among it."""
    if isinstance(given, bool | str) or not hasattr(given, "__float__"):
        return math.nan
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):  # an array of several, or a number of too many digits
        return math.nan


_FIELDS = ("place", "value", "legal", "nearest")


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a scenario.

    Attributes:
        message: All of it, in one line.
        sentence: The message without the place.
        place: The source and the line, such as `link.toml:5`, or the override, such as `users.left=-1`.
        key: The dotted key, of a missing one where it belongs; of an unknown one its table, empty for the
            whole scenario.
        value: What was given, if it is a single value or name.
        legal: What would be legal, in words; empty if that cannot be said.
        nearest: The legal name that is most like it, if any.
        overrides: Whether it is in an override.
    """

    message: str
    place: str = ""
    key: str = ""
    value: object = None
    legal: str = ""
    nearest: str | None = None
    overrides: bool = False
    sentence: str = ""

    @classmethod
    def from_core(cls, found: _core.FoundMistake) -> Mistake:
        """A mistake that the core has found."""
        lines = "".join(f":{each}" for each in (found.line, found.column) if each is not None)
        return cls(
            plain(found.message),
            f"{found.source_name}{lines}" if found.override is None else found.override,
            found.key,
            None if found.value_json is None else json.loads(found.value_json),
            found.legal or "",
            found.nearest,
            found.override is not None,
            plain(found.sentence),
        )

    def without_place(self) -> Mistake:
        """The same in a document without lines: its place is the key."""
        if self.overrides:
            return self
        return replace(self, message=self.sentence, place=self.key)

    def without_override(self) -> Mistake:
        """The same without the override in which it is."""
        return replace(self, message=self.sentence) if self.overrides else self


class ScenarioError(RefusalError):
    """A scenario is refused.

    The fields are those of the first mistake.

    Attributes:
        mistakes: Every mistake that was found, in the order of the text.
    """

    def __init__(
        self,
        message: str,
        mistakes: Sequence[Mistake | _core.FoundMistake] = (),
        told: int | None = None,
        untold: str | None = None,
        **fields: Any,  # noqa: ANN401
    ) -> None:
        self.mistakes = tuple(
            each if isinstance(each, Mistake) else Mistake.from_core(each) for each in mistakes
        )
        if self.mistakes:
            first = self.mistakes[0]
            fields = {name: getattr(first, name) for name in _FIELDS}
            fields["place"] = first.place or first.key
        super().__init__(message, **fields)
        # How many of the mistakes the message tells, and what it says of the others.
        self._told, self._untold = told, untold

    def in_document(self) -> ScenarioError:
        """The same error in a document that is no text, which has no lines."""
        if not self.mistakes:
            return self
        lines = self.lines(Mistake.without_place)
        mistakes = [each.without_place() for each in self.mistakes]
        return ScenarioError(lines, mistakes, self._told, self._untold)

    def lines(self, changed: Callable[[Mistake], Mistake]) -> str:
        """The message with each of its mistakes changed."""
        if not self.mistakes:
            return str(self)
        lines = [changed(mistake).message for mistake in self.mistakes]
        return "\n".join([*lines[: self._told], *([self._untold] if self._untold else [])])


class RunError(AqmlabError, RuntimeError):
    """A run failed, by the simulator's fault, or by that of a scheme of the user's."""


class Cancelled(AqmlabError):  # noqa: N818  (it says how it ended)
    """The run was cancelled before it ended."""


class FolderError(RefusalError):
    """The folder cannot be written, or already contains something else."""


class NotEnoughMemoryError(RefusalError):
    """A run needs more memory than is free; the message names both."""


class ResultError(RefusalError):
    """The folder contains no result, or a damaged one."""


class LayoutError(ResultError):
    """The folder holds a result whose layout is too old or too new for this version; it is not damaged."""


class StorageError(AqmlabError, OSError):
    """A result could not be written completely: the disk is full or failed."""


class TableError(AqmlabError, KeyError):
    """The run did not record this table; the message explains how to record it."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingDataError(AqmlabError, LookupError):
    """A statistic needs something that the runs did not record.

    The message names what is missing and how to record it.
    """


class TooLittleDataError(MissingDataError):
    """What was run is too little to tell: too few replications or responses, too short a window."""


class UnknownLinkError(RefusalError):
    """A link that was chosen is not monitored in this run; the message lists those that are."""


class UnknownQuantityError(RefusalError, LookupError):
    """No quantity has this name; the message lists the names."""


class ComparisonError(RefusalError):
    """The results cannot be paired; the message names the seed or setting that differs."""


class SweepError(RefusalError):
    """A sweep is refused: the message names the place in its file and what is legal there."""


class PlotError(RefusalError):
    """A figure is refused: the message names the argument and what is legal."""


class TuneError(RefusalError):
    """A search is refused: the message names the argument or the range and what is legal there."""


class DemandError(RefusalError):
    """A demand is not in the scenario, or no link carries its data; the message says what is legal."""


class CalibrationError(RefusalError):
    """No line can be fitted or read, or a load is out of reach of the line or of the users."""


class ExperimentError(RefusalError):
    """An experiment, scale, cell or load that does not exist, or a folder that contradicts itself."""


class ExecutorError(RefusalError):
    """The executor that was named cannot be used: not installed, out of reach, or of another version."""


class RunsFailed(RunError):  # noqa: N818  (it says how it ended, like `Cancelled`)
    """Some runs failed; the others were made and are kept.

    Attributes:
        failures: What went wrong, by content address.
    """

    def __init__(self, failures: Mapping[str, str], *, runs: int) -> None:
        self.failures = dict(failures)
        reasons = "".join(f"\n  {reason}" for reason in self.failures.values())
        failed = "the run" if runs == 1 else f"{len(self.failures)} of {runs:,} runs"
        kept = "" if runs == len(self.failures) else ", the others are kept"
        super().__init__(f"{failed} failed{kept}:{reasons}")
