"""How a queue discipline is set on Linux, as a line of tc(8)."""

from __future__ import annotations

# RED and CHOKe have no defaults there: tc(8) asks for their limit and the size of packets. Linux's fq paces
# what its own sockets send, and is not fq, whose queues have schemes.
_NAMES = {
    "fq-codel": "fq_codel",
    "codel": "codel",
    "pie": "pie",
    "sfb": "sfb",
    "dualpi2": "dualpi2",
}
_OF_THE_LINE = 0.95
"""The share of a line's rate that is left to a shaper in front of it, so that its own buffer stays empty."""


def setting_of(scheme: str, rate_mbps: float) -> str:
    """The line that sets a scheme with Linux's defaults on `DEV`; empty where Linux has none of both.

    CAKE shapes by itself, to 95 % of the line; the others need a device that is as slow as the line.

    Args:
        scheme: The scheme, without parameters.
        rate_mbps: The line's rate in the direction in which `DEV` sends, in Mbit/s.
    """
    if scheme == "cake":
        return f"tc qdisc replace dev DEV root cake bandwidth {1000 * _OF_THE_LINE * rate_mbps:.0f}kbit"
    name = _NAMES.get(scheme)
    return f"tc qdisc replace dev DEV root {name}" if name else ""
