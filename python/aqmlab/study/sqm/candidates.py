"""What is tried on a line: queue disciplines in the router, each at several shares of the line's rate.

Where the rate varies, also CAKE behind shapers that follow it by cake-autorate's rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.load.parametrized_scheme import spelt
from aqmlab.load.queue_place import PLACES, ROUTER_LINKS, at_fixed_rates
from aqmlab.load.queues import Queues, placed
from aqmlab.presets.line import AS_IT_IS
from aqmlab.study.sqm.typed import RouterShaper, router_shapers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.scenario import Scenario

PROVIDER_COULD = "PIE at the provider's and in the modem"
"""What nobody can type who does not own these boxes, to compare with."""
FOLLOWING = ((0.5, 1.0), (0.8, 1.5))
"""Base and highest rate of shapers that follow the line, as shares of its mean: careful, and bold. From its
README: the base is what the line nearly always carries, the maximum near the most that it does."""
_LEAST_FOLLOWING = 0.25
_VARYING = (
    "rates_vary", "medium_down", "medium_up", "rate_down_trace_file", "rate_up_trace_file", "conditions_file",
    "reconfigurations",
)  # fmt: skip
_ISOLATION = {"down": "dual_destination", "up": "dual_source"}
"""Fair between the devices of the home, which receive what comes down and send what goes up."""
_PRINTED = ("tins", "wash", "ack_filter", "ingress")


@dataclass(frozen=True)
class Candidate:
    """A way to set up a line.

    Attributes:
        name: Such as `CAKE at 95 % in your router`.
        scenario: The scenario with it.
        scheme: The queue discipline in the router; empty where there is nothing to type.
        share: The share of the line's rate that is left to it; where the shapers follow the line, at first.
        follows: Whether the shapers follow the line.
    """

    name: str
    scenario: Scenario
    scheme: str = ""
    share: float = 1.0
    follows: bool = False

    @property
    def shapers(self) -> tuple[RouterShaper, ...]:
        """What the router holds, both ways."""
        return router_shapers(self.scenario)


def candidates(own: Scenario, schemes: Sequence[str], shares: Sequence[float]) -> list[Candidate]:
    """The line as it is, what its provider could do, and each scheme at each share in the router."""
    of_provider = placed(own, "pie", PLACES["line"], None)
    in_router = [
        Candidate(
            f"{spelt(scheme)} at {100 * share:g} % in your router",
            _in_router(own, scheme, share),
            scheme,
            share,
        )
        for scheme in schemes
        for share in shares
    ]
    following = [_following(own, *each) for each in FOLLOWING] if varies(own) and "cake" in schemes else []
    return [Candidate(AS_IT_IS, own), Candidate(PROVIDER_COULD, of_provider), *in_router, *following]


def varies(scenario: Scenario) -> bool:
    """Whether the rate of a line varies."""
    line = scenario.resolved["line"]
    return any(line.get(key) for key in _VARYING)


def _following(own: Scenario, base: float, most: float) -> Candidate:
    """CAKE behind shapers that follow the line, whose limits are whole kbit/s as they can be typed."""
    fixed = _in_router(own, "cake", base)
    shaped = PLACES["router"].at(at_fixed_rates(own), base)
    rates = [base_mbps / base for base_mbps, *_ in shaped.core.shapers().values()]
    # One share for both ways: that of the slower one, whose kbit/s are the coarser.
    shares = {
        key: math.floor(share * min(rates) * 1e3 + 1e-6) / 1e3 / min(rates)
        for key, share in (("minimum_share", _LEAST_FOLLOWING), ("maximum_share", most))
    }
    follows = {"measures": "one-way", **shares}
    name = f"CAKE that follows the line, from {100 * base:g} % up to {100 * most:g} %"
    return Candidate(name, fixed.with_overrides({"line.cake_autorate": follows}), "cake", base, follows=True)


def _in_router(own: Scenario, scheme: str, share: float) -> Scenario:
    """The router with a scheme behind shapers of whole kbit/s, as they can be typed."""
    shaped = PLACES["router"].at(at_fixed_rates(own), share)
    rounded: dict[str, Any] = {}
    for link, (rate_mbps, *_) in shaped.core.shapers().items():
        way = link.removeprefix("router-")
        whole = math.floor(rate_mbps * 1e3 + 1e-6) / 1e3
        rounded[f"line.shaped_share_{way}"] = share * whole / rate_mbps
        # A table of its own, with those parameters of the scenario's queue that are printed.
        given = own.resolved["line"][f"router_queue_{way}"]
        kept = {key: given[key] for key in _PRINTED if given["scheme"] == "cake" and key in given}
        of_cake = {"scheme": "cake", "isolation": _ISOLATION[way], **kept}
        rounded[f"line.router_queue_{way}"] = of_cake if scheme == "cake" else {"scheme": "fq-codel"}
    held = shaped.with_overrides(rounded)
    return held if scheme == "cake" else Queues.of(held, ROUTER_LINKS).with_scheme(held, scheme)
