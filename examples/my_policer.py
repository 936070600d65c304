"""A guard: a token bucket for each flow, in front of any scheme."""

from aqmlab.schemes import Guard, Verdict, parameter


class Policer(Guard):
    """Drops what a flow sends beyond its rate and burst, whatever stands behind."""

    flow_rate_mbps: float = parameter(1.0, "Rate of each flow.", least=0.001, most=1e6)
    burst_bytes: int = parameter(15000, "Bytes that a flow may send at once.", least=1500, most=10**9)
    buckets: int = parameter(1024, "Buckets into which flows are sorted by their hash.", least=1, most=65536)
    observed = ("refused_packets",)

    def start(self, port):
        self.bytes_per_ns = self.flow_rate_mbps / 8e3
        self.tokens = [float(self.burst_bytes)] * self.buckets
        self.filled_ns = [0] * self.buckets
        self.refused = 0

    def admits(self, now_ns, packet, header, behind, coins):
        bucket = header.flow_hash % self.buckets
        filled = self.tokens[bucket] + (now_ns - self.filled_ns[bucket]) * self.bytes_per_ns
        self.filled_ns[bucket] = now_ns
        if filled > self.burst_bytes:
            filled = float(self.burst_bytes)
        if filled < packet.bytes:
            self.tokens[bucket] = filled
            self.refused += 1
            return Verdict.DROP_FILTER
        self.tokens[bucket] = filled - packet.bytes
        return Verdict.PASS

    def observe(self):
        return (float(self.refused),)
