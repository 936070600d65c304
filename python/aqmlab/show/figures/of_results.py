"""Charts of results for `aqmlab plot`, by the name of the quantity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError
from aqmlab.show.figures.chart import Axis, Chart
from aqmlab.show.figures.distributions import (
    of_whole_seeds,
    shares_beyond,
    shares_within,
    times_on_a_log_axis,
)
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
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.show.figures.bars import Bars
    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import Recorded, ResponseTimes

    Results = Mapping[str, Sequence[Recorded]]
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
    what: str, results: Results, *, link: str = "", quantity: str = "", flows: Sequence[str] = ()
) -> Chart:
    """One of `CHARTS` or of `OF_SENDERS` of some alternatives, or "state".

    Args:
        what: Which.
        results: Of each alternative its results, one for each seed; of a run over time the first is shown.
        link: The monitored link; by default the first that carries data.
        quantity: Of the state of its scheme.
        flows: Whose senders, as `GROUP` or `GROUP:NUMBER`; by default all long-lived flows together.

    Raises:
        MissingDataError: A run did not record what is asked for.
        UnknownLinkError: The link is not monitored.
    """
    if what == "state":
        drawn = partial(state_over_time, quantity=quantity)
        return _over_time(drawn, quantity.replace("_", " "))(results, link)
    if what in OF_SENDERS:
        return _senders(what, results, flows)
    return CHARTS[what](results, link)


def shown_of(
    what: str,
    results: Results,
    together: Comparison,
    *,
    link: str = "",
    group: str = "",
    quantity: str = "",
    flows: Sequence[str] = (),
) -> Chart | Bars:
    """What is drawn: a chart of results, or bars of their comparison.

    Raises:
        MissingDataError: A run did not record what is asked for.
        UnknownLinkError: The link is not monitored.
    """
    if what in BARS:
        return BARS[what](together)
    if what in OF_DATAGRAMS:
        if not (own := group or heard_group(together)):
            raise MissingDataError("the scenario has no [[datagrams]]; of its queues: --what waiting")
        return OF_DATAGRAMS[what]({name: runs[0] for name, runs in results.items()}, own)
    return chart_of(what, results, link=link, quantity=quantity, flows=flows)


def _looks(results: Results) -> list[Line]:
    return list(looks_of_names(results).values())


def _within(results: Results, times: Times, title: str, x: str, y: str) -> Chart:
    chart = shares_within(times, _looks(results), time_s=times_on_a_log_axis(times), title=title)
    return replace(chart, x_axis=Axis(x, log=True), y_axis=replace(chart.y_axis, label=y))


def _cdf(results: Results, link: str) -> Chart:
    del link
    times, title = _responses(results, "Responses")
    return _within(results, times, title, "response time, s", "responses complete, %")


def _pages(results: Results, link: str) -> Chart:
    del link
    all_times = {
        name: [Measured(run).page_load_times(Pages.FOLLOWED) for run in runs]
        for name, runs in results.items()
    }
    times, title = _of_whole_seeds(results, all_times, "Pages", "page began")
    return _within(results, times, title, "page load time, s", "pages loaded, %")


def _ccdf(results: Results, link: str) -> Chart:
    del link
    times, title = _responses(results, "Long responses")
    chart = shares_beyond(times, _looks(results), time_s=times_on_a_log_axis(times), title=title)
    return replace(
        chart,
        x_axis=replace(chart.x_axis, label="response time, s"),
        y_axis=replace(chart.y_axis, label="share taking longer"),
    )


def _responses(results: Results, title: str) -> tuple[Times, str]:
    times = {name: [Measured(run).times for run in runs] for name, runs in results.items()}
    return _of_whole_seeds(results, times, title, "exchange ended")


def _of_whole_seeds(results: Results, all_times: Times, title: str, happened: str) -> tuple[Times, str]:
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


def _over_time(draw: Callable[..., Chart], title: str) -> Callable[[Results, str], Chart]:
    def drawn(results: Results, link: str) -> Chart:
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


def _senders(what: str, results: Results, flows: Sequence[str]) -> Chart:
    firsts = {name: runs[0] for name, runs in results.items()}
    title = f"{_OF_SENDERS[what]} of {', '.join(flows) if flows else 'long-lived flows'}"
    return senders_over_time(firsts, what=what, title=title, flows=flows)


CHARTS: Mapping[str, Callable[[Results, str], Chart]] = {
    "cdf": _cdf,
    "ccdf": _ccdf,
    "pages": _pages,
    "queue": _over_time(queue_over_time, "Packets waiting"),
    "waiting": _over_time(waiting_over_time, "Waiting time"),
    "utilization": _over_time(utilization_over_time, "How busy the link is"),
}
"""What can be asked for beside `OF_SENDERS`: response times, long ones, page load times, a link over time."""
