"""A finished figure: what it shows, how it is read, and its forms for print and for a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from aqmlab.files.folders import write_whole
from aqmlab.show.figures.chart_scene import chart_scene
from aqmlab.show.figures.scene import Scene
from aqmlab.show.figures.scene_svg import to_svg
from aqmlab.statistics.suspicion import marked

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from aqmlab.show.figures.chart import Chart


@dataclass(frozen=True)
class Drawn:
    """A figure of a report.

    Attributes:
        identifier: Its number or its name, which names its files.
        title: What it shows.
        caption: What a reader has to know to read it.
        picture: The picture: a scene, or a figure of matplotlib, which takes longer to write.
        words: What it shows, for those who do not see it.
        chart: Its numbers, where it is a chart: a page shows it interactively.
    """

    identifier: str
    title: str
    caption: str
    picture: Scene | Figure
    words: str = ""
    chart: Chart | None = None

    @classmethod
    def of(cls, identifier: str, chart: Chart, caption: str) -> Drawn:
        """Draws a chart."""
        return cls(identifier, chart.title, caption, chart_scene(chart), chart.in_words, chart)

    def marked(self, mark: str) -> Drawn:
        """The figure with a mark in its corner, its caption and its words; unchanged without a mark."""
        if not mark:
            return self
        chart = self.chart and replace(self.chart, title=marked(self.chart.title, mark))
        return replace(
            self,
            title=marked(self.title, mark),
            caption=f"{self.caption} {mark.capitalize()}.".lstrip(),
            picture=_with_mark(self.picture, mark),
            words=f"{self.words} {mark.capitalize()}.".lstrip(),
            chart=chart,
        )

    @cached_property
    def svg(self) -> str:
        """The picture as SVG."""
        if isinstance(self.picture, Scene):
            return to_svg(self.picture)
        from aqmlab.show.figures.style import svg_text  # noqa: PLC0415 (matplotlib takes half a second to load)

        return svg_text(self.picture)

    @cached_property
    def png(self) -> bytes:
        """The picture as PNG."""
        from aqmlab.show.figures.style import as_png  # noqa: PLC0415 (matplotlib takes half a second to load)

        return as_png(self._printed)

    @cached_property
    def pdf(self) -> bytes:
        """The picture as PDF."""
        from aqmlab.show.figures.style import as_pdf  # noqa: PLC0415 (matplotlib takes half a second to load)

        return as_pdf(self._printed)

    @property
    def _printed(self) -> Figure:
        if not isinstance(self.picture, Scene):
            return self.picture
        from aqmlab.show.figures.scene_print import to_figure  # noqa: PLC0415 (matplotlib takes half a second to load)

        return to_figure(self.picture)

    def save(self, folder: Path) -> tuple[Path, Path]:
        """Writes the picture as SVG and PNG."""
        folder.mkdir(parents=True, exist_ok=True)
        vector, raster = (folder / name for name in files_of_figure(self.identifier))
        vector.write_text(self.svg, encoding="utf-8")
        raster.write_bytes(self.png)
        return vector, raster

    def save_as(self, file: Path) -> Path:
        """Writes the picture in the format of the file extension: .svg, .pdf or .png."""
        match file.suffix.lower():
            case ".svg":
                return write_whole(file, self.svg)
            case ".pdf":
                return write_whole(file, self.pdf)
            case _:
                return write_whole(file, self.png)

    @property
    def file_name(self) -> str:
        """Its name as a file, without ending."""
        return _name_of(self.identifier)


def files_of_figure(identifier: str) -> tuple[str, str]:
    """The names of a figure's files: SVG and PNG."""
    name = _name_of(identifier)
    return f"{name}.svg", f"{name}.png"


def _name_of(identifier: str) -> str:
    return f"figure-{identifier.zfill(2)}"


def _with_mark(picture: Scene | Figure, mark: str) -> Scene | Figure:
    if isinstance(picture, Scene):
        return picture.marked(mark)
    from aqmlab.show.figures.style import with_mark  # noqa: PLC0415 (loaded with the figure already)

    return with_mark(picture, mark)
