"""What `my_agent.py` has learnt, as a queue discipline: it runs wherever one runs, on real TCP too.

Five times a second it looks at how much waited, how busy the link was and how long packets waited, and sets
how many packets may wait, by the rule and the weights of that agent. These weights are of its own line,
10 Mbit/s; `python my_agent.py` trains others.

    aqmlab compare upload.toml --schemes my_trained_limit.py:TrainedLimit,drop-tail,pie
    aqmlab live upload.toml --scheme my_trained_limit.py:TrainedLimit
"""

import math

from aqmlab.schemes import Scheme, Verdict, parameter

LEAST, MOST = 5, 256
STEP_NS = 200_000_000


class TrainedLimit(Scheme):
    """A drop-tail queue whose limit a trained agent sets, five times a second."""

    of_one: float = parameter(-1.699, "Weight of the constant.")
    of_backlog: float = parameter(-0.782, "Weight of the logarithm of one packet more than waited.")
    of_utilization: float = parameter(-1.241, "Weight of the share of the time in which the link sent.")
    of_delay: float = parameter(-0.142, "Weight of the mean wait in tenths of a second, 5 at most.")

    observed = ("limit",)
    needs_arrival_instants = True

    def start(self, port):
        self.rate_bps, self.due_ns, self.limit = port.link_rate_bps, STEP_NS, MOST
        self.before_ns = self.packets = 0
        self.forget()

    def forget(self):
        """Begins a step: nothing was seen in it."""
        self.sent_bytes, self.left, self.waited_ns, self.packet_ns = 0, 0, 0, 0

    def count(self, now_ns, packets):
        """As many packets as until now have waited since the last event."""
        self.packet_ns += self.packets * (now_ns - self.before_ns)
        self.before_ns, self.packets = now_ns, packets

    def on_arrival(self, now_ns, packet, queue, coins):
        admitted = queue.packets < self.limit
        self.count(now_ns, queue.packets + admitted)
        return Verdict.PASS if admitted else Verdict.DROP_FORCED

    def on_departure(self, now_ns, packet, queue, coins):
        self.count(now_ns, queue.packets)
        self.sent_bytes += packet.bytes
        self.left += 1
        self.waited_ns += now_ns - packet.arrived_ns
        return Verdict.PASS

    def next_timer(self):
        return self.due_ns

    def on_timer(self, due_ns, queue):
        self.count(due_ns, queue.packets)
        backlog_packets = self.packet_ns / STEP_NS
        utilization = min(8e9 * self.sent_bytes / (self.rate_bps * STEP_NS), 1.0)
        delay_s = self.waited_ns / self.left / 1e9 if self.left else 0.0
        self.limit = limit(
            self.of_one
            + self.of_backlog * math.log1p(backlog_packets)
            + self.of_utilization * utilization
            + self.of_delay * min(10.0 * delay_s, 5.0)
        )
        self.forget()
        self.due_ns += STEP_NS

    def observe(self):
        return (float(self.limit),)


def limit(inclination):
    """The limit in packets: the least where the sum of weights is far below 0, the most far above."""
    share = 1.0 / (1.0 + math.exp(-min(max(inclination, -20.0), 20.0)))
    return round(LEAST + (MOST - LEAST) * share)
