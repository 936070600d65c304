"""The checks of this study that no other paper needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab import _core
from aqmlab.errors import MissingDataError
from aqmlab.inference import mean_interval
from aqmlab.papers.claims import Answer
from aqmlab.papers.claims.checks import between_bounds
from aqmlab.statistics.classes import jain_index
from aqmlab.statistics.quantities import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aqmlab.papers.claims.checks import Number
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]

RATE_MBPS, PACKET_BYTES, UTILIZATION = 10.0, 1000.0, 0.98
"""Of the link, of the study's packets, and ARC's target."""
WHOLE = "0-2000"


# ------------------------------------------------------------------------------------------- what is computed


def gain_admissible(study: Study, *, flows: float, rtt_s: float, alpha: float, admissible: bool) -> Answer:
    """Equation 1 admits the gain for so many flows and this round trip, or does not."""
    del study
    packets_per_s = RATE_MBPS * 1e6 / 8.0 / PACKET_BYTES
    gains = _core.arc_admissible_gains(flows, rtt_s, packets_per_s, UTILIZATION)
    if gains is None:
        return Answer(not admissible, "no gain is admissible")
    lowest, highest = gains
    return Answer((lowest < alpha < highest) == admissible, f"from {lowest:.3g} to {highest:.3g}")


def false_positives(
    study: Study, *, levels: int, bins: int, flows: int, about: float, slack: float
) -> Answer:
    """Equation 3: how many well-behaving flows share all their bins with so many misbehaving ones."""
    del study
    share = _core.sfg_false_positive(levels, bins, flows)
    return Answer(abs(share - about) <= slack, f"{share:.4f}", share)


def friendly_rate(
    study: Study, *, packet_bytes: float, rtt_s: float, loss: float, about_mbps: float, slack: float
) -> Answer:
    """Equation 5: what a TCP-friendly flow sends."""
    del study
    rate_mbps = _core.sfg_tcp_friendly_rate(packet_bytes, rtt_s, loss) * 8e-6
    return Answer(abs(rate_mbps - about_mbps) <= slack, f"{rate_mbps:.4f} Mbit/s", rate_mbps)


# ----------------------------------------------------------------------------------------- load against drops


def drops_are_linear(study: Study, *, sessions: Sequence[int], least_r2: float) -> Answer:
    """Figure 3: the drop rate of web sessions grows linearly with the load that they offer."""
    loads, drops = _load_and_drops(study, sessions)
    slope, intercept = np.polyfit(loads, drops, 1)
    left = drops - (slope * loads + intercept)
    r2 = 1.0 - float(left @ left) / float(np.square(drops - drops.mean()).sum())
    evidence = f"drops = {slope:.3g} load {intercept:+.3g} (per cent of load 1), R2 {r2:.4f}"
    return Answer(r2 >= least_r2, evidence, r2)


def equivalent_load(
    study: Study, a: Cell, *, sessions: Sequence[int], phase: str, load_is: float, slack: float
) -> Answer:
    """The web load of the same drop rate as a phase has, by the line through those that were run."""
    loads, drops = _load_and_drops(study, sessions)
    slope, intercept = np.polyfit(loads, drops, 1)
    of_phase = study.values(*a, quantity(f"packet_loss_percent/links.left-to-right@{phase}"))
    found = [(drop - intercept) / slope for drop in of_phase]
    return between_bounds(mean_interval(found), load_is - slack, load_is + slack)


def _load_and_drops(study: Study, sessions: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Mean offered load, as a share of the link, and mean drop rate in per cent, by number of sessions."""
    (load,) = study.experiment.loads_percent
    offered = quantity(f"throughput_mbps/links.left-to-right@{WHOLE}")
    lost = quantity(f"packet_loss_percent/links.left-to-right@{WHOLE}")
    pairs = [
        (
            np.mean(study.values(f"web-{number}-uncongested", load, offered)) / RATE_MBPS,
            np.mean(study.values(f"web-{number}", load, lost)),
        )
        for number in sessions
    ]
    loads, drops = np.asarray(pairs, dtype=np.float64).T
    return loads, drops


# ---------------------------------------------------------------------------------------------------- numbers


def times_as_much(study: Study, a: Cell, b: Cell, *, of: Number, bounds: tuple[float, float]) -> Answer:
    """A number of `a` is so many times that of `b`, seed by seed."""
    left, right = study.by_seed(a, of), study.by_seed(b, of)
    shared = [seed for seed in sorted(left.keys() & right.keys()) if right[seed] > 0.0]
    if not shared:
        raise MissingDataError("no seed of both has a number above zero to compare with")
    return between_bounds(mean_interval([left[seed] / right[seed] for seed in shared]), *bounds, unit="times")


def fairness_of_classes(result: Recorded) -> float:
    """Jain's index over streams and forward flows, each as fast as the mean of its class, mean over phases.

    The phases are those in which the streams send from beginning to end.
    """
    return float(np.mean([_index(result, phase) for phase in _whole_phases(result)]))


def _whole_phases(result: Recorded) -> list[tuple[float, float, int]]:
    """Beginning, end and number of forward flows of each phase in which the streams always send."""
    document = result.run["scenario"]
    (streams,) = document["datagrams"]
    (forward,) = (group for group in document["flows"] if group["name"] == "forward")
    phases: Mapping[str, list[int]] = forward["phases"]
    each_s = float(forward["phases"]["each_s"])
    begins = [(place * each_s, number) for place, number in enumerate(phases["flows"])]
    inside = (streams["start_s"] + streams.get("start_spread_s", 0.0), streams["stop_s"])
    return [
        (begin, begin + each_s, number)
        for begin, number in begins
        if begin >= inside[0] and begin + each_s <= inside[1]
    ]


def _index(result: Recorded, phase: tuple[float, float, int]) -> float:
    begin, end, flows = phase
    (streams,) = result.run["scenario"]["datagrams"]
    stretch = f"{begin:g}-{end:g}"
    of_flow = quantity(f"throughput_mbps/flows.forward@{stretch}")(result) / flows
    of_stream = quantity(f"throughput_mbps/datagrams.unresponsive@{stretch}")(result) / streams["count"]
    index = jain_index([of_stream] * streams["count"] + [of_flow] * flows)
    if index is None:
        raise MissingDataError(f"nobody got anything from {begin:g} to {end:g} s")
    return index
