"""A scheduler with time: queues take turns in a fixed cycle (time division), as in IEEE 802.1Qbv."""

from aqmlab.schemes import At, Scheduler, parameter


class Slots(Scheduler):
    """Each queue begins to send only in its slot of a cycle; flows are sorted into queues by their hash."""

    slots: int = parameter(4, "Slots of a cycle, one for each queue.", least=1, most=64)
    slot_ms: float = parameter(2.0, "Length of a slot.", least=0.001, most=1000)
    observed = ("slots_waited_for",)

    def queues(self):
        return self.slots

    def start(self, port):
        self.slot_ns = round(self.slot_ms * 1e6)
        self.waited_for = 0

    def classify(self, now_ns, packet, header, queues):
        return header.flow_hash % self.slots

    def next(self, now_ns, queues):
        now = now_ns // self.slot_ns
        if queues.packets(now % self.slots) > 0:
            return now % self.slots
        # The first slot after this one whose queue is not empty; the present one comes again last.
        ahead = min(n for n in range(1, self.slots + 1) if queues.packets((now + n) % self.slots) > 0)
        self.waited_for += 1
        return At((now + ahead) * self.slot_ns)

    def observe(self):
        return (float(self.waited_for),)
