"""Methods of a class in a file: those of its own, and those that look meant but that nothing calls."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def own_methods(found: type, base: type) -> list[str]:
    """The methods that a class has beside those of its base class, inherited ones among them."""
    classes = (each for each in found.__mro__ if each not in base.__mro__)
    own = {name: value for each in classes for name, value in vars(each).items()}
    return [name for name, value in own.items() if callable(value) and not hasattr(base, name)]


def misspelt(found: type, base: type, known: Sequence[str]) -> str:
    """What to say of a method that nothing calls, though its name is nearly a known one; else empty."""
    free = [name for name in known if getattr(found, name, None) is getattr(base, name, None)]
    for name in own_methods(found, base):
        cut_short = [each for each in free if each.startswith(name) and 2 * len(name) > len(each)]
        near = difflib.get_close_matches(name, free, n=1, cutoff=0.8) or cut_short
        if near:
            return f'{name}: nothing calls this method; did you mean "{near[0]}"?'
    return ""
