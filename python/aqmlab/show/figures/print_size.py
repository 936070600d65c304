"""How large a figure is printed, and whether LaTeX is here to set its texts."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass

from aqmlab.errors import PlotError

_LENGTH = re.compile(r"\s*([\d.]+)\s*(in|cm|mm|pt)?\s*")
_PER_INCH = {"in": 1.0, "cm": 2.54, "mm": 25.4, "pt": 72.27}
NARROWEST_INCHES, WIDEST_INCHES = 2.0, 20.0
SMALLEST_POINTS, LARGEST_POINTS = 4.0, 24.0


@dataclass(frozen=True, slots=True)
class PrintSize:
    """How large a figure is printed.

    Attributes:
        width_inches: Its width.
        font_points: The size of its letters.
    """

    width_inches: float = 5.6
    font_points: float = 9.0

    @classmethod
    def of(cls, width: str | float | None = None, font_points: float | None = None) -> PrintSize:
        """The size as somebody writes it; what is not said is as wide as a page's text.

        Args:
            width: In inches, or with its unit: `3.33in`, `8.5cm`, `85mm`, `241pt` (of TeX, 72.27 an inch).
            font_points: The size of letters.

        Raises:
            PlotError: It is no length, or no figure could be so large or so small.
        """
        size = cls()
        inches = size.width_inches if width is None else _inches(width)
        points = size.font_points if font_points is None else float(font_points)
        _require("width", inches, (NARROWEST_INCHES, WIDEST_INCHES), "in")
        _require("font", points, (SMALLEST_POINTS, LARGEST_POINTS), "pt")
        return cls(inches, points)


def _inches(width: str | float) -> float:
    if not isinstance(width, str):
        return float(width)
    found = _LENGTH.fullmatch(width)
    try:
        return float(found[1]) / _PER_INCH[found[2] or "in"] if found else float("nan")
    except ValueError:
        return float("nan")


def _require(what: str, value: float, ends: tuple[float, float], unit: str) -> None:
    least, most = ends
    if not least <= value <= most:
        legal = f"{least:g}{unit} to {most:g}{unit}" + (", also in cm, mm or pt" if unit == "in" else "")
        raise PlotError(f"{what}: {value:g} {unit}; legal: {legal}", place=what, value=value, legal=legal)


LATEX = ("xelatex", "lualatex", "pdflatex")
"""One of these measures the texts of a .pgf figure, the best first."""


def require_latex() -> str:
    """The LaTeX of this machine.

    Raises:
        PlotError: It has none.
    """
    found = next((each for each in LATEX if shutil.which(each)), None)
    if found is None:
        legal = "a .pdf of the same width and letters, or a machine with LaTeX"
        raise PlotError(
            f"texts of a .pgf figure are measured by LaTeX, and none of {', '.join(LATEX)} is here; "
            f"legal: {legal}",
            place="output",
            legal=legal,
        )
    return found
