"""What a user wrote, as messages tell it: unknown names with the nearest known one, values in few words.

User text is made safe to print: names, keys and messages may hold anything, and a terminal obeys escape
sequences. What steers instead of showing (control characters, reversals of the direction of writing, halves
of surrogate pairs, which cannot even be encoded) is shown as the escape that Python would write for it.
"""

from __future__ import annotations

import difflib
import json
import re
from typing import TYPE_CHECKING

from aqmlab import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

# Cc but for the line feed and the tabulator; the direction of writing; surrogates.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    r"""The text with everything that would steer a terminal written out, such as `\x1b` for an escape."""
    return _STEERING.sub(lambda found: ascii(found.group())[1:-1], text)


def plain_line(text: str) -> str:
    """Likewise on one line: line feeds and tabulators are written out too."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")


_RANGE = re.compile(r"([0-9]{1,20})(?:-([0-9]{1,20}))?")
_LONGEST_SHOWN = 60
_NUMBER_AND_UNIT = re.compile(r"(\d) (?=(?:%|s|ms|[kMG]bit/s)(?![\w/]))")


def quoted(value: object) -> str:
    """A value for a message: its Python form, cut if it is long."""
    if isinstance(value, int) and value.bit_length() > 4 * _LONGEST_SHOWN:
        return f"a whole number of {value.bit_length()} bits"
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # deeply nested, or a number of too many digits inside
        text = f"a {type(value).__name__}"
    return shortened(text)


def as_text(value: object) -> str:
    """A value of a file for a table or label: lists and tables as JSON."""
    try:
        return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else f"{value}"
    except ValueError:  # a number of too many digits
        return quoted(value)


def shortened(text: str, longest: int = _LONGEST_SHOWN) -> str:
    """A text for a message, cut with an ellipsis if it is too long."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def counted(number: float, what: str, several: str = "") -> str:
    """A number of things, such as `1 seed`, `2,000 seeds` and, as of a design's average, `2.5 flows`."""
    shown = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{shown} {what if number == 1 else several or f'{what}s'}"


def unbroken(words: str) -> str:
    """The words with no-break spaces between numbers and units."""
    return _NUMBER_AND_UNIT.sub("\\1\N{NO-BREAK SPACE}", words)


def each_counted(numbers: Iterable[int], what: str) -> str:
    """Numbers of things that differ from case to case, each once: `8 replications`, `6/8 replications`."""
    ordered = sorted(set(numbers))
    return f"{'/'.join(map(str, ordered))} {what if ordered == [1] else f'{what}s'}"


def whole_numbers(text: str) -> range | None:
    """The numbers of `5` or of `1-8`, none if the text is neither; empty if the range descends."""
    found = _RANGE.fullmatch(text)
    return None if found is None else range(int(found[1]), int(found[2] or found[1]) + 1)


def unknown(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of the known ones, such as `unknown; did you mean "grid"? ...`."""
    names = list(known)
    return f"unknown{nearest(name, names)} (legal: {', '.join(names)})"


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like a misspelt one, as the end of a message; empty if none is near."""
    near = closest(name, known)
    return f'; did you mean "{near}"?' if near is not None else ""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a misspelt one; none if none is near."""
    names = list(known)
    # What a terminal cannot decode stands as lone surrogates, which no text of Rust may hold.
    readable = name.encode(errors="replace").decode()
    if (meant := _core.scheme_named_elsewhere(readable)) in names:
        return meant
    misspelt = name[:_LONGEST_SHOWN]
    if same := next((each for each in names if each.lower() == misspelt.lower()), None):
        return same
    near = difflib.get_close_matches(misspelt, names, n=1)
    return near[0] if near else None
