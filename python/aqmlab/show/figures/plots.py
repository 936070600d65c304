"""`aqmlab.plot`: one figure of results, ready for publication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments
from aqmlab.comparison import Comparison, require_one_comparison
from aqmlab.comparison.reading import results_of
from aqmlab.errors import MissingDataError, PlotError
from aqmlab.show.figures.bars import bars_table
from aqmlab.show.figures.chart import Axis, Chart, chart_table
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
    queue_over_time,
    senders_over_time,
    state_over_time,
    utilization_over_time,
    waiting_over_time,
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


def chart_of(
    what: str, results: Runs, *, link: str = "", quantity: str = "", flows: Sequence[str] = ()
) -> Chart:
    """One of `CHARTS` or of `OF_SENDERS` of some alternatives, or "state"."""
    if what == "state":
        drawn = partial(state_over_time, quantity=quantity)
        return _over_time(drawn, quantity.replace("_", " "))(results, link)
    if what in OF_SENDERS:
        return _senders(what, results, flows)
    return CHARTS[what](results, link)


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


def _looks(results: Runs) -> list[Line]:
    return list(looks_of_names(results).values())


def _within(results: Runs, times: Times, title: str, x: str, y: str) -> Chart:
    chart = shares_within(times, _looks(results), time_s=times_on_a_log_axis(times), title=title)
    return replace(chart, x_axis=Axis(x, log=True), y_axis=replace(chart.y_axis, label=y))


def _cdf(results: Runs, link: str) -> Chart:
    del link
    times, title = _responses(results, "Responses")
    return _within(results, times, title, "response time, s", "responses complete, %")


def _pages(results: Runs, link: str) -> Chart:
    del link
    all_times = {
        name: [Measured(run).page_load_times(Pages.FOLLOWED) for run in runs]
        for name, runs in results.items()
    }
    times, title = _of_whole_seeds(results, all_times, "Pages", "page began")
    return _within(results, times, title, "page load time, s", "pages loaded, %")


def _ccdf(results: Runs, link: str) -> Chart:
    del link
    times, title = _responses(results, "Long responses")
    chart = shares_beyond(times, _looks(results), time_s=times_on_a_log_axis(times), title=title)
    return replace(
        chart,
        x_axis=replace(chart.x_axis, label="response time, s"),
        y_axis=replace(chart.y_axis, label="share taking longer"),
    )


def _responses(results: Runs, title: str) -> tuple[Times, str]:
    times = {name: [Measured(run).times for run in runs] for name, runs in results.items()}
    return _of_whole_seeds(results, times, title, "exchange ended")


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


def _over_time(draw: Callable[..., Chart], title: str) -> Callable[[Runs, str], Chart]:
    def drawn(results: Runs, link: str) -> Chart:
        firsts = {name: runs[0] for name, runs in results.items()}
        names = [link] if link else []
        judged = [Measured(run, names).links[0]["name"] for run in firsts.values()]
        return draw(firsts, _looks(results), link=judged[0], title=f"{title}, {judged[0]}")

    return drawn


_OF_SENDERS = {
    "cwnd": "Congestion windows",
    "ssthresh": "Slow-start thresholds",
    "rtt": "Round-trip times",
    "rto": "Retransmission timeouts",
}


def _senders(what: str, results: Runs, flows: Sequence[str]) -> Chart:
    firsts = {name: runs[0] for name, runs in results.items()}
    title = f"{_OF_SENDERS[what]} of {', '.join(flows) if flows else 'long-lived flows'}"
    return senders_over_time(firsts, what=what, title=title, flows=flows)


CHARTS: Mapping[str, Callable[[Runs, str], Chart]] = {
    "cdf": _cdf,
    "ccdf": _ccdf,
    "pages": _pages,
    "queue": _over_time(queue_over_time, "Packets waiting"),
    "waiting": _over_time(waiting_over_time, "Waiting time"),
    "utilization": _over_time(utilization_over_time, "How busy the link is"),
}
"""What can be asked for beside `OF_SENDERS`: response times, long ones, page load times, a link over time."""


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
    """The file, if a figure can be written there."""
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
