"""CHOKe once more, on RED of red.cc's order of steps; and its cases."""

from events import burst, drain, merged, packets, seed
from schemes import Red


class Choke(Red):
    name = "choke"
    draws_several = True
    columns = [*Red.columns, "draws"]
    defaults = {**Red.defaults, "regions": 1, "draws_in_region": "odd", "stop_at_first_match": False}

    def draws(self):
        low, high = self.min_th_packets, self.max_th_packets
        if self.avg < low:
            return 0
        region = self.regions - 1
        for i in range(self.regions):
            if self.avg < low + (i + 1) * (high - low) / self.regions:
                region = i
                break
        return 2 * region + 1 if self.draws_in_region == "odd" else 2 * (region + 1)

    def arrive(self, now, packet):
        self.chance, self.coins.last = None, None
        self.update_average(now)
        matched = set()
        for _ in range(self.draws() if self.queue else 0):
            place = self.coins.below(len(self.queue))
            if self.queue[place]["flow"] == packet["flow"]:
                matched.add(place)
                if self.stop_at_first_match:
                    break
        if matched:
            self.queue = [kept for place, kept in enumerate(self.queue) if place not in matched]
            return "+".join(["match"] * (1 + len(matched)))
        return super().arrive(now, packet)

    def on_arrival(self, now, packet):
        return self.decide(packet)

    def seen(self):
        return {**super().seen(), "draws": self.draws()}


SMALL = dict(
    limit_packets=16, min_th_packets=2, max_th_packets=10, w_q=0.25, max_p=0.2, mean_packet_bytes=1000
)
# Flow 1 sends every second packet, flows 2 to 5 the rest.
GREEDY = [1, 2, 1, 3, 1, 4, 1, 5]


def choke_cases():
    load = (
        merged(packets(0, 0.5, GREEDY * 8), drain(0.7, 1.1, 34))
        + drain(60, 0.5, 16)
        + packets(80.2, 0.5, GREEDY)
    )
    yield (
        "the basic scheme: one draw above min_th, and both packets of a match go",
        Choke,
        seed(81),
        dict(SMALL),
        load,
    )
    yield (
        "five regions with 1, 3, 5, 7 and 9 draws: every match goes",
        Choke,
        seed(82),
        dict(SMALL, regions=5, limit_packets=30, max_p=0.05),
        merged(packets(0, 0.4, GREEDY * 10), drain(0.7, 1.3, 30)),
    )
    yield (
        "the draws end with the first match",
        Choke,
        seed(83),
        dict(SMALL, regions=5, limit_packets=30, max_p=0.05, stop_at_first_match=True),
        merged(packets(0, 0.4, GREEDY * 10), drain(0.7, 1.3, 30)),
    )
    yield (
        "an even number of draws in each region; beyond max_th those of the last one",
        Choke,
        seed(84),
        dict(SMALL, regions=3, draws_in_region="even", max_th_packets=5, w_q=0.5, max_p=0.01),
        merged(packets(0, 0.4, [*range(1, 13)] * 5), drain(0.7, 1.3, 30)),
    )
    yield (
        "ECN: RED marks what does not match; a match is dropped though it could be marked",
        Choke,
        seed(85),
        dict(SMALL, ecn=True, ecn_rule="mark_always", gentle=False, max_th_packets=6),
        merged(packets(0, 0.5, GREEDY * 7, ecns=("ect0", "ect0", "not_ect")), drain(0.7, 1.2, 30)),
    )
    yield (
        "as ns-2's RED: the first packet in the region and nearly empty queues are spared by the coin, "
        "not by the draws",
        Choke,
        seed(86),
        dict(SMALL, spare_nearly_empty=True, spare_first_in_region=True, spacing="ns2_wait", idle="ns2"),
        burst(0, 0.5, 30, depart_every=2) + drain(16, 0.8, 16) + burst(30.1, 0.5, 16, depart_every=3),
    )
