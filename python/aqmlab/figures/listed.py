"""The figures that an experiment lists, drawn from what was run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aqmlab.figures.calibration import draw_calibration
from aqmlab.figures.curves import draw_ccdf, draw_cdf
from aqmlab.figures.queue import draw_queue
from aqmlab.figures.scatter import draw_scatter
from aqmlab.figures.style import figure_of, save_png, settle, svg_text
from aqmlab.statistics import MINIMUM_REPLICATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from aqmlab.study import Cell, Study


@dataclass(frozen=True)
class Drawn:
    """A figure of the study.

    Attributes:
        identifier: Its number in the paper, or a name where the paper has none.
        title: What it shows.
        caption: What a reader has to know to read it.
        figure: The picture.
    """

    identifier: str
    title: str
    caption: str
    figure: Figure

    @cached_property
    def svg(self) -> str:
        """The picture as SVG."""
        return svg_text(self.figure)

    def save(self, folder: Path) -> tuple[Path, Path]:
        """Writes the picture as SVG and PNG."""
        folder.mkdir(parents=True, exist_ok=True)
        vector = folder / f"{self.file_name}.svg"
        vector.write_text(self.svg, encoding="utf-8")
        return vector, save_png(self.figure, folder / f"{self.file_name}.png")

    @property
    def file_name(self) -> str:
        """Its name as a file, without ending."""
        return f"figure-{self.identifier.zfill(2)}"


def draw(study: Study) -> list[Drawn]:
    """Every listed figure for which the study has something to show."""
    drawn = [_draw(study, entry) for entry in study.experiment.figures]
    return [figure for figure in drawn if figure is not None]


def _draw(study: Study, entry: Mapping[str, Any]) -> Drawn | None:
    title, kind = entry["title"], entry["kind"]
    if kind == "calibration":
        return _calibration(study, entry)
    cells = [
        (name, load) for load in entry["loads_percent"] for name in entry["cells"] if study.has(name, load)
    ]
    schemes = [cell for cell in cells if not study.configuration(cell[0]).twin]
    if not schemes or (kind in ("cdf", "ccdf") and len(cells) < 2):
        return None
    axes = _axes(study, kind, cells, title)
    return Drawn(entry["id"], title, _caption(study, kind, cells), settle(figure_of(axes)))


def _axes(study: Study, kind: str, cells: list[Cell], title: str) -> Axes:
    match kind:
        case "cdf":
            return draw_cdf(study, cells, title=title)
        case "ccdf":
            return draw_ccdf(study, cells, title=title)
        case "queue":
            return draw_queue(study, cells, title=title)
        case "scatter":
            return draw_scatter(study.results(*cells[0]), title=title)
        case _:
            raise ValueError(f"{study.experiment.name}: no figure is of kind {kind!r}")


def _calibration(study: Study, entry: Mapping[str, Any]) -> Drawn | None:
    if study.calibration is None:
        return None
    published = study.experiment.published_line
    axes = draw_calibration(study.calibration, published=published, title=entry["title"])
    runs = f"{len(study.calibration.points)} uncongested runs; mean of both directions"
    return Drawn(entry["id"], entry["title"], runs, settle(figure_of(axes)))


def _caption(study: Study, kind: str, cells: list[Cell]) -> str:
    counts = sorted({len(study.results(*cell)) for cell in cells})
    replications = f"{'/'.join(map(str, counts))} replications"
    if kind == "cdf":
        if min(counts) >= MINIMUM_REPLICATIONS:
            return f"Mean of {replications}; shaded: its 95 % interval at each time."
        return f"Mean of {replications}, too few for intervals."
    if kind == "queue":
        return "Middle of the first replication."
    return f"{replications} pooled."
