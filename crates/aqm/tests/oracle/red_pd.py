"""RED-PD once more, from the order of steps in its authors' red-pd.cc, monitoring.tcl and helper.tcl; and its
cases.
"""

import math

from events import drain, merged, packets, seed
from schemes import Red
from sfg import Filtered


class Flow:
    def __init__(self):
        self.monitored, self.unresponsive, self.count = False, False, 0
        self.target, self.last_change, self.hist = 1.0, 0.0, []
        self.clear()

    def clear(self):
        self.barrivals = self.bdrops = self.pdrops = self.mon_bdrops = 0


class RedPd(Filtered):
    name = "red-pd"
    inner_schemes = (Red,)
    columns = [
        "monitored_flows",
        "unresponsive_flows",
        "regular_flows",
        "average_drop_rate",
        "next_detection_ms",
        "filter_probability_of_last_arrival",
    ]
    defaults = {
        **Red.defaults,
        "rtt_ms": 40.0,
        "lists": 5,
        "appearances": 3,
        "flows_per_list": 50,
        "first_detection_s": 10.1,
        "least_drop_rate": 0.001,
        "average_weight": 0.5,
        "least_hold_ms": 400,
        "history": "drops",
        "unresponsive_test": True,
        "unresponsive_penalty": 1,
        "spare_idle_link": False,
        "unmonitor_below": 0.005,
        "unmonitor_after_s": None,
        "largest_decrease": 0.05,
        "largest_increase": None,
    }

    def start(self):
        self.inner = {"scheme": "red", **{key: getattr(self, key) for key in {**self.shared, **Red.defaults}}}
        super().start()
        self.flows, self.high_dr_hist, self.avg_drop_rate, self.regular = {}, [], -1, []
        self.b_list, self.last_detect, self.last = [0.0] * self.lists, 0.0, None
        self.detect_at, self.reward_at = round(self.first_detection_s * 1000, 6), None

    def run_timers(self, now):
        while True:
            due = self.detect_at if self.reward_at is None else min(self.detect_at, self.reward_at)
            if due > now:
                break
            self.behind.run_timers(due)
            if due == self.reward_at:
                self.reward_at = None
                self.do_reward(due)
            else:
                self.do_detect(due)
                self.reward_at = round(due + 1, 6)
        self.behind.run_timers(now)

    def admit(self, now, packet):
        flow = self.last = self.flows.setdefault(packet["flow"], Flow())
        flow.barrivals += packet["bytes"]
        p = 1 - flow.target
        if not flow.monitored or p == 0:
            return None
        if flow.unresponsive:
            p = min(1.0, p * self.unresponsive_penalty)
        p = p / (1 - flow.count * p) if flow.count * p < 1 else 1.0
        qlen = len(self.behind.queue)
        applies = (not flow.unresponsive and self.behind.avg >= self.min_th_packets and qlen > 1) or (
            flow.unresponsive and (qlen > 1 or not self.spare_idle_link)
        )
        if self.toss(min(1.0, p)) and applies:
            flow.mon_bdrops += packet["bytes"]
            flow.bdrops += packet["bytes"]
            flow.pdrops += 1
            flow.count = 0
            return "filter"
        flow.count += 1
        return None

    def hear(self, packet, verdict):
        if verdict in ("early", "forced", "overflow") or (
            verdict == "mark" and self.history == "drops_and_marks"
        ):
            self.last.bdrops += packet["bytes"]
            self.last.pdrops += 1

    def do_detect(self, now):
        flows = self.flows.values()
        bdrops = sum(f.bdrops - f.mon_bdrops for f in flows)
        barrivals = sum(f.barrivals - f.mon_bdrops for f in flows)
        current = bdrops / barrivals if barrivals else 0.0
        if self.avg_drop_rate == -1:
            self.avg_drop_rate = current
        else:
            self.avg_drop_rate = (
                self.average_weight * current + (1 - self.average_weight) * self.avg_drop_rate
            )
        usable = min(current, self.avg_drop_rate)
        lost = {n: f.bdrops - f.mon_bdrops for n, f in self.flows.items() if f.bdrops - f.mon_bdrops > 0}
        self.high_dr_hist.append(dict(sorted(lost.items(), key=lambda item: -item[1])[: self.flows_per_list]))
        self.high_dr_hist = self.high_dr_hist[-self.lists :]
        self.regular = []
        for n in self.flows:
            found = [one[n] for one in self.high_dr_hist if n in one]
            if len(found) >= self.appearances:
                self.regular.append((n, sum(found)))
        if current > self.least_drop_rate:
            average = sum(drops for _, drops in self.regular) / len(self.regular) if self.regular else -1
            for n, drops in self.regular:
                self.punish(now, self.flows[n], usable, usable * drops / average)
        self.detect_at = round(now + self.calculate_b(), 6)
        self.last_detect = now
        for f in flows:
            f.clear()

    def punish(self, now, flow, usable, pre_drop_rate):
        if round(now - flow.last_change, 6) < self.min_last_change(4) or flow.bdrops == 0:
            return
        if flow.monitored:
            old = 1 - flow.target
            if not flow.unresponsive and self.unresponsive_test and self.check_unresponsive(flow):
                flow.unresponsive = True
            times = 3 if flow.unresponsive else 2
            new = times * old if pre_drop_rate > old else old + (times - 1) * pre_drop_rate
            if self.largest_increase is not None:
                new = min(new, old + self.largest_increase)
            flow.target = 1 - new if new <= 1 else flow.target / times
        else:
            flow.monitored, flow.target = True, max(0.5, 1 - min(pre_drop_rate, 2 * usable))
            flow.count = 0
        flow.last_change = now
        elapsed = (now - self.last_detect) / 1000
        flow.hist.append((flow.barrivals / elapsed, flow.bdrops / flow.barrivals))
        flow.hist = flow.hist[-5:]

    def check_unresponsive(self, flow):
        good = bad = 0
        for bw1, p1 in flow.hist:
            for bw2, p2 in flow.hist:
                if p1 < p2 and p1 / p2 > 0.1:
                    if bw2 / bw1 > math.sqrt(p1 / p2):
                        bad += 1
                    else:
                        good += 1
        return (good == 0 and bad >= 3) or (good == 1 and bad >= 4) or (good >= 2 and bad >= 4 * good)

    def calculate_b(self):
        if self.avg_drop_rate == 0:
            return 10 * self.rtt_ms
        b = self.appearances / self.lists * self.rtt_ms / math.sqrt(1.5 * self.avg_drop_rate)
        b = max(2 * self.rtt_ms, min(10 * self.rtt_ms, b))
        self.b_list = [*self.b_list[1:], b]
        return b

    def min_last_change(self, count):
        return round(max(self.least_hold_ms, sum(self.b_list[-count:])), 6)

    def do_reward(self, now):
        for n, flow in self.flows.items():
            if not flow.monitored or any(n in one for one in self.high_dr_hist):
                continue
            hold = self.min_last_change(5 if flow.unresponsive else 3)
            if self.unmonitor_after_s is not None:
                hold = self.unmonitor_after_s * 1000
            if round(now - flow.last_change, 6) < hold:
                continue
            p, step, least = 1 - flow.target, self.largest_decrease, self.unmonitor_below
            low, divisor, threshold = (
                (1.5 * step, 1.5, least / 2) if flow.unresponsive else (2 * step, 2, least)
            )
            if p <= threshold:
                flow.monitored, flow.unresponsive, flow.target, flow.hist = False, False, 1.0, []
            else:
                flow.target = 1 - (p - step if p > low else p / divisor)
            flow.last_change = now

    def seen(self):
        monitored = [f for f in self.flows.values() if f.monitored]
        return {
            "monitored_flows": len(monitored),
            "unresponsive_flows": sum(f.unresponsive for f in monitored),
            "regular_flows": len(self.regular),
            "average_drop_rate": max(0, self.avg_drop_rate),
            "next_detection_ms": self.detect_at,
            "filter_probability_of_last_arrival": 1 - self.last.target if self.last else 0,
        }


def red_pd_cases():
    quick = dict(
        limit_packets=30, min_th_packets=2, max_th_packets=8, w_q=0.1, max_p=0.3, mean_packet_bytes=1000,
        rtt_ms=2, first_detection_s=0.02, least_hold_ms=4,
    )  # fmt: skip
    # Flow 1 sends 5 of every 6 packets, twice what leaves, until 150 ms; then little.
    load = merged(
        packets(0, 0.6, [1] * 250),
        packets(0.3, 3, [2, 3] * 25),
        drain(0.7, 1, 175),
        packets(155, 10, [1, 2, 3] * 15),
    )
    later = drain(178, 5, 84)
    yield (
        "a flow that loses most is identified, and loosened and released when it is in no list",
        RedPd,
        seed(121),
        dict(quick),
        merged(load, later),
    )
    yield (
        "a flow that sends on at any drop rate is unresponsive, and punished harder",
        RedPd,
        seed(122),
        dict(quick, unresponsive_penalty=1.1, spare_idle_link=True, max_p=0.1, largest_increase=0.1),
        merged(
            packets(0, 0.15, [1] * 1000),
            packets(0.31, 3, [2, 3] * 25),
            drain(0.7, 1, 170),
            [(300, "wait"), (420, "wait")],
        ),
    )
    yield (
        "the literal readings: a step of 0.05 at most, and no release before 60 ms",
        RedPd,
        seed(123),
        dict(quick, largest_increase=0.05, unmonitor_after_s=0.06, unresponsive_test=False),
        merged(load, later),
    )
    yield (
        "with ECN, marks count as drops",
        RedPd,
        seed(124),
        dict(
            quick, ecn=True, ecn_rule="mark_until_forced", history="drops_and_marks", lists=4, appearances=2
        ),
        merged(
            packets(0, 0.6, [1] * 200, ecns=("ect0",)),
            packets(0.3, 3, [2, 3] * 20, ecns=("ect0", "not_ect")),
            drain(0.7, 0.9, 150),
        ),
    )
    yield (
        "lists of two flows, bytes in every sense",
        RedPd,
        seed(125),
        dict(quick, flows_per_list=2, measure="bytes", scale_probability="mean", max_p=0.6),
        merged(packets(0, 0.5, [1, 2, 3, 1, 4] * 50, sizes=(1500, 1000, 600)), drain(0.7, 1, 140)),
    )
