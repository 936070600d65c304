"""Linux's fq for packets that belong to no socket, from the order of steps in sch_fq.c (6) and from tc-fq(8), in the
plainest way; and its cases. Queues and their lists are lists. The other schemes took no part in it.
"""

from coins import draw, key_of
from events import TEN, burst, drain, merged, packets
from schemes import Scheme


class Flow:
    def __init__(self, number):
        self.number, self.waiting = number, []
        self.credit, self.age, self.is_known, self.is_detached = 0, 0, False, True


class LinuxFq(Scheme):
    name = "linux-fq"
    tosses = False
    columns = [
        "new_queues",
        "old_queues",
        "queue_of_last_arrival",
        "queue_of_last_packet_sent",
        "credit_of_last_packet_sent_bytes",
    ]
    defaults = dict(
        limit_packets=10_000,
        flow_limit_packets=100,
        flows=1024,
        quantum_bytes=3028,
        initial_quantum_bytes=15_140,
        refill_delay_ms=40,
        ce_threshold_ms=None,
    )

    def __init__(self, facts, keys):
        self.key = key_of(facts.get("flow_salt", 0))
        super().__init__(facts, keys)

    def start(self):
        self.all = [Flow(number) for number in range(self.flows)]
        self.new_flows, self.old_flows = [], []
        self.last_arrival = self.last_sent = self.all[0]

    def arrive(self, now, packet):
        flow = self.last_arrival = self.all[draw(self.key, packet["flow"]) * self.flows >> 64]
        if sum(len(each.waiting) for each in self.all) >= self.limit_packets:
            return "overflow"
        if len(flow.waiting) >= self.flow_limit_packets:
            return "overflow"
        if not flow.is_known:
            flow.is_known, flow.credit = True, self.initial_quantum_bytes
        elif flow.is_detached and round(now - flow.age, 6) > self.refill_delay_ms:
            flow.credit = max(flow.credit, self.quantum_bytes)
        if flow.is_detached:
            flow.is_detached = False
            self.new_flows.append(flow)
        flow.waiting.append({**packet, "arrived": now})
        return "pass"

    def depart(self, now):
        while True:
            head = self.new_flows or self.old_flows
            if not head:
                return "idle"
            flow = head[0]
            if flow.credit <= 0:
                flow.credit += self.quantum_bytes
                self.old_flows.append(head.pop(0))
            elif flow.waiting:
                return self.send(now, flow)
            elif head is self.new_flows and self.old_flows:
                self.old_flows.append(head.pop(0))
            else:
                head.pop(0)
                flow.is_detached, flow.age = True, now

    def send(self, now, flow):
        packet = flow.waiting.pop(0)
        flow.credit -= packet["bytes"]
        self.last_sent = flow
        waited = round(now - packet["arrived"], 6)
        late = self.ce_threshold_ms is not None and waited > self.ce_threshold_ms
        return "mark" if late and packet["ecn"] != "not_ect" else "sent"

    def wait(self, now):
        return "-"

    def seen(self):
        return {
            "new_queues": len(self.new_flows),
            "old_queues": len(self.old_flows),
            "queue_of_last_arrival": self.last_arrival.number,
            "queue_of_last_packet_sent": self.last_sent.number,
            "credit_of_last_packet_sent_bytes": self.last_sent.credit,
        }


def linux_fq_cases():
    small = dict(flows=64, quantum_bytes=3000, initial_quantum_bytes=6000)
    yield (
        "the first turn of a flow is the longest, and the next ones are two packets",
        LinuxFq,
        TEN,
        dict(flows=64),
        packets(0, 0.1, [1, 2] * 20, sizes=(1500, 500)) + drain(5, 1, 42),
    )
    yield (
        "a flow that rests for 40 ms has what it had left, after more than that a whole turn",
        LinuxFq,
        TEN,
        dict(small),
        # Flow 1 leaves 500 of its first 6,000 bytes, comes back at once, and once more much later.
        merged(
            packets(0, 0.1, [1] * 5, sizes=(1100,)),
            drain(1, 1, 6),
            packets(46, 0.1, [1, 1, 2, 1, 1, 2], sizes=(400,)),
            drain(47, 1, 7),
            packets(94.1, 0.1, [1, 1, 2, 1, 1, 2], sizes=(1500,)),
            drain(95, 1, 8),
        ),
    )
    yield (
        "flows that send little go first",
        LinuxFq,
        TEN,
        dict(small),
        merged(
            packets(0, 0.1, [1] * 16, sizes=(1500,)),
            packets(2.5, 2, [2] * 5, sizes=(100,)),
            packets(3, 5, [3, 4], sizes=(1500, 40)),
            drain(2, 1, 26),
        ),
    )
    yield (
        "an arrival to a full queue is lost, and packets of other flows are not",
        LinuxFq,
        TEN,
        dict(small, flow_limit_packets=4),
        merged(packets(0, 0.3, [1, 1, 1, 2] * 10), drain(2, 1, 30)),
    )
    yield (
        "an arrival to a full buffer is lost, whosever it is, and leaves its queue at rest",
        LinuxFq,
        TEN,
        dict(small, limit_packets=6, initial_quantum_bytes=2000),
        merged(packets(0, 0.3, [1, 2, 1, 3, 1, 4, 1, 5] * 8), drain(2, 1.5, 20), packets(80, 0.2, [5, 6] * 6), drain(83, 1, 10)),
    )
    yield (
        "capable packets that waited longer than 3 ms are marked, no other is dropped",
        LinuxFq,
        TEN,
        dict(small, ce_threshold_ms=3),
        merged(
            packets(0, 0.5, [1] * 20, ecns=("ect0", "not_ect", "ect1", "ce")),
            packets(0.25, 3, [2] * 4, sizes=(400,), ecns=("ect1",)),
            drain(1, 1, 26),
        ),
    )
    yield (
        "one queue for all",
        LinuxFq,
        TEN,
        dict(flows=1, limit_packets=10, flow_limit_packets=10, ce_threshold_ms=5),
        burst(0, 0.4, 30, ecns=("ect0", "not_ect"), depart_every=3) + drain(13, 1, 12),
    )
