"""CAKE, CHOKe and SFB of a kernel beside ours: four downloads and a stream that does not respond, of 1 and 4 Mbit/s.

The line has 10 Mbit/s; CAKE shapes to 8. How it is run: `kernel_runs.py`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aqmlab

from .kernel_runs import FORWARD, Comparison
from .user_mode_linux import BUILT

if TYPE_CHECKING:
    from collections.abc import Iterator

DURATION_S, WARM_UP_S = 15.0, 5.0
PACKET_BYTES = 1_000
SCHEMES: dict[str, dict[str, Any]] = {
    "cake": {"rate_mbps": 8.0, "mtu_bytes": 1_514, "isolation": "flows"},
    "choke": {
        "limit_packets": 100,
        "min_th_packets": 20.0,
        "max_th_packets": 60.0,
        "w_q": 2.0**-8,
        "gentle": False,
    },
    "sfb": {
        "limit_packets": 200,
        "levels": 8,
        "bins": 16,
        "bin_packets": 19,
        "full_bins": "all_drop",
        "freeze_ms": 0.0,
        "threshold": 1.0,
        "increment": 33 / 65_535,
        "decrement": 3 / 65_535,
        "drop_above_half": True,
        "ecn": True,
        "rehash_ms": 600_000.0,
        "warm_up_ms": 60_000.0,
        "penalty": {"tokens": {"rate_hz": 10.0, "burst": 20}},
    },
}
"""As the kernel has them; SFB with tc's defaults, but for bins that drop where they are full."""
FIGURES = {
    "bulk_mbps": "downloads get, Mbit/s",
    "stream_mbps": "the stream gets, Mbit/s",
    "wait_ms": "mean wait, ms",
    "delay_p50_ms": "delay of the stream, half, ms",
    "delay_p95_ms": "95 %, ms",
    "loss_percent": "lost in the queue, %",
}


@dataclass(frozen=True)
class Case:
    """A scheme, and the rate of the stream."""

    scheme: str
    stream_mbps: float

    def __str__(self) -> str:
        return f"{self.scheme}, {self.stream_mbps:g} Mbit/s"

    def scenario(self) -> aqmlab.Scenario:
        """The scenario of both sides; ticks as user-mode Linux has them."""
        return aqmlab.Scenario.of(
            {
                "name": "floods",
                "duration_s": DURATION_S,
                "warm_up_s": WARM_UP_S,
                "dumbbell": {
                    "rate_mbps": 10.0,
                    "queue": {"scheme": self.scheme, **SCHEMES[self.scheme]},
                    "queue_right_to_left": {"scheme": "drop-tail", "limit_packets": 1_000},
                },
                "flows": [
                    {
                        "name": "bulk",
                        "count": 4,
                        "direction": "left-to-right",
                        "base_rtt_ms": 40.0,
                        "start_spread_s": 0.5,
                        "profile": "linux6-cubic",
                        "host": {"timer_hz": 100},
                    }
                ],
                "datagrams": [
                    {
                        "name": "stream",
                        "count": 1,
                        "direction": "left-to-right",
                        "packet_bytes": PACKET_BYTES,
                        "rate_mbps": self.stream_mbps,
                    }
                ],
            }
        )


def cases() -> Iterator[Case]:
    """Every scheme with every stream."""
    for scheme in SCHEMES:
        for stream_mbps in (1.0, 4.0):
            yield Case(scheme, stream_mbps)


def figures(result: aqmlab.Result) -> dict[str, float]:
    """What is compared, of a run of either side."""
    stream = result.tables["datagrams"].to_pandas().iloc[0]
    return {
        "bulk_mbps": result.value("goodput_mbps/flows.bulk"),
        "stream_mbps": float(stream.arrived_bytes) * 8e-6 / (DURATION_S - WARM_UP_S),
        "wait_ms": result.value("queue_mean_ms", links=FORWARD),
        "delay_p50_ms": 1e3 * float(stream.delay_p50_s),
        "delay_p95_ms": 1e3 * float(stream.delay_p95_s),
        "loss_percent": result.value("loss_percent", links=FORWARD),
    }


COMPARISON = Comparison(BUILT.with_name("floods.jsonl"), "linux-cubic", [*cases()], FIGURES, figures)

if __name__ == "__main__":
    sys.exit(COMPARISON.main(__doc__))
