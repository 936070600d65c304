"""What a table of Linux's words is made of: words, and the queue disciplines that have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aqmlab.errors import ScenarioError
from aqmlab.terminal.spelling import closest, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aqmlab.traffic_control.units import Unit

LONGEST_LIST = 12
"""Of more words a message names none but the nearest."""


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word of a queue discipline, and what it is here.

    Attributes:
        argument: What follows it; none of a word that stands alone.
        arguments: How many of them follow; the parameter gets a list of several.
        key: The parameter that gets the argument.
        value: The parameter's value from the argument.
        makes: Several parameters from the argument, in place of one.
        sets: Parameters that the word sets, whatever follows. What is no parameter is for `complete` of the
            discipline.
        adds: Parameters that the word adds to.
        remark: Why it is not modelled, told to whoever says it.
        note: What it is here, for the table, where parameters do not say it.
    """

    argument: Unit | None = None
    arguments: int = 1
    key: str = ""
    value: Callable[[Any], Any] = lambda argument: argument
    makes: Callable[[Any], Mapping[str, Any]] | None = None
    sets: Mapping[str, Any] = field(default_factory=dict)
    adds: Mapping[str, int] = field(default_factory=dict)
    remark: str = ""
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Discipline:
    """A queue discipline of Linux, and the scheme that it is here.

    Attributes:
        scheme: The name of the scheme.
        words: Its words, in the order of its manual page.
        always: Parameters that make the scheme Linux's, and Linux's defaults.
        remark: What is different here, whatever is said; empty if nothing is.
        needs: Words that `tc` asks for.
        complete: Turns what the words have set into the scheme's parameters, and returns further remarks.
    """

    scheme: str
    words: Mapping[str, Word]
    always: Mapping[str, Any] = field(default_factory=dict)
    remark: str = ""
    needs: tuple[str, ...] = ()
    complete: Callable[[dict[str, Any]], list[str]] = lambda _: []


def not_modelled(why: str, argument: Unit | None = None) -> Word:
    """A word that is understood and has no counterpart here."""
    return Word(argument=argument, remark=why)


def same_here(note: str = "as here", argument: Unit | None = None, arguments: int = 1) -> Word:
    """A word that asks for what is so here anyway."""
    return Word(argument=argument, arguments=arguments, note=note)


def refusal(
    discipline: str,
    what: str,
    legal: str,
    *,
    value: object = None,
    nearest: str | None = None,
) -> ScenarioError:
    """The error of something said of a discipline."""
    meant = f'; did you mean "{nearest}"?' if nearest else ""
    return ScenarioError(
        f"{discipline}: {what}{meant}{' (' if meant else '; '}legal: {legal}{')' if meant else ''}",
        place=discipline,
        value=value,
        legal=legal,
        nearest=nearest,
    )


def unknown_word(discipline: str, said: str, known: Mapping[str, Word]) -> ScenarioError:
    """The error of a word that the discipline has not."""
    names = [name for name in known if not name.startswith("_")]
    listed = ", ".join(names) or "no further word"
    legal = listed if len(names) <= LONGEST_LIST else f"aqmlab explain {discipline} --linux"
    found = refusal(
        discipline,
        f'"{shortened(said)}" is no word of Linux\'s {discipline}',
        legal,
        value=said,
        nearest=closest(said, names),
    )
    found.legal = listed
    return found
