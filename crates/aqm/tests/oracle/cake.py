"""CAKE's core once more, from the order of steps in Linux's sch_cake.c; and its cases. The upper half of a
flow's number is its host, as sender and as receiver.
"""

from cobalt import Cobalt
from coins import draw, key_of
from events import TEN, drain, merged, packets
from schemes import Scheme


class Flow:
    def __init__(self, number, aqm):
        self.number, self.aqm = number, aqm
        self.set, self.deficit, self.tag, self.src, self.dst = "none", 0, None, None, None

    def backlog(self):
        return sum(p["bytes"] for p in self.aqm.queue)


class Host:
    def __init__(self):
        self.tag, self.bulk = None, 0


class Cake(Scheme):
    name = "cake"
    tosses = False
    columns = [
        "new_queues",
        "old_queues",
        "bulk_flows",
        "queue_of_last_arrival",
        "deficit_of_last_packet_sent_bytes",
    ]
    defaults = dict(
        rate_mbps=None,
        overhead_bytes=0,
        limit_packets=10240,
        memory_limit_bytes=4 << 20,
        flows=1024,
        quantum_bytes=None,
        isolation="triple",
        target_ms=5,
        interval_ms=100,
        mtu_bytes=1500,
        ecn=True,
    )

    def __init__(self, facts, keys):
        self.facts = facts
        super().__init__(facts, keys)

    def start(self):
        keys = {key: getattr(self, key) for key in ("target_ms", "interval_ms", "mtu_bytes", "ecn")}
        if self.rate_mbps is not None:
            self.mbps = self.rate_mbps
        # When the shaper lets the next packet go, in ms.
        self.opens = 0
        shaped = {**self.facts, "link_mbps": self.mbps}
        self.queues = [Flow(n, Cobalt(shaped, keys)) for n in range(self.flows)]
        for flow in self.queues:
            flow.aqm.coins = self.coins
        self.srchosts = [Host() for _ in range(self.flows)]
        self.dsthosts = [Host() for _ in range(self.flows)]
        if self.quantum_bytes is None:
            self.quantum_bytes = max(min(int(self.mbps * 1e6 / 8) >> 12, 1500), 300)
        self.new, self.old = [], []
        self.last_arrival = self.last_sent = self.queues[0]

    def eight(self, hashed, salt):
        first = draw(key_of((self.facts.get("flow_salt", 0) + salt) % 2**64), hashed) * self.flows >> 64
        return [first // 8 * 8 + (first + way) % 8 for way in range(8)]

    def host(self, hosts, address, salt):
        ways = [hosts[place] for place in self.eight(address, salt)]
        found = [one for one in ways if one.tag == address] or [one for one in ways if not one.bulk] or ways
        found[0].tag = address
        return found[0]

    def classify(self, number):
        hashed = (number ^ number >> 32) & 0xFFFFFFFF
        ways = [self.queues[place] for place in self.eight(hashed, 0)]
        found = (
            [one for one in ways if one.tag == hashed] or [one for one in ways if one.set == "none"] or ways
        )
        flow = found[0]
        if flow.set == "none" or flow.tag != hashed:
            if flow.set == "bulk":
                flow.src.bulk -= 1
                flow.dst.bulk -= 1
            flow.src = self.host(self.srchosts, number >> 32, 1)
            flow.dst = self.host(self.dsthosts, number >> 32, 2)
            if flow.set == "bulk":
                flow.src.bulk += 1
                flow.dst.bulk += 1
        flow.tag = hashed
        return flow

    def turn(self, flow):
        load = 1
        if self.isolation in ("dual_source", "triple"):
            load = max(load, flow.src.bulk)
        if self.isolation in ("dual_destination", "triple"):
            load = max(load, flow.dst.bulk)
        return self.quantum_bytes // load

    def to_bulk(self, flow):
        flow.set = "bulk"
        flow.src.bulk += 1
        flow.dst.bulk += 1

    def arrive(self, now, packet):
        flow = self.last_arrival = self.classify(packet["flow"])
        if not any(each.aqm.queue for each in self.queues):
            self.opens = max(self.opens, now)
        flow.aqm.queue.append({**packet, "arrived": now})
        if flow.set == "none":
            flow.set, flow.deficit = "sparse", self.turn(flow)
            self.new.append(flow)
        elif flow.set == "sparse_wait":
            self.to_bulk(flow)
        dropped = 0
        while sum(len(f.aqm.queue) for f in self.queues) > self.limit_packets or (
            sum(f.backlog() for f in self.queues) > self.memory_limit_bytes
        ):
            longest = max(self.queues, key=lambda f: (f.backlog(), -f.number))
            longest.aqm.queue.pop(0)
            longest.aqm.queue_full(now)
            dropped += 1
        return "+".join(["overflow"] * dropped) if dropped else "pass"

    def depart(self, now):
        if self.rate_mbps is not None and any(each.aqm.queue for each in self.queues) and now < self.opens:
            return "idle"
        while self.new or self.old:
            flows = self.new if self.new else self.old
            flow = flows[0]
            if flow.deficit <= 0:
                if flow.set == "sparse":
                    if flow.aqm.queue:
                        self.to_bulk(flow)
                    else:
                        flow.set = "sparse_wait"
                flow.deficit += self.turn(flow)
                flows.pop(0)
                self.old.append(flow)
                continue
            held = list(flow.aqm.queue)
            *dropped, last = flow.aqm.depart(now).split("+")
            if last == "idle":
                flows.pop(0)
                if flow.set == "bulk":
                    flow.src.bulk -= 1
                    flow.dst.bulk -= 1
                flow.set = "none"
                continue
            # The shaper's length, which cake_advance_shaper gives back, is what a turn is charged with.
            shaped = self.overhead_bytes if self.rate_mbps is not None else 0
            counted = held[len(dropped)]["bytes"] + shaped
            flow.deficit -= counted
            self.last_sent = flow
            self.opens += counted * 8 / (self.mbps * 1e3)
            return "+".join([*dropped, last])
        return "idle"

    def seen(self):
        return {
            "new_queues": len(self.new),
            "old_queues": len(self.old),
            "bulk_flows": sum(f.set == "bulk" for f in self.queues),
            "queue_of_last_arrival": self.last_arrival.number,
            "deficit_of_last_packet_sent_bytes": self.last_sent.deficit,
        }


def of(host, *flows):
    return [host * 2**32 + flow for flow in flows]


def cake_cases():
    # Host 1 has three flows, host 2 has one; all of them send more than they get.
    crowd = merged(
        packets(0, 0.4, of(1, 11, 12, 13) * 14), packets(0.1, 0.8, of(2, 21) * 20), drain(1, 0.8, 64)
    )
    for isolation, meaning in (
        ("triple", "three flows of one host have as much together as one of another"),
        ("flows", "flows have equal shares, whosoever they are"),
    ):
        yield meaning, Cake, TEN, dict(flows=64, isolation=isolation, quantum_bytes=1514), crowd
    yield (
        "a flow that sends little goes first, and counts for no host",
        Cake,
        dict(TEN, flow_salt=3),
        dict(flows=32, isolation="dual_source"),
        merged(
            packets(0, 0.5, of(1, 11, 12) * 16),
            packets(0.2, 5, of(1, 15) * 6, sizes=(100,)),
            drain(1, 0.9, 48),
        ),
    )
    yield (
        "a full packet is a whole turn: its flow waits for another one, and may be empty then, before it goes first again",
        Cake,
        dict(link_mbps=100),
        dict(flows=32, isolation="flows"),
        merged(
            packets(0, 0.01, of(1, 11, 12) * 14, sizes=(1500,)),
            packets(0.2, 0.13, of(1, 15) * 8, sizes=(1500,)),
            drain(0.25, 0.12, 40),
        ),
    )
    yield (
        "too much waits: one packet from the head of the queue with most bytes, and its COBALT is told",
        Cake,
        TEN,
        dict(
            flows=32,
            limit_packets=14,
            isolation="dual_destination",
            target_ms=2,
            interval_ms=10,
            mtu_bytes=300,
        ),
        merged(
            packets(0, 0.4, [*of(1, 11, 11, 12), *of(2, 21)] * 16, sizes=(1200, 600, 900)),
            drain(1.1, 0.9, 60),
        ),
    )
    yield (
        "COBALT in each queue: marks and drops of the flow whose queue stands; sets of eight are full",
        Cake,
        TEN,
        dict(flows=8, target_ms=2, interval_ms=10, mtu_bytes=300),
        merged(
            packets(0, 0.5, of(1, 11) * 80, ecns=("ect0", "not_ect")),
            packets(0.2, 4, of(2, *range(21, 32)), sizes=(300,)),
            drain(0.7, 0.9, 90),
        ),
    )
    yield (
        "the shaper: 4 of 10 Mbit/s with 18 bytes beside each packet; the link asks every 0.7 ms, and once late",
        Cake,
        TEN,
        dict(rate_mbps=4, overhead_bytes=18, flows=32, target_ms=2, interval_ms=10, mtu_bytes=300),
        merged(
            packets(0, 1.1, [*of(1, 11), *of(2, 21)] * 9, sizes=(1000, 300)),
            drain(0.25, 0.7, 20),
            drain(21.3, 0.7, 20),
            packets(60, 0.5, of(1, 11) * 3, sizes=(700,)),
            drain(60.05, 0.7, 9),
        ),
    )
