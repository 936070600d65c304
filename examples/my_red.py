"""RED as Floyd and Jacobson described it in 1993, gentle: what `scheme = "red"` decides, in Python."""

from aqmlab.schemes import IllegalParameter, Scheme, Verdict, parameter


class MyRed(Scheme):
    """RED in Python: signals with a probability that grows with the average queue, spread out."""

    min_th_packets: float = parameter(5.0, "Average queue from which on packets are signalled.", least=0)
    max_th_packets: float = parameter(15.0, "Average queue at which the probability is max_p.", above=0)
    w_q: float = parameter(0.002, "Weight of each arrival's sample in the average.", above=0, most=1)
    max_p: float = parameter(0.1, "Probability at max_th_packets.", above=0, most=1)
    mean_packet_bytes: int = parameter(500, "Length of a mean packet, the clock of idle time.", least=1)

    observed = ("average_packets",)

    def check(self):
        if self.min_th_packets >= self.max_th_packets:
            raise IllegalParameter(
                "max_th_packets", f"above min_th_packets, which is {self.min_th_packets:g}"
            )

    def start(self, port):
        self.rate = port.link_rate_bps
        self.average, self.count, self.on_curve = 0.0, 0, False
        self.idle, self.before, self.arrived_ns = None, None, -1
        self.slope = self.max_p / (self.max_th_packets - self.min_th_packets)
        self.gentle_slope = (1.0 - self.max_p) / self.max_th_packets

    def on_arrival(self, now_ns, packet, queue, coins):
        if self.idle is None:
            self.average = (1.0 - self.w_q) * self.average + self.w_q * queue.packets
        else:
            since, average = self.idle
            missed = (now_ns - since) * self.rate // (self.mean_packet_bytes * 8_000_000_000)
            self.average = average * power(1.0 - self.w_q, missed)
        self.idle, self.before, self.arrived_ns = None, self.idle, now_ns
        p = self.signal_probability()
        if self.average < self.min_th_packets:
            self.on_curve = False
            return Verdict.PASS
        self.count += 1
        if self.average >= 2.0 * self.max_th_packets:
            self.count = 0
            return Verdict.DROP_FORCED
        if not self.on_curve:
            self.on_curve, self.count = True, 0
        progress = self.count * p
        if coins.uniform() >= (min(p / (1.0 - progress), 1.0) if progress < 1.0 else 1.0):
            return Verdict.PASS
        self.count = 0
        return Verdict.SIGNAL_EARLY if self.average < self.max_th_packets else Verdict.DROP_EARLY

    def on_overflow(self, now_ns, packet):
        self.count = 0

    def on_idle(self, now_ns):
        if self.idle is not None:
            return
        # Asked in vain at the instant of an arrival: that was discarded, and the link stays as idle.
        discarded = self.before is not None and now_ns == self.arrived_ns
        self.idle = self.before if discarded else (now_ns, self.average)

    def signal_probability(self):
        if self.average < self.min_th_packets:
            return 0.0
        if self.average < self.max_th_packets:
            return self.slope * (self.average - self.min_th_packets)
        return min(self.max_p + self.gentle_slope * (self.average - self.max_th_packets), 1.0)

    def observe(self):
        return [self.average]


def power(base, exponent):
    """Repeated squaring: the same bits on every machine."""
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result
