"""Loops of a queue's controller with long TCP flows, opened and linearised, and the margins that they have.

The model of TCP is that of Misra, Gong and Towsley (SIGCOMM 2000) as Hollot, Misra, Towsley and Gong
(INFOCOM 2001) linearise it: N flows with round-trip time R through a link of C packets per second have
windows W = RC/N, of which a share p = 2/W^2 is signalled. A sampled controller stands for its continuous one:
the intervals at which it samples are taken to be short beside R, as in the papers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

SCAN = np.logspace(-6.0, 3.0, 2_000)
"""Frequencies at which a crossing is sought, in radians per round-trip time."""
HALVINGS = 60


@dataclass(frozen=True, slots=True)
class Loop:
    """An open loop: gain * prod(1 + s/zero) * exp(-s * delay) / (s * prod(1 + s/pole)).

    Attributes:
        gain: Per second.
        zeros: In radians per second.
        poles: Likewise, beside the one at zero.
        delay_s: The round-trip time.
    """

    gain: float
    zeros: tuple[float, ...]
    poles: tuple[float, ...]
    delay_s: float

    def magnitude(self, frequency: float) -> float:
        """Of the loop at a frequency in radians per second."""
        risen = math.prod(math.hypot(1.0, frequency / zero) for zero in self.zeros)
        fallen = math.prod(math.hypot(1.0, frequency / pole) for pole in self.poles)
        return self.gain * risen / (frequency * fallen)

    def phase_degrees(self, frequency: float) -> float:
        """Of the loop at a frequency in radians per second; it goes on beyond -180."""
        lead = math.fsum(math.atan(frequency / zero) for zero in self.zeros)
        lag = math.fsum(math.atan(frequency / pole) for pole in self.poles)
        return math.degrees(lead - lag - frequency * self.delay_s) - 90.0


@dataclass(frozen=True, slots=True)
class Margins:
    """How far a loop is from oscillating for ever.

    Attributes:
        gain_db: By how much the gain may grow; negative: the loop is unstable.
        phase_degrees: By how much the phase may fall at the frequency where the gain is one.
    """

    gain_db: float
    phase_degrees: float

    @property
    def stable(self) -> bool:
        """Whether both are left."""
        return self.gain_db > 0.0 and self.phase_degrees > 0.0


def margins(loop: Loop) -> Margins:
    """The margins of a loop: where its phase first is -180 degrees, and where its gain is one."""
    critical = _first_below(loop, lambda frequency: loop.phase_degrees(frequency) + 180.0)
    crossover = _first_below(loop, lambda frequency: loop.magnitude(frequency) - 1.0)
    return Margins(-20.0 * math.log10(loop.magnitude(critical)), 180.0 + loop.phase_degrees(crossover))


def _first_below(loop: Loop, value: Callable[[float], float]) -> float:
    """The first frequency at which a value has fallen to zero, by halves on a logarithmic scale."""
    scanned = SCAN / loop.delay_s
    place = next((place for place, at in enumerate(scanned) if value(at) < 0.0), len(scanned) - 1)
    low, high = scanned[max(place - 1, 0)], scanned[place]
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if value(middle) > 0.0 else (low, middle)
    return float(low)


def arc_loop(
    flows: float, rtt_s: float, packets_per_second: float, utilization: float, gain_per_s: float
) -> Loop:
    """ARC with its gain per second of interval (Chung, Claypool, Kinicki 2004, equation 1)."""
    path = rtt_s * utilization * packets_per_second
    return Loop(
        gain=path**3 * (1.0 + utilization) * gain_per_s / (4.0 * flows**2),
        zeros=((1.0 + utilization) / rtt_s,),
        poles=(2.0 * flows / (rtt_s * path), 1.0 / rtt_s),
        delay_s=rtt_s,
    )


def pi_loop(
    flows: float, rtt_s: float, packets_per_second: float, gains: tuple[float, float], sampling_hz: float
) -> Loop:
    """PI with its gains a and b per packet at a sampling rate (Hollot et al. 2001)."""
    path = rtt_s * packets_per_second
    integral, proportional = _continuous(*gains, sampling_hz)
    return Loop(
        gain=integral * path**3 / (4.0 * flows**2),
        zeros=(integral / proportional,),
        poles=(2.0 * flows / (rtt_s * path), 1.0 / rtt_s),
        delay_s=rtt_s,
    )


def _continuous(present: float, previous: float, sampling_hz: float) -> tuple[float, float]:
    """Integral and proportional gain of p += present * error - previous * error before."""
    return (present - previous) * sampling_hz, (present + previous) / 2.0


@dataclass(frozen=True, slots=True)
class DelayControl:
    """A controller of the queueing delay: p += alpha * (delay - target) + beta * (delay - delay before).

    Attributes:
        alpha_hz: Per second of delay.
        beta_hz: Likewise.
        interval_s: Time between two updates.
        tuned: Whether its steps are smaller while the probability is small (RFC 8033, section 4.2).
        squared: Whether packets are signalled with its square (RFC 9332).
    """

    alpha_hz: float
    beta_hz: float
    interval_s: float
    tuned: bool = False
    squared: bool = False


PIE = DelayControl(0.125, 1.25, 0.015, tuned=True)
"""RFC 8033, section 4."""
PIE_UNTUNED = DelayControl(0.125, 1.25, 0.015)
PI2 = DelayControl(0.16, 3.2, 0.016, squared=True)
"""RFC 9332, appendix A.1."""
CONTROLS = {"PIE": PIE, "PIE without auto-tuning": PIE_UNTUNED, "PI2": PI2}
"""By the names that figures and tables have for them."""

STEPS_OF_PIE = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (1e-1, 2))
"""Below which probability a step of PIE is divided by how much (RFC 8033, section 4.2)."""


def delay_loop(control: DelayControl, probability: float, rtt_s: float) -> Loop:
    """A controller of delay at a share of signalled packets: the link and the flows do not matter.

    Of windows W with p = 2/W^2 the delay falls by R/(2p) times what p rises by, with poles at
    sqrt(2p)/R and 1/R.
    Of a controller that is squared p changes by twice the root of p for what the base changes by.
    """
    divisor = _divisor(probability) if control.tuned else 1.0
    slope = 2.0 * math.sqrt(probability) if control.squared else 1.0
    present, previous = control.alpha_hz + control.beta_hz, control.beta_hz
    integral, proportional = _continuous(present, previous, 1.0 / control.interval_s)
    return Loop(
        gain=integral * slope / divisor * rtt_s / (2.0 * probability),
        zeros=(integral / proportional,),
        poles=(math.sqrt(2.0 * probability) / rtt_s, 1.0 / rtt_s),
        delay_s=rtt_s,
    )


def _divisor(probability: float) -> float:
    return next((divisor for below, divisor in STEPS_OF_PIE if probability < below), 1.0)
