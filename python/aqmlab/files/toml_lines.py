"""The line of a TOML file on which a key is set, which Python's reader does not keep.

The beginnings of the text are read instead: the key is set on the line with which it is first there.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from typing import Any

_MOST_READ = 500_000
"""Characters that are read again at most, in a fraction of a second; after that no line is told."""
_STEP = re.compile(r'"([^"]*)"|\[(\d+)\]|([^."\[\]]+)')


def line_of(text: str, place: str) -> int | None:
    """The line, from 1, on which a place such as `grid."users.right".points` or `list[2]` begins."""
    path = [int(at) - 1 if at else quoted or bare for quoted, at, bare in _STEP.findall(place)]
    whole = tomllib.loads(text)
    while path and not _has(whole, path):
        path.pop()
    return _Beginnings(text).line(path) if path else None


class _Beginnings:
    """The first lines of a text, as far as they are documents."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._left = _MOST_READ

    def line(self, path: list[str | int]) -> int | None:
        """The line after the longest document without the path, by bisection."""
        without, having = 0, len(self._lines)
        while between := self._between(without, having):
            count, document = between
            if _has(document, path):
                having = count
            else:
                without = count
        return without + 1 if self._left > 0 else None

    def _between(self, fewer: int, more: int) -> tuple[int, dict[str, Any]] | None:
        """A beginning with a number of lines between two others, from the middle on."""
        middle = max(fewer + 1, (fewer + more) // 2)
        for count in (*range(middle, more), *range(middle - 1, fewer, -1)):
            if self._left <= 0:
                return None
            beginning = "\n".join(self._lines[:count])
            self._left -= len(beginning)
            with suppress(ValueError):  # it ends within a value
                return count, tomllib.loads(beginning)
        return None


def _has(document: Any, path: list[str | int]) -> bool:  # noqa: ANN401
    """Whether a document has something at a path of keys and of places in lists, from 0."""
    for step in path:
        if isinstance(step, int):
            if not isinstance(document, list) or step >= len(document):
                return False
        elif not isinstance(document, dict) or step not in document:
            return False
        document = document[step]
    return True
