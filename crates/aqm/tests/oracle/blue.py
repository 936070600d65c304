"""Blue once more, from figure 3 of its report; and its cases."""

from events import TEN, burst, drain, seed
from schemes import Scheme


class Blue(Scheme):
    name = "blue"
    columns = ["probability"]
    defaults = dict(
        increment=0.0025, decrement=0.00025, freeze_ms=100, idleness="while_idle", threshold_packets=None
    )

    def start(self):
        self.p, self.last_update, self.link_is_idle = 0.0, None, False

    def period_ms(self):
        return self.freeze_ms if self.idleness == "while_idle" else None

    def event(self, now, step):
        if self.last_update is None or round(now - self.last_update, 6) >= self.freeze_ms:
            self.p = min(1.0, max(0.0, self.p + step))
            self.last_update = now

    def tick(self, due):
        if self.link_is_idle:
            self.event(due, -self.decrement)

    def on_arrival(self, now, packet):
        self.now, self.link_is_idle = now, False
        if self.full_for(packet["bytes"]):
            return "pass", None
        if self.threshold_packets is not None and len(self.queue) > self.threshold_packets:
            self.event(now, self.increment)
        return ("signal" if self.toss(self.p) else "pass"), "early"

    def on_overflow(self):
        self.event(self.now, self.increment)

    def on_idle(self, now):
        if not self.link_is_idle:
            self.link_is_idle = True
            self.event(now, -self.decrement)

    def seen(self):
        return {"probability": self.p}


def blue_cases():
    quick = dict(limit_packets=6, increment=0.2, decrement=0.05, freeze_ms=4)
    yield (
        "losses raise the probability, at most once in 4 ms; the idle link lowers it as long as it is idle",
        Blue,
        seed(71),
        dict(quick),
        burst(0, 0.5, 40, depart_every=3)
        + drain(20.3, 0.5, 8)
        + [(26, "wait"), (33, "wait")]
        + burst(40, 0.5, 20),
    )
    yield (
        "a link that stays idle lowers it once",
        Blue,
        seed(72),
        dict(quick, idleness="once"),
        burst(0, 0.5, 40, depart_every=3)
        + drain(20.3, 0.5, 8)
        + [(33, "wait"), (33.5, "depart")]
        + burst(40, 0.5, 20),
    )
    yield (
        "a queue above the threshold counts as a loss",
        Blue,
        seed(73),
        dict(quick, limit_packets=40, threshold_packets=4),
        burst(0, 0.5, 60, depart_every=3) + drain(31, 0.5, 24),
    )
    yield (
        "ECN: capable packets are marked, whatever the probability; the timer has a phase",
        Blue,
        dict(TEN, seed=74, timer_phase=0.25),
        dict(quick, ecn=True, increment=0.5),
        burst(0, 0.5, 40, ecns=("ect0", "not_ect", "ce"), depart_every=3)
        + drain(20.3, 0.5, 8)
        + [(31, "wait")]
        + burst(40, 0.5, 12, ecns=("ect0",)),
    )
