"""A network as a picture: rates, delays and schemes, who talks to whom; of runs, how busy each link was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from aqmlab.figures.drawn import Drawn
from aqmlab.figures.network_layout import layout_of
from aqmlab.figures.style import BLACK, GREY, SEQUENCE, settle, styled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from aqmlab.figures.network_layout import Box, Layout, Traffic, Wire
    from aqmlab.statistics import Recorded

_STEP_INCHES, _ROW_INCHES = 1.45, 0.95
_LANE = 0.34
_BUSY = ((0.5, "#9ecae1"), (0.8, "#4292c6"), (0.95, "#d9701a"), (1.01, "#b2182b"))
"""Colour of a link by the share of time in which it was busy, below the number; the share is written, too."""

_UNITS = {
    "users": ("person", "people"),
    "clouds": ("cloud of connections", "clouds of connections"),
    "flows": ("flow", "flows"),
    "datagrams": ("source of datagrams", "sources of datagrams"),
}


def draw_network(
    scenario: Mapping[str, Any],
    runs: Sequence[Recorded] = (),
    *,
    title: str = "",
    identifier: str = "network",
) -> Drawn:
    """The network of a scenario, and of its runs what each link did.

    Args:
        scenario: As resolved.
        runs: Runs of it: with them each monitored link is coloured by how busy it was, and says that and what
            share of packets it lost, as means over the runs.
        title: What stands above it; by default the scenario's name.
        identifier: Its name among the figures of a page.

    Raises:
        ScenarioError: The scenario is refused.
    """
    layout = layout_of(scenario)
    figure = _draw(layout, _measured(runs), title or str(scenario["name"]))
    caption = (
        "Square: routers; round: machines. At each link its rate, delay and queue discipline, of both "
        "directions where they differ. Below: who sends data to whom."
    )
    if runs:
        count = "one run" if len(runs) == 1 else f"the mean of {len(runs)} runs"
        caption += f" Busy and lost: of {count}; darker and warmer links were busier."
    return Drawn(identifier, title or "The network", caption, figure, _in_words(layout))


def _measured(runs: Sequence[Recorded]) -> dict[str, tuple[float, float]]:
    """Share of time busy and share of packets lost by link, as means over runs."""
    told: dict[str, list[tuple[float, float]]] = {}
    for run in runs:
        for link in run.run["links"]:
            told.setdefault(link["name"], []).append((link["busy_share"], link["loss_ratio"]))
    means = {name: np.mean(each, axis=0) for name, each in told.items()}
    return {name: (float(busy), float(lost)) for name, (busy, lost) in means.items()}


@styled
def _draw(layout: Layout, measured: Mapping[str, tuple[float, float]], title: str) -> Figure:
    xs, ys = [box.x for box in layout.boxes], [box.y for box in layout.boxes]
    low, high = min(ys) - 0.6, max(ys) + 0.6
    lanes = _LANE * (len(layout.traffic) + 1)
    left, right = min(xs) - 0.65, max(xs) + 0.65
    size = (max(4.6, (right - left) * _STEP_INCHES), (high - low + lanes) * _ROW_INCHES + 0.4)
    figure = Figure(figsize=size)
    figure.set_layout_engine("none")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0 - 0.35 / size[1]))
    axes.set(xlim=(left, right), ylim=(low - lanes, high))
    axes.axis("off")
    axes.set_title(title)
    for pair in sorted({(min(ends), max(ends)) for ends in layout.wires}):
        _draw_links(axes, layout, pair, measured)
    for box in layout.boxes:
        _draw_box(axes, box)
    for row, each in enumerate(layout.traffic):
        _draw_lane(axes, layout, each, low - _LANE * (row + 0.9), SEQUENCE[row % len(SEQUENCE)])
    return settle(figure)


def _draw_box(axes: Axes, box: Box) -> None:
    style = "square,pad=0.3" if box.is_router else "round,pad=0.3"
    shown = axes.text(
        box.x,
        box.y,
        box.label.replace(", others", ",\nothers"),
        ha="center",
        va="center",
        fontsize=7.0,
        zorder=4,
    )
    line = 1.4 if box.is_router else 0.7
    shown.set_bbox({"boxstyle": style, "facecolor": "white", "edgecolor": BLACK, "linewidth": line})


def _draw_links(
    axes: Axes, layout: Layout, pair: tuple[int, int], measured: Mapping[str, tuple[float, float]]
) -> None:
    """The links between two boxes: a line for each direction, and what is so of it."""
    one, other = (layout.boxes[place] for place in pair)
    if (one.x, one.y) > (other.x, other.y):
        pair, one, other = pair[::-1], other, one
    ways = [layout.wires.get(pair, []), layout.wires.get(pair[::-1], [])]
    upright, level = one.x == other.x, one.y == other.y
    for wires, side in zip(ways, (1, -1), strict=True):
        if wires:
            colour, width = _look(wires, measured)
            dx, dy = (0.035 * side, 0.0) if upright else (0.0, 0.05 * side)
            ends = ([one.x + dx, other.x + dx], [one.y + dy, other.y + dy])
            axes.plot(*ends, color=colour, linewidth=width, zorder=1)
    there, back = (_told(wires, measured) for wires in ways)
    if there == back or not (there and back):
        there, back = there or back, ""
    else:
        arrows = ("↑ ", "↓ ") if upright else ("→ ", "← ")
        there, back = (
            arrow + text if text else "" for arrow, text in zip(arrows, (there, back), strict=True)
        )
    middle = ((one.x + other.x) / 2, (one.y + other.y) / 2)
    if level:
        _write(axes, (middle[0], middle[1] + 0.08), there, "center", "bottom")
        _write(axes, (middle[0], middle[1] - 0.08), back, "center", "top")
    else:  # in one block, so that those of neighbours keep clear of one another
        block = "\n".join(text.replace("\n", ", ", 1) for text in (there, back) if text)
        spread = abs(one.x - other.x) > 1.5  # a fan: where its lines are farther apart, at the machines
        machine, router = (one, other) if other.is_router else (other, one)
        if spread:
            middle = (0.6 * machine.x + 0.4 * router.x, 0.6 * machine.y + 0.4 * router.y)
        at = (middle[0] + 0.06, middle[1]) if upright else middle
        _write(axes, at, block, "left" if upright else "center", "center")


def _write(axes: Axes, at: tuple[float, float], text: str, across: str, along: str) -> None:
    if not text:
        return
    shown = axes.text(*at, text, ha=across, va=along, fontsize=5.5, linespacing=1.05, zorder=3)
    shown.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.3, "alpha": 0.85})


def _told(wires: Sequence[Wire], measured: Mapping[str, tuple[float, float]]) -> str:
    """What is written at links alike: rate, delay, scheme, and how busy they were."""
    if not wires:
        return ""
    kinds = {wire.settings for wire in wires}
    if len(kinds) > 1:
        text = f"{len(wires)} links, not alike"
    else:
        rate_mbps, delay_ms, scheme = wires[0].settings
        parts = [
            f"{rate_mbps:g} Mbit/s" if rate_mbps is not None else "",
            f"{delay_ms:g} ms" if delay_ms else "",
        ]
        text = ", ".join(part for part in parts if part)
        text = "\n".join(part for part in (text, scheme or "") if part)
    told = [measured[wire.name] for wire in wires if wire.name in measured]
    if told:
        busy, lost = ([each[place] * 100 for each in told] for place in (0, 1))
        text += f"\nbusy {_span(busy, 0)} %, lost {_span(lost, 2)} %"
    return text


def _span(values: Sequence[float], digits: int) -> str:
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def _look(wires: Sequence[Wire], measured: Mapping[str, tuple[float, float]]) -> tuple[str, float]:
    """Colour and width of a link: by the busiest of those alike."""
    told = [measured[wire.name][0] for wire in wires if wire.name in measured]
    if told:
        return next(colour for below, colour in _BUSY if max(told) < below), 2.4
    return (BLACK, 1.2) if any(wire.scheme for wire in wires) else (GREY, 0.8)


def _draw_lane(axes: Axes, layout: Layout, traffic: Traffic, y: float, colour: str) -> None:
    """An arrow below the network, from where data are sent to where they arrive, over the routers between."""
    boxes = layout.passed(traffic)
    xs = [box.x for box in boxes]
    arrow = {"arrowstyle": "-|>", "color": colour, "lw": 1.3, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (xs[-1], y), (xs[0], y), arrowprops=arrow)
    routers = [box.x for box in boxes if box.is_router]
    axes.plot(routers, [y] * len(routers), linestyle="none", marker="o", markersize=3.0, color=colour)
    middle = (min(xs) + max(xs)) / 2
    axes.text(middle, y + 0.05, _in_short(traffic), ha="center", va="bottom", fontsize=6.0)


def _in_short(traffic: Traffic) -> str:
    name = traffic.name.partition(".")[2] or traffic.name
    one, several = _UNITS[traffic.unit]
    unit = one if traffic.size == 1 else several
    return f"{name}: {traffic.size:,} {unit}, from {traffic.ends[0]} to {traffic.ends[1]}"


def _in_words(layout: Layout) -> str:
    routers = sum(box.is_router for box in layout.boxes)
    return f"{routers} routers; data go: " + "; ".join(_in_short(each) for each in layout.traffic)
