"""A finished figure: what it shows, how it is read and printed, and its forms for print and for a page."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, cast

from aqmlab.errors import PlotError
from aqmlab.files.folders import write_whole
from aqmlab.show.figures.bars import Bars, bars_scene
from aqmlab.show.figures.chart import Chart
from aqmlab.show.figures.scene import TEXT_PIXELS, Scene, to_svg
from aqmlab.statistics.recorded import marked

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    Picture: TypeAlias = Chart | Bars | Scene | Figure

_LENGTH = re.compile(r"\s*([\d.]+)\s*(in|cm|mm|pt)?\s*")
_PER_INCH = {"in": 1.0, "cm": 2.54, "mm": 25.4, "pt": 72.27}
NARROWEST_INCHES, WIDEST_INCHES = 2.0, 20.0
SMALLEST_POINTS, LARGEST_POINTS = 4.0, 24.0


@dataclass(frozen=True, slots=True)
class PrintSize:
    """How large a figure is printed."""

    width_inches: float = 5.6  # its width
    font_points: float = 9.0  # the size of its letters

    @classmethod
    def of(cls, width: str | float | None = None, font_points: float | None = None) -> PrintSize:
        """The size as somebody writes it; what is not said is as wide as a page's text."""
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


_PIXELS_PER_INCH, _POINTS_PER_PIXEL = 96.0, 0.75
FORMS = (".svg", ".pdf", ".png", ".pgf")
"""The endings of a figure's files."""


@dataclass(frozen=True)
class Drawn:
    """A figure of a report."""

    identifier: str  # its number or its name, which names its files
    title: str  # what it shows
    caption: str  # what a reader has to know to read it
    picture: Picture  # what is drawn: the lines of a chart, bars, a scene, or a figure of Matplotlib
    words: str = ""  # what it shows, for those who do not see it
    mark: str = ""  # what warns of it, in its corner

    @classmethod
    def of(cls, identifier: str, shown: Chart | Bars, caption: str) -> Drawn:
        """A chart or bars as a figure."""
        return cls(identifier, shown.title, caption, shown, shown.in_words)

    @property
    def chart(self) -> Chart | None:
        """Its lines, where it is a chart: a page draws it itself, and interactively."""
        return self.picture if isinstance(self.picture, Chart) else None

    def marked(self, mark: str) -> Drawn:
        """The figure with a mark in its corner, its caption and its words; unchanged without a mark."""
        if not mark:
            return self
        title, picture = marked(self.title, mark), self.picture
        if isinstance(picture, Chart | Bars):
            picture = replace(picture, title=marked(picture.title, mark))
        return replace(
            self,
            title=title,
            caption=f"{self.caption} {mark.capitalize()}.".lstrip(),
            picture=picture,
            words=f"{self.words} {mark.capitalize()}.".lstrip(),
            mark=mark,
        )

    @property
    def scene(self) -> Scene | None:
        """The picture as a scene, where it is one or can be, which a page shows as SVG."""
        return self._scene(None)

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return self.as_file(".svg").decode()

    @property
    def png(self) -> bytes:
        return self.as_file(".png")

    def as_file(self, form: str, size: PrintSize | None = None) -> bytes:
        """The picture in one of `FORMS`, for print; as large as is wanted, or as it is on a page."""
        if form == ".svg" and (scene := self._scene(size)) is not None and size is None:
            return to_svg(scene).encode()
        from aqmlab.show.figures import printed  # noqa: PLC0415 (matplotlib takes half a second to load)

        return printed.as_file(self._printed(size or PrintSize()), form)

    def _scene(self, size: PrintSize | None) -> Scene | None:
        picture = self.picture
        if isinstance(picture, Bars):
            width = {} if size is None else {"width": size.width_inches * _PIXELS_PER_INCH / _scale(size)}
            picture = bars_scene(picture, **width)
        if not isinstance(picture, Scene):
            return None
        return picture.marked(self.mark) if self.mark else picture

    def _printed(self, size: PrintSize) -> Figure:
        from aqmlab.show.figures import printed  # noqa: PLC0415 (as above)

        if (scene := self._scene(size)) is not None:
            # A scene that is not laid out anew, as a network, is made smaller as a whole.
            fits = size.width_inches * _PIXELS_PER_INCH / scene.width
            scale = _scale(size) if isinstance(self.picture, Bars) else min(1.0, fits)
            return printed.to_figure(scene, scale)
        picture = self.picture
        figure = printed.chart_figure(picture, size) if isinstance(picture, Chart) else picture
        return printed.with_mark(cast("Figure", figure), self.mark)

    def save(self, folder: Path) -> tuple[Path, Path]:
        """Writes the picture as SVG and PNG."""
        folder.mkdir(parents=True, exist_ok=True)
        vector, raster = (folder / name for name in files_of_figure(self.identifier))
        vector.write_text(self.svg, encoding="utf-8")
        raster.write_bytes(self.png)
        return vector, raster

    def save_as(self, file: Path, size: PrintSize | None = None) -> Path:
        """Writes the picture in the format of the file extension: one of `FORMS`."""
        return write_whole(file, self.as_file(file.suffix.lower(), size))

    @property
    def file_name(self) -> str:
        return _name_of(self.identifier)


def _scale(size: PrintSize) -> float:
    """How much larger the letters of a scene are printed than they are on a page."""
    return size.font_points / (TEXT_PIXELS * _POINTS_PER_PIXEL)


def files_of_figure(identifier: str) -> tuple[str, str]:
    """The names of a figure's files: SVG and PNG."""
    name = _name_of(identifier)
    return f"{name}.svg", f"{name}.png"


def _name_of(identifier: str) -> str:
    return f"figure-{identifier.zfill(2)}"
