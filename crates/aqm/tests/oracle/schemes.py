"""The schemes once more: written from the equations and from the order of steps in ns-2.35's red.cc, pi.cc,
rem.cc and drop-tail.cc, in the listings of RFC 8033 and RFC 8289, and in the prose of RFC 8290, in the slowest and
plainest way. Averages age one sample at a time, counts are ns-2's, queues are lists. Nothing is from the crate.
"""

import math
from fractions import Fraction

from coins import Coins, draw, key_of


class Scheme:
    """What all schemes share: the queue as a list, limits, timers, the ECN policy."""

    defaults = {}
    columns = []
    tosses = True
    # Whether one arrival may draw several numbers: then a column says how many, the last of which is the coin.
    draws_several = False

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
        self.queue.append({**packet, "arrived": now})
        self.on_queued()
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

    def on_queued(self):
        pass

    def on_idle(self, now):
        pass


class DropTail(Scheme):
    name = "drop-tail"
    tosses = False


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
            sample = self.idle != "paper"
            # The paper's clock starts when the queue becomes empty, and drops do not touch it: whole packets have been counted,
            # the rest of one will be. The others ask again after each drop, in vain, and begin anew.
            missed = self.missed(now)
            self.avg = self.aged(now)
            self.idle_since = now if sample else self.idle_since + missed * self.packet_ms()
        if sample:
            self.avg = (1 - self.w_q) * self.avg + self.w_q * self.length()

    def aged(self, now):
        """The average after the samples that the idle link has missed, one at a time."""
        missed, avg = self.missed(now), self.avg
        for _ in range(max(0, missed - 1) if self.idle == "altq" else missed):
            avg *= 1 - self.w_q
        return avg

    def packet_ms(self):
        return Fraction(8 * self.mean_packet_bytes) / (Fraction(self.mbps) * 1000)

    def missed(self, now):
        return (Fraction(str(now)) - Fraction(str(self.idle_since))) // self.packet_ms()

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
            "mark_p": self.base() < self.mark_p,
            "mark_always": True,
            "mark_until_forced": True,
        }[self.ecn_rule]
        return ("signal" if marks else "drop"), "early"

    def on_overflow(self):
        self.count = self.count_bytes = 0

    def on_queued(self):
        self.idle_since = None

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
        arrivals="offered",
        rate_filter_weight=1,
        point="enqueue",
        not_ect="drop",
        mean_packet_bytes=1000,
    )

    def start(self):
        self.price, self.rate, self.offered, self.p, self.q_old = 0.0, 0.0, 0, 0.0, 0.0

    def period_ms(self):
        return self.update_interval_ms

    def tick(self, due):
        arrived = self.offered if self.measure == "packets" else self.offered / self.mean_packet_bytes
        c = self.update_interval_ms / 1000 * self.capacity()
        if self.arrivals == "queue_growth":
            arrived, self.q_old = c + self.length() - self.q_old, self.length()
        self.rate = (1 - self.rate_filter_weight) * self.rate + self.rate_filter_weight * arrived
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


class CoDel(Scheme):
    """RFC 8289, section 5: `dequeue` calls `dodequeue`, as in its listing. Times are in ms; 0 is never."""

    name = "codel"
    tosses = False
    columns = ["count", "last_count", "dropping", "drop_next_ms"]
    defaults = dict(target_ms=5, interval_ms=100, mtu_bytes=1500, ce_threshold_ms=None, ce_threshold_ecn="any")

    def start(self):
        self.first_above_time, self.drop_next = 0, 0
        self.count, self.lastcount, self.dropping = 0, 0, False

    def control_law(self, t):
        # Instants are whole nanoseconds.
        return round(t + self.interval_ms / math.sqrt(self.count), 6)

    def dodequeue(self, now):
        if not self.queue:
            self.first_above_time = 0
            return None, False
        packet, ok_to_drop = self.queue.pop(0), False
        sojourn_time = now - packet["arrived"]
        if sojourn_time < self.target_ms or self.left() <= self.mtu_bytes:
            self.first_above_time = 0
        elif self.first_above_time == 0:
            self.first_above_time = now + self.interval_ms
        elif now >= self.first_above_time:
            ok_to_drop = True
        return packet, ok_to_drop

    def left(self):
        return sum(p["bytes"] for p in self.queue)

    def marked(self, packet):
        return self.ecn and packet["ecn"] != "not_ect"

    def depart(self, now):
        self.chance, self.coins.last, fates = None, None, []
        packet, ok_to_drop = self.dodequeue(now)
        if self.dropping:
            if not ok_to_drop:
                self.dropping = False
            while self.dropping and now >= self.drop_next:
                self.count += 1
                if self.marked(packet):
                    self.drop_next = self.control_law(self.drop_next)
                    return "+".join([*fates, "mark"])
                fates.append("early")
                packet, ok_to_drop = self.dodequeue(now)
                if not ok_to_drop:
                    self.dropping = False
                else:
                    self.drop_next = self.control_law(self.drop_next)
        elif ok_to_drop:
            mark = self.marked(packet)
            if not mark:
                fates.append("early")
                packet, ok_to_drop = self.dodequeue(now)
            self.dropping = True
            delta = self.count - self.lastcount
            recent = now - self.drop_next < 16 * self.interval_ms
            self.count = delta if delta > 1 and recent else 1
            self.drop_next = self.control_law(now)
            self.lastcount = self.count
            if mark:
                return "mark"
        return "+".join([*fates, self.beside_ce_threshold(now, packet) if packet else "idle"])

    def beside_ce_threshold(self, now, packet):
        waited = round(now - packet["arrived"], 6) > (self.ce_threshold_ms or math.inf)
        concerned = packet["ecn"] in {"any": ("ect0", "ect1", "ce"), "ect1": ("ect1",)}[self.ce_threshold_ecn]
        return "mark" if waited and concerned else "sent"

    def seen(self):
        return {
            "count": self.count,
            "last_count": self.lastcount,
            "dropping": int(self.dropping),
            "drop_next_ms": self.drop_next,
        }


class Pie(Scheme):
    """RFC 8033, section 4 and appendix A, with the elements of section 5 as settings. Delays are in ms."""

    name = "pie"
    columns = ["probability", "delay_old_ms", "burst_ms", "accumulated_probability"]
    defaults = dict(
        target_ms=15,
        update_interval_ms=15,
        alpha_hz=0.125,
        beta_hz=1.25,
        auto_tuning=True,
        max_burst_ms=150,
        latency="sojourn",
        derandomize=False,
        cap_adjustment=False,
        activation_share=None,
        mark_ecn_threshold=0.1,
        mean_packet_bytes=1000,
    )

    def start(self):
        self.drop_prob, self.qdelay_old, self.burst_allowance, self.accu_prob = 0.0, 0.0, 0.0, 0.0
        self.active = self.activation_share is None
        self.in_measurement, self.dq_count, self.dq_begun, self.avg_dq_time = False, 0, 0, 0.0

    def period_ms(self):
        return self.update_interval_ms

    def backlog(self):
        return sum(p["bytes"] for p in self.queue)

    def current_qdelay(self, now):
        if self.latency == "sojourn":
            return now - self.queue[0]["arrived"] if self.queue else 0.0
        if self.latency == "link_rate":
            return self.backlog() * 8 / (self.mbps * 1000)
        return self.backlog() * self.avg_dq_time / 16384

    def tick(self, due):
        if not self.active:
            return
        qdelay, before = self.current_qdelay(due), self.qdelay_old
        p = (self.alpha_hz * (qdelay - self.target_ms) + self.beta_hz * (qdelay - before)) / 1000
        if self.auto_tuning:
            if self.drop_prob < 0.000001:
                p /= 2048
            elif self.drop_prob < 0.00001:
                p /= 512
            elif self.drop_prob < 0.0001:
                p /= 128
            elif self.drop_prob < 0.001:
                p /= 32
            elif self.drop_prob < 0.01:
                p /= 8
            elif self.drop_prob < 0.1:
                p /= 2
        if self.cap_adjustment and self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob += p
        if qdelay == 0 and before == 0:
            self.drop_prob *= 0.98
        self.drop_prob = min(1.0, max(0.0, self.drop_prob))
        self.qdelay_old = qdelay
        self.burst_allowance = max(0.0, self.burst_allowance - self.update_interval_ms)
        if self.activation_share is not None and self.drop_prob == qdelay == before == 0:
            self.active = False

    def becomes_active(self):
        packets, held = self.limit_packets, self.limit_bytes
        return (packets is not None and len(self.queue) > self.activation_share * packets) or (
            held is not None and self.backlog() > self.activation_share * held
        )

    def on_arrival(self, now, packet):
        if self.full_for(packet["bytes"]):
            return "pass", None
        if not self.active:
            if not self.becomes_active():
                return "pass", None
            self.active, self.drop_prob, self.qdelay_old = True, 0.0, 0.0
            self.burst_allowance, self.in_measurement = self.max_burst_ms, False
        half = self.target_ms / 2
        if self.drop_prob == 0 and self.current_qdelay(now) < half and self.qdelay_old < half:
            self.burst_allowance = self.max_burst_ms
        if self.burst_allowance > 0:
            return "pass", None
        if self.qdelay_old < half and self.drop_prob < 0.2:
            return "pass", None
        if self.backlog() <= 2 * self.mean_packet_bytes:
            return "pass", None
        if not self.selected(self.scaled(self.drop_prob, packet["bytes"])):
            return "pass", None
        return ("signal" if self.drop_prob < self.mark_ecn_threshold else "drop"), "early"

    def selected(self, chance):
        if not self.derandomize:
            return self.toss(chance)
        self.accu_prob = 0.0 if self.drop_prob == 0 else self.accu_prob + chance
        if self.accu_prob < 0.85:
            return False
        if self.accu_prob >= 8.5 or self.toss(chance):
            self.accu_prob = 0.0
            return True
        return False

    def depart(self, now):
        self.run_timers(now)
        self.chance, self.coins.last = None, None
        if not self.queue:
            return "idle"
        packet = self.queue.pop(0)
        if self.latency == "departure_rate":
            self.measure_rate(now, packet["bytes"])
        return "sent"

    def measure_rate(self, now, size):
        if not self.in_measurement and self.backlog() >= 16384:
            self.in_measurement, self.dq_count, self.dq_begun = True, 0, now
        if not self.in_measurement:
            return
        self.dq_count += size
        if self.dq_count >= 16384:
            took = now - self.dq_begun
            self.avg_dq_time = took if self.avg_dq_time == 0 else 0.25 * took + 0.75 * self.avg_dq_time
            self.in_measurement = False

    def seen(self):
        return {
            "probability": self.drop_prob,
            "delay_old_ms": self.qdelay_old,
            "burst_ms": self.burst_allowance,
            "accumulated_probability": self.accu_prob,
        }


class FlowQueue:
    """A queue of RFC 8290: its AQM, which holds the packets, and its byte credits."""

    def __init__(self, number, aqm):
        self.number, self.aqm, self.credits, self.flow = number, aqm, 0, None

    def backlog(self):
        return sum(p["bytes"] for p in self.aqm.queue)


class FairQueueing(Scheme):
    """RFC 8290, section 4, around any AQM; its variants as Linux has them."""

    columns = [
        "new_queues",
        "old_queues",
        "queue_of_last_arrival",
        "queue_of_last_packet_sent",
        "credit_of_last_packet_sent_bytes",
    ]
    defaults = dict(
        limit_packets=10240,
        memory_limit_bytes=32 * 1024 * 1024,
        flows=1024,
        quantum_bytes=1514,
        hash="plain",
        classify="flow",
        drop_batch_packets=64,
        turn_ends="at_zero",
        emptied_new_queue="becomes_old",
        count_overflows=False,
        nearly_empty="own_queue",
    )

    def __init__(self, facts, keys):
        self.facts = facts
        super().__init__(facts, keys)

    def inner_scheme(self):
        raise NotImplementedError

    def start(self):
        scheme, keys = self.inner_scheme()
        self.queues = []
        for number in range(self.flows):
            aqm = scheme(self.facts, keys)
            aqm.coins = self.coins
            if self.nearly_empty == "all_queues":
                aqm.left = lambda: self.waiting()[1]
            self.queues.append(FlowQueue(number, aqm))
        self.new, self.old = [], []
        self.last_arrival = self.last_sent = self.queues[0]

    def active(self):
        return self.new + self.old

    def hashed(self, flow):
        return draw(key_of(self.facts.get("flow_salt", 0)), flow) * self.flows >> 64

    def classified(self, packet):
        if self.classify == "codepoint":
            return self.queues[min(int(packet["ecn"] in ("ect1", "ce")), self.flows - 1)]
        place = self.hashed(packet["flow"])
        if self.hash == "plain":
            return self.queues[place]
        first = place // 8 * 8
        eight = [self.queues[first + (place + step) % 8] for step in range(8)]
        for queue in eight:
            if queue.flow == packet["flow"]:
                return queue
        for queue in eight:
            if queue not in self.active():
                queue.flow = packet["flow"]
                return queue
        eight[0].flow = packet["flow"]
        return eight[0]

    def waiting(self):
        return sum(len(q.aqm.queue) for q in self.queues), sum(q.backlog() for q in self.queues)

    def arrive(self, now, packet):
        queue = self.last_arrival = self.classified(packet)
        verdict = queue.aqm.arrive(now, packet)
        self.chance = queue.aqm.chance
        if verdict not in ("pass", "mark"):
            return verdict
        if queue not in self.active():
            queue.credits = self.quantum_bytes
            self.new.append(queue)
        discarded = []
        while True:
            packets, held = self.waiting()
            if packets <= self.limit_packets and held <= self.memory_limit_bytes:
                return "+".join(discarded) if discarded else verdict
            discarded += self.drop_from_longest()

    def drop_from_longest(self):
        longest = self.queues[0]
        for queue in self.queues:
            if queue.backlog() > longest.backlog():
                longest = queue
        enough, gone, count = longest.backlog() // 2, 0, 0
        while True:
            gone += longest.aqm.queue.pop(0)["bytes"]
            count += 1
            if count >= self.drop_batch_packets or gone >= enough or not longest.aqm.queue:
                break
        if self.count_overflows:
            longest.aqm.count += count
        return ["overflow"] * count

    def out_of_credits(self, queue):
        return queue.credits < 0 or (queue.credits == 0 and self.turn_ends == "at_zero")

    def depart(self, now):
        self.chance, self.coins.last, fates = None, None, []
        while self.active():
            turns = self.new if self.new else self.old
            queue = turns[0]
            if self.out_of_credits(queue):
                queue.credits += self.quantum_bytes
                turns.pop(0)
                self.old.append(queue)
                continue
            held = list(queue.aqm.queue)
            *dropped, last = queue.aqm.depart(now).split("+")
            fates += dropped
            if last != "idle":
                queue.credits -= held[len(dropped)]["bytes"]
                self.last_sent = queue
                return "+".join([*fates, last])
            was_new = turns is self.new
            turns.pop(0)
            if was_new and (self.emptied_new_queue == "becomes_old" or self.old):
                self.old.append(queue)
        return "+".join([*fates, "idle"])

    def wait(self, now):
        for queue in self.queues:
            queue.aqm.run_timers(now)
        return "-"

    def seen(self):
        return {
            "new_queues": len(self.new),
            "old_queues": len(self.old),
            "queue_of_last_arrival": self.last_arrival.number,
            "queue_of_last_packet_sent": self.last_sent.number,
            "credit_of_last_packet_sent_bytes": self.last_sent.credits,
        }


class FqCoDel(FairQueueing):
    name = "fq-codel"
    tosses = False
    defaults = {**FairQueueing.defaults, **CoDel.defaults, "ecn": True}

    def inner_scheme(self):
        return CoDel, {key: getattr(self, key) for key in (*CoDel.defaults, "ecn")}


class Fq(FairQueueing):
    name = "fq"
    defaults = {**FairQueueing.defaults, "inner": {"scheme": "codel"}}

    def inner_scheme(self):
        keys = dict(self.inner)
        name = keys.pop("scheme")
        return next(one for one in (DropTail, Red, Ared, Pi, Rem, CoDel, Pie) if one.name == name), keys
