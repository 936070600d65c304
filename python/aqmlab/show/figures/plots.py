"""`aqmlab.plot`: one figure of results, ready for publication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments
from aqmlab.comparison import Comparison, require_one_comparison
from aqmlab.comparison.reading import results_of
from aqmlab.errors import MissingDataError, PlotError
from aqmlab.show.figures.bars import bars_table
from aqmlab.show.figures.chart import Chart, chart_table
from aqmlab.show.figures.distributions import (
    of_whole_seeds,
    shares_beyond,
    shares_within,
    times_on_a_log_axis,
)
from aqmlab.show.figures.drawn import FORMS, Drawn, PrintSize
from aqmlab.show.figures.experience import (
    delay_bars,
    delay_over_time,
    delays_beyond,
    goodput_bars,
    heard_group,
    jitter_bars,
    mos_bars,
    page_bars,
    share_bars,
)
from aqmlab.show.figures.looks import looks_of_names
from aqmlab.show.figures.over_time import (
    OF_SENDERS,
    link_over_time,
    senders_over_time,
    state_over_time,
)
from aqmlab.statistics import Pages
from aqmlab.statistics.quantities import Measured
from aqmlab.statistics.recorded import mark_of, suspect_because
from aqmlab.tables import save as save_table
from aqmlab.tables import to_arrow
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from aqmlab.comparison.reading import Results
    from aqmlab.show.figures.bars import Bars
    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import Recorded, ResponseTimes
    from aqmlab.tables import Table

    Runs = Mapping[str, Sequence[Recorded]]
    Times = Mapping[str, Sequence[ResponseTimes]]

Of = Callable[["Comparison"], "Bars"]
BARS: Mapping[str, Of] = {
    "delay-bars": delay_bars,
    "jitter": jitter_bars,
    "mos": mos_bars,
    "goodput": goodput_bars,
    "shares": share_bars,
    "page-bars": page_bars,
}
"""What is drawn as bars of a comparison."""
OF_DATAGRAMS: Mapping[str, Callable[..., Chart]] = {"delay": delay_over_time, "delay-ccdf": delays_beyond}
"""What is drawn of the datagrams of the first seed."""


CHARTS = ("cdf", "ccdf", "pages", "queue", "waiting", "utilization")
"""What can be asked for beside `OF_SENDERS`: response times, long ones, page load times, a link over time."""
_DISTRIBUTIONS = {
    "cdf": ("Responses", "response time, s", "responses complete, %"),
    "ccdf": ("Long responses", "response time, s", "share taking longer"),
    "pages": ("Pages", "page load time, s", "pages loaded, %"),
}
_OF_LINKS = {"queue": "Packets waiting", "waiting": "Waiting time", "utilization": "How busy the link is"}
_OF_SENDERS = {
    "cwnd": "Congestion windows",
    "ssthresh": "Slow-start thresholds",
    "rtt": "Round-trip times",
    "rto": "Retransmission timeouts",
}


def chart_of(
    what: str, results: Runs, *, link: str = "", quantity: str = "", flows: Sequence[str] = ()
) -> Chart:
    """One of `CHARTS` or of `OF_SENDERS` of some alternatives, or "state"."""
    looks = list(looks_of_names(results).values())
    if what in _DISTRIBUTIONS:
        return _distribution(what, results, looks)
    firsts = {name: runs[0] for name, runs in results.items()}
    if what in OF_SENDERS:
        title = f"{_OF_SENDERS[what]} of {', '.join(flows) if flows else 'long-lived flows'}"
        return senders_over_time(firsts, what=what, title=title, flows=flows)
    judged, *_ = [Measured(run, [link] if link else []).links[0]["name"] for run in firsts.values()]
    if what == "state":
        title = f"{quantity.replace('_', ' ')}, {judged}"
        return state_over_time(firsts, looks, link=judged, quantity=quantity, title=title)
    return link_over_time(what, firsts, looks, link=judged, title=f"{_OF_LINKS[what]}, {judged}")


def shown_of(
    what: str,
    results: Runs,
    together: Comparison,
    *,
    link: str = "",
    group: str = "",
    quantity: str = "",
    flows: Sequence[str] = (),
) -> Chart | Bars:
    """What is drawn: a chart of results, or bars of their comparison."""
    if what in BARS:
        return BARS[what](together)
    if what in OF_DATAGRAMS:
        if not (own := group or heard_group(together)):
            raise MissingDataError("the scenario has no [[datagrams]]; of its queues: --what waiting")
        return OF_DATAGRAMS[what]({name: runs[0] for name, runs in results.items()}, own)
    return chart_of(what, results, link=link, quantity=quantity, flows=flows)


def _distribution(what: str, results: Runs, looks: Sequence[Line]) -> Chart:
    title, x, y = _DISTRIBUTIONS[what]
    measured = {name: [Measured(run) for run in runs] for name, runs in results.items()}
    if what == "pages":
        of_pages = {
            name: [run.page_load_times(Pages.FOLLOWED) for run in runs] for name, runs in measured.items()
        }
        times, title = _of_whole_seeds(results, of_pages, title, "page began")
    else:
        of_responses = {name: [run.times for run in runs] for name, runs in measured.items()}
        times, title = _of_whole_seeds(results, of_responses, title, "exchange ended")
    draw = shares_beyond if what == "ccdf" else shares_within
    return draw(times, looks, time_s=times_on_a_log_axis(times), title=title, x=x, y=y)


def _of_whole_seeds(results: Runs, all_times: Times, title: str, happened: str) -> tuple[Times, str]:
    """The times to draw, and a title that says which seeds they are without."""
    seeds = {name: [int(run.run["seed"]) for run in runs] for name, runs in results.items()}
    times, left_out = of_whole_seeds(all_times, seeds)
    for name, kept in times.items():
        if not kept:
            raise MissingDataError(
                f"{name}: no seed is left: in each no {happened} in the measured window of some configuration"
            )
    if left_out:
        title += f", without {counted(left_out, 'seed')} in which no {happened}"
    return times, title


KINDS = (*CHARTS, *OF_DATAGRAMS, *BARS, *OF_SENDERS, "state")
"""What can be drawn."""
ENDINGS = (*FORMS, ".csv")
"""The endings of a figure's file."""


@dataclass(frozen=True)
class Plot:
    """A figure of results: notebooks show it, `save` writes it.

    Attributes:
        chart: Its lines and axes, or its bars.
        warnings: Differences beside the queue, and live runs of suspect timing.
    """

    chart: Chart | Bars
    warnings: tuple[str, ...] = ()
    _kind: str = field(default="", repr=False)
    _mark: str = field(default="", repr=False)

    @property
    def svg(self) -> str:
        """The figure as SVG."""
        return self._drawn.svg

    def save(
        self, file: str | Path, *, width: str | float | None = None, font_points: float | None = None
    ) -> Path:
        r"""Writes the figure (.svg, .pdf, .png, .pgf) or its numbers (.csv).

        Args:
            file: Where to. A .pgf is for `\input` in LaTeX, whose fonts it then has.
            width: How wide it is printed, in inches or with a unit: `3.33in`, `85mm`, `241pt`; by default
                5.6 inches.
            font_points: The size of its letters; by default 9.

        Raises:
            PlotError: The file ends otherwise, no figure could have that size, or a .pgf was wanted where
                there is no LaTeX.
        """
        file = require_ending(Path(file))
        if file.suffix.lower() == ".csv":
            save_table(self._table, file)
            return file
        default = width is None and font_points is None
        return self._drawn.save_as(file, None if default else PrintSize.of(width, font_points))

    def to_arrow(self) -> pa.Table:
        """The numbers: of lines a column each, of bars their rows."""
        return to_arrow(self._table)

    def __repr__(self) -> str:
        return f"Plot({self.chart.title!r})"

    def _repr_html_(self) -> str:
        return self.svg

    @property
    def _table(self) -> Table:
        return chart_table(self.chart) if isinstance(self.chart, Chart) else bars_table(self.chart)

    @property
    def _drawn(self) -> Drawn:
        return Drawn.of(self._kind, self.chart, "").marked(self._mark)


@arguments.checked(
    PlotError,
    what=arguments.text,
    link=arguments.label,
    group=arguments.label,
    quantity=arguments.label,
    flows=arguments.texts("['bulk:0']"),
)
def plot(
    results: Results,
    what: str = "pages",
    *,
    link: str = "",
    group: str = "",
    quantity: str = "",
    flows: Sequence[str] = (),
    title: str = "",
) -> Plot:
    """Draws one figure of results.

    Bars and distributions are means over seeds, with 95 % intervals from six seeds on. Figures over time
    show the first seed.

    Args:
        results: A result, results by name, a list of results or of their folders, the folder of a
            comparison, a `Comparison` or a `SweepResults`.
        what: `delay` (a minute of a call's delay), `delay-ccdf` (its distribution, losses included),
            `delay-bars` (its percentiles, of every application over datagrams), `jitter`, `mos`, `goodput`,
            `shares` (of each device), `pages` or `page-bars` (page load times), `cdf` or `ccdf` (response
            times), `queue`, `waiting` or `utilization` (a link over time), `cwnd`, `ssthresh`, `rtt` or `rto`
            (senders of long flows), or `state` (an internal variable of a scheme).
        link: The link; by default the first one that carries data.
        group: With `delay` and `delay-ccdf`: the group of datagrams; by default the call, the way that is
            slower under the first configuration.
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
    if group and what not in OF_DATAGRAMS:
        legal = f"what {' or '.join(OF_DATAGRAMS)}"
        raise PlotError(f"group: {group}: only with {legal}", place="group", value=group, legal=legal)
    if flows and what not in OF_SENDERS:
        legal = ", ".join(OF_SENDERS)
        raise PlotError(f"flows: {', '.join(flows)}: only with what {legal}", place="flows", legal=legal)
    found = results_of(results)
    together = Comparison.of(found, links=[link] if link else [])
    if (folders := _folders(results)) is not None:
        require_one_comparison(folders, together)
    chart = shown_of(what, found, together, link=link, group=group, quantity=quantity, flows=flows)
    suspect = (f"{name}, timing suspect: {' | '.join(why)}" for name, why in suspect_because(found).items())
    return Plot(
        replace(chart, title=title or chart.title), (*together.cautions(), *suspect), what, mark_of(found)
    )


def require_ending(file: Path) -> Path:
    if file.suffix.lower() not in ENDINGS:
        legal = ", ".join(ENDINGS)
        raise PlotError(f"{file}: legal endings: {legal}", place=str(file), value=file.suffix, legal=legal)
    return file


def _folders(results: Results) -> list[Path] | None:
    if isinstance(results, str | Path):
        return [Path(results)]
    if isinstance(results, list | tuple) and all(isinstance(each, str | Path) for each in results):
        return [Path(each) for each in results]
    return None
