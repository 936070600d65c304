"""CAKE's core once more, from the order of steps in Linux's sch_cake.c; and its cases. The upper half of a
flow's number is its host, as sender and as receiver.
"""

from cobalt import Cobalt
from coins import draw, key_of
from events import TEN, drain, merged, packets
from schemes import Scheme


CODEPOINTS = {
    **{f"CS{n}": 8 * n for n in range(8)},
    **{f"AF{n}{drop}": 8 * n + 2 * drop for n in range(1, 5) for drop in range(1, 4)},
    **dict(EF=46, VA=44, LE=1, TOS2=2, TOS4=4),
}
"""RFC 2474, 2597, 3246, 5865, 8622; the bits of RFC 1349."""
VOICE = "EF VA CS5 CS4"
AF3_AND_4 = "AF41 AF42 AF43 AF31 AF32 AF33 CS3"
AF2 = "AF21 AF22 AF23 TOS4"
CLASSES = {
    "besteffort": ([""], 0),
    "diffserv3": (["", "LE CS1", "TOS4 VA EF CS6 CS7"], 0),
    "diffserv4": (["", "LE CS1", f"{AF3_AND_4} {AF2} CS2", f"{VOICE} CS6 CS7"], 0),
    "diffserv8": (
        ["LE", "CS1 AF11 AF12 AF13 TOS2", "", AF3_AND_4, AF2, "CS2", VOICE, "CS6 CS7"],
        2,
    ),
    "precedence": ([" ".join(f"{8 * n + rest}" for rest in range(8)) for n in range(8)], 0),
}
"""The codepoints of each tin, and the tin of all others."""


def tin_of(tins, dscp):
    classes, others = CLASSES[tins]
    for number, names in enumerate(classes):
        if dscp in {CODEPOINTS[name] if name in CODEPOINTS else int(name) for name in names.split()}:
            return number
    return others


class Flow:
    def __init__(self, number, tin, aqm):
        self.number, self.tin, self.aqm = number, tin, aqm
        self.set, self.deficit, self.tag, self.src, self.dst = "none", 0, None, None, None

    def backlog(self):
        return sum(p["bytes"] for p in self.aqm.queue)


class Host:
    def __init__(self):
        self.tag, self.bulk = None, 0


class Tin:
    """What each tin has for itself."""

    def __init__(self, number, flows, aqm):
        self.number = number
        self.flows = [Flow(number * flows + n, self, aqm()) for n in range(flows)]
        self.srchosts = [Host() for _ in range(flows)]
        self.dsthosts = [Host() for _ in range(flows)]
        self.new, self.old = [], []
        self.time_next, self.deficit, self.bulk = 0, 0, 0
        self.arrived_packets, self.sent_packets, self.sent_bytes = 0, 0, 0

    def rate(self, bytes_per_second, weight, quantum):
        self.bps, self.weight, self.quantum = bytes_per_second, weight, quantum

    def backlog(self):
        return sum(flow.backlog() for flow in self.flows)


def before(a, b):
    """Sequence numbers on their circle."""
    return (a - b) % 2**32 >= 2**31


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
        tins="besteffort",
        ack_filter="none",
        ingress=False,
        autorate_ingress=False,
        target_ms=5,
        interval_ms=100,
        mtu_bytes=1500,
        ecn=True,
    )

    def __init__(self, facts, keys):
        self.facts = facts
        super().__init__(facts, keys)

    def start(self):
        # When the shaper lets the next packet go, in ms, and when it does so however much was dropped.
        self.opens = self.failsafe = 0
        self.shaped = self.rate_mbps is not None
        keys = {key: getattr(self, key) for key in ("target_ms", "interval_ms", "mtu_bytes", "ecn")}

        def cobalt():
            aqm = Cobalt({**self.facts, "link_mbps": self.mbps}, keys)
            aqm.coins = self.coins
            return aqm

        count = len(CLASSES[self.tins][0])
        self.row = [Tin(number, self.flows, cobalt) for number in range(count)]
        self.fixed_quantum = self.quantum_bytes
        self.configure(int((self.rate_mbps if self.shaped else self.mbps) * 1e6 / 8))
        self.last_tin = self.row[0]
        self.last_arrival = self.last_sent = self.row[0].flows[0]
        self.current = 0
        # The estimate of what comes: never before, so that the first packet ends a pause.
        self.last_packet, self.packet_interval, self.window_begin, self.window_bytes = None, 0, 0, 0
        self.peak = self.bps
        self.more_columns = [name for name in self.seen() if name.startswith("tin_")]

    def configure(self, bps):
        self.bps = bps
        rates, weights = [bps], [65535]
        if self.tins == "diffserv3":
            rates, weights = [bps, bps >> 4, bps >> 2], [1024, 64, 256]
        elif self.tins == "diffserv4":
            rates, weights = [bps, bps >> 4, bps >> 1, bps >> 2], [1024, 64, 512, 256]
        elif self.tins in ("diffserv8", "precedence"):
            rates, weights = [bps], [256]
            while len(rates) < 8:
                rates.append(rates[-1] * 7 >> 3)
                weights.append(weights[-1] * 7 >> 3)
        if not self.shaped:
            rates = [bps for _ in rates]
        for tin, rate, weight in zip(self.row, rates, weights):
            rate = max(rate, 64)
            quantum = self.fixed_quantum or max(min(rate >> 12, 1500), 300)
            tin.rate(rate, weight, quantum)
            for flow in tin.flows:
                flow.aqm.mbps = rate * 8 / 1e6
                flow.aqm.times()

    def eight(self, hashed, salt):
        first = draw(key_of((self.facts.get("flow_salt", 0) + salt) % 2**64), hashed) * self.flows >> 64
        return [first // 8 * 8 + (first + way) % 8 for way in range(8)]

    def host(self, hosts, address, salt):
        ways = [hosts[place] for place in self.eight(address, salt)]
        found = [one for one in ways if one.tag == address] or [one for one in ways if not one.bulk] or ways
        found[0].tag = address
        return found[0]

    def classify(self, tin, number):
        hashed = (number ^ number >> 32) & 0xFFFFFFFF
        ways = [tin.flows[place] for place in self.eight(hashed, 0)]
        found = (
            [one for one in ways if one.tag == hashed] or [one for one in ways if one.set == "none"] or ways
        )
        flow = found[0]
        if flow.set == "none" or flow.tag != hashed:
            if flow.set == "bulk":
                flow.src.bulk -= 1
                flow.dst.bulk -= 1
            flow.src = self.host(tin.srchosts, number >> 32, 1)
            flow.dst = self.host(tin.dsthosts, number >> 32, 2)
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
        return flow.tin.quantum // load

    def to_bulk(self, flow):
        flow.set = "bulk"
        flow.tin.bulk += 1
        flow.src.bulk += 1
        flow.dst.bulk += 1

    def all_flows(self):
        return [flow for tin in self.row for flow in tin.flows]

    def waiting(self):
        return sum(len(flow.aqm.queue) for flow in self.all_flows())

    def advance_shaper(self, tin, packet, now, dropped):
        length = packet["bytes"] + (self.overhead_bytes if self.shaped else 0)
        if self.shaped:
            takes = length * 1e3 / tin.bps
            if tin.time_next < now:
                tin.time_next += takes
            elif tin.time_next < now + takes:
                tin.time_next = now + takes
            takes = length * 1e3 / self.bps
            self.opens += takes
            if not dropped:
                self.failsafe += takes * 3 / 2
        return length

    def filtered(self, flow):
        """The acknowledgement in a flow's queue that its last packet makes redundant."""
        queue = flow.aqm.queue
        new = queue[-1]
        segment = new.get("segment")
        if self.ack_filter == "none" or len(queue) < 2 or segment is None:
            return None
        eligible, number_found = None, 0
        for check in queue[:-1]:
            old = check.get("segment")
            if old is None or check["flow"] != new["flow"]:
                continue
            if eligible and old["ecn"] != eligible["segment"]["ecn"]:
                eligible = None
                number_found -= 1
            old_stamps, new_stamps = old.get("ts", (0, 0)), segment.get("ts", (0, 0))
            if old.get("data") or before(segment["ack"], old["ack"]):
                continue
            if "ts" in old and any(before(new, old) for new, old in zip(new_stamps, old_stamps)):
                continue
            more = self.compare(old, segment)
            if more < 0 or (more == 0 and old["ack"] == segment["ack"]):
                continue
            if not eligible:
                eligible = check
            number_found += 1
            if number_found > 1:
                return eligible
        is_next = len(queue) > 1 and queue[-2] is eligible
        if self.ack_filter == "aggressive" and is_next and eligible["segment"]["ecn"] == segment["ecn"]:
            return eligible
        return None

    @staticmethod
    def compare(old, new):
        """Whether the blocks of an acknowledgement say less (-1), as much or more than an older one's."""
        of_old, of_new = old.get("sack", []), new.get("sack", [])
        if bool(of_old) != bool(of_new):
            return -1 if of_old else 1
        for start, end in of_old:
            if before(start, old["ack"]):
                return -1
            if not any(not before(start, begin) and not before(stop, end) for begin, stop in of_new):
                return -1
        sizes = [sum((end - start) % 2**32 for start, end in blocks) for blocks in (of_old, of_new)]
        return 1 if sizes[1] > sizes[0] else 0

    def estimate(self, now, length):
        """The capacity in front, from the intervals between packets, in nanoseconds."""

        def ewma(average, sample, shift):
            return average - (average >> shift) + (sample >> shift)

        ns = round(now * 1e6)
        self.window_bytes += length
        first = self.last_packet is None
        interval = 10**9 if first else min(ns - self.last_packet, 10**9)
        shift = 2 if interval > self.packet_interval else 8
        self.packet_interval = ewma(self.packet_interval, interval, shift)
        self.last_packet = ns
        if interval > self.packet_interval:
            bps = 0 if first else self.window_bytes * 10**9 // (ns - self.window_begin)
            self.peak = ewma(self.peak, bps, 2 if bps > self.peak else 8)
            self.window_bytes, self.window_begin = 0, ns
            self.configure(max(64, self.peak * 15 >> 4))

    def arrive(self, now, packet):
        tin = self.row[tin_of(self.tins, packet.get("dscp", 0))]
        flow = self.last_arrival = self.classify(tin, packet["flow"])
        tin.arrived_packets += 1
        if not tin.backlog():
            tin.time_next = max(tin.time_next, now)
        if not self.waiting() and self.opens < now:
            self.opens = self.failsafe = now
        flow.aqm.queue.append({**packet, "arrived": now})
        if self.autorate_ingress:
            self.estimate(now, packet["bytes"])
        fates = []
        if redundant := self.filtered(flow):
            flow.aqm.queue.remove(redundant)
            fates.append("redundant")
            if self.ingress:
                self.advance_shaper(tin, redundant, now, True)
        if flow.set == "none":
            flow.set, flow.deficit = "sparse", self.turn(flow)
            tin.new.append(flow)
        elif flow.set == "sparse_wait":
            self.to_bulk(flow)
        while self.waiting() > self.limit_packets or (
            sum(tin.backlog() for tin in self.row) > self.memory_limit_bytes
        ):
            longest = max(self.all_flows(), key=lambda f: (f.backlog(), -f.number))
            dropped = longest.aqm.queue.pop(0)
            longest.aqm.queue_full(now)
            fates.append("overflow")
            if self.ingress:
                self.advance_shaper(longest.tin, dropped, now, True)
        return "+".join(fates) or "pass"

    def choose(self, now):
        """The tin to work on; none without flows."""
        if not any(tin.new or tin.old for tin in self.row):
            return None
        if self.shaped:
            best = None
            for tin in self.row:
                wait = tin.time_next - now
                if (tin.new or tin.old) and (wait <= 0 or best is None or wait <= best[0]):
                    best = wait, tin
            return best[1]
        while True:
            tin = self.row[self.current]
            if tin.deficit >= 0 and (tin.new or tin.old):
                return tin
            if tin.deficit <= 0:
                tin.deficit += tin.weight
            self.current = (self.current + 1) % len(self.row)

    def depart(self, now):
        fates = []
        while True:
            is_shut = now < self.opens and (not self.ingress or now < self.failsafe)
            if self.shaped and self.waiting() and is_shut:
                return "+".join([*fates, "idle"])
            tin = self.choose(now)
            if tin is None:
                return "+".join([*fates, "idle"])
            if sent := self.depart_from(tin, now, fates):
                return "+".join([*fates, sent])

    def depart_from(self, tin, now, fates):
        """Sends a packet of the tin; none where a flow was found empty, and all begins anew."""
        while tin.new or tin.old:
            flows = tin.new if tin.new else tin.old
            flow = flows[0]
            if flow.deficit <= 0:
                if flow.set == "sparse":
                    if flow.aqm.queue:
                        self.to_bulk(flow)
                    else:
                        flow.set = "sparse_wait"
                flow.deficit += self.turn(flow)
                flows.pop(0)
                tin.old.append(flow)
                continue
            flow.aqm.bulk_flows = tin.bulk if self.ingress else 0
            fate, packet = flow.aqm.ask(now)
            if fate == "idle":
                flows.pop(0)
                if flow.set == "bulk":
                    tin.bulk -= 1
                    flow.src.bulk -= 1
                    flow.dst.bulk -= 1
                flow.set = "none"
                return None
            if fate == "early":
                fates.append(fate)
                if self.ingress:
                    length = self.advance_shaper(tin, packet, now, True)
                    flow.deficit -= length
                    tin.deficit -= length
                continue
            # The shaper's length, which cake_advance_shaper gives back, is what a turn is charged with.
            length = self.advance_shaper(tin, packet, now, False)
            flow.deficit -= length
            tin.deficit -= length
            tin.sent_packets += 1
            tin.sent_bytes += length
            self.last_sent, self.last_tin = flow, tin
            return fate
        return None

    def seen(self):
        # Of several tins, that of the last packet sent.
        tin = self.last_tin
        seen = {
            "new_queues": len(tin.new),
            "old_queues": len(tin.old),
            "bulk_flows": tin.bulk,
            "queue_of_last_arrival": self.last_arrival.number,
            "deficit_of_last_packet_sent_bytes": self.last_sent.deficit,
        }
        for each in self.row if len(self.row) > 1 else []:
            for name in ("arrived_packets", "sent_packets", "sent_bytes"):
                seen[f"tin_{each.number}_{name}"] = getattr(each, name)
        return seen


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
    yield from tin_cases()
    yield from ack_filter_cases()
    yield from ingress_cases()


def marked(events, dscp):
    return [(*event, dict(dscp=dscp)) for event in events]


def tin_cases():
    # Three tins have more than they get; voice is then a quarter, bulk a sixteenth, the rest is best effort.
    def flood(count, step, *dscps, sizes=(1000,)):
        return merged(
            *(
                marked(packets(0.01 * n, step, of(n + 1, 11) * count, sizes), dscp)
                for n, dscp in enumerate(dscps)
            )
        )

    shaped = dict(rate_mbps=4, flows=32, target_ms=60, interval_ms=200)
    yield (
        "diffserv3 behind a shaper: best effort, bulk and voice have more than their shares",
        Cake,
        TEN,
        dict(shaped, tins="diffserv3"),
        merged(flood(30, 1.1, 0, 8, 46), drain(0.3, 0.37, 200)),
    )
    yield (
        "voice within its share goes first, and behind the others when it is above it",
        Cake,
        TEN,
        dict(shaped, tins="diffserv3", quantum_bytes=300),
        merged(
            marked(packets(0, 1.3, of(1, 11) * 30), 0),
            marked(packets(0.2, 13, of(2, 21) * 3, sizes=(200,)), 46),
            marked(packets(20.2, 0.9, of(2, 22) * 20), 46),
            drain(0.3, 0.41, 200),
        ),
    )
    yield (
        "diffserv4, with target and interval of each tin: drops in the tin whose share is least",
        Cake,
        TEN,
        dict(rate_mbps=6, flows=8, tins="diffserv4", target_ms=2, interval_ms=10, mtu_bytes=300),
        merged(flood(40, 0.9, 34, 8, 0, 40, sizes=(700,)), drain(0.3, 0.31, 300)),
    )
    yield (
        "no shaper: tins have turns by their weights, and an empty one keeps what it has saved",
        Cake,
        TEN,
        dict(flows=32, tins="diffserv3"),
        merged(
            flood(25, 0.4, 0, 8, 46),
            marked(packets(30, 2, of(4, 41) * 9, sizes=(100, 1400)), 4),
            drain(0.3, 0.81, 110),
        ),
    )
    for tins in ("diffserv8", "precedence"):
        yield (
            f"{tins}: every class of codepoints once, then all of them at once",
            Cake,
            TEN,
            dict(rate_mbps=5, flows=8, tins=tins, limit_packets=40),
            merged(
                *(
                    marked(packets(0.2 * n, 9, of(n + 1, 11) * 6, sizes=(400, 900)), dscp)
                    for n, dscp in enumerate((0, 1, 2, 4, 8, 10, 16, 18, 24, 34, 40, 44, 46, 48, 56, 63))
                ),
                drain(0.3, 0.57, 240),
            ),
        )
    yield (
        "the buffer is shared by all tins: the longest queue of any loses its head",
        Cake,
        TEN,
        dict(flows=8, tins="diffserv3", limit_packets=12),
        merged(flood(12, 0.5, 46, 0), drain(1.1, 1.7, 12)),
    )


def acks(start, step, numbers, flow=11, sizes=(52,), ecn=(), **more):
    """Acknowledgements of these numbers."""
    segment = dict(ecn=frozenset(ecn), **more)
    numbers = [*numbers]
    events = packets(start, step, of(1, flow) * len(numbers), sizes)
    return [(*event, dict(segment=dict(segment, ack=ack))) for event, ack in zip(events, numbers)]


def ack_filter_cases():
    wrapping = [2**32 - 2000 + 1000 * n for n in range(6)]
    numbers = [number % 2**32 for number in wrapping]
    mixed = merged(
        # Growing, across the wrap of sequence numbers, between data of the same flow.
        acks(0, 0.1, numbers),
        acks(0.65, 0.1, [3001], data=True, sizes=(1000,)),
        acks(0.7, 0.1, [3001, 4000, 5000]),
        # The same number again is a duplicate, and counts; an older one stays.
        acks(1.2, 0.1, [5000, 5000, 4000, 6000]),
        # Another flow of the same host, and no acknowledgement at all.
        acks(1.25, 0.1, [10, 20, 30], flow=12),
        packets(1.27, 0.1, of(1, 11), sizes=(100,)),
        # Blocks: more of them make older ones redundant, fewer or others do not, nor do duplicates.
        acks(1.8, 0.1, [6000], sack=[(7000, 8000)]),
        acks(1.9, 0.1, [6000], sack=[(7000, 9000)]),
        acks(2.0, 0.1, [6000], sack=[(7000, 9000), (11000, 12000)]),
        acks(2.1, 0.1, [6000], sack=[(13000, 14000)]),
        acks(2.2, 0.1, [9000], sack=[(8000, 8500)]),
        acks(2.3, 0.1, [12000, 13000, 14000, 14000]),
        # Flags of ECN that change.
        acks(2.8, 0.1, [15000, 16000], ecn=("ece",)),
        acks(3.0, 0.1, [17000, 18000], ecn=("ece", "cwr")),
        acks(3.2, 0.1, [19000, 20000, 21000]),
        # Timestamps, which must not fall.
        acks(3.6, 0.1, [22000], ts=(10, 5)),
        acks(3.7, 0.1, [23000], ts=(11, 5)),
        acks(3.8, 0.1, [24000], ts=(9, 6)),
        acks(3.9, 0.1, [25000, 26000], ts=(12, 7)),
        acks(4.1, 0.1, [27000, 28000, 29000]),
        drain(0.35, 0.9, 4),
        drain(4.5, 0.3, 50),
    )
    for word in ("conservative", "aggressive"):
        yield (
            f"the filter of acknowledgements, {word}",
            Cake,
            TEN,
            dict(flows=32, isolation="flows", ack_filter=word),
            mixed,
        )
    yield (
        "the filter among three tins, behind a shaper that counts what is discarded",
        Cake,
        TEN,
        dict(flows=8, tins="diffserv3", ack_filter="aggressive", rate_mbps=0.5, ingress=True),
        merged(
            [
                (*event[:5], dict(event[5], dscp=dscp))
                for dscp in (0, 46)
                for event in acks(0.03 * dscp, 0.7, range(1000, 30000, 1000), flow=dscp)
            ],
            drain(0.5, 0.8, 80),
        ),
    )


def ingress_cases():
    tight = dict(rate_mbps=4, flows=32, target_ms=2, interval_ms=8, mtu_bytes=300)
    overload = merged(
        packets(0, 0.7, [*of(1, 11), *of(2, 21), *of(1, 12)] * 40, sizes=(1000, 300)),
        drain(0.25, 0.43, 400),
    )
    yield (
        "ingress: drops take time of the shaper and bytes of the turn, and wait for two packets of each busy flow",
        Cake,
        TEN,
        dict(tight, ingress=True),
        overload,
    )
    yield (
        "ingress without a shaper: drops take bytes of the turn",
        Cake,
        dict(link_mbps=4),
        dict(flows=32, target_ms=2, interval_ms=8, mtu_bytes=300, ingress=True),
        merged(
            packets(0, 0.7, [*of(1, 11), *of(2, 21), *of(1, 12)] * 30, sizes=(1000, 300)), drain(0.25, 1.1, 90)
        ),
    )
    yield (
        "ingress over a full buffer: however much is dropped, two thirds of the rate are sent",
        Cake,
        TEN,
        dict(tight, ingress=True, limit_packets=6),
        merged(packets(0, 0.3, [*of(1, 11), *of(2, 21)] * 70, sizes=(1000,)), drain(0.25, 0.43, 120)),
    )
    for tins in ("besteffort", "diffserv3"):
        yield (
            f"the rate follows what arrives, {tins}: bursts at 8 Mbit/s, then packets at 1 Mbit/s",
            Cake,
            TEN,
            dict(tight, rate_mbps=5, autorate_ingress=True, tins=tins, ingress=tins == "diffserv3"),
            merged(
                *(
                    marked(packets(25 * n, 1.0, of(1, 11, 12, 13) * 4, sizes=(1000,)), 8 * (n % 2))
                    for n in range(8)
                ),
                marked(packets(203, 8.0, of(2, 21) * 20, sizes=(1000,)), 0),
                drain(0.35, 0.51, 760),
            ),
        )
