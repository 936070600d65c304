"""`aqmlab.plot`: one figure of results, ready for publication."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments
from aqmlab.comparison import Comparison, require_one_comparison
from aqmlab.comparison.reading import results_of
from aqmlab.errors import PlotError
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.of_results import CHARTS, chart_of
from aqmlab.show.figures.over_time import OF_SENDERS
from aqmlab.show.tables.charts import chart_table
from aqmlab.statistics.suspicion import mark_of, suspect_because
from aqmlab.tables import save as save_table
from aqmlab.tables import to_arrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from aqmlab.comparison.reading import Results
    from aqmlab.show.figures.chart import Chart

KINDS = (*CHARTS, *OF_SENDERS, "state")
"""What can be drawn."""
ENDINGS = (".svg", ".pdf", ".png", ".csv")
"""The endings of a figure's file."""


@dataclass(frozen=True)
class Plot:
    """A figure of results: notebooks show it, `save` writes it.

    Attributes:
        chart: Its lines and axes.
        warnings: What differs beside the queue, and live runs whose timing is suspect.
    """

    chart: Chart
    warnings: tuple[str, ...] = ()
    _kind: str = field(default="", repr=False)
    _mark: str = field(default="", repr=False)

    @property
    def svg(self) -> str:
        """The figure as SVG."""
        return self._drawn.svg

    def save(self, file: str | Path) -> Path:
        """Writes the figure, or its numbers, by the ending of the file: .svg, .pdf, .png or .csv.

        Raises:
            PlotError: The file ends otherwise.
        """
        file = require_ending(Path(file))
        if file.suffix.lower() == ".csv":
            save_table(chart_table(self.chart), file)
            return file
        return self._drawn.save_as(file)

    def to_arrow(self) -> pa.Table:
        """The numbers: a row for each place on the horizontal axis, a column for each line."""
        return to_arrow(chart_table(self.chart))

    def __repr__(self) -> str:
        return f"Plot({self.chart.title!r})"

    def _repr_html_(self) -> str:
        return self.svg

    @property
    def _drawn(self) -> Drawn:
        return Drawn.of(self._kind, self.chart, "").marked(self._mark)


@arguments.checked(
    PlotError,
    what=arguments.text,
    link=arguments.label,
    quantity=arguments.label,
    flows=arguments.texts("['bulk:0']"),
    title=arguments.label,
)
def plot(
    results: Results,
    what: str = "pages",
    *,
    link: str = "",
    quantity: str = "",
    flows: Sequence[str] = (),
    title: str = "",
) -> Plot:
    """Draws one figure of results.

    Distributions are means over seeds, with 95 % intervals from six seeds on. Figures over time show the
    first seed.

    Args:
        results: A result, results by name, a list of results or of their folders, the folder of a
            comparison, a `Comparison` or a `SweepResults`.
        what: `pages` (page load times), `cdf` or `ccdf` (response times and their tail), `queue`, `waiting`
            or `utilization` (a link over time), `cwnd`, `ssthresh`, `rtt` or `rto` (senders of long flows),
            or `state` (an internal variable of a scheme).
        link: The link; by default the first one that carries data.
        quantity: With `state`: the name of the variable.
        flows: With figures of senders: groups of flows, or `GROUP:NUMBER` for one flow; by default all.
        title: The title; by default what is shown.

    Raises:
        PlotError: There is no such figure, or an argument belongs to another one.
        MissingDataError: A run did not record what is asked for.
        UnknownLinkError: The link is not monitored.
        ComparisonError: The results cannot be compared.
    """
    if what not in KINDS:
        raise PlotError.unknown(f"what {what!r}", what, KINDS)
    if quantity and what != "state":
        raise PlotError(
            f"quantity: {quantity}: only with what state",
            place="quantity",
            value=quantity,
            legal="what state",
        )
    if flows and what not in OF_SENDERS:
        legal = ", ".join(OF_SENDERS)
        raise PlotError(f"flows: {', '.join(flows)}: only with what {legal}", place="flows", legal=legal)
    found = results_of(results)
    together = Comparison.of(found, links=[link] if link else [])
    if (folders := _folders(results)) is not None:
        require_one_comparison(folders, together)
    chart = chart_of(what, found, link=link, quantity=quantity, flows=flows)
    suspect = (f"{name}, timing suspect: {' | '.join(why)}" for name, why in suspect_because(found).items())
    return Plot(
        replace(chart, title=title or chart.title), (*together.cautions(), *suspect), what, mark_of(found)
    )


def require_ending(file: Path) -> Path:
    """The file, if a figure can be written there.

    Raises:
        PlotError: Its ending is none of `ENDINGS`.
    """
    if file.suffix.lower() not in ENDINGS:
        legal = ", ".join(ENDINGS)
        raise PlotError(f"{file}: legal endings: {legal}", place=str(file), value=file.suffix, legal=legal)
    return file


def _folders(results: Results) -> list[Path] | None:
    """The folders that results were read from, if they were."""
    if isinstance(results, str | Path):
        return [Path(results)]
    if isinstance(results, list | tuple) and all(isinstance(each, str | Path) for each in results):
        return [Path(each) for each in results]
    return None
