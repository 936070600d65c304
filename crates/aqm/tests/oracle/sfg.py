"""SFG once more, from algorithm 2 and equation (4) of Chung et al.; and its cases."""

from fractions import Fraction

from arc import Arc
from coins import GOLDEN, WORD, draw, key_of, mix
from events import drain, merged, packets, seed
from schemes import CoDel, DropTail, Red, Scheme


def indexed(key, number):
    """What aqmlab_random::Key::indexed(number) holds."""
    rotated = ((key << 23) | (key >> 41)) & WORD
    return mix(rotated ^ mix((number + GOLDEN) & WORD))


class Filtered(Scheme):
    """A filter in front of a scheme, which holds the packets."""

    draws_several = True
    inner_schemes = (DropTail, Red, CoDel, Arc)

    def __init__(self, facts, keys):
        self.facts = facts
        super().__init__(facts, keys)

    def start(self):
        keys = dict(self.inner)
        name = keys.pop("scheme")
        limits = {key: getattr(self, key) for key in ("limit_packets", "limit_bytes", "limit_rule")}
        found = next(one for one in self.inner_schemes if one.name == name)
        self.behind = found(self.facts, {**limits, **keys})
        self.behind.coins = self.coins

    def places(self, generation, flow):
        """The bins of a flow: one of each level."""
        key = indexed(key_of(self.facts.get("flow_salt", 0)), generation)
        return [(level, draw(indexed(key, level), flow) * self.bins >> 64) for level in range(self.levels)]

    def each_bin(self, value):
        return {(level, place): value() for level in range(self.levels) for place in range(self.bins)}

    def run_timers(self, now):
        while True:
            first = Fraction(self.phase) if self.phase else Fraction(1)
            due = (first + self.ticks) * Fraction(self.period_ms())
            if due > Fraction(str(now)):
                break
            self.ticks += 1
            self.behind.run_timers(float(due))
            self.tick(float(due))
        self.behind.run_timers(now)

    def arrive(self, now, packet):
        self.run_timers(now)
        self.chance, self.coins.last = None, None
        verdict = self.admit(now, packet)
        if verdict is not None:
            return verdict
        before, coin = self.coins.drawn, self.coins.last
        verdict = self.behind.arrive(now, packet)
        if self.coins.drawn > before:
            self.chance = self.behind.chance
        else:
            self.coins.last = coin
        self.hear(packet, verdict)
        return verdict

    def depart(self, now):
        self.run_timers(now)
        self.chance, self.coins.last = None, None
        return self.behind.depart(now)

    def hear(self, packet, verdict):
        pass


class Sfg(Filtered):
    name = "sfg"
    columns = ["filter_is_on", "notification_rate", "filter_probability_of_last_arrival"]
    defaults = dict(
        levels=3,
        bins=20,
        interval_ms=2000,
        rehash=False,
        switching="watermarks",
        high_watermark=0.02,
        low_watermark=0.01,
        average_weight=0.2,
        notification="overflows",
        inner={"scheme": "drop-tail"},
    )

    def start(self):
        super().start()
        self.on, self.average, self.p = self.switching == "always_on", 0.0, 0.0
        self.prob, self.bytes = self.each_bin(float), self.each_bin(int)
        self.epoch = 0
        self.arrived = self.dropped = self.overflowed = 0

    def period_ms(self):
        return self.interval_ms

    def seeds(self, back=0):
        return max(0, self.epoch - back) if self.rehash else 0

    def tick(self, due):
        for each in self.prob:
            share = self.interval_ms / 1000 * self.mbps * 1e6 / 8 / self.bins
            held = self.bytes[each]
            self.prob[each] = max(0.0, (held - share) / held) if held else 0.0
            self.bytes[each] = 0
        self.epoch += 1
        p_d = self.dropped / self.arrived if self.arrived else 0.0
        offered = self.arrived - self.dropped
        p_e = self.overflowed / offered if offered else 0.0
        if self.notification == "signal_probability":
            p_e = self.behind.seen()["probability"]
        self.average = (1 - self.average_weight) * self.average + self.average_weight * (
            p_d + (1 - p_d) * p_e
        )
        self.arrived = self.dropped = self.overflowed = 0
        if self.switching == "watermarks":
            if self.average > self.high_watermark:
                self.on = True
            elif self.average < self.low_watermark:
                self.on = False

    def admit(self, now, packet):
        self.arrived += 1
        self.p = min(self.prob[place] for place in self.places(self.seeds(1), packet["flow"]))
        for place in self.places(self.seeds(), packet["flow"]):
            self.bytes[place] += packet["bytes"]
        if self.on and self.toss(self.p):
            self.dropped += 1
            return "filter"
        return None

    def hear(self, packet, verdict):
        self.overflowed += verdict == "overflow"

    def seen(self):
        return {
            "filter_is_on": int(self.on),
            "notification_rate": self.average,
            "filter_probability_of_last_arrival": self.p,
        }


def sfg_cases():
    quick = dict(limit_packets=6, levels=2, bins=4, interval_ms=10)
    # Flow 1 alone sends more than the link carries, until 40 ms; flows 2 and 3 send little all the time.
    greedy = merged(
        packets(0, 0.5, [1] * 80), packets(0.2, 4, [2, 3] * 10, sizes=(400,)), drain(0.7, 0.8, 110)
    )
    yield (
        "losses switch the filter on, the greedy flow is identified, and released when it is silent",
        Sfg,
        seed(101),
        dict(quick, average_weight=0.5),
        greedy + [(95, "wait"), (125, "wait")] + packets(126, 0.5, [1, 2] * 6),
    )
    yield (
        "always on, in front of RED with ECN: what the filter lets pass RED may mark",
        Sfg,
        seed(102),
        dict(
            quick,
            limit_packets=20,
            switching="always_on",
            inner=dict(scheme="red", min_th_packets=1, max_th_packets=6, w_q=0.25, max_p=0.4, ecn=True),
        ),
        merged(packets(0, 0.4, [1, 1, 2] * 30, ecns=("ect0", "not_ect")), drain(0.7, 0.8, 60)),
    )
    yield (
        "other hash functions in each interval: one to look up, one to count",
        Sfg,
        dict(seed(103), flow_salt=5),
        dict(quick, switching="always_on", rehash=True, bins=3, limit_packets=30),
        merged(
            packets(0, 0.5, [1] * 100),
            packets(0.2, 2, [2, 3, 4, 5, 6] * 5, sizes=(400,)),
            drain(0.7, 0.8, 70),
        ),
    )
    yield (
        "SFA: in front of ARC, whose probability is the notification rate",
        Sfg,
        dict(seed(104), timer_phase=0.5),
        dict(
            quick,
            limit_packets=30,
            notification="signal_probability",
            inner=dict(scheme="arc", interval_ms=5, gain={"fixed": {"alpha": 0.01}}, ecn=True),
        ),
        merged(
            packets(0, 0.5, [1] * 100, ecns=("ect0",)),
            packets(0.2, 2, [2, 3, 4] * 8, sizes=(400,), ecns=("ect0", "not_ect")),
            drain(0.7, 0.8, 80),
        )
        + [(90, "wait"), (120, "wait")],
    )
    yield (
        "a limit of the scheme's own within that of all",
        Sfg,
        seed(105),
        dict(quick, limit_packets=6, switching="always_on", inner=dict(scheme="drop-tail", limit_packets=3)),
        merged(packets(0, 0.5, [1, 2] * 20), drain(0.7, 1.1, 24)),
    )
