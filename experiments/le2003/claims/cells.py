"""Names of cells, and how the sentences of this paper call them."""

from __future__ import annotations

from aqmlab.reproduce.claims import claims_of

le2003 = claims_of("le2003")
"""Registers the check of a claim of this paper."""

LOADS = (80.0, 90.0, 98.0, 105.0)
TARGETS = (24, 240)
SCHEMES = ("pi", "rem", "ared")
UNCONGESTED = "uncongested"
BASELINE = "drop-tail-240"
NAMES = {"pi": "PI", "rem": "REM", "ared": "ARED", "drop-tail": "drop-tail"}


def cell(scheme: str, target: int, *, ecn: bool = False) -> str:
    """The name of a configuration."""
    return f"{scheme}-{target}{'-ecn' if ecn else ''}"


def called(scheme: str, target: int | None = None, *, ecn: bool = False) -> str:
    """What a sentence calls a configuration."""
    words = NAMES[scheme] + (f" {target}" if target else "")
    return f"{words} + ECN" if ecn else words
