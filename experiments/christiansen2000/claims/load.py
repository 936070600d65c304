"""Sections 4 and 5, figures 8 and 9: response times, drops and the queue as the load grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.christiansen2000.claims.cells import RECOMMENDED, christiansen2000, fifo, red_cells
from aqmlab.reproduce.claims.answers import attempt
from aqmlab.reproduce.claims.curves import little_difference, much_better
from aqmlab.reproduce.claims.numbers import above, slower
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import MissingDataError, loss_percent, mean_interval
from aqmlab.statistics.quantities import longest_queue_packets, overflow_drops, restricted_mean_s

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aqmlab.reproduce.study import Study
    from aqmlab.statistics.quantities import Quantity


@christiansen2000("C05")
def fifo_and_load(study: Study, *, little: float, much: float) -> list[Part]:
    """No change below 80 %, a sharp fall near and beyond capacity."""
    name = fifo(120)
    return [
        little_difference(
            study, "FIFO 120: 50 and 70 % load do not differ", (name, 50.0), (name, 70.0), margin=little
        ),
        much_better(
            study, "FIFO 120: 98 % is sharply worse than 90", (name, 90.0), (name, 98.0), margin=much
        ),
        much_better(
            study, "FIFO 120: 110 % is sharply worse than 98", (name, 98.0), (name, 110.0), margin=much
        ),
    ]


@christiansen2000("C06")
def red_and_load(study: Study, *, most_drops_percent: float, limit_packets: int, little: float) -> list[Part]:
    """No degradation up to 70 %, then a monotone one, greatest from 90 to 110 %; hardly a drop at 50 %."""
    name = RECOMMENDED
    parts = [
        little_difference(
            study, "RED 30/90: 50 and 70 % load do not differ", (name, 50.0), (name, 70.0), margin=little
        )
    ]
    parts += [
        slower(study, f"RED 30/90: {after:g} % is worse than {before:g}", (name, after), (name, before))
        for before, after in ((70.0, 80.0), (80.0, 90.0), (90.0, 98.0), (98.0, 110.0))
    ]
    return [
        *parts,
        _greatest_step(study),
        _drops_at_50(study, most_drops_percent),
        _never_full(study, limit_packets),
        _no_overflow(study, limit_packets),
    ]


def _greatest_step(study: Study) -> Part:
    said = "RED 30/90: the mean up to 2 s grows more from 90 to 110 % than from 70 to 90"

    def ask() -> Part:
        at = {load: study.by_seed((RECOMMENDED, load), restricted_mean_s()) for load in (70.0, 90.0, 110.0)}
        seeds = sorted(set.intersection(*(set(values) for values in at.values())))
        if not seeds:
            raise MissingDataError("the loads share no seed")
        excess = [at[110.0][seed] - 2.0 * at[90.0][seed] + at[70.0][seed] for seed in seeds]
        return above(said, mean_interval(excess), scale=1000.0, unit="ms more")

    return attempt(said, ask)


def _drops_at_50(study: Study, most_percent: float) -> Part:
    said = f"RED 30/90 at 50 % load never drops more than {most_percent} % of the packets"

    def ask() -> Part:
        each = study.values(RECOMMENDED, 50.0, loss_percent)
        evidence = f"from {min(each):.4f} to {max(each):.4f} % in {len(each)} replications"
        return Part(said, max(each) <= most_percent, evidence, max(each))

    return attempt(said, ask)


def _never_full(study: Study, limit_packets: int) -> Part:
    said = f"at 110 % no 3 ms sample finds {limit_packets} packets in a RED queue"

    def ask() -> Part:
        worst, packets, settings = _worst(study, longest_queue_packets, max)
        evidence = f"longest {packets} packets, {worst}; {settings} settings"
        return Part(said, packets < limit_packets, evidence, float(packets))

    return attempt(said, ask)


def _no_overflow(study: Study, limit_packets: int) -> Part:
    said = f"at 110 % no packet is dropped because {limit_packets} are waiting"

    def ask() -> Part:
        worst, drops, settings = _worst(study, overflow_drops, sum)
        evidence = f"most overflow drops {drops}, {worst}; {settings} settings"
        return Part(said, drops == 0, evidence, float(drops))

    return attempt(said, ask)


def _worst(study: Study, of: Quantity, together: Callable[[Iterable[float]], float]) -> tuple[str, int, int]:
    """The setting with the highest count at 110 %, that count, and how many settings there are."""
    counts = {name: int(together(study.values(name, 110.0, of))) for name in _unlimited(study)}
    worst = max(counts, key=lambda name: counts[name])
    return study.configuration(worst).label, counts[worst], len(counts)


def _unlimited(study: Study) -> list[str]:
    """The settings of section 5 whose queue holds 480 packets."""
    names = [name for name in red_cells(study, 110.0) if "-limit-" not in name]
    if not names:
        raise MissingDataError("no RED cell was run at 110 %")
    return names
