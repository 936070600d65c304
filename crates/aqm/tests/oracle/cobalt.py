"""COBALT once more, from the order of steps in Linux's sch_cake.c, with exact roots; and its cases."""

import math

from events import burst, drain, seed
from schemes import Scheme


class Cobalt(Scheme):
    name = "cobalt"
    draws_several = True
    columns = ["count", "dropping", "drop_next_ms", "blue_probability"]
    defaults = dict(
        target_ms=5,
        interval_ms=100,
        scale_to_link=True,
        mtu_bytes=1500,
        increment=1 / 256,
        decrement=1 / 4096,
    )

    bulk_flows = 0

    def start(self):
        self.times()
        self.count, self.drop_next, self.dropping = 0, 0.0, False
        self.p_drop, self.blue_timer = 0.0, 0.0

    def times(self):
        self.mtu_time = self.mtu_bytes * 8 / (self.mbps * 1000)
        self.target, self.interval = self.target_ms, self.interval_ms
        if self.scale_to_link:
            self.target = max(self.target_ms, self.mtu_time * 3 / 2)
            self.interval = max(self.interval_ms + self.target - self.target_ms, self.target * 2)

    def control(self, t):
        return round(t + self.interval / math.sqrt(max(1, self.count)), 6)

    def queue_full(self, now):
        if round(now - self.blue_timer, 6) > self.target:
            self.p_drop = min(1.0, self.p_drop + self.increment)
            self.blue_timer = now
        self.dropping, self.drop_next = True, now
        self.count = self.count or 1

    def queue_empty(self, now):
        if self.p_drop and round(now - self.blue_timer, 6) > self.target:
            self.p_drop = max(0.0, self.p_drop - self.decrement)
            self.blue_timer = now
        self.dropping = False
        if self.count and now >= self.drop_next:
            self.count -= 1
            self.drop_next = self.control(self.drop_next)

    def should_drop(self, now, packet):
        """Whether to drop, and whether it was marked."""
        sojourn = round(now - packet["arrived"], 6)
        schedule = now - self.drop_next
        least = self.mtu_time * max(4, 2 * self.bulk_flows)
        over_target = sojourn > self.target and sojourn > least
        next_due = self.count and schedule >= 0
        drop = marked = False
        if over_target:
            if not self.dropping:
                self.dropping, self.drop_next = True, self.control(now)
            self.count = self.count or 1
        elif self.dropping:
            self.dropping = False
        if next_due and self.dropping:
            marked = self.ecn and packet["ecn"] != "not_ect"
            drop = not marked
            self.count += 1
            self.drop_next = self.control(self.drop_next)
            schedule = now - self.drop_next
        else:
            while next_due:
                self.count -= 1
                self.drop_next = self.control(self.drop_next)
                schedule = now - self.drop_next
                next_due = self.count and schedule >= 0
        if self.p_drop:
            drop |= self.toss(self.p_drop)
        if not self.count:
            self.drop_next = round(now + self.interval, 6)
        elif schedule > 0 and not drop:
            self.drop_next = now
        return drop, marked

    def arrive(self, now, packet):
        verdict = super().arrive(now, packet)
        if verdict == "overflow":
            self.queue_full(now)
        return verdict

    def ask(self, now):
        """What becomes of the packet at the head, and the packet; idle without one."""
        if not self.queue:
            self.queue_empty(now)
            return "idle", None
        packet = self.queue.pop(0)
        drop, marked = self.should_drop(now, packet)
        if drop and self.queue:
            return "early", packet
        return "mark" if marked else "sent", packet

    def depart(self, now):
        self.chance, self.coins.last, fates = None, None, []
        while not fates or fates[-1] == "early":
            fates.append(self.ask(now)[0])
        return "+".join(fates)

    def seen(self):
        return {
            "count": self.count,
            "dropping": int(self.dropping),
            "drop_next_ms": self.drop_next,
            "blue_probability": self.p_drop,
        }


def cobalt_cases():
    short = dict(limit_packets=200, target_ms=2, interval_ms=10, mtu_bytes=300, scale_to_link=False)
    overload = [event for n in range(60) for event in burst(n, 0.5, 2) + [(n + 0.7, "depart")]]
    mixed = [
        event
        for n in range(60)
        for event in burst(n, 0.5, 2, ecns=("ect0", "not_ect")) + [(n + 0.7, "depart")]
    ]
    yield (
        "an episode: drops ever closer; the count falls as it rose, and a second episode begins where it is",
        Cobalt,
        seed(141),
        dict(short),
        overload + drain(60.7, 0.6, 75) + [(t + 110, *rest) for t, *rest in overload[:120]],
    )
    yield (
        "ECN: capable packets are marked",
        Cobalt,
        seed(142),
        dict(short, ecn=True),
        mixed + drain(60.7, 0.6, 60),
    )
    yield (
        "a full buffer: Blue drops capable packets too, and its probability falls while the queue is empty",
        Cobalt,
        seed(143),
        dict(short, limit_packets=8, increment=0.2, decrement=0.05, ecn=True),
        burst(0, 0.4, 120, ecns=("ect0",), depart_every=3) + drain(48.5, 1.1, 40),
    )
    yield (
        "target and interval of a slow link; nothing that waited less than four packet times is dropped",
        Cobalt,
        dict(link_mbps=1, seed=144),
        dict(limit_packets=100, target_ms=5, interval_ms=20, mtu_bytes=500),
        burst(0, 3, 60, depart_every=2) + drain(182, 2, 40),
    )
