"""CPU time per bottleneck data packet, with its acknowledgement, of both programs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import aqmlab

from .measurement import link_of, ns2, scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

_MICROSECONDS = 1e6


@dataclass(frozen=True)
class Speed:
    """Medians over pairs of runs, in microseconds of CPU time per packet."""

    ours_us: float
    ns2_us: float
    ns2_without_start_us: float
    """Without the start of ns-2 and its static routes, which come before simulated time 0."""


def measure(schemes: Sequence[str], pairs: int) -> Speed:
    """Runs the programs in turn, one at a time, so that both meet the same machine."""
    ours, theirs, without_start = [], [], []
    for seed in range(1, pairs + 1):
        for scheme in schemes:
            ours.append(_ours_us(scheme, seed))
            (row,) = ns2(scheme, [seed], workers=1)
            packets = row["packets_whole_run"]
            theirs.append(_MICROSECONDS * row["cpu_s"] / packets)
            without_start.append(_MICROSECONDS * (row["cpu_s"] - row["cpu_setup_s"]) / packets)
    return Speed(median(ours), median(theirs), median(without_start))


def _ours_us(scheme: str, seed: int) -> float:
    """From the resolved scenario to the finished result, in this process; nothing else runs in it."""
    whole_run = scenario(scheme, {"warm_up_s": 0.0})
    before_s = time.process_time()
    result = aqmlab.run(whole_run, seed=seed)
    cpu_s = time.process_time() - before_s
    return _MICROSECONDS * cpu_s / link_of(result.run)["counters"]["departed"]["packets"]
