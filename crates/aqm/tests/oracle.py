#!/usr/bin/env python3
"""Works the cases in tables/ without the crate: python3 oracle.py writes tables/<scheme>.

This is a second implementation, written from the equations and from the order of steps in ns-2.35's red.cc,
pi.cc, rem.cc and drop-tail.cc, in the slowest and plainest way: it ages averages one sample at a time, counts as
ns-2 counts, and keeps lists. It shares no code with the crate and needs only Python's standard library.
"""

import math
import pathlib
from fractions import Fraction

WORD = (1 << 64) - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


class Coins:
    """The draws of aqmlab_random::Key::from_seed(seed).stream()."""

    def __init__(self, seed):
        self.key = mix(seed ^ 0x6A09E667F3BCC908)
        self.drawn = 0
        self.last = None

    def uniform(self):
        rotated = ((self.key << 32) | (self.key >> 32)) & WORD
        bits = mix(mix((self.drawn * 0x9E3779B97F4A7C15 + self.key) & WORD) ^ rotated)
        self.drawn += 1
        self.last = (bits >> 11) / (1 << 53)
        return self.last


class Scheme:
    """What all schemes share: the queue as a list, limits, timers, the ECN policy."""

    defaults = {}
    columns = []

    def __init__(self, facts, keys):
        self.mbps, self.phase = facts["link_mbps"], facts.get("timer_phase", 0)
        for key, value in {**self.shared, **self.defaults, **keys}.items():
            setattr(self, key, value)
        self.coins = Coins(facts.get("seed", 1))
        self.queue, self.chance, self.ticks = [], None, 0
        self.start()

    shared = dict(
        limit_packets=None,
        limit_bytes=None,
        limit_rule="hold_limit",
        ecn=False,
        measure="packets",
        scale_probability="none",
        mean_packet_bytes=500,
        max_packet_bytes=1500,
    )

    def start(self):
        pass

    def period_ms(self):
        return None

    def length(self):
        if self.measure == "packets":
            return len(self.queue)
        return sum(p["bytes"] for p in self.queue) / self.mean_packet_bytes

    def capacity(self):
        return self.mbps * 1e6 / (8 * self.mean_packet_bytes)

    def scaled(self, p, size):
        reference = {"none": None, "mean": self.mean_packet_bytes, "max": self.max_packet_bytes}
        reference = reference[self.scale_probability]
        return p if reference is None else min(1.0, p * size / reference)

    def full_for(self, size):
        waiting, held = len(self.queue), sum(p["bytes"] for p in self.queue)
        if self.limit_rule == "hold_limit":
            packets_full = lambda limit: waiting >= limit
            bytes_full = lambda limit: held + size > limit
        elif self.limit_rule == "hold_limit_minus_one":
            packets_full = lambda limit: waiting + 1 >= limit
            bytes_full = lambda limit: held + size >= limit
        else:
            packets_full = lambda limit: waiting >= limit
            bytes_full = lambda limit: held >= limit
        return (self.limit_packets is not None and packets_full(self.limit_packets)) or (
            self.limit_bytes is not None and bytes_full(self.limit_bytes)
        )

    def toss(self, chance):
        self.chance = chance
        return self.coins.uniform() < chance

    def run_timers(self, now_ms):
        if self.period_ms() is None:
            return
        while True:
            first = Fraction(self.phase) if self.phase else Fraction(1)
            due = (first + self.ticks) * Fraction(self.period_ms())
            if due > Fraction(str(now_ms)):
                return
            self.ticks += 1
            self.tick(float(due))

    def arrive(self, now, packet):
        self.run_timers(now)
        self.chance, self.coins.last = None, None
        verdict, reason = self.on_arrival(now, packet)
        if verdict == "signal":
            verdict = "mark" if self.ecn and packet["ecn"] != "not_ect" else "drop"
        if verdict == "drop":
            return reason
        if self.full_for(packet["bytes"]):
            self.on_overflow()
            return "overflow"
        if verdict == "mark":
            packet["ecn"] = "ce"
        self.queue.append(packet)
        return verdict

    def depart(self, now):
        self.run_timers(now)
        self.chance, self.coins.last = None, None
        if not self.queue:
            self.on_idle(now)
            return "idle"
        packet = self.queue.pop(0)
        verdict = self.on_departure(packet)
        if verdict == "pass":
            return "sent"
        assert self.ecn and packet["ecn"] != "not_ect", "the cases drop nothing on departure"
        return "mark"

    def wait(self, now):
        self.run_timers(now)
        self.chance, self.coins.last = None, None
        return "-"

    def on_arrival(self, now, packet):
        return "pass", None

    def on_departure(self, packet):
        return "pass"

    def on_overflow(self):
        pass

    def on_idle(self, now):
        pass


class DropTail(Scheme):
    name = "drop-tail"


class Red(Scheme):
    name = "red"
    columns = ["average_packets", "base_probability"]
    defaults = dict(
        min_th_packets=5,
        max_th_packets=15,
        w_q=0.002,
        max_p=0.1,
        gentle=True,
        spacing="classic",
        idle="paper",
        ecn_rule="mark_below_max_th",
        mark_p=0.1,
        spare_nearly_empty=False,
        spare_first_in_region=False,
    )

    def start(self):
        self.avg, self.count, self.count_bytes, self.old, self.idle_since = 0.0, 0, 0, False, None
        self.gentle_from = self.max_p

    def update_average(self, now):
        sample = True
        if self.idle_since is not None:
            if self.idle == "altq" and now - self.idle_since > 60_000:
                self.avg = 0.0
            self.avg = self.aged(now)
            sample = self.idle != "paper"
            self.idle_since = None
        if sample:
            self.avg = (1 - self.w_q) * self.avg + self.w_q * self.length()

    def aged(self, now):
        """The average after the samples that the idle link has missed, one at a time."""
        idle_ms = Fraction(str(now)) - Fraction(str(self.idle_since))
        missed = math.floor(idle_ms * Fraction(self.mbps) * 1000 / (8 * self.mean_packet_bytes))
        avg = self.avg
        for _ in range(max(0, missed - 1) if self.idle == "altq" else missed):
            avg *= 1 - self.w_q
        return avg

    def base(self):
        low, high = self.min_th_packets, self.max_th_packets
        if self.avg < low:
            return 0.0
        if self.avg < high:
            v_a, v_b = 1 / (high - low), -low / (high - low)
            return self.max_p * (v_a * self.avg + v_b)
        if self.gentle and self.avg < 2 * high:
            v_c, v_d = (1 - self.gentle_from) / high, 2 * self.gentle_from - 1
            return v_c * self.avg + v_d
        return 1.0

    def spaced(self, p, count):
        if self.spacing == "geometric":
            return p
        if self.spacing == "classic":
            return min(1.0, p / (1 - count * p)) if count * p < 1 else 1.0
        if self.spacing == "ns2_wait" and count * p < 1:
            return 0.0
        return min(1.0, p / (2 - count * p)) if count * p < 2 else 1.0

    def modified(self, p, size):
        if self.scale_probability == "mean":
            p = self.spaced(p, self.count_bytes // self.mean_packet_bytes)
            return self.scaled(p, size) if p < 1 else p
        return self.spaced(self.scaled(p, size), self.count)

    def on_arrival(self, now, packet):
        self.update_average(now)
        self.adapt(now)
        return self.decide(packet)

    def adapt(self, now):
        pass

    def decide(self, packet):
        size, high = packet["bytes"], self.max_th_packets
        self.count += 1
        self.count_bytes += size
        q = len(self.queue) if self.measure == "packets" else sum(p["bytes"] for p in self.queue)
        if self.avg < self.min_th_packets or (self.spare_nearly_empty and q <= 1):
            self.old = False
            return "pass", None
        beyond = self.avg >= (2 * high if self.gentle else high)
        if beyond and self.ecn_rule != "mark_p":
            self.count = self.count_bytes = 0
            return ("signal" if self.ecn_rule == "mark_always" else "drop"), "forced"
        if not self.old:
            self.old = True
            if self.spare_first_in_region:
                self.count, self.count_bytes = 1, size
                return "pass", None
            self.count = self.count_bytes = 0
        if not self.toss(self.modified(self.base(), size)):
            return "pass", None
        self.count = self.count_bytes = 0
        marks = {
            "mark_below_max_th": self.avg < high,
            "mark_p": self.base() <= self.mark_p,
            "mark_always": True,
            "mark_until_forced": True,
        }[self.ecn_rule]
        return ("signal" if marks else "drop"), "early"

    def on_overflow(self):
        self.count = self.count_bytes = 0

    def on_idle(self, now):
        if self.idle_since is None:
            self.idle_since = now

    def seen(self):
        return {"average_packets": self.avg, "base_probability": self.base()}


class Ared(Red):
    name = "ared"
    columns = ["average_packets", "base_probability", "max_p"]
    defaults = {
        **Red.defaults,
        "min_th_packets": None,
        "max_th_packets": None,
        "target_delay_ms": None,
        "w_q": {"time_constant_s": 1},
        "alpha": 0.01,
        "beta": 0.9,
        "top": 0.5,
        "bottom": 0.01,
        "interval_ms": 500,
        "adapt_on": "timer",
        "gentle_frozen": False,
    }

    def start(self):
        super().start()
        capacity = self.capacity()
        if isinstance(self.w_q, dict):
            self.w_q = 1 - math.exp(-1 / (self.w_q["time_constant_s"] * capacity))
        if self.min_th_packets is None:
            self.min_th_packets = max(5.0, (self.target_delay_ms or 5) / 1000 * capacity / 2)
        if self.max_th_packets is None:
            self.max_th_packets = 3 * self.min_th_packets
        if self.bottom == "from_link_rate":
            self.bottom = min(0.01, 80000 / (self.mbps * 1e6))
        self.last_set = 0.0

    def period_ms(self):
        return self.interval_ms if self.adapt_on == "timer" else None

    def tick(self, due):
        self.update_max_p(self.avg if self.idle_since is None else self.aged(due))

    def adapt(self, now):
        if self.adapt_on == "arrivals" and now > self.last_set + self.interval_ms:
            if self.update_max_p(self.avg):
                self.last_set = now

    def update_max_p(self, avg):
        part = 0.4 * (self.max_th_packets - self.min_th_packets)
        before = self.max_p
        if avg < self.min_th_packets + part and self.max_p > self.bottom:
            self.max_p *= self.beta
        elif avg > self.max_th_packets - part and self.top > self.max_p:
            self.max_p += min(self.alpha, 0.25 * self.max_p)
        if not self.gentle_frozen:
            self.gentle_from = self.max_p
        return self.max_p != before

    def seen(self):
        return {**super().seen(), "max_p": self.max_p}


class Pi(Scheme):
    name = "pi"
    columns = ["probability", "q_old_packets"]
    defaults = dict(q_ref_packets=200, sampling_hz=160, gains={"fixed": {"a": 1.822e-5, "b": 1.816e-5}})

    def start(self):
        self.p, self.q_old = 0.0, 0.0
        if "fixed" in self.gains:
            self.a, self.b = self.gains["fixed"]["a"], self.gains["fixed"]["b"]
        else:
            n, r, c = (
                self.gains["designed"]["flows"],
                self.gains["designed"]["rtt_ms"] / 1000,
                self.capacity(),
            )
            w = 2 * n / (r * r * c)
            k = w * abs(1 + 1j * w * r) * (2 * n) ** 2 / (r * c) ** 3
            self.a = k / w + k / (2 * self.sampling_hz)
            self.b = k / w - k / (2 * self.sampling_hz)

    def period_ms(self):
        return Fraction(1000) / Fraction(self.sampling_hz)

    def tick(self, due):
        q = self.length()
        p = self.a * (q - self.q_ref_packets) - self.b * (self.q_old - self.q_ref_packets) + self.p
        self.p, self.q_old = min(1.0, max(0.0, p)), q

    def on_arrival(self, now, packet):
        if self.full_for(packet["bytes"]):
            return "pass", None
        return ("signal" if self.toss(self.scaled(self.p, packet["bytes"])) else "pass"), "early"

    def seen(self):
        return {"probability": self.p, "q_old_packets": self.q_old}


class Rem(Scheme):
    name = "rem"
    columns = ["price", "probability", "rate_packets"]
    defaults = dict(
        q_ref_packets=20,
        gamma=0.001,
        alpha=0.1,
        phi=1.001,
        update_interval_ms=2,
        rate_filter_weight=1,
        point="enqueue",
        not_ect="drop",
        mean_packet_bytes=1000,
    )

    def start(self):
        self.price, self.rate, self.offered, self.p = 0.0, 0.0, 0, 0.0

    def period_ms(self):
        return self.update_interval_ms

    def tick(self, due):
        arrived = self.offered if self.measure == "packets" else self.offered / self.mean_packet_bytes
        self.rate = (1 - self.rate_filter_weight) * self.rate + self.rate_filter_weight * arrived
        c = self.update_interval_ms / 1000 * self.capacity()
        self.price += self.gamma * (self.rate + self.alpha * (self.length() - self.q_ref_packets) - c)
        self.price = max(0.0, self.price)
        self.p, self.offered = 1 - self.phi**-self.price, 0

    def coin(self, packet):
        if not self.toss(self.scaled(self.p, packet["bytes"])):
            return "pass"
        return "pass" if self.not_ect == "pass" and packet["ecn"] == "not_ect" else "signal"

    def on_arrival(self, now, packet):
        self.offered += 1 if self.measure == "packets" else packet["bytes"]
        if self.point == "dequeue" or self.full_for(packet["bytes"]):
            return "pass", None
        return self.coin(packet), "early"

    def on_departure(self, packet):
        return self.coin(packet) if self.point == "dequeue" else "pass"

    def seen(self):
        return {"price": self.price, "probability": self.p, "rate_packets": self.rate}


def number(value):
    if value is None:
        return "-"
    return format(value, ".9g")


def settings(table, prefix=""):
    """One line per setting, nested ones with dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from settings(value, f"{prefix}{key}.")
        elif isinstance(value, bool):
            yield f"{prefix}{key} = {str(value).lower()}"
        else:
            yield f'{prefix}{key} = "{value}"' if isinstance(value, str) else f"{prefix}{key} = {value}"


def work(title, scheme, facts, keys, events):
    """The text of one case: settings, then one line per event."""
    aqm = scheme(facts, keys)
    lines = [f"case: {title}"]
    lines += settings({**facts, "scheme": scheme.name, **keys})
    random = scheme is not DropTail
    heading = ["time_ms", "do", "bytes", "flow", "ecn", "|", "verdict"]
    rows = [heading + (["coin", "chance"] if random else []) + scheme.columns]
    for time, do, *packet in events:
        size, flow, ecn = packet or ("-", "-", "-")
        if do == "arrive":
            verdict = aqm.arrive(time, dict(bytes=size, flow=flow, ecn=ecn))
        else:
            verdict = aqm.depart(time) if do == "depart" else aqm.wait(time)
        row = [number(time), do, str(size), str(flow), ecn, "|", verdict]
        if random:
            row += [number(aqm.coins.last), number(aqm.chance)]
        rows.append(row + [number(aqm.seen()[name]) for name in scheme.columns])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines += [""] + [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    ]
    return "\n".join(lines) + "\n"


def burst(start, step, count, sizes=(1000,), ecns=("not_ect",), depart_every=0):
    """Arrivals every `step` ms, with a departure half a step after each `depart_every`-th."""
    events = []
    for n in range(count):
        time = round(start + n * step, 6)
        events.append((time, "arrive", sizes[n % len(sizes)], 1 + n % 3, ecns[n % len(ecns)]))
        if depart_every and n % depart_every == depart_every - 1:
            events.append((round(time + step / 2, 6), "depart"))
    return events


def drain(start, step, count):
    return [(round(start + n * step, 6), "depart") for n in range(count)]


TEN = dict(link_mbps=10)


def drop_tail_cases():
    fill = burst(0, 1, 5, depart_every=0) + drain(5, 1, 1) + burst(6, 1, 2) + drain(8, 1, 6)
    yield "three packets may wait", DropTail, TEN, dict(limit_packets=3), fill
    yield (
        "ns-2 holds one packet less",
        DropTail,
        TEN,
        dict(limit_packets=3, limit_rule="hold_limit_minus_one"),
        fill,
    )
    sizes = (
        burst(0, 1, 7, sizes=(1500, 1000, 600, 500, 400, 40))
        + drain(8, 1, 2)
        + burst(10, 1, 2, sizes=(1500, 40))
    )
    yield (
        "bytes: a packet that does not fit is lost, a smaller one after it is not",
        DropTail,
        TEN,
        dict(limit_bytes=3000),
        sizes,
    )
    yield (
        "bytes: refused only when full, so that one packet may overshoot",
        DropTail,
        TEN,
        dict(limit_bytes=3000, limit_rule="refuse_when_full"),
        sizes,
    )
    yield (
        "both limits: the first one reached counts; ECN changes nothing",
        DropTail,
        TEN,
        dict(limit_packets=4, limit_bytes=3000),
        burst(0, 1, 7, sizes=(1500, 40), ecns=("ect0", "not_ect", "ce")),
    )


def red_cases():
    small = dict(
        limit_packets=12, min_th_packets=2, max_th_packets=6, w_q=0.25, max_p=0.4, mean_packet_bytes=1000
    )
    ns2 = dict(spare_nearly_empty=True, spare_first_in_region=True)
    seed = lambda n: dict(TEN, seed=n)
    yield (
        "geometric: the same chance at every arrival",
        Red,
        seed(1),
        dict(small, spacing="geometric"),
        burst(0, 1, 26, depart_every=3),
    )
    yield (
        "classic, as in 1993: a coin for the first arrival above min_th, and missed samples after idle time",
        Red,
        seed(2),
        dict(small),
        burst(0, 0.5, 16, depart_every=4) + drain(9, 0.8, 14) + burst(26.25, 0.5, 12),
    )
    yield (
        "as ns-2: silent for 1/p arrivals, then certain by 2/p; nearly empty and first arrivals are spared",
        Red,
        seed(3),
        dict(small, **ns2, spacing="ns2_wait", idle="ns2", gentle=False, max_p=0.3),
        burst(0, 0.5, 22, depart_every=2) + drain(12, 0.8, 12) + burst(24.05, 0.5, 14, depart_every=3),
    )
    yield (
        "as ALTQ: forced drops above max_th, the idle rule with m - 1",
        Red,
        seed(4),
        dict(small, **ns2, spacing="altq", idle="altq", gentle=False, limit_packets=9),
        burst(0, 0.5, 24, depart_every=4) + drain(13, 0.8, 14) + burst(40.1, 0.5, 8),
    )
    yield (
        "ECN, marks below max_th: capable packets are dropped above it",
        Red,
        seed(5),
        dict(small, spacing="altq", ecn=True),
        burst(0, 1, 30, ecns=("ect0", "ect0", "not_ect", "ect1"), depart_every=3),
    )
    yield (
        "ECN, mark_p: marks while the base probability is at most 0.2; no forced region",
        Red,
        seed(6),
        dict(small, spacing="geometric", ecn=True, ecn_rule="mark_p", mark_p=0.2, limit_packets=20),
        burst(0, 1, 34, ecns=("ect0",), depart_every=6),
    )
    yield (
        "ECN, mark_until_forced: marks on the whole curve, drops beyond it",
        Red,
        seed(7),
        dict(
            small,
            spacing="geometric",
            ecn=True,
            ecn_rule="mark_until_forced",
            max_th_packets=4,
            limit_packets=20,
        ),
        burst(0, 1, 24, ecns=("ect0", "ce", "not_ect"), depart_every=6),
    )
    yield (
        "ECN, mark_always: only a full queue drops capable packets",
        Red,
        seed(8),
        dict(
            small, spacing="geometric", ecn=True, ecn_rule="mark_always", max_th_packets=4, limit_packets=14
        ),
        burst(0, 1, 26, ecns=("ect0", "ect1", "not_ect"), depart_every=6),
    )
    yield (
        "bytes in both senses: length over the mean packet, chances by size, the count in whole mean packets",
        Red,
        seed(9),
        dict(
            small, limit_packets=30, spacing="classic", measure="bytes", scale_probability="mean", max_p=0.2
        ),
        burst(0, 1, 36, sizes=(1500, 40, 1000, 576), depart_every=4),
    )
    yield (
        "packets measured, chances by size over the largest packet, as in 1993",
        Red,
        seed(10),
        dict(small, scale_probability="max", max_packet_bytes=1500, max_p=0.9),
        burst(0, 1, 40, sizes=(1500, 40, 576), depart_every=2),
    )
    yield (
        "a full queue restarts the count",
        Red,
        seed(11),
        dict(small, limit_packets=5, max_th_packets=12),
        burst(0, 1, 40, depart_every=4),
    )
    one_waits = burst(0, 0.1, 9) + drain(1, 0.1, 8)
    for n in range(16):
        one_waits += [(2 + 0.5 * n, "arrive", 1000, 1, "not_ect"), (2.25 + 0.5 * n, "depart")]
    for spare in (False, True):
        yield (
            f"an arrival that finds one packet {'is spared' if spare else 'may be selected'}",
            Red,
            seed(12),
            dict(
                small, w_q=0.05, min_th_packets=0.5, max_p=1, spacing="geometric", spare_nearly_empty=spare
            ),
            one_waits,
        )
    yield (
        "ECN, mark_p beyond the curve: selected with certainty and dropped as early, the first one spared",
        Red,
        seed(13),
        dict(
            small,
            max_th_packets=2.5,
            w_q=0.9,
            spacing="altq",
            ecn=True,
            ecn_rule="mark_p",
            spare_first_in_region=True,
        ),
        burst(0, 0.1, 10, ecns=("ect0", "not_ect")) + drain(2, 0.1, 8) + burst(3, 0.1, 8, ecns=("ect0",)),
    )
    yield (
        "as ns-2 in bytes: the first packet in the region counts its bytes",
        Red,
        seed(14),
        dict(
            small,
            **ns2,
            spacing="ns2_wait",
            idle="ns2",
            measure="bytes",
            scale_probability="mean",
            max_p=0.9,
        ),
        burst(0, 1, 40, sizes=(1500, 1500, 40), depart_every=2),
    )
    yield (
        "in bytes, a queue of one small packet is not nearly empty",
        Red,
        seed(15),
        dict(
            small,
            measure="bytes",
            w_q=0.05,
            min_th_packets=0.1,
            max_p=1,
            spacing="geometric",
            spare_nearly_empty=True,
        ),
        one_waits,
    )


def ared_cases():
    quick = dict(
        limit_packets=30, min_th_packets=2, max_th_packets=8, w_q=0.2, interval_ms=10, mean_packet_bytes=1000
    )
    load = (
        burst(0, 2, 16, depart_every=3)
        + [(40, "wait")]
        + drain(41, 0.8, 18)
        + [(80, "wait")]
        + burst(81, 2, 6)
    )
    yield (
        "a timer steps max_p, also while nothing arrives; an idle link's average ages",
        Ared,
        dict(TEN, seed=21),
        dict(quick, max_p=0.3, alpha=0.1),
        load,
    )
    yield (
        "another timer phase shifts the steps",
        Ared,
        dict(TEN, seed=21, timer_phase=0.25),
        dict(quick, max_p=0.3, alpha=0.1),
        load,
    )
    yield (
        "as ns-2: the first arrival after the interval steps, and only a step restarts the clock",
        Ared,
        dict(TEN, seed=22),
        dict(
            quick,
            adapt_on="arrivals",
            spacing="ns2_wait",
            idle="ns2",
            spare_nearly_empty=True,
            spare_first_in_region=True,
            max_p=0.4,
            alpha=0.1,
        ),
        load,
    )
    rise = burst(0, 1, 36, ecns=("ect0", "not_ect"), depart_every=5)
    for frozen in (False, True):
        word = "keeps its first slope" if frozen else "follows max_p"
        yield (
            f"the gentle rise {word}",
            Ared,
            dict(TEN, seed=23),
            dict(
                quick,
                max_p=0.05,
                alpha=0.05,
                interval_ms=4,
                spacing="altq",
                ecn=True,
                ecn_rule="mark_until_forced",
                gentle_frozen=frozen,
            ),
            rise,
        )
    yield (
        "a full queue restarts the count",
        Ared,
        dict(TEN, seed=25),
        dict(quick, limit_packets=5, max_p=0.4),
        burst(0, 1, 40, depart_every=4),
    )
    steady = burst(0, 0.1, 5, ecns=("ect0",)) + burst(1, 2, 22, ecns=("ect0",), depart_every=1)
    yield (
        "as ns-2: after a time inside the band the first arrival outside it steps at once",
        Ared,
        dict(TEN, seed=26),
        dict(quick, adapt_on="arrivals", max_p=0.02, ecn=True, ecn_rule="mark_always"),
        steady + burst(46, 0.1, 12, ecns=("ect0",)),
    )
    yield (
        "automatic settings at 100 Mbit/s and 500-byte packets",
        Ared,
        dict(link_mbps=100, seed=24),
        dict(limit_packets=240, bottom="from_link_rate", interval_ms=0.5),
        burst(0, 0.04, 30, sizes=(500,)),
    )


def pi_cases():
    quick = dict(
        limit_packets=12, q_ref_packets=3, gains={"fixed": {"a": 0.06, "b": 0.04}}, mean_packet_bytes=1000
    )
    yield (
        "the probability moves at each sampling instant, and not between",
        Pi,
        dict(TEN, seed=31),
        dict(quick),
        burst(0, 1.3, 24, depart_every=3) + drain(34, 1.3, 10) + [(60, "wait")],
    )
    yield (
        "another timer phase samples another queue",
        Pi,
        dict(TEN, seed=31, timer_phase=0.5),
        dict(quick),
        burst(0, 1.3, 24, depart_every=3),
    )
    yield (
        "ECN: capable packets are marked; a full queue drops them without a coin",
        Pi,
        dict(TEN, seed=32),
        dict(quick, limit_packets=8, ecn=True),
        burst(0, 1.3, 30, ecns=("ect0", "not_ect", "ce"), depart_every=3),
    )
    yield (
        "bytes in both senses: an acknowledgement meets 40/1000 of the probability",
        Pi,
        dict(TEN, seed=33),
        dict(quick, measure="bytes", scale_probability="mean", limit_packets=30, q_ref_packets=2),
        burst(0, 1.3, 28, sizes=(1500, 40, 1000), depart_every=4),
    )
    yield (
        "gains designed for the link",
        Pi,
        dict(link_mbps=1.5, seed=34),
        dict(quick, gains={"designed": {"flows": 2, "rtt_ms": 70}}, sampling_hz=160),
        burst(0, 4, 16, depart_every=4),
    )


def rem_cases():
    quick = dict(limit_packets=12, q_ref_packets=2, gamma=0.2, phi=1.5)
    yield (
        "drops on arrival; the price counts what was offered",
        Rem,
        dict(TEN, seed=41),
        dict(quick),
        burst(0.1, 0.4, 32, depart_every=2) + drain(14, 1.5, 10),
    )
    yield (
        "as ns-2 with marking: coins on departure, packets that cannot be marked pass",
        Rem,
        dict(TEN, seed=42),
        dict(quick, ecn=True, point="dequeue", not_ect="pass", limit_rule="hold_limit_minus_one"),
        burst(0.1, 0.4, 26, ecns=("ect0", "not_ect"), depart_every=2) + drain(11.3, 0.8, 13),
    )
    yield (
        "ECN on arrival: marks and drops by the same coin",
        Rem,
        dict(TEN, seed=43),
        dict(quick, ecn=True),
        burst(0.1, 0.4, 30, ecns=("ect0", "not_ect"), depart_every=3),
    )
    yield (
        "bytes in both senses, with a filtered rate",
        Rem,
        dict(TEN, seed=44),
        dict(quick, measure="bytes", scale_probability="mean", rate_filter_weight=0.25, limit_packets=30),
        burst(0.1, 0.4, 30, sizes=(1500, 40, 1000), depart_every=4),
    )


def main():
    folder = pathlib.Path(__file__).parent / "tables"
    for cases in (drop_tail_cases, red_cases, ared_cases, pi_cases, rem_cases):
        worked = list(cases())
        name = worked[0][1].name
        heading = f"# Worked cases of {name}. Written by ../oracle.py, which does not use the crate; read by ../tables.rs.\n"
        (folder / name).write_text("\n".join([heading] + [work(*case) for case in worked]))


if __name__ == "__main__":
    main()
