"""Which folder results go to, so that nothing that is there is replaced by something else.

What is asked for goes to the folder of its name where that is free or holds the same already. Otherwise it
goes to one beside it, `NAME-2`, `NAME-3` and so on: to the one that holds the same already, or to the first
that is free.
"""

from __future__ import annotations

import enum
import re
import warnings
from itertools import count
from typing import TYPE_CHECKING

from aqmlab.errors import FolderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Holds(enum.Enum):
    """What a folder holds for somebody who wants to write there: nothing, or what he would write."""

    NOTHING = "nothing"
    THE_SAME = "the same"


def warned_own_folder(wanted: Path, holds: Callable[[Path], Holds | str], *, this: str = "this one") -> Path:
    """The folder for something; if it is not the wanted one, a warning tells what that holds."""
    folder, why = own_folder(wanted, holds)
    if why:
        warnings.warn(f"{wanted} holds {why}: {this} goes to {folder}", stacklevel=4)
    return folder


def own_folder(wanted: Path, holds: Callable[[Path], Holds | str]) -> tuple[Path, str]:
    """The folder for something, and what the wanted one holds instead; nothing where it is the wanted one."""
    if wanted.exists() and not wanted.is_dir():
        raise FolderError(f"{wanted}: is a file; legal: the name of a folder")
    while True:
        found = {folder: holds(folder) for folder in _beside(wanted)}
        by_what = {held: folder for folder, held in reversed(found.items())}
        chosen = by_what.get(Holds.THE_SAME) or by_what.get(Holds.NOTHING)
        if chosen is not None:
            held = found[wanted]
            return chosen, held if isinstance(held, str) and chosen != wanted else ""
        # The last of them was not there a moment ago: somebody else has made it.


def _beside(wanted: Path) -> Iterator[Path]:
    """The folder, those beside it with its name and a number, in order, and the first that is not there."""
    yield wanted
    if wanted.name in {"", ".."}:
        wanted = wanted.resolve()
    numbered = re.compile(rf"{re.escape(wanted.name)}-([1-9][0-9]{{0,8}})")
    parent = wanted.parent
    names = [each.name for each in parent.iterdir()] if parent.is_dir() else []
    numbers = sorted({int(found[1]) for name in names if (found := numbered.fullmatch(name))} - {1})
    yield from (parent / f"{wanted.name}-{number}" for number in numbers)
    # By the same look at the folder: one that somebody has made since holds what nobody asked about here.
    yield parent / f"{wanted.name}-{next(number for number in count(2) if number not in numbers)}"
