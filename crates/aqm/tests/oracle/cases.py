"""The cases that are worked: title, scheme, facts of the port, parameters, and what happens when (ms)."""

from arc import arc_cases
from blue import blue_cases
from cake import cake_cases
from choke import choke_cases
from classes import htb_cases, prio_cases
from cobalt import cobalt_cases
from dualpi2 import dualpi2_cases, pi2_cases
from events import TEN, burst, drain, merged, packets, seed
from linux_fq import linux_fq_cases
from red_pd import red_pd_cases
from sfb import sfb_cases
from sfg import sfg_cases
from schemes import Ared, CoDel, DropTail, Fq, FqCoDel, Pi, Pie, Red, Rem


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


SMALL = dict(
    limit_packets=12, min_th_packets=2, max_th_packets=6, w_q=0.25, max_p=0.4, mean_packet_bytes=1000
)
NS2 = dict(spare_nearly_empty=True, spare_first_in_region=True)


def red_spacing_cases():
    yield (
        "geometric: the same chance at every arrival",
        Red,
        seed(1),
        dict(SMALL, spacing="geometric"),
        burst(0, 1, 26, depart_every=3),
    )
    yield (
        "classic, as in 1993: a coin for the first arrival above min_th, and missed samples after idle time",
        Red,
        seed(2),
        dict(SMALL),
        burst(0, 0.5, 16, depart_every=4) + drain(9, 0.8, 14) + burst(26.25, 0.5, 12),
    )
    # After a burst into a link that stands, 12 packets leave and the link is idle; what comes then comes before a packet's time.
    knock = drain(3.5, 0.1, 13) + burst(5, 0.3, 30)
    yield (
        "classic: what is dropped at an idle link does not stop its clock",
        Red,
        seed(24),
        dict(SMALL, gentle=False),
        burst(0, 0.1, 30) + knock,
    )
    yield (
        "as ns-2: what is dropped at an idle link begins its clock anew, and is a sample",
        Red,
        seed(24),
        dict(SMALL, gentle=False, idle="ns2"),
        burst(0, 0.1, 30) + knock,
    )
    yield (
        "as ns-2: silent for 1/p arrivals, then certain by 2/p; nearly empty and first arrivals are spared",
        Red,
        seed(3),
        dict(SMALL, **NS2, spacing="ns2_wait", idle="ns2", gentle=False, max_p=0.3),
        burst(0, 0.5, 22, depart_every=2) + drain(12, 0.8, 12) + burst(24.05, 0.5, 14, depart_every=3),
    )
    yield (
        "as ALTQ: forced drops above max_th, the idle rule with m - 1",
        Red,
        seed(4),
        dict(SMALL, **NS2, spacing="altq", idle="altq", gentle=False, limit_packets=9),
        burst(0, 0.5, 24, depart_every=4) + drain(13, 0.8, 14) + burst(40.1, 0.5, 8),
    )


def red_ecn_cases():
    yield (
        "ECN, marks below max_th: capable packets are dropped above it",
        Red,
        seed(5),
        dict(SMALL, spacing="altq", ecn=True),
        burst(0, 1, 30, ecns=("ect0", "ect0", "not_ect", "ect1"), depart_every=3),
    )
    yield (
        "ECN, mark_p: marks while the base probability is below 0.2; no forced region",
        Red,
        seed(6),
        dict(SMALL, spacing="geometric", ecn=True, ecn_rule="mark_p", mark_p=0.2, limit_packets=20),
        burst(0, 1, 34, ecns=("ect0",), depart_every=6),
    )
    yield (
        "ECN, mark_p of 1: marks on the whole gentle curve, and drops where the probability is 1",
        Red,
        seed(23),
        dict(
            SMALL,
            max_th_packets=3,
            w_q=0.9,
            spacing="geometric",
            ecn=True,
            ecn_rule="mark_p",
            mark_p=1,
            limit_packets=20,
        ),
        burst(0, 0.1, 16, ecns=("ect0",)) + drain(2, 0.1, 4) + burst(3, 0.1, 8, ecns=("ect0",)),
    )
    yield (
        "ECN, mark_until_forced: marks on the whole curve, drops beyond it",
        Red,
        seed(7),
        dict(
            SMALL,
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
            SMALL, spacing="geometric", ecn=True, ecn_rule="mark_always", max_th_packets=4, limit_packets=14
        ),
        burst(0, 1, 26, ecns=("ect0", "ect1", "not_ect"), depart_every=6),
    )


def red_size_cases():
    yield (
        "bytes in both senses: length over the mean packet, chances by size, the count in whole mean packets",
        Red,
        seed(9),
        dict(
            SMALL, limit_packets=30, spacing="classic", measure="bytes", scale_probability="mean", max_p=0.2
        ),
        burst(0, 1, 36, sizes=(1500, 40, 1000, 576), depart_every=4),
    )
    yield (
        "packets measured, chances by size over the largest packet, as in 1993",
        Red,
        seed(10),
        dict(SMALL, scale_probability="max", max_packet_bytes=1500, max_p=0.9),
        burst(0, 1, 40, sizes=(1500, 40, 576), depart_every=2),
    )


def red_guard_cases():
    yield (
        "a full queue restarts the count",
        Red,
        seed(11),
        dict(SMALL, limit_packets=5, max_th_packets=12),
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
                SMALL, w_q=0.05, min_th_packets=0.5, max_p=1, spacing="geometric", spare_nearly_empty=spare
            ),
            one_waits,
        )
    yield (
        "ECN, mark_p beyond the curve: selected with certainty and dropped as early, the first one spared",
        Red,
        seed(13),
        dict(
            SMALL,
            max_th_packets=2.5,
            w_q=0.9,
            gentle=False,
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
            SMALL,
            **NS2,
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
            SMALL,
            measure="bytes",
            w_q=0.05,
            min_th_packets=0.1,
            max_p=1,
            spacing="geometric",
            spare_nearly_empty=True,
        ),
        one_waits,
    )


QUICK = dict(
    limit_packets=30, min_th_packets=2, max_th_packets=8, w_q=0.2, interval_ms=10, mean_packet_bytes=1000
)


def ared_pace_cases():
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
        dict(QUICK, max_p=0.3, alpha=0.1),
        load,
    )
    yield (
        "another timer phase shifts the steps",
        Ared,
        dict(TEN, seed=21, timer_phase=0.25),
        dict(QUICK, max_p=0.3, alpha=0.1),
        load,
    )
    yield (
        "as ns-2: the first arrival after the interval steps, and only a step restarts the clock",
        Ared,
        dict(TEN, seed=22),
        dict(
            QUICK,
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


def ared_other_cases():
    rise = burst(0, 1, 36, ecns=("ect0", "not_ect"), depart_every=5)
    for frozen in (False, True):
        word = "keeps its first slope" if frozen else "follows max_p"
        yield (
            f"the gentle rise {word}",
            Ared,
            dict(TEN, seed=23),
            dict(
                QUICK,
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
        dict(QUICK, limit_packets=5, max_p=0.4),
        burst(0, 1, 40, depart_every=4),
    )
    steady = burst(0, 0.1, 5, ecns=("ect0",)) + burst(1, 2, 22, ecns=("ect0",), depart_every=1)
    yield (
        "as ns-2: after a time inside the band the first arrival outside it steps at once",
        Ared,
        dict(TEN, seed=26),
        dict(QUICK, adapt_on="arrivals", max_p=0.02, ecn=True, ecn_rule="mark_always"),
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
    yield (
        "the queue's growth for the rate: what is lost does not count",
        Rem,
        dict(TEN, seed=45),
        dict(quick, arrivals="queue_growth"),
        burst(0.1, 0.4, 32, depart_every=2) + drain(14, 1.5, 10),
    )
    yield (
        "the queue's growth in bytes, filtered, over longer intervals",
        Rem,
        dict(TEN, seed=46),
        dict(
            quick,
            arrivals="queue_growth",
            update_interval_ms=5,
            measure="bytes",
            scale_probability="mean",
            rate_filter_weight=0.5,
            limit_packets=30,
        ),
        burst(0.1, 0.4, 30, sizes=(1500, 40, 1000), depart_every=4) + drain(12.3, 1.5, 12),
    )


def codel_cases():
    short = dict(limit_packets=200, target_ms=2, interval_ms=10)
    # A packet a millisecond leaves; twice as many arrive, then none.
    overload = [event for n in range(60) for event in burst(n, 0.5, 2) + [(n + 0.7, "depart")]]
    mixed = [event for n in range(60) for event in burst(n, 0.5, 2, ecns=("ect0", "not_ect")) + [(n + 0.7, "depart")]]
    yield (
        "an episode: drops ever closer, then the queue drains",
        CoDel,
        TEN,
        dict(short),
        overload + drain(60.7, 0.6, 45),
    )
    yield (
        "several drops in one departure after a pause of the link",
        CoDel,
        TEN,
        dict(short),
        overload[:120] + drain(75, 1, 12) + burst(90, 0.5, 30) + drain(110.25, 0.9, 40),
    )
    yield (
        "another episode soon after: the count goes on",
        CoDel,
        TEN,
        dict(short),
        overload + drain(60.7, 0.4, 66) + [(t + 100, *rest) for t, *rest in overload],
    )
    yield (
        "ECN: capable packets are marked and delivered, others dropped",
        CoDel,
        TEN,
        dict(short, ecn=True),
        mixed + drain(60.7, 0.6, 30),
    )
    for ecn in (True, False):
        yield (
            f"ce_threshold with ecn = {str(ecn).lower()}: capable packets that waited longer than 1.2 ms are marked",
            CoDel,
            TEN,
            dict(short, ecn=ecn, ce_threshold_ms=1.2),
            mixed[:90] + drain(30.7, 0.6, 45),
        )
    yield (
        "ce_threshold of ECT(1) alone: others are marked where CoDel acts",
        CoDel,
        TEN,
        dict(short, ecn=True, ce_threshold_ms=1.2, ce_threshold_ecn="ect1"),
        [
            event
            for n in range(45)
            for event in burst(n, 0.5, 2, ecns=("ect0", "ect1") if n % 2 else ("ce", "not_ect")) + [(n + 0.7, "depart")]
        ]
        + drain(45.7, 0.6, 45),
    )
    yield (
        "nothing is dropped while no more than mtu_bytes stay behind",
        CoDel,
        TEN,
        dict(short, mtu_bytes=3000),
        burst(0, 0.5, 5) + [e for n in range(20) for e in [(5 + 3 * n, "depart"), (6 + 3 * n, "arrive", 1000, 1, "ect0")]],
    )


def pie_cases():
    quick = dict(limit_packets=60, target_ms=2, update_interval_ms=5, alpha_hz=20, beta_hz=40, max_burst_ms=10)
    load = burst(0, 0.5, 60, depart_every=2) + drain(30.6, 0.8, 40)
    yield "the allowance of a burst, then coins", Pie, seed(51), dict(quick), load
    yield (
        "steps as they are, without auto-tuning, and at most 0.02 from 0.1 on",
        Pie,
        seed(52),
        dict(quick, auto_tuning=False, cap_adjustment=True),
        load,
    )
    yield (
        "spread-out selections: none below 0.85, for certain above 8.5",
        Pie,
        seed(53),
        dict(quick, alpha_hz=60, beta_hz=100, derandomize=True, limit_packets=200),
        burst(0, 0.4, 120, depart_every=3) + drain(48.3, 0.8, 60),
    )
    yield (
        "ECN below the threshold, drops above",
        Pie,
        seed(54),
        dict(quick, ecn=True, mark_ecn_threshold=0.2),
        burst(0, 0.5, 60, ecns=("ect0", "not_ect"), depart_every=3) + drain(30.6, 0.8, 40),
    )
    yield (
        "the delay from the measured rate of departures",
        Pie,
        seed(55),
        dict(quick, latency="departure_rate", limit_packets=200),
        burst(0, 0.4, 120, sizes=(1500, 1000, 40), depart_every=2) + drain(48.3, 0.8, 40),
    )
    yield (
        "the delay from the rate of the link; sizes scale the probability, as in DOCSIS",
        Pie,
        seed(56),
        dict(quick, latency="link_rate", scale_probability="mean", mean_packet_bytes=1024, derandomize=True),
        burst(0, 0.5, 60, sizes=(1500, 40), depart_every=3) + drain(30.6, 0.8, 40),
    )
    yield (
        "active from a third of the limit until all is quiet",
        Pie,
        seed(57),
        dict(quick, activation_share=0.25),
        load + burst(120, 0.5, 30, depart_every=3),
    )


def fq_codel_turn_cases():
    two_long = packets(0, 0.1, [1, 2] * 8, sizes=(1500, 500))
    yield (
        "turns by bytes: a flow of short packets sends three for each long one",
        FqCoDel,
        TEN,
        dict(flows=64),
        two_long + drain(2, 1, 18),
    )
    yield (
        "a turn that ends below zero is one packet longer where the quantum is met",
        FqCoDel,
        TEN,
        dict(flows=64, quantum_bytes=1500, turn_ends="below_zero"),
        two_long + drain(2, 1, 18),
    )
    yield (
        "flows that send little go first, and come again as new only after they were old",
        FqCoDel,
        TEN,
        dict(flows=64),
        merged(
            packets(0, 0.1, [1] * 12, sizes=(1500,)),
            packets(2.5, 2, [2] * 5, sizes=(100,)),
            packets(3, 5, [3, 4], sizes=(1500, 40)),
            drain(2, 1, 24),
        ),
    )
    yield (
        "as Linux: a new queue that runs empty is at rest where no old one waits",
        FqCoDel,
        TEN,
        dict(flows=64, emptied_new_queue="becomes_old_behind_others"),
        merged(
            packets(0, 4, [1, 1, 1, 2, 1, 2], sizes=(1500, 100)),
            packets(8.5, 1, [3, 3, 3], sizes=(700,)),
            drain(1, 1.5, 20),
        ),
    )


def fq_codel_drop_cases():
    short = dict(flows=64, target_ms=2, interval_ms=10)
    # Flow 1 sends two packets a millisecond, flow 2 one in three; one in a millisecond leaves.
    unequal = merged(
        packets(0, 0.5, [1] * 100, ecns=("ect0", "not_ect")), packets(0.25, 3, [2] * 16, sizes=(400,)), drain(0.7, 1, 75)
    )
    yield "CoDel drops the packets of the flow whose queue stands", FqCoDel, TEN, dict(short, ecn=False), unequal
    yield "ECN is on: capable packets are marked and delivered", FqCoDel, TEN, dict(short), unequal
    yield (
        "packets that wait alone in their queues are dropped too where all queues together are not nearly empty",
        FqCoDel,
        TEN,
        dict(short, ecn=False, nearly_empty="all_queues"),
        merged(packets(0, 0.7, [*range(1, 9)] * 12), drain(0.7, 1, 80)),
    )
    yield (
        "a salt of its own sorts the flows otherwise",
        FqCoDel,
        dict(link_mbps=10, flow_salt=77),
        dict(short, flows=4),
        merged(packets(0, 0.4, [1, 2, 3, 4, 5] * 12), drain(0.5, 0.8, 70)),
    )


def fq_codel_overflow_cases():
    crowd = merged(packets(0, 0.5, [1, 1, 2, 1, 3] * 12, sizes=(1500, 400, 900)), drain(6, 1.6, 40))
    yield (
        "too many packets: four at most, and half of its bytes at most, from the head of the longest queue",
        FqCoDel,
        TEN,
        dict(flows=64, limit_packets=20, drop_batch_packets=4),
        crowd,
    )
    yield (
        "too many packets: one for one",
        FqCoDel,
        TEN,
        dict(flows=64, limit_packets=12, drop_batch_packets=1),
        crowd,
    )
    yield (
        "too many bytes; what was discarded counts for CoDel",
        FqCoDel,
        TEN,
        dict(flows=64, memory_limit_bytes=15000, count_overflows=True, target_ms=2, interval_ms=10, ecn=False),
        crowd + packets(75, 0.5, [1] * 40) + drain(95, 2, 30),
    )


def fq_codel_sorting_cases():
    crowd = [*range(1, 13), *range(1, 13)]
    for hash_name, meaning in (
        ("plain", "twelve flows in eight queues meet by chance"),
        ("set_associative", "eight flows of a set have queues of their own, the others share"),
    ):
        yield (
            meaning,
            FqCoDel,
            TEN,
            dict(flows=8, hash=hash_name),
            packets(0, 0.1, crowd) + drain(3, 1, 30) + packets(40, 0.1, [20, 21, 3, 4]) + drain(41, 1, 6),
        )
    yield (
        "sets of eight among many: a flow comes back to its queue",
        FqCoDel,
        TEN,
        dict(flows=32, hash="set_associative"),
        merged(packets(0, 0.5, crowd * 3), drain(0.2, 0.9, 90)),
    )
    yield (
        "two queues: one of those who mark at once, one of the others",
        FqCoDel,
        TEN,
        dict(flows=2, classify="codepoint", target_ms=2, interval_ms=10),
        merged(packets(0, 0.5, [1, 2, 3, 4] * 15, ecns=("ect0", "ect1", "not_ect", "ce")), drain(0.7, 0.9, 70)),
    )


def fq_cases():
    crowd = merged(packets(0, 0.5, [1, 1, 2, 1, 3] * 12), drain(1, 1.6, 60))
    yield "CoDel in each queue, unless another scheme is named", Fq, TEN, dict(flows=16), crowd
    yield (
        "a limit in each queue: arrivals that find theirs full are lost",
        Fq,
        TEN,
        dict(flows=16, inner=dict(scheme="drop-tail", limit_packets=4)),
        crowd,
    )
    yield (
        "RED in each queue: coins for the flow whose average is on the curve",
        Fq,
        seed(61),
        dict(flows=16, inner=dict(scheme="red", min_th_packets=2, max_th_packets=6, w_q=0.25, max_p=0.5, ecn=True)),
        merged(packets(0, 0.5, [1, 1, 2, 1, 3] * 12, ecns=("ect0", "not_ect")), drain(1, 1.6, 60)),
    )
    yield (
        "PI in each queue: timers of queues at rest run too",
        Fq,
        seed(62),
        dict(
            flows=16,
            inner=dict(scheme="pi", q_ref_packets=2, sampling_hz=200, gains=dict(fixed=dict(a=0.02, b=0.018))),
        ),
        merged(crowd, [(33, "wait"), (71, "wait")]) + packets(120, 0.5, [2, 3] * 12) + drain(133, 1, 26),
    )


def all_cases():
    """The cases of each scheme."""
    yield list(drop_tail_cases())
    yield [*red_spacing_cases(), *red_ecn_cases(), *red_size_cases(), *red_guard_cases()]
    yield [*ared_pace_cases(), *ared_other_cases()]
    yield list(pi_cases())
    yield list(rem_cases())
    yield list(codel_cases())
    yield list(pie_cases())
    yield [
        *fq_codel_turn_cases(),
        *fq_codel_drop_cases(),
        *fq_codel_overflow_cases(),
        *fq_codel_sorting_cases(),
    ]
    yield list(fq_cases())
    yield list(linux_fq_cases())
    yield list(blue_cases())
    yield list(choke_cases())
    yield list(arc_cases())
    yield list(sfg_cases())
    yield list(sfb_cases())
    yield list(red_pd_cases())
    yield list(pi2_cases())
    yield list(dualpi2_cases())
    yield list(cobalt_cases())
    yield list(cake_cases())
    yield list(prio_cases())
    yield list(htb_cases())
