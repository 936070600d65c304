"""The names of cells that the checks of this paper's claims look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aqmlab.papers.study import Cell

LOADS = (80.0, 90.0, 98.0, 105.0)
UNCONGESTED = "uncongested"


def with_ecn(cell: Cell) -> Cell:
    """The cell of the same scheme with ECN."""
    return f"{cell[0]}-ecn", cell[1]
