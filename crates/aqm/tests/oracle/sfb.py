"""Stochastic Fair Blue once more, with bins as objects that packets point to; and its cases."""

from fractions import Fraction

from events import drain, merged, packets, seed
from sfg import Filtered


class Bin:
    def __init__(self):
        self.qlen, self.p_m, self.moved = 0, 0.0, None


class Sfb(Filtered):
    name = "sfb"
    columns = ["probability_of_last_arrival", "last_arrival_is_boxed", "generation"]
    defaults = dict(
        levels=3,
        bins=20,
        bin_packets=None,
        mean_packet_bytes=1000,
        full_bins="any_drops",
        increment=0.005,
        decrement=0.001,
        freeze_ms=100,
        threshold=0.98,
        box_on="least",
        penalty={"interval": {"box_ms": 15}},
        rehash_ms=20000,
        warm_up_ms=2000,
        drop_above_half=False,
        inner={"scheme": "drop-tail"},
    )

    def start(self):
        super().start()
        self.generation, self.warming = 0, False
        self.now_bins, self.next_bins = self.each_bin(Bin), self.each_bin(Bin)
        self.p, self.boxed = 0.0, False
        self.box_opens = Fraction(0)
        if self.bin_packets is None:
            held = [n for n in (self.limit_packets, self.limit_bytes and self.limit_bytes / 1000) if n]
            self.bin_packets = max(1, int(1.5 * min(held) / self.bins))
        if "tokens" in self.penalty:
            self.tokens = self.penalty["tokens"]["burst"]
            self.emptied = Fraction(0)

    def run_timers(self, now):
        now = Fraction(str(now))
        while True:
            first = Fraction(self.phase) if self.phase else Fraction(1)
            due = (first + self.ticks) * Fraction(self.rehash_ms)
            self.warming = self.warm_up_ms > 0 and now >= due - Fraction(self.warm_up_ms)
            if due > now:
                return
            self.ticks += 1
            self.generation += 1
            self.now_bins, self.next_bins = self.next_bins, self.each_bin(Bin)

    def move(self, one, now):
        step = 0.0
        if one.qlen > self.bin_packets:
            step = self.increment
        elif one.qlen == 0:
            step = -self.decrement
        if step and (one.moved is None or round(now - one.moved, 6) >= self.freeze_ms):
            one.p_m, one.moved = min(1.0, max(0.0, one.p_m + step)), now

    def box_lets_pass(self, now):
        now = Fraction(str(now))
        if "interval" in self.penalty:
            if now < self.box_opens:
                return False
            self.box_opens = now + Fraction(self.penalty["interval"]["box_ms"])
            return True
        if self.tokens == 0:
            back = int((now - self.emptied) / 1000 * Fraction(self.penalty["tokens"]["rate_hz"]))
            self.tokens = min(back, self.penalty["tokens"]["burst"])
        if self.tokens == 0:
            return False
        self.tokens, self.emptied = self.tokens - 1, now
        return True

    def admit(self, now, packet):
        mine = [self.now_bins[place] for place in self.places(self.generation, packet["flow"])]
        full = [one.qlen > self.bin_packets for one in mine]
        for one in mine:
            self.move(one, now)
        packet["bins"] = mine
        self.p = min(one.p_m for one in mine)
        deciding = self.p if self.box_on == "least" else max(one.p_m for one in mine)
        self.boxed = deciding >= self.threshold
        if self.boxed:
            if self.warming:
                ahead = [self.next_bins[place] for place in self.places(self.generation + 1, packet["flow"])]
                for one in ahead:
                    self.move(one, now)
                packet["bins"] = mine + ahead
            return None if self.box_lets_pass(now) else "filter"
        if (self.full_bins == "any_drops" and any(full)) or (self.full_bins == "all_drop" and all(full)):
            return "forced"
        selected = self.toss(self.p)
        if self.drop_above_half and self.coins.last < 2 * (self.p - 0.5):
            return "early"
        if selected:
            if not self.ecn or packet["ecn"] == "not_ect":
                return "early"
            packet["to_mark"] = True
        return None

    def arrive(self, now, packet):
        verdict = super().arrive(now, packet)
        return "mark" if verdict == "pass" and packet.get("to_mark") else verdict

    def hear(self, packet, verdict):
        if verdict != "overflow":
            for one in packet["bins"]:
                one.qlen += 1

    def depart(self, now):
        leaving = self.behind.queue[0] if self.behind.queue else None
        verdict = super().depart(now)
        if leaving:
            for one in leaving["bins"]:
                one.qlen -= 1
        return verdict

    def seen(self):
        return {
            "probability_of_last_arrival": self.p,
            "last_arrival_is_boxed": int(self.boxed),
            "generation": self.generation,
        }


def sfb_cases():
    quick = dict(
        limit_packets=24, levels=2, bins=8, bin_packets=4, increment=0.25, decrement=0.1, freeze_ms=2,
        penalty={"interval": {"box_ms": 5}}, rehash_ms=1000, warm_up_ms=100,
    )  # fmt: skip
    # Flow 1 alone sends twice what leaves, until 60 ms; flows 2 to 4 send little.
    load = merged(
        packets(0, 0.5, [1] * 120), packets(0.2, 2, [2, 3, 4] * 15, sizes=(400,)), drain(0.7, 1, 95)
    )
    again = packets(110, 4, [1] * 16) + [(190, "wait")]
    yield (
        "no probability stops flow 1: it is boxed, and released when its bins have run empty",
        Sfb,
        seed(111),
        dict(quick, full_bins="pass"),
        merged(load, again, drain(112.5, 4, 20)),
    )
    yield "a full bin discards the arrival", Sfb, seed(112), dict(quick), load
    yield (
        "one bin at the threshold is enough, for flows that share it too; the box has tokens",
        Sfb,
        seed(113),
        dict(
            quick,
            bins=3,
            box_on="greatest",
            full_bins="all_drop",
            threshold=0.75,
            penalty={"tokens": {"rate_hz": 200, "burst": 3}},
        ),
        load,
    )
    yield (
        "other hash functions, whose bins know the boxed flow already",
        Sfb,
        dict(seed(114), flow_salt=9, timer_phase=0.5),
        dict(quick, full_bins="pass", rehash_ms=40, warm_up_ms=15),
        load,
    )
    yield (
        "other hash functions without warming up: the flow begins anew",
        Sfb,
        dict(seed(114), flow_salt=9),
        dict(quick, full_bins="pass", rehash_ms=30, warm_up_ms=0),
        load,
    )
    yield (
        "ECN: marks, and as in Linux ever more drops above a half",
        Sfb,
        seed(115),
        dict(
            quick,
            full_bins="pass",
            ecn=True,
            drop_above_half=True,
            increment=0.05,
            freeze_ms=0,
            decrement=0.01,
        ),
        merged(
            packets(0, 0.5, [1] * 120, ecns=("ect0", "ect0", "not_ect")),
            packets(0.2, 2, [2, 3, 4] * 15, sizes=(400,), ecns=("ect0",)),
            drain(0.7, 0.8, 95),
        ),
    )
