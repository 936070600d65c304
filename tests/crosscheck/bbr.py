"""BBRv1 of a kernel beside ours, on three lines and in two buffers: goodput, delay, losses, segments sent again.

The kernel's `tcp_bbr` through its `pfifo`. How it is run: `kernel_runs.py`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aqmlab

from .kernel_runs import FORWARD, Comparison
from .user_mode_linux import BUILT

if TYPE_CHECKING:
    from collections.abc import Iterator

DURATION_S, WARM_UP_S = 30.0, 10.0
PACKET_BYTES = 1_500
FIGURES = {
    "goodput_mbps": "goodput, Mbit/s",
    "delay_p50_ms": "delay of the stream, half, ms",
    "delay_p95_ms": "95 %, ms",
    "loss_percent": "lost in the queue, %",
    "sent_again": "segments sent again in 20 s",
}


@dataclass(frozen=True)
class Case:
    """A line with a buffer of so many bandwidth-delay products, and a download that never ends beside a small stream."""

    rate_mbps: float
    round_trip_ms: float
    products: int

    def __str__(self) -> str:
        return f"{self.rate_mbps:g} Mbit/s, {self.round_trip_ms:g} ms, {self.products} BDP"

    @property
    def limit_packets(self) -> int:
        """The buffer in packets."""
        return round(self.products * self.rate_mbps * self.round_trip_ms * 1e3 / 8 / PACKET_BYTES)

    def scenario(self) -> aqmlab.Scenario:
        """The scenario of both sides; ticks as user-mode Linux has them."""
        return aqmlab.Scenario.of(
            {
                "name": "bbr",
                "duration_s": DURATION_S,
                "warm_up_s": WARM_UP_S,
                "dumbbell": {
                    "rate_mbps": self.rate_mbps,
                    "queue": {"scheme": "drop-tail", "limit_packets": self.limit_packets},
                    "queue_right_to_left": {"scheme": "drop-tail", "limit_packets": 1_000},
                },
                "flows": [
                    {
                        "name": "bulk",
                        "count": 1,
                        "direction": "left-to-right",
                        "base_rtt_ms": self.round_trip_ms,
                        "start_spread_s": 0.5,
                        "profile": "linux6-cubic",
                        "host": {"congestion": "bbr-linux-v1", "timer_hz": 100},
                    }
                ],
                "datagrams": [
                    {
                        "name": "stream",
                        "count": 1,
                        "direction": "left-to-right",
                        "packet_bytes": 100,
                        "rate_mbps": 0.04,
                    }
                ],
            }
        )


def cases() -> Iterator[Case]:
    """Every line with every buffer."""
    for rate_mbps, round_trip_ms in [(10.0, 20.0), (50.0, 40.0), (2.0, 80.0)]:
        for products in (1, 4):
            yield Case(rate_mbps, round_trip_ms, products)


def figures(result: aqmlab.Result) -> dict[str, float]:
    """What is compared, of a run of either side."""
    stream = result.tables["datagrams"].to_pandas().iloc[0]
    return {
        "goodput_mbps": result.value("goodput_mbps/flows.bulk"),
        "delay_p50_ms": 1e3 * float(stream.delay_p50_s),
        "delay_p95_ms": 1e3 * float(stream.delay_p95_s),
        "loss_percent": result.value("loss_percent", links=FORWARD),
        "sent_again": float(result.run["tcp"]["retransmitted_segments"]),
    }


COMPARISON = Comparison(BUILT.with_name("bbr.jsonl"), "linux-bbr", [*cases()], FIGURES, figures)

if __name__ == "__main__":
    sys.exit(COMPARISON.main(__doc__))
