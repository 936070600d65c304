"""Names of what stands in files of the user: `FILE.py:CLASS` and `LIBRARY.so:SYMBOL`."""

from __future__ import annotations

from aqmlab.errors import ScenarioError


def require_object(name: str) -> None:
    """Refuses the name of a file alone, which does not say what in it is meant.

    Raises:
        ScenarioError: With what is missing.
    """
    if ":" in name:
        return
    if name.endswith(".py"):
        raise ScenarioError(f"{name}: no class of this file is named; legal: {name}:CLASS")
    if name.endswith((".so", ".dylib")):
        raise ScenarioError(f"{name}: no symbol of this library is named; legal: {name}:SYMBOL")
