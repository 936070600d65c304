"""PI2 and DualPI2 once more, from section 2 and appendix A of RFC 9332, with the queue protection of RFC 9957, section 4; and
their cases.
"""

from fractions import Fraction

from events import TEN, burst, drain, merged, packets, seed
from schemes import Scheme


class Pi2(Scheme):
    name = "pi2"
    draws_several = True
    columns = ["base_probability", "classic_probability"]
    defaults = dict(
        target_ms=15,
        update_interval_ms=16,
        alpha_hz=0.16,
        beta_hz=3.2,
        selection="squared",
        scalable=True,
        coupling=2,
        highest_marking=0.25,
        spare_nearly_empty=False,
        mtu_bytes=1500,
    )

    def start(self):
        self.p_base, self.prevq = 0.0, 0.0

    def period_ms(self):
        return self.update_interval_ms

    def tick(self, due):
        curq = round(due - self.queue[0]["arrived"], 6) if self.queue else 0.0
        step = self.alpha_hz * (curq - self.target_ms) / 1000 + self.beta_hz * (curq - self.prevq) / 1000
        self.p_base, self.prevq = min(1.0, max(0.0, self.p_base + step)), curq

    def classic(self):
        if self.selection == "squared":
            return self.toss(self.p_base**2)
        coins = [self.toss(self.p_base), self.toss(self.p_base)]
        return all(coins)

    def on_arrival(self, now, packet):
        backlog = sum(p["bytes"] for p in self.queue)
        if self.full_for(packet["bytes"]) or (self.spare_nearly_empty and backlog < 2 * self.mtu_bytes):
            return "pass", None
        scalable = self.scalable and self.ecn and packet["ecn"] in ("ect1", "ce")
        overload = self.p_base**2 >= self.highest_marking
        if (overload or not scalable) and self.classic():
            return ("drop" if overload else "signal"), "early"
        if scalable and self.toss(min(1.0, self.coupling * self.p_base)):
            return "signal", "early"
        return "pass", None

    def seen(self):
        return {"base_probability": self.p_base, "classic_probability": self.p_base**2}


class DualPi2(Scheme):
    name = "dualpi2"
    tosses = False
    columns = ["base_probability", "accumulated_classic", "accumulated_low_latency", "classic_credit_bytes"]
    defaults = dict(
        target_ms=15,
        update_interval_ms=16,
        alpha_hz=0.16,
        beta_hz=3.2,
        coupling=2,
        highest_marking=0.25,
        ramp_from_us=800,
        ramp_range_us=400,
        queue_length_packets=1,
        length_tested_on="departure",
        schedule={"weighted": {"classic_share": 0.0625}},
        overload="drop",
        spare_nearly_empty=False,
        mtu_bytes=1500,
        ecn=True,
        low_latency_dscp=None,
        queue_protection=None,
    )

    def start(self):
        if self.queue_protection is not None:
            end = self.ramp_from_us + self.ramp_range_us
            self.qprot = QProt(
                link_mbps=self.mbps,
                mtu=self.mtu_bytes,
                minth_us=self.ramp_from_us,
                range_us=self.ramp_range_us,
                **{"critical_delay_us": end, **self.queue_protection},
            )
            self.more_columns = ["redirected_packets"]
        self.lq, self.cq = [], []
        self.p_base, self.prevq = 0.0, 0.0
        self.count = {"l": 0.0, "c": 0.0}
        self.credit = 0.0
        if "weighted" in self.schedule:
            share = self.schedule["weighted"]["classic_share"]
            self.credit = self.mtu_bytes * (share - (1 - share))
        self.first_credit = self.credit

    def period_ms(self):
        return self.update_interval_ms

    def tick(self, due):
        times = [round(due - q[0]["arrived"], 6) for q in (self.lq, self.cq) if q]
        curq = max([0.0, *times])
        step = self.alpha_hz * (curq - self.target_ms) / 1000 + self.beta_hz * (curq - self.prevq) / 1000
        top = 1.0 if self.overload == "drop" else min(1.0, 1 / self.coupling)
        self.p_base, self.prevq = min(top, max(0.0, self.p_base + step)), curq

    def held(self):
        return sum(p["bytes"] for p in self.lq + self.cq)

    def arrive(self, now, packet):
        self.run_timers(now)
        if self.limit_packets is not None and len(self.lq) + len(self.cq) >= self.limit_packets:
            return "overflow"
        if self.limit_bytes is not None and self.held() + packet["bytes"] > self.limit_bytes:
            return "overflow"
        low_latency = packet["ecn"] in ("ect1", "ce") and self.ecn
        if self.low_latency_dscp is not None and packet.get("dscp", 0) == self.low_latency_dscp:
            low_latency = True
        if low_latency and self.queue_protection is not None:
            low_latency = not self.qprot.sanctions(now, packet, sum(p["bytes"] for p in self.lq))
        q = self.lq if low_latency else self.cq
        q.append({**packet, "arrived": now, "found": len(q)})
        return "pass"

    def scheduler(self):
        """Which queue is served, and by how much a byte that is sent moves the credit."""
        if not self.cq:
            return "l", 0
        if not self.lq:
            return "c", 0
        if "weighted" in self.schedule:
            share = self.schedule["weighted"]["classic_share"]
            return ("c", share - 1) if self.credit > 0 else ("l", share)
        shift = self.schedule["time_shifted"]["shift_ms"]
        # lq.time() + tshift >= cq.time()
        return ("l" if round(self.cq[0]["arrived"] + shift - self.lq[0]["arrived"], 6) >= 0 else "c"), 0

    def recur(self, q, likelihood):
        self.count[q] += likelihood
        if self.count[q] > 1:
            self.count[q] -= 1
            return True
        return False

    def laqm(self, now, packet):
        delay = Fraction(str(now)) - Fraction(str(packet["arrived"]))
        low = Fraction(self.ramp_from_us) / 1000
        width = Fraction(self.ramp_range_us) / 1000
        if delay >= low + width:
            return 1.0
        return float((delay - low) / width) if delay > low else 0.0

    def depart(self, now):
        self.run_timers(now)
        fates = []
        while self.lq or self.cq:
            q, change = self.scheduler()
            packet = (self.lq if q == "l" else self.cq).pop(0)
            p_c, p_cl = self.p_base**2, min(1.0, self.coupling * self.p_base)
            rests = self.spare_nearly_empty and self.held() < 2 * self.mtu_bytes
            fate = "sent"
            if q == "l":
                long = packet["found"] if self.length_tested_on == "arrival" else len(self.lq)
                if rests:
                    p_cl = 0.0
                if p_cl >= 1 and self.overload == "drop":
                    if self.recur("l", p_c):
                        fate = "early"
                    elif self.ecn and packet["ecn"] != "not_ect" and self.recur("l", p_cl):
                        fate = "mark"
                elif self.ecn and packet["ecn"] != "not_ect":
                    native = self.laqm(now, packet) if long > self.queue_length_packets else 0.0
                    if self.recur("l", max(native, p_cl)):
                        fate = "mark"
            elif not rests and self.recur("c", p_c):
                fate = (
                    "early"
                    if packet["ecn"] == "not_ect" or not self.ecn or p_c >= self.highest_marking
                    else "mark"
                )
            fates.append(fate)
            if fate != "early":
                self.credit += change * packet["bytes"]
                return "+".join(fates)
        # Appendix A.1, what Linux does beside the listing: an idle link gives the L queue its credit back.
        self.credit = self.first_credit
        return "+".join([*fates, "idle"])

    def seen(self):
        return {
            "base_probability": self.p_base,
            "accumulated_classic": self.count["c"],
            "accumulated_low_latency": self.count["l"],
            "classic_credit_bytes": self.credit,
            **({"redirected_packets": self.qprot.sanctioned} if self.queue_protection is not None else {}),
        }


class QProt:
    """RFC 9957, section 4, with T_RES = 1 ns."""

    ATTEMPTS, BI_SIZE, QLSCORE_MAX = 2, 5, 5_000_000_000
    NBUCKETS = 2**BI_SIZE

    def __init__(
        self, link_mbps, mtu, minth_us, range_us, critical_delay_us, critical_score_us=4000, aging_exponent=19
    ):
        self.ns_per_byte = Fraction(8000) / Fraction(str(link_mbps))
        self.aging = Fraction(2) ** (aging_exponent - 30)
        self.critical_ql = Fraction(critical_delay_us) * 1000
        self.critical_product = self.critical_ql * Fraction(critical_score_us) * 1000
        self.range = Fraction(range_us) * 1000
        self.minth = max(Fraction(minth_us) * 1000, 2 * mtu * self.ns_per_byte)
        self.buckets = [dict(id=None, t_exp=0) for _ in range(self.NBUCKETS + 1)]
        self.sanctioned = 0

    def sanctions(self, now_ms, packet, waiting):
        now = int(round(Fraction(str(now_ms)) * 1_000_000))
        qdelay = waiting * self.ns_per_byte
        bucket = self.buckets[self.pick_bucket(packet["flow"], now)]
        score = bucket["t_exp"] - now + self.prob_native(qdelay) * packet["bytes"] / self.aging
        score = min(score, self.QLSCORE_MAX)
        bucket["t_exp"] = int(now + score)
        sanctioned = (
            qdelay > self.critical_ql and qdelay * score > self.critical_product
        ) or score >= self.QLSCORE_MAX
        self.sanctioned += sanctioned
        return sanctioned

    def prob_native(self, qdelay):
        if qdelay >= self.minth + self.range:
            return 1
        return (qdelay - self.minth) / self.range if qdelay > self.minth else 0

    def pick_bucket(self, uflw, now):
        # The port's hash of a flow in these cases is its number.
        h32, hsav = uflw, self.NBUCKETS
        for _ in range(self.ATTEMPTS):
            h = h32 & (self.NBUCKETS - 1)
            if self.buckets[h]["id"] == uflw:
                self.buckets[h]["t_exp"] = max(self.buckets[h]["t_exp"], now)
                return h
            if hsav == self.NBUCKETS and self.buckets[h]["t_exp"] <= now:
                hsav = h
            h32 >>= self.BI_SIZE
        self.buckets[hsav]["t_exp"] = max(self.buckets[hsav]["t_exp"], now)
        self.buckets[hsav]["id"] = uflw
        return hsav


def pi2_cases():
    quick = dict(limit_packets=60, target_ms=2, update_interval_ms=5, alpha_hz=20, beta_hz=40)
    load = burst(0, 0.5, 60, depart_every=2) + drain(30.6, 0.8, 40) + [(75, "wait")]
    yield "the square of what the delay drives", Pi2, seed(131), dict(quick), load
    yield (
        "two coins in place of a square; a phase of the timer",
        Pi2,
        dict(TEN, seed=132, timer_phase=0.25),
        dict(quick, selection="two_coins"),
        load,
    )
    yield (
        "ECN: Classic packets by the square, scalable ones by twice the base; drops of all from a quarter on",
        Pi2,
        seed(133),
        dict(quick, ecn=True),
        burst(0, 0.5, 90, ecns=("ect0", "ect1", "not_ect", "ce"), depart_every=2) + drain(46.2, 0.8, 40),
    )
    yield (
        "ECN, and nobody is scalable; nothing is selected while less than two packets wait",
        Pi2,
        seed(134),
        dict(quick, ecn=True, scalable=False, spare_nearly_empty=True, highest_marking=1),
        burst(0, 0.5, 60, ecns=("ect1", "ce"), depart_every=2) + drain(30.6, 0.4, 40) + burst(50, 0.5, 12),
    )


def dualpi2_cases():
    quick = dict(limit_packets=80, target_ms=2, update_interval_ms=5, alpha_hz=5, beta_hz=20)
    # A packet leaves every 0.8 ms; Classic ones and scalable ones come at about half of that rate each, then
    # both more.
    calm = merged(
        packets(0, 1.7, [1] * 40, ecns=("not_ect", "ect0")),
        packets(0.3, 1.9, [2] * 40, ecns=("ect1",)),
        packets(0.35, 5.7, [3, 3] * 6, ecns=("ect1",)),
        packets(0.4, 5.7, [3] * 12, ecns=("ect1",)),
        drain(0.5, 0.8, 110),
    )
    busy = merged(
        packets(0, 0.8, [1] * 90, ecns=("not_ect", "ect0")),
        packets(0.3, 1, [2] * 70, ecns=("ect1", "ce")),
        drain(0.5, 0.8, 150),
    )
    yield "two queues that get along: marks by the ramp of the L queue", DualPi2, TEN, dict(quick), calm
    yield (
        "coupled: the C queue's delay marks the L queue, and drops or marks the C queue by the square",
        DualPi2,
        dict(TEN, timer_phase=0.5),
        dict(quick, alpha_hz=1, beta_hz=4),
        busy,
    )
    yield (
        "overload: the L queue's packets are dropped too, and nothing Classic is spared by a mark",
        DualPi2,
        TEN,
        dict(quick),
        merged(busy, packets(0.1, 1, [3] * 60, ecns=("ect1",))),
    )
    yield (
        "overload without drops: the probability stops where all of the L queue is marked, "
        "and the buffer overflows",
        DualPi2,
        TEN,
        dict(quick, overload="overflow", limit_packets=30),
        merged(busy, packets(0.1, 1, [3] * 60, ecns=("ect1",))),
    )
    yield (
        "as Linux: a step, a tenth for the C queue, lengths told on arrival, and a little backlog in peace",
        DualPi2,
        TEN,
        dict(
            quick,
            ramp_from_us=1000,
            ramp_range_us=0,
            queue_length_packets=0,
            length_tested_on="arrival",
            schedule={"weighted": {"classic_share": 0.1}},
            spare_nearly_empty=True,
        ),
        merged(calm, packets(0.15, 2.1, [4] * 20, sizes=(300,), ecns=("ect1",))),
    )
    yield (
        "first come, first served, with 5 ms ahead for the L queue; a limit in bytes",
        DualPi2,
        TEN,
        dict(quick, limit_bytes=24000, schedule={"time_shifted": {"shift_ms": 5}}),
        merged(busy, packets(0.15, 2.1, [4] * 20, sizes=(300, 1500), ecns=("ect1", "not_ect"))),
    )
    yield (
        "without ECN everything is Classic",
        DualPi2,
        TEN,
        dict(quick, ecn=False),
        merged(packets(0, 0.6, [1, 2] * 40, ecns=("ect1", "ce", "not_ect")), drain(0.5, 0.8, 90)),
    )
    yield from idle_credit_cases(quick)
    yield from bound_cases(quick)
    yield from low_latency_cases(quick)


def low_latency_cases(quick):
    def nqb(events):
        return [(*event, dict(dscp=45)) for event in events]

    # Not-ECT packets of DSCP 45 join the L queue: they are not marked, and are dropped in overload. Those of other DSCPs do not.
    gentle = merged(
        nqb(packets(0.2, 1.3, [5] * 50, sizes=(300,))),
        nqb(packets(0.25, 3.1, [6] * 20, sizes=(300,), ecns=("ect0", "ect1"))),
        [(*event, dict(dscp=46)) for event in packets(0.3, 2.9, [7] * 20, sizes=(300,))],
        packets(0, 1.1, [1] * 60, ecns=("not_ect", "ect0")),
        packets(0.35, 1.2, [2] * 50, ecns=("ect1",)),
    )
    yield (
        "DSCP 45 joins the L queue: what cannot be marked is let pass",
        DualPi2,
        TEN,
        dict(quick, alpha_hz=1, beta_hz=4, low_latency_dscp=45),
        merged(gentle, drain(0.5, 0.8, 130)),
    )
    yield (
        "DSCP 45 in overload: dropped with the others of the L queue; without ECN it is all of the L queue",
        DualPi2,
        TEN,
        dict(quick, low_latency_dscp=45),
        merged(gentle, packets(0.1, 1, [3] * 60, ecns=("ect1",)), drain(0.5, 0.8, 150)),
    )
    yield (
        "without ECN the DSCP alone tells",
        DualPi2,
        TEN,
        dict(quick, ecn=False, low_latency_dscp=45),
        merged(gentle, drain(0.5, 0.8, 120)),
    )
    # Flow 9 sends bursts, flow 41 has its first bucket (41 mod 32 = 9) and another one behind it (41 / 32 = 1), flow 1 has
    # both of them and shares the last bucket while they are taken.
    bursts = merged(
        *(packets(start, 0.2, [9] * 20, sizes=(1000,), ecns=("ect1",)) for start in (0, 30, 33, 60)),
        packets(0.05, 1.9, [41] * 40, sizes=(600,), ecns=("ect1",)),
        packets(0.15, 2.3, [1] * 40, sizes=(600,), ecns=("ce", "ect1")),
        packets(0.1, 4.1, [2] * 20, ecns=("ect0", "not_ect")),
    )
    protected = dict(quick, ramp_from_us=500, mtu_bytes=500, limit_packets=200)
    yield (
        "queue protection: a flow that sends bursts goes to the C queue, others stay",
        DualPi2,
        TEN,
        dict(protected, queue_protection=dict(critical_score_us=2000)),
        merged(bursts, drain(0.5, 0.8, 160)),
    )
    yield (
        "queue protection on a slow link: the ramp begins with two packets; scores age faster",
        DualPi2,
        dict(link_mbps=2),
        dict(
            protected,
            mtu_bytes=1500,
            queue_protection=dict(critical_delay_us=3000, critical_score_us=4000, aging_exponent=17),
        ),
        merged(bursts, drain(0.5, 2.4, 60)),
    )
    yield (
        "queue protection of DSCP 45",
        DualPi2,
        TEN,
        dict(
            protected,
            low_latency_dscp=45,
            queue_protection=dict(critical_delay_us=800, critical_score_us=1000),
        ),
        merged(nqb(packets(0, 0.3, [5] * 40, sizes=(1200,))), bursts, drain(0.5, 0.8, 200)),
    )


def idle_credit_cases(quick):
    # Twelve packets of the L queue, of half a full one each, move the credit by 0.25 * 6000 bytes; while the link is idle
    # it returns to 1500 * (0.25 - 0.75), so that the second burst is served as the first.
    twice = [
        event
        for start in (0, 40)
        for event in merged(
            packets(start, 0.1, [1] * 6, sizes=(1000,)),
            packets(start + 0.05, 0.1, [2] * 12, sizes=(500,), ecns=("ect1",)),
            drain(start + 2, 0.6, 20),
        )
    ]
    yield (
        "the credit begins anew when the link is idle",
        DualPi2,
        TEN,
        dict(quick, schedule={"weighted": {"classic_share": 0.25}}),
        twice,
    )


def bound_cases(quick):
    # Both queues have half of the link and get more than that: the L queue's own delay and the coupled likelihood both lie
    # between 0 and 1, and now the one is larger and now the other.
    yield (
        "the larger of the two likelihoods of the L queue: its own delay's and the coupled one",
        DualPi2,
        TEN,
        dict(
            quick,
            target_ms=1,
            alpha_hz=2,
            beta_hz=8,
            ramp_from_us=200,
            ramp_range_us=40000,
            schedule={"weighted": {"classic_share": 0.5}},
        ),
        merged(
            packets(0, 1.1, [1] * 60, ecns=("ect0",)),
            packets(0.3, 1.3, [2] * 60, ecns=("ect1",)),
            drain(0.5, 0.8, 130),
        ),
    )
    # With a coupling of 1 the base probability reaches 1, and with it both likelihoods, exactly.
    yield (
        "likelihoods of exactly 1 are an overload: drops before marks in the L queue, and no marks in the C queue",
        DualPi2,
        TEN,
        dict(quick, alpha_hz=1000, beta_hz=1000, coupling=1, highest_marking=1),
        merged(
            packets(0, 0.9, [1] * 50, ecns=("ect0",)),
            packets(0.3, 0.9, [2] * 50, ecns=("ect1",)),
            drain(0.5, 0.8, 110),
        ),
    )
