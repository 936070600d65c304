"""Names of cells, and how the sentences of this paper call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.claims.registry import claim

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.claims.registry import Check

LOADS = (80.0, 90.0, 98.0, 105.0)
TARGETS = (24, 240)
SCHEMES = ("pi", "rem", "ared")
UNCONGESTED = "uncongested"
BASELINE = "drop-tail-240"
NAMES = {"pi": "PI", "rem": "REM", "ared": "ARED", "drop-tail": "drop-tail"}


def le2003(identifier: str) -> Callable[[Check], Check]:
    """Registers the check of a claim of this paper."""
    return claim("le2003", identifier)


def cell(scheme: str, target: int, *, ecn: bool = False) -> str:
    """The name of a configuration."""
    return f"{scheme}-{target}{'-ecn' if ecn else ''}"


def called(scheme: str, target: int | None = None, *, ecn: bool = False) -> str:
    """What a sentence calls a configuration."""
    words = NAMES[scheme] + (f" {target}" if target else "")
    return f"{words} + ECN" if ecn else words
