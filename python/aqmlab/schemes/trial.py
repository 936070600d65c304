"""A scheme tried outside of any scenario: what every scheme owes, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.errors import ScenarioError
from aqmlab.files.own_names import require_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CASES = 64
"""How many cases of each property are tried."""

_FEW, _MANY = 2_000, 200_000
_SLOW_NS = 1_000.0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a scheme owes and does not keep.

    Attributes:
        property: What it owes.
        case: The number of the case, which is the same every time.
        wrong: What is wrong, with the parameters under which it is.
    """

    property: str
    case: int
    wrong: str

    def __str__(self) -> str:
        return "\n".join(in_lines([self]))


def in_words(findings: Sequence[Finding]) -> str:
    """How many of the checks a scheme passes."""
    checks, failed = len(_core.scheme_checks()), len({each.property for each in findings})
    return f"fails {failed} of {checks} checks" if failed else f"passes all {checks} checks"


def in_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """The checks that a scheme fails, and below all those that one mistake fails the mistake."""
    for case, wrong in dict.fromkeys((each.case, each.wrong) for each in findings):
        yield from (
            f"fails: {each.property}" for each in findings if (each.case, each.wrong) == (case, wrong)
        )
        yield f"  case {case}: {wrong}"


def known(name: str, folder: str | Path = ".") -> str:
    """The registered name of a scheme: its own, or that of one in a file, which is loaded first."""
    return _core.load_scheme(Path(folder).absolute(), name) if ":" in name else name


def _known_or_refused(name: str, folder: str | Path) -> str:
    require_object(name)
    registered = known(name, folder)
    if registered not in (legal := _core.scheme_names()) and ":" not in name:
        raise ScenarioError.unknown(f"scheme {name}", name, [*legal, "FILE.py:CLASS", "LIBRARY.so:SYMBOL"])
    return registered


def check(name: str, *, folder: str | Path = ".", cases: int = CASES) -> list[Finding]:
    """Runs the conformance suite; an empty list means that no check failed.

    Parameters are drawn from what the scheme declares, packets from 1 byte to 64 KiB come and go at random,
    with long silences, of few flows and of crowds that no table is made for: every packet is accounted
    for, limits hold, packets keep their order, only what may be marked is marked, probabilities are
    probabilities, what is reported is finite, and the same seed gives the same verdicts.

    Args:
        name: As for `known`.
        folder: Likewise.
        cases: How many of each property.

    Raises:
        ScenarioError: The file or what is in it is refused.
    """
    return [Finding(*found) for found in _core.check_scheme(_known_or_refused(name, folder), cases)]


def cost_ns(name: str, *, folder: str | Path = ".") -> float:
    """Nanoseconds that a packet takes at a port under a scheme, on this machine now.

    Raises:
        ScenarioError: The file or what is in it is refused.
        RunError: The scheme failed.
    """
    registered = _known_or_refused(name, folder)
    first = _core.scheme_cost(registered, _FEW)
    if first > _SLOW_NS:
        return min(first, _core.scheme_cost(registered, 10 * _FEW))
    return min(_core.scheme_cost(registered, _MANY) for _ in range(5))
