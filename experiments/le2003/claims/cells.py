"""The checks of this paper's claims, and the names of cells that they look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.papers.claims import checks_of

if TYPE_CHECKING:
    from aqmlab.papers.study import Cell

le2003 = checks_of("le2003")
"""Registers what statements of this paper may name."""

LOADS = (80.0, 90.0, 98.0, 105.0)
UNCONGESTED = "uncongested"


def with_ecn(cell: Cell) -> Cell:
    """The cell of the same scheme with ECN."""
    return f"{cell[0]}-ecn", cell[1]
