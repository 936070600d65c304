"""Unknown names, told with the nearest known one."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def unknown(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of the known ones, such as `unknown; did you mean "grid"? ...`."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    meant = f'; did you mean "{near[0]}"?' if near else ""
    return f"unknown{meant} (legal: {', '.join(names)})"
