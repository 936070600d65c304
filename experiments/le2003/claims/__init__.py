"""The claims of Le, Aikat, Jeffay and Smith (SIGCOMM 2003), by theme."""

from aqmlab.experiments.le2003.claims import (
    ablations,
    drop_tail,
    ecn,
    mechanisms,
    packet_drops,
    scatter,
    single_schemes,
    table,
    tails,
    traffic,
)

__all__ = [
    "ablations",
    "drop_tail",
    "ecn",
    "mechanisms",
    "packet_drops",
    "scatter",
    "single_schemes",
    "table",
    "tails",
    "traffic",
]
