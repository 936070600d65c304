"""Names of what stands in files of the user: `FILE.py:CLASS` and `LIBRARY.so:SYMBOL`."""

from __future__ import annotations

from aqmlab.errors import ScenarioError


def require_object(name: str) -> None:
    """Refuses the name of a file alone, perhaps with a colon, which does not say what in it is meant.

    Raises:
        ScenarioError: With what is missing.
    """
    file = name.removesuffix(":")
    if ":" in file:
        return
    if file.endswith(".py"):
        raise ScenarioError(f"{file}: no class of this file is named; legal: {file}:CLASS")
    if file.endswith((".so", ".dylib")):
        raise ScenarioError(f"{file}: no symbol of this library is named; legal: {file}:SYMBOL")
