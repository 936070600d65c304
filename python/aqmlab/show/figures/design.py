"""The figures of `aqmlab design`: what is stable, and how often a filter is wrong, as charts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from aqmlab import _core
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.figures.looks import look_at
from aqmlab.study.design.loops import CONTROLS, delay_loop, margins, pi_loop
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aqmlab.study.design.rules import Design

FLOWS = np.unique(np.logspace(0.0, 3.0, 121).round())
PROBABILITIES = np.logspace(-5.0, math.log10(0.5), 200)
MISBEHAVING = np.arange(1.0, 41.0)
LEVELS = range(1, 5)


def _line(place: int, name: str, values: Iterable[float]) -> Series:
    return Series(name, look_at(place), np.array(list(values)))


def arc_region(
    rtt_s: float, packets_per_second: float, utilization: float, interval_s: float, marked: Sequence[float]
) -> Chart:
    """The gains of ARC that are stable: between two lines for each round-trip time."""
    lines = []
    for place, path_s in enumerate((rtt_s / 2, rtt_s, 2 * rtt_s)):
        found = [
            _core.arc_admissible_gains(flows, path_s, packets_per_second, utilization) for flows in FLOWS
        ]
        bounds = np.array([(math.nan, math.nan) if gains is None else gains for gains in found]) * interval_s
        name = f"{1e3 * path_s:g} ms"
        lines += [
            Series(f"{name}, {edge}", look_at(place), bounds[:, at])
            for at, edge in enumerate(("lowest", "highest"))
        ]
    x_axis = Axis("long TCP flows", log=True)
    title = "Gains of ARC between which its loop is stable"
    return Chart(title, x_axis, Axis("alpha per packet", log=True), FLOWS, tuple(lines), tuple(marked))


def pi_margins(
    rtt_s: float, packets_per_second: float, gains: tuple[float, float], sampling_hz: float
) -> Chart:
    """The phase margin of PI with these gains, by the number of flows."""
    lines = []
    for place, path_s in enumerate((rtt_s / 2, rtt_s, 2 * rtt_s)):
        found = (margins(pi_loop(flows, path_s, packets_per_second, gains, sampling_hz)) for flows in FLOWS)
        lines.append(_line(place, f"{1e3 * path_s:g} ms", (left.phase_degrees for left in found)))
    axes = Axis("long TCP flows", log=True), Axis("phase margin, degrees", limits=(-90.0, 90.0))
    return Chart("Phase margin of PI's loop", *axes, FLOWS, tuple(lines), levels=(0.0,))


def delay_margins(rtt_s: float) -> Chart:
    """The phase margin of PIE, with and without auto-tuning, and of PI2, by how much is signalled."""
    lines = []
    for place, (name, control) in enumerate(CONTROLS.items()):
        found = (margins(delay_loop(control, probability, rtt_s)) for probability in PROBABILITIES)
        lines.append(_line(place, name, (left.phase_degrees for left in found)))
    axes = Axis("share of packets signalled", log=True), Axis("phase margin, degrees", limits=(-90.0, 120.0))
    title = f"Loops of PIE and PI2 over {1e3 * rtt_s:g} ms"
    return Chart(title, *axes, PROBABILITIES, tuple(lines), levels=(0.0,))


def false_positives(bins: int, trials: int) -> Chart:
    """How often a flow shares all its bins with misbehaving ones: formula as lines, the filter as points."""
    lines = []
    for place, levels in enumerate(LEVELS):
        name = counted(levels, "level")
        formula = (_core.sfg_false_positive(levels, bins, count) for count in MISBEHAVING)
        lines.append(_line(place, name, formula))
        if trials:
            found = np.full(MISBEHAVING.size, math.nan)
            for at in range(4, MISBEHAVING.size, 5):
                count = int(MISBEHAVING[at])
                found[at] = _core.sfg_false_positives(levels, bins, count, trials) / trials
            lines.append(Series(f"{name}, tried", look_at(place), found, points=True))
    axes = Axis("misbehaving flows"), Axis("share of flows taken for one", log=True, limits=(1e-5, 1.0))
    return Chart(f"False positives of SFG with {counted(bins, 'bin')}", *axes, MISBEHAVING, tuple(lines))


_FIGURES: dict[str, Callable[..., Chart]] = {
    each.__name__: each for each in (arc_region, false_positives, pi_margins, delay_margins)
}


def chart_of(design: Design) -> Chart:
    return _FIGURES[design.figure](*design.of)
