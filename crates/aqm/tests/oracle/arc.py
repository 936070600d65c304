"""ARC once more, from algorithm 1 of Chung et al. in bytes; and its cases."""

import math

from events import TEN, burst, drain, seed
from schemes import Scheme


def crossing(phase, degrees):
    """The frequency at which a falling phase has come to so many degrees."""
    low, high = 1e-9, 1e5
    for _ in range(300):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if phase(middle) > degrees else (low, middle)
    return low


def admissible(flows, tau, capacity, gamma):
    """Between which α/d_a the loop is stable: equation (1), with the loop as a product of its factors."""

    def factors(w):
        return [
            1 + 1j * tau * w / (1 + gamma),
            1 / (1 + 1j * w * tau**2 * gamma * capacity / (2 * flows)),
            1 / (1 + 1j * w * tau),
            1 / (1j * w),
        ]

    def phase(w):
        return math.degrees(sum(math.atan2(f.imag, f.real) for f in factors(w)) - w * tau)

    def gain(w):
        scale = (tau * gamma * capacity) ** 3 * (1 + gamma) / (4 * flows**2)
        return scale * math.prod(abs(f) for f in factors(w))

    low = 1 / gain(crossing(phase, -120))
    return low, min(1 / gain(crossing(phase, -150)), 10 ** (-6 / 20) / gain(crossing(phase, -180)))


class Arc(Scheme):
    name = "arc"
    columns = ["probability", "arrived_bytes"]
    defaults = dict(
        interval_ms=1000,
        gain={"fixed": {"alpha": 1.42e-5}},
        alpha_unit="mean_packet",
        utilization=0.98,
        q_ref_packets=0,
        mean_packet_bytes=1000,
    )

    def start(self):
        self.p, self.b = 0.0, 0
        if "fixed" in self.gain:
            self.alpha = self.gain["fixed"]["alpha"]
            if self.alpha_unit == "mean_packet":
                self.alpha /= self.mean_packet_bytes
        else:
            loop = self.gain["designed"]
            low, high = admissible(loop["flows"], loop["rtt_ms"] / 1000, self.capacity(), self.utilization)
            self.alpha = math.sqrt(low * high) * self.interval_ms / 1000 / self.mean_packet_bytes

    def period_ms(self):
        return self.interval_ms

    def tick(self, due):
        q = sum(p["bytes"] for p in self.queue)
        q_0 = self.q_ref_packets * self.mean_packet_bytes
        carried = self.interval_ms / 1000 * self.mbps * 1e6 / 8
        self.p += self.alpha * (self.b - self.utilization * (carried - (q - q_0)))
        self.p, self.b = min(1.0, max(0.0, self.p)), 0

    def on_arrival(self, now, packet):
        if self.toss(self.p):
            if self.ecn and packet["ecn"] != "not_ect":
                self.b += packet["bytes"]
            return "signal", "early"
        self.b += packet["bytes"]
        return "pass", None

    def seen(self):
        return {"probability": self.p, "arrived_bytes": self.b}


def arc_cases():
    quick = dict(limit_packets=14, interval_ms=10, gain={"fixed": {"alpha": 0.03}})
    load = burst(0, 0.5, 70, depart_every=2) + [(50, "wait")] + drain(51, 0.8, 20) + [(90, "wait")]
    yield (
        "more than the link carries raises the probability, and so does what waits",
        Arc,
        seed(91),
        dict(quick),
        load,
    )
    yield (
        "a queue to aim at, and another target of the rate",
        Arc,
        dict(TEN, seed=92, timer_phase=0.25),
        dict(quick, q_ref_packets=6, utilization=0.9),
        load,
    )
    yield (
        "ECN: what is marked counts as arrived, what is dropped does not, what overflows does",
        Arc,
        seed(93),
        dict(quick, ecn=True, limit_packets=9, gain={"fixed": {"alpha": 0.06}}),
        burst(0, 0.5, 90, sizes=(1000, 400), ecns=("ect0", "not_ect", "ce"), depart_every=3),
    )
    yield (
        "the gain per byte",
        Arc,
        seed(94),
        dict(quick, alpha_unit="byte", gain={"fixed": {"alpha": 2e-5}}),
        burst(0, 0.5, 60, sizes=(1500, 40, 1000), depart_every=2),
    )
    yield (
        "a gain designed for the link",
        Arc,
        seed(95),
        dict(quick, gain={"designed": {"flows": 3, "rtt_ms": 40}}, interval_ms=20),
        burst(0, 0.5, 120, depart_every=2),
    )
