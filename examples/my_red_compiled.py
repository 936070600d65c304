"""RED as in my_red.py, compiled by Numba: no interpreter and no lock while packets pass."""

from numba import njit

from aqmlab.schemes import IllegalParameter, Verdict, parameter
from aqmlab.schemes.compiled import CompiledScheme, uniform

PASS, SIGNAL = int(Verdict.PASS), int(Verdict.SIGNAL_EARLY)
DROP_EARLY, DROP_FORCED = int(Verdict.DROP_EARLY), int(Verdict.DROP_FORCED)


@njit
def probability(red):
    if red.average < red.min_th:
        return 0.0
    if red.average < red.max_th:
        return red.slope * (red.average - red.min_th)
    return min(red.max_p + red.gentle_slope * (red.average - red.max_th), 1.0)


@njit
def power(base, exponent):
    result = 1.0
    while exponent > 0:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


class MyRed(CompiledScheme):
    """RED compiled by Numba: signals with a probability that grows with the average queue."""

    min_th_packets: float = parameter(5.0, "Average queue from which on packets are signalled.", least=0)
    max_th_packets: float = parameter(15.0, "Average queue at which the probability is max_p.", above=0)
    w_q: float = parameter(0.002, "Weight of each arrival's sample in the average.", above=0, most=1)
    max_p: float = parameter(0.1, "Probability at max_th_packets.", above=0, most=1)
    mean_packet_bytes: int = parameter(500, "Length of a mean packet, the clock of idle time.", least=1)

    observed = ("average_packets",)
    state = (
        *((name, "f8") for name in ("min_th", "max_th", "w_q", "max_p", "slope", "gentle_slope")),
        *((name, "f8") for name in ("average", "idle_average")),
        *((name, "i8") for name in ("packet_ns", "idle_since", "idle_before", "arrived_ns")),
        *((name, "i8") for name in ("count", "on_curve")),
    )

    def check(self):
        if self.min_th_packets >= self.max_th_packets:
            raise IllegalParameter(
                "max_th_packets", f"above min_th_packets, which is {self.min_th_packets:g}"
            )

    def begin(self, port, state):
        state["min_th"], state["max_th"] = self.min_th_packets, self.max_th_packets
        state["w_q"], state["max_p"] = self.w_q, self.max_p
        state["slope"] = self.max_p / (self.max_th_packets - self.min_th_packets)
        state["gentle_slope"] = (1.0 - self.max_p) / self.max_th_packets
        # Whole nanoseconds: exact at the usual rates of links.
        state["packet_ns"] = self.mean_packet_bytes * 8_000_000_000 // port.link_rate_bps
        state["idle_since"] = state["idle_before"] = state["arrived_ns"] = -1

    @staticmethod
    def on_arrival(red, call):
        if red.idle_since < 0:
            red.average = (1.0 - red.w_q) * red.average + red.w_q * call.queue_packets
        else:
            missed = (int(call.now_ns) - red.idle_since) // red.packet_ns
            red.average = red.idle_average * power(1.0 - red.w_q, missed)
        red.idle_before, red.idle_since, red.arrived_ns = red.idle_since, -1, int(call.now_ns)
        if red.average < red.min_th:
            red.on_curve = 0
            return PASS
        red.count += 1
        if red.average >= 2.0 * red.max_th:
            red.count = 0
            return DROP_FORCED
        if red.on_curve == 0:
            red.on_curve, red.count = 1, 0
        p = probability(red)
        progress = red.count * p
        if uniform(call) >= (min(p / (1.0 - progress), 1.0) if progress < 1.0 else 1.0):
            return PASS
        red.count = 0
        return SIGNAL if red.average < red.max_th else DROP_EARLY

    @staticmethod
    def on_overflow(red, call):
        red.count = 0

    @staticmethod
    def on_idle(red, now_ns):
        if red.idle_since >= 0:
            return
        # Asked in vain at the instant of an arrival: that was discarded, and the link stays as idle.
        if red.idle_before >= 0 and int(now_ns) == red.arrived_ns:
            red.idle_since = red.idle_before
        else:
            red.idle_since, red.idle_average = int(now_ns), red.average

    @staticmethod
    def signal_probability(red):
        return probability(red)

    @staticmethod
    def observe(red, values):
        values[0] = red.average
