"""Linux's spelling of queue disciplines: words, units, pasted lines, refusals."""

from __future__ import annotations

import random
import re
import tomllib
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import aqmlab
from aqmlab.comparison import configurations
from aqmlab.errors import ComparisonError, ScenarioError
from aqmlab.load.parametrized_scheme import ParametrizedScheme, labels_of
from aqmlab.load.queues import Queues, parameters_of_scheme
from aqmlab.show.words.linux_words import linux_words, meaning, read_in_words
from aqmlab.study.tuning.space import space_of
from aqmlab.traffic_control import DISCIPLINES, REFUSED, is_linux, queues_of_sqm, read
from aqmlab.traffic_control.red import weight
from aqmlab.traffic_control.units import RATE, SIZE, TIME
from small import BULK

NEEDED = {"red": " limit 400000 avpkt 1000", "choke": " limit 1000 bandwidth 10Mbit"}
"""What `tc` asks for, of disciplines that have no default of it."""
ARGUMENTS = {
    "VALUE/MASK": "0x1/0x3",
    "RATE": "8Mbit",
    "TIME": "10ms",
    "SECONDS": "10",
    "MILLISECONDS": "3000000",
    "PERCENT": "10%",
    "PROBABILITY": "0.5",
    "GAIN": "0.3",
    "TIME|PACKETS": "1ms",
    "VALUE": "early_drop",
}
OF_WORDS = {
    "coupling_factor": "2",
    "overhead": "44",
    "mpu": "84",
    "total_overhead": "44",
    "hard_header_len": "14",
    "alpha": "8",
    "beta": "16",
    "burst": "300",
    "avpkt": "1000",
    "depth": "60",
    "db": "40000",
    "bands": "3",
    "priomap": "1",
}
OF_RED = {"limit": "900000", "min": "8000", "max": "300000"}
OF_CHOKE = {"min": "20", "max": "300"}


def queue_of(text: str) -> dict[str, Any]:
    """The queue that a scenario gets, as the engine has it."""
    scenario = aqmlab.Scenario.from_toml(BULK, overrides={"dumbbell.rate_mbps": 1000.0})
    made = Queues.of(scenario).with_scheme(scenario, text)
    return {key: value for key, value in made.resolved["dumbbell"]["queue"].items() if value is not None}


def every_word() -> list[str]:
    lines = []
    for name, discipline in DISCIPLINES.items():
        special = {"red": OF_RED, "choke": OF_CHOKE}.get(name, {})
        for word, its in discipline.words.items():
            unit = its.argument
            said = [word]
            if unit is not None:
                known = special.get(word) or OF_WORDS.get(word) or ARGUMENTS.get(unit.name, "512")
                said += [known] * its.arguments
            lines.append(f"{name}{NEEDED.get(name, '')} {' '.join(said)}")
    return lines


# --- words ---


@pytest.mark.parametrize("line", every_word())
def test_every_word_reaches_a_queue_that_the_engine_takes(line: str) -> None:
    line += " bandwidth 5Mbit" if line == "cake autorate-ingress" else ""
    assert is_linux(line)
    queue = read(line)
    assert queue.scheme in aqmlab._core.scheme_names()
    legal = parameters_of_scheme(queue.scheme)
    assert {key.partition(".")[0] for key in queue.parameters} <= legal.keys()
    taken = queue_of(line)
    for key, value in queue.parameters.items():
        if isinstance(value, int | float | str) and "." not in key:
            assert taken[key] == value, key
    first_word = line.removeprefix(queue.name).removeprefix(NEEDED.get(queue.name, "")).split()[0]
    word = DISCIPLINES[queue.name].words[first_word]
    assert meaning(word)
    if word.remark:
        assert f"{queue.name}: {first_word} is not modelled: {word.remark}" in queue.remarks


def test_cake_of_linux() -> None:
    plain = read("cake bandwidth 10Mbit besteffort nat").parameters
    # Until an overhead is given, Linux counts the 14 bytes of an Ethernet header.
    assert plain == {
        "isolation": "triple",
        "tins": "besteffort",
        "interval_ms": 100.0,
        "target_ms": 5.0,
        "mtu_bytes": 1514,
        "limit_packets": 10240,
        "memory_limit_bytes": 4 << 20,
        "rate_mbps": 10.0,
        "overhead_bytes": 14,
    }
    assert read("cake bandwidth 10Mbit besteffort nat").remarks == ()
    assert "rate_mbps" not in read("cake nat").parameters
    assert "rate_mbps" not in read("cake bandwidth 5Mbit unlimited").parameters
    assert "rate_mbps" not in read("cake bandwidth unlimited").parameters


@pytest.mark.parametrize(
    ("words", "overhead", "minimum", "framing"),
    [
        ("", 14, 0, "none"),
        ("raw", 14, 0, "none"),
        ("raw overhead 0", 14, 0, "none"),
        ("noatm overhead 0", 0, 0, "none"),
        ("overhead -4", -4, 0, "none"),
        ("atm", 14, 0, "atm"),
        ("mpu 64", 14, 64, "none"),
        ("overhead 44 mpu 96", 44, 96, "none"),
        ("conservative", 48, 0, "atm"),
        ("docsis", 18, 64, "none"),
        ("ethernet", 38, 84, "none"),
        ("ethernet ether-vlan ether-vlan", 46, 84, "none"),
        ("pppoe-ptm ether-vlan", 34, 0, "ptm"),
        ("bridged-ptm", 22, 0, "ptm"),
        ("pppoe-vcmux", 32, 0, "atm"),
        ("pppoe-llcsnap", 40, 0, "atm"),
        ("pppoa-vcmux", 10, 0, "atm"),
        ("pppoa-llc", 14, 0, "atm"),
        ("bridged-vcmux", 24, 0, "atm"),
        ("bridged-llcsnap", 32, 0, "atm"),
        ("ipoa-vcmux", 8, 0, "atm"),
        ("ipoa-llcsnap", 16, 0, "atm"),
        # A number replaces what keywords before it have added.
        ("docsis overhead 22", 22, 64, "none"),
    ],
)
def test_framings_are_in_bytes(words: str, overhead: int, minimum: int, framing: str) -> None:
    queue = queue_of(f"cake bandwidth 8Mbit {words}")
    found = (queue["overhead_bytes"], queue["minimum_frame_bytes"], queue["framing"])
    assert found == (overhead, minimum, framing)


@pytest.mark.parametrize(
    ("words", "interval_ms", "target_ms"),
    [
        ("", 100, 5),
        ("rtt 50ms", 50, 2.5),
        ("rtt 20000", 20, 1),
        ("datacentre", 0.1, 0.005),
        ("lan", 1, 0.05),
        ("metro", 10, 0.5),
        ("regional", 30, 1.5),
        ("oceanic", 300, 15),
        ("satellite", 1000, 50),
        ("rtt 50ms lan", 1, 0.05),
        ("lan rtt 50ms", 50, 2.5),
    ],
)
def test_a_round_trip_is_an_interval_and_a_twentieth_of_it(
    words: str, interval_ms: float, target_ms: float
) -> None:
    queue = read(f"cake {words}".strip() if words else "cake nat")
    assert (queue.parameters["interval_ms"], queue.parameters["target_ms"]) == (interval_ms, target_ms)


def test_a_faster_cake_has_a_longer_buffer() -> None:
    # Four times 1 Gbit/s in 100 ms are 50 MB, beyond 10,240 packets of 1,514 bytes; of 200 Mbit/s 10 MB.
    assert read("cake bandwidth 1gbit").parameters["memory_limit_bytes"] == 10_240 * 1_514
    assert read("cake bandwidth 200mbit").parameters["memory_limit_bytes"] == 10_000_000
    assert read("cake bandwidth 200mbit memlimit 2Mb").parameters["memory_limit_bytes"] == 2 << 20


def test_hosts_and_marks_are_remarked_on_where_linux_would_tell_them_apart() -> None:
    def told(line: str) -> str:
        return " ".join(read(line).remarks)

    assert "nonat, which is the default" in told("cake bandwidth 5Mbit dual-srchost")
    assert "nonat is not modelled" in told("cake nonat")
    assert "nat" not in told("cake flows besteffort")
    assert told("cake nat") == ""
    assert told("cake nat wash") == ""
    assert [read(f"cake {word}").parameters.get("wash") for word in ("nat", "wash", "wash nowash")] == [
        None,
        True,
        False,
    ]
    assert told("cake besteffort nat egress nowash no-ack-filter split-gso") == ""


def test_tins_filter_and_ingress_are_those_of_linux() -> None:
    def keys(line: str) -> dict[str, Any]:
        names = ("tins", "ack_filter", "ingress", "autorate_ingress")
        queue = queue_of(line)
        return {name: queue[name] for name in names}

    none = {"tins": "diffserv3", "ack_filter": "none", "ingress": False, "autorate_ingress": False}
    # tc-cake(8): diffserv3 is the default, diffserv another name of diffserv4; the last word counts.
    assert keys("cake bandwidth 5Mbit nat") == none
    assert keys("cake bandwidth 5Mbit diffserv3 besteffort") == {**none, "tins": "besteffort"}
    assert keys("cake diffserv nat") == {**none, "tins": "diffserv4"}
    assert keys("cake diffserv8") == {**none, "tins": "diffserv8"}
    assert keys("cake precedence ack-filter ingress") == {
        "tins": "precedence",
        "ack_filter": "conservative",
        "ingress": True,
        "autorate_ingress": False,
    }
    assert keys("cake ack-filter-aggressive no-ack-filter ingress egress") == none
    assert keys("cake ack-filter-aggressive") == {**none, "ack_filter": "aggressive"}
    follows = {**none, "autorate_ingress": True}
    assert keys("cake bandwidth 5Mbit autorate-ingress") == follows
    assert keys("cake autorate-ingress bandwidth 5Mbit") == none


def test_ce_threshold_is_that_of_linux() -> None:
    assert queue_of("fq_codel ce_threshold 1ms")["ce_threshold_ms"] == 1.0
    assert queue_of("codel ce_threshold 500us noecn")["ce_threshold_ms"] == 0.5
    assert queue_of("fq_codel").get("ce_threshold_ms") is None


@pytest.mark.parametrize(
    ("selector", "concerned", "remarked"),
    [
        ("0x1/0x3", "ect1", False),
        ("1/3", "ect1", False),
        # ECT(1) and CE, which stays CE: as of PAM 2025.
        ("0x01/0x01", "ect1", False),
        ("0/0", "any", False),
        ("0x2/0x3", "any", True),
        ("0x20/0xfc", "any", True),
    ],
)
def test_a_ce_threshold_of_ect1_alone_has_its_selector(selector: str, concerned: str, remarked: bool) -> None:
    """tc-fq_codel(8): a packet is marked whose DS field is the value where the mask has ones."""
    line = f"fq_codel ce_threshold 1ms ce_threshold_selector {selector}"
    assert queue_of(line)["ce_threshold_ecn"] == concerned
    remarks = read(line).remarks
    assert any("not modelled" in each for each in remarks) == remarked, remarks
    alone = read(f"fq_codel ce_threshold_selector {selector}")
    assert "fq_codel: ce_threshold_selector changes nothing without ce_threshold" in alone.remarks


def test_fq_of_linux_is_not_the_scheme_of_that_name() -> None:
    """What `tc` prints of a new one on Ethernet (iproute2 6.1): the defaults of tc-fq(8)."""
    shown = (
        "qdisc fq 8001: dev eth0 root refcnt 2 limit 10000p flow_limit 100p buckets 1024 orphan_mask 1023 "
        "quantum 3028b initial_quantum 15140b low_rate_threshold 550Kbit refill_delay 40ms timer_slack 10us "
        "horizon 10s horizon_drop"
    )
    queue = read(shown)
    assert queue.scheme == "linux-fq"
    assert queue.parameters == {**read("tc qdisc add dev eth0 root fq").parameters}
    resolved = queue_of(shown)
    own = queue_of("linux-fq:limit_packets=10000")
    assert resolved == own
    assert [each for each in queue.remarks if "own machine" in each]
    single = queue_of("fq limit 42 flow_limit 42 orphan_mask 0 ce_threshold 5ms")
    assert (single["limit_packets"], single["flow_limit_packets"], single["flows"]) == (42, 42, 1)
    assert single["ce_threshold_ms"] == 5.0
    assert queue_of("fq orphan_mask 255 maxrate 1Mbit")["flows"] == 256
    assert queue_of("fq orphan_mask 0xffff")["flows"] == 65_536
    for too_many in ("0x1ffff", "131071", "99999999999", "-1"):
        with pytest.raises(ScenarioError, match=rf"orphan_mask {too_many}; legal: .* \(1 to 65536 flows\)"):
            read(f"fq orphan_mask {too_many}")
    assert "maxrate is not modelled" in read("fq maxrate 1Mbit").remarks[0]
    assert queue_of("fq")["scheme"] == "fq"


def test_fq_codel_of_linux_is_the_kernels_algorithm() -> None:
    queue = queue_of("fq_codel limit 1001 target 14ms")
    assert {key: queue[key] for key in ("limit_packets", "target_ms", "interval_ms", "quantum_bytes")} == {
        "limit_packets": 1001,
        "target_ms": 14.0,
        "interval_ms": 100.0,
        "quantum_bytes": 1514,
    }
    assert (queue["mtu_bytes"], queue["emptied_new_queue"]) == (1514, "becomes_old_behind_others")
    assert (queue["count_overflows"], queue["nearly_empty"]) == (True, "all_queues")
    assert queue["ecn"] is True
    assert queue_of("fq_codel noecn")["ecn"] is False
    assert queue_of("fq_codel")["limit_packets"] == 10_240


def test_gains_of_pie_are_sixteenths() -> None:
    queue = queue_of("pie limit 500 target 20ms alpha 4 beta 32 ecn bytemode")
    assert (queue["alpha_hz"], queue["beta_hz"], queue["target_ms"], queue["ecn"]) == (0.25, 2.0, 20.0, True)
    assert (queue["derandomize"], queue["scale_probability"]) == (True, "max")
    assert (queue["high_delay_step"], queue["largest_probability"]) == (True, 256.0)
    inner = queue_of("fq_pie ecn_prob 15 flows 64 ecn")["inner"]
    assert (inner["mark_ecn_threshold"], inner["ecn"], inner["alpha_hz"]) == (0.15, True, 0.125)


def test_red_measures_bytes_and_weighs_by_its_burst() -> None:
    # The example of the manual page: 56 - 30 = 26 is at most (1 - (31/32)^55)·32 = 26.4, above 15.5 for 1/16.
    queue = queue_of("red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn bandwidth 10Mbit")
    assert (queue["min_th_packets"], queue["max_th_packets"], queue["w_q"]) == (30.0, 90.0, 1 / 32)
    assert (queue["measure"], queue["gentle"], queue["max_p"]) == ("bytes", False, 0.02)
    assert (queue["ecn"], queue["ecn_rule"]) == (True, "mark_always")
    harddrop = queue_of("red limit 400000 avpkt 1000 harddrop ecn probability 0.1")
    # A quarter and a twelfth of the limit; the burst is 5/9 of max, in packets.
    assert (harddrop["max_th_packets"], round(harddrop["min_th_packets"], 3)) == (100.0, 33.333)
    assert (harddrop["ecn_rule"], harddrop["max_p"]) == ("mark_below_max_th", 0.1)
    # A burst of min is just enough: 1 is at most (1 - 2^-30)·2.
    assert weight(30.0, 30) == 0.5
    assert weight(30.0, 29) is None


def test_dualpi2_takes_gains_from_round_trips() -> None:
    queue = queue_of("dualpi2 max_rtt 90ms typical_rtt 15ms coupling_factor 4 step_thresh 2ms")
    # tupdate = min(15, 90/3) ms; alpha = 0.1·15 ms/(90 ms)², beta = 0.3/90 ms.
    assert (queue["target_ms"], queue["update_interval_ms"]) == (15.0, 15.0)
    assert (round(queue["alpha_hz"], 4), round(queue["beta_hz"], 4)) == (0.1852, 3.3333)
    assert (queue["coupling"], queue["highest_marking"], queue["ramp_from_us"]) == (4.0, 1 / 16, 2000.0)


def test_fair_queues_and_fifos() -> None:
    sfq = queue_of("sfq limit 3000 divisor 16384 depth 100 quantum 1590")
    assert (sfq["limit_packets"], sfq["flows"], sfq["quantum_bytes"]) == (3000, 16384, 1590)
    assert (sfq["inner"]["scheme"], sfq["inner"]["limit_packets"]) == ("drop-tail", 100)
    assert queue_of("pfifo limit 100")["limit_packets"] == 100
    assert queue_of("bfifo limit 32k")["limit_bytes"] == 32_768
    assert queue_of("pfifo_fast")["limit_packets"] == 1000


# --- units ---


@pytest.mark.parametrize(
    ("said", "bits"),
    [
        ("18Mbit", 18e6),
        ("18mbit", 18e6),
        ("9500kbit", 9.5e6),
        ("9.5Mbit", 9.5e6),
        ("1Gbit", 1e9),
        ("64Kibit", 65_536),
        ("1Mibit", 1_048_576),
        ("1000000", 1e6),
        ("1mbps", 8e6),
        ("100kbps", 8e5),
        ("1KiBps", 8_192),
        ("1e3kbit", 1e6),
    ],
)
def test_rates(said: str, bits: float) -> None:
    assert RATE.read(said) == bits


@pytest.mark.parametrize(
    ("said", "us"),
    [
        ("5ms", 5e3),
        ("5msec", 5e3),
        ("1s", 1e6),
        ("2secs", 2e6),
        ("300us", 300),
        ("300usec", 300),
        ("300", 300),
    ],
)
def test_times(said: str, us: float) -> None:
    assert TIME.read(said) == us


@pytest.mark.parametrize(
    ("said", "of_bytes"),
    [
        ("1514", 1514),
        ("1514b", 1514),
        ("32k", 32_768),
        ("32kb", 32_768),
        ("4Mb", 4 << 20),
        ("4m", 4 << 20),
        ("32kbit", 4096),
        ("1Mbit", 131_072),
        ("1g", 1 << 30),
    ],
)
def test_sizes(said: str, of_bytes: int) -> None:
    assert SIZE.read(said) == of_bytes


@pytest.mark.parametrize("said", ["", "M", "18Mb", "18 Mbit", "-1Mbit", "1e999Mbit", "nan", "inf", "１Mbit"])
def test_what_is_no_rate(said: str) -> None:
    assert RATE.read(said) is None


# --- refusals ---


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "cake bandwith 18Mbit",
            (
                r'^cake: "bandwith" is no word of Linux\'s cake; did you mean "bandwidth"\? '
                r"\(legal: aqmlab explain cake --linux\)$"
            ),
        ),
        ("codel limt 100", r'did you mean "limit"\? \(legal: limit, target, interval, ecn, noecn, ce_thr'),
        ("fq_codel target_ms=20", r'did you mean "target"\?'),
        ("cake bandwidth", "^cake: bandwidth: RATE is missing; legal: bandwidth and a rate such as 18Mbit"),
        ("cake bandwidth nat", "bandwidth: RATE is missing"),
        ("cake bandwidth 18Mb", r'bandwidth 18Mb; did you mean "18Mbit"\?'),
        (
            "cake bandwidth 18",
            r"bandwidth: 18 bit/s \(a bare number counts bits per second\); legal: 1kbit or",
        ),
        ("cake bandwidth 95%", "bandwidth 95%: a share, and no rate; legal: a rate"),
        ("cake rtt fast", "rtt fast; legal: a time such as 5ms"),
        ("cake overhead 300", "overhead 300; legal: whole bytes from -64 to 256"),
        (
            "cake autorate-ingress",
            "autorate-ingress: no rate to begin with; legal: bandwidth RATE",
        ),
        ("red limit 400000", "red: avpkt is missing, which tc asks for"),
        ("choke limit 100", "choke: bandwidth is missing"),
        ("red limit 400000 min 90000 max 30000 avpkt 1000", "red: min and max: 90 and 30 packets"),
        (
            "red limit 400000 min 30000 max 90000 avpkt 1000 burst 5",
            "burst: 5 does not fit min; legal: 31",
        ),
        ("red limit 400000 avpkt 0", "avpkt: 0; legal: a size such as 1000"),
        ("dualpi2 step_thresh 5pkt", "step_thresh 5pkt; legal: a time"),
        ("dualpi2 coupling_factor 0", "coupling_factor: 0"),
        (
            "tbf rate 220kbit latency 50ms burst 1540",
            r"tbf: a shaper, .* legal: shaper = \{ rate_mbps = 0.22, burst_bytes = 1540 \} in a link",
        ),
        ("htb default 10", r"htb: a shaper.*rate_mbps = \.\.\. \}"),
        ("fq flow_limit", "fq: flow_limit: PACKETS is missing"),
        ("fq_codel ce_threshold_selector 1", "ce_threshold_selector 1; legal: a byte and its mask"),
        ("fq_codel ce_threshold_selector 0x1/0x100", "ce_threshold_selector 0x1/0x100; legal: a byte"),
        ("noqueue", "noqueue: a device without a queue"),
        ("tc qdisc del dev eth0 root", "qdisc del: sets no queue"),
        ("tc -s qdisc show dev eth0", "qdisc show: sets no queue"),
        ("tc qdisc add dev eth0 root", "names no queue discipline"),
        ("tc qdisc install dev eth0 root cake", "no verb that sets a queue; legal: add, replace"),
        ("tc", "no command that sets a queue"),
        (
            "tc qdisc add dev eth0 root sfq\ntc qdisc add dev eth1 root sfq",
            "tc: several lines; legal: one line",
        ),
        ("tc qdisc add dev eth0 root fq_codle", r'did you mean "fq_codel"'),
    ],
)
def test_what_is_wrong_is_named_with_what_is_legal(line: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message) as found:
        read(line)
    assert found.value.legal


def test_what_stands_around_a_line_is_remarked_on_where_it_matters() -> None:
    assert read("tc qdisc replace dev eth0 root sfq depth 9").words == ("sfq", "depth 9")
    assert "change keeps what the queue had" in read("tc qdisc change dev eth0 root codel limit 9").remarks[0]
    assert (
        "stab is not modelled"
        in read("tc qdisc add dev e root stab overhead 4 mpu 9 codel limit 9").remarks[0]
    )
    # What tc prints below a queue is no second line.
    assert read("qdisc codel 1: dev e root limit 9p\n Sent 5 bytes 2 pkt\n backlog 0b").words[1] == "limit 9p"


def test_rates_that_are_easily_mistaken_are_remarked_on() -> None:
    assert (
        "cake: bandwidth 20mbps is bytes per second in tc: 160 Mbit/s"
        in read("cake bandwidth 20mbps").remarks
    )
    bare = read("cake bandwidth 18000").remarks
    assert "cake: bandwidth 18000 without a unit is bits per second in tc: 0.018 Mbit/s" in bare


@pytest.mark.parametrize("name", REFUSED)
def test_every_refused_name_has_a_reason(name: str) -> None:
    with pytest.raises(ScenarioError, match=f"^{name}: [^;]+; legal: ."):
        read(f"tc qdisc add dev eth0 root {name}")
    assert name in linux_words(name)


# --- lines as people post them ---

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "linux-words.md"
LINES = Path(__file__).with_name("tc_lines.txt")


def posted() -> list[tuple[str, str]]:
    """Lines as people post them, each with what is expected of it."""
    told = [
        line for line in LINES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("//")
    ]
    told += ["tc qdisc add dev wan root cake bandwidth 220mbit \\\n   nat", "= cake { rate_mbps = 220.0 }"]
    return [(line, expected.strip()) for line, expected in zip(told[::2], told[1::2], strict=True)]


@pytest.mark.parametrize(("line", "expected"), posted())
def test_a_posted_line_is_understood_or_refused_by_name(line: str, expected: str) -> None:
    assert is_linux(line)
    sign, _, told = expected.partition(" ")
    if sign == "!":
        with pytest.raises(ScenarioError, match=re.escape(told)):
            read(line)
        return
    scheme, _, table = told.partition(" ")
    parameters = tomllib.loads(f"queue = {table}")["queue"]
    queue = queue_of(line)
    assert queue["scheme"] == scheme
    assert {key: queue[key] for key in parameters} == parameters


def test_there_are_forty_lines() -> None:
    lines = [line for line, _ in posted()]
    assert len(set(lines)) == len(lines) >= 40


def test_reading_is_total() -> None:
    words = [word for each in DISCIPLINES.values() for word in each.words]
    values = [
        "18Mbit",
        "5ms",
        "0",
        "1",
        "64",
        "-4",
        "10%",
        "1e9",
        "999999999999",
        "p",
        "",
        "é",
        "\x00",
        "0x10",
    ]
    around = ["tc", "qdisc", "add", "dev", "root", "stab", "handle", "sudo", "#", "show", "est", "-s", "\\\n"]
    names = [*DISCIPLINES, *REFUSED, *DISCIPLINES]
    draw = random.Random(47)  # noqa: S311
    understood = 0
    for _ in range(20_000):
        before = draw.choices(around, k=draw.randrange(4)) if draw.random() < 0.3 else []
        behind = [draw.choice(words if draw.random() < 0.6 else values) for _ in range(draw.randrange(6))]
        line = " ".join([*before, draw.choice(names), *behind])
        is_linux(line)
        try:
            queue = read(line)
        except ScenarioError:
            continue
        understood += 1
        if understood % 20 == 0:
            with suppress(ScenarioError):  # such as flows = 1 of cake
                queue_of(line)
        legal = parameters_of_scheme(queue.scheme)
        assert {key.partition(".")[0] for key in queue.parameters} <= legal.keys(), line
    assert understood > 1_000


# --- OpenWrt's configuration ---

SQM = """
config queue 'eth1'
\toption enabled '1'
\toption interface 'eth1'
\toption download '85000'
\toption upload '10000'
\toption qdisc 'cake'
\toption script 'piece_of_cake.qos'
\toption linklayer 'ethernet'
\toption overhead '44'
\toption squash_dscp '1'
\toption iqdisc_opts 'nat dual-dsthost'
\toption eqdisc_opts 'nat dual-srchost ack-filter'
"""


def ways(text: str) -> list[str]:
    return [each.line for each in queues_of_sqm(text)]


def test_a_configuration_of_sqm_is_two_lines() -> None:
    up = "cake bandwidth 10000kbit overhead 44 mpu 0 diffserv3 nat besteffort nat dual-srchost ack-filter"
    down = "cake bandwidth 85000kbit overhead 44 mpu 0 diffserv3 nat besteffort wash nat dual-dsthost"
    assert ways(SQM) == [up, down]
    assert queue_of(up)["isolation"] == "dual_source"
    told = read_in_words(SQM)
    assert told.startswith(f"up: {up}\n")
    assert f"\n\ndown: {down}\n" in told
    with pytest.raises(ScenarioError, match=r"^sqm: a configuration sets a queue each way; legal: up: cake"):
        read(SQM)
    as_uci = "sqm.eth1=queue\nsqm.eth1.download='0'\nsqm.eth1.upload='900'\nsqm.eth1.script='layer_cake.qos'"
    # Of an ATM line nothing is said, and layer_cake ignores marks on the way down alone.
    assert ways(as_uci) == ["cake bandwidth 900kbit diffserv3 nat", ""]
    assert "down: no queue: its rate is 0" in read_in_words(as_uci)


def test_without_cake_sqm_has_a_shaper_beside_the_queue() -> None:
    text = SQM.replace("piece_of_cake", "simple").replace("'cake'", "'fq_codel'")
    text = text.replace("10000", "1000").replace("nat dual-srchost ack-filter", "quantum 300")
    up, _ = queues_of_sqm(text)
    # 33 cells of 53 bytes take 13.992 ms at 1 Mbit/s; the interval is 95 ms more.
    assert up.line == "fq_codel limit 1001 target 13992us interval 108992us ecn flows 1024 quantum 300"
    # stab adds its 44 bytes to frames, which have the 14 of their header.
    assert up.shaper == {"rate_mbps": 1.0, "overhead_bytes": 58}
    assert "three classes" in up.remark
    told = read_in_words(text.replace("nat dual-dsthost", ""))
    assert "shaper = { rate_mbps = 1.0, overhead_bytes = 58 }" in told
    up, _ = queues_of_sqm(text.replace("'ethernet'", "'atm'"))
    assert up.shaper == {"rate_mbps": 1.0, "overhead_bytes": 58, "framing": "atm"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fq_codel limit 0", "limit_packets"),
        ("fq_codel flows 70000", "flows: 70000"),
        ("codel target 0", "target_ms"),
        ("cake bandwidth 1Mbit rtt 0", "interval_ms"),
    ],
)
def test_what_no_run_takes_is_refused_when_it_is_explained(line: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said) as refused:
        read_in_words(line)
    assert "dumbbell" not in str(refused.value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (SQM.replace("\toption upload '10000'\n", ""), "upload: missing; legal: a rate in kbit/s"),
        (SQM.replace("85000", "85Mbit"), "download: 85Mbit"),
        (SQM + SQM, "several sections"),
    ],
)
def test_a_configuration_that_is_none_is_refused(changed: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=f"^sqm: {message}"):
        queues_of_sqm(changed)


# --- where a scheme is typed ---


@pytest.mark.parametrize(
    "text",
    [
        "codel", "pie", "red", "fq", "cake", "sfb", "dualpi2", "fq-codel", "drop-tail", "codel:target_ms=20",
        "codel :target_ms=20", "a b/my_red.py:MyRed", "red x.py:MyRed", "", "tail-drop", "cakes",
    ],
)  # fmt: skip
def test_what_is_ours_stays_ours(text: str) -> None:
    assert not is_linux(text)


@pytest.mark.parametrize(
    "text", ["fq_codel", "sfq", "pfifo", "tbf", "fq-codel limit 9", "tc qdisc add root codel"]
)
def test_what_is_linuxs(text: str) -> None:
    assert is_linux(text)


def test_a_queue_of_linux_keeps_nothing_of_the_scenarios() -> None:
    own = aqmlab.Scenario.from_toml(
        BULK.replace('scheme = "drop-tail"', 'scheme = "codel", interval_ms = 70.0')
    )
    queue = Queues.of(own).with_scheme(own, "codel target 20ms").resolved["dumbbell"]["queue"]
    assert (queue["interval_ms"], queue["target_ms"], queue["limit_packets"]) == (100.0, 20.0, 1000)
    ours = Queues.of(own).with_scheme(own, "codel:target_ms=20").resolved["dumbbell"]["queue"]
    assert (ours["interval_ms"], ours["limit_packets"]) == (70.0, 50)


def test_labels_are_short_and_differ() -> None:
    cake = "tc qdisc replace dev eth0 root cake bandwidth 18Mbit nat dual-dsthost overhead 44"
    assert labels_of([cake, "fq_codel limit 1001 target 14ms", "red", "fq_codel"]) == {
        cake: "cake 18Mbit",
        "fq_codel limit 1001 target 14ms": "fq_codel limit 1001 target 14ms",
        "red": "red",
        "fq_codel": "fq_codel",
    }
    both = ["cake bandwidth 9Mbit nat flows", "cake bandwidth 9Mbit nat dual-srchost", "cake"]
    assert [*labels_of(both).values()] == ["cake 9Mbit flows", "cake 9Mbit dual-srchost", "cake"]
    linux = ["codel", "tc qdisc add dev eth0 root codel", "codel limit 100"]
    assert [*labels_of(linux).values()] == ["codel", "codel (Linux)", "codel limit 100"]
    orders = ["cake nat flows", "cake flows nat"]
    assert len(set(labels_of(orders).values())) == 2


def test_a_comparison_takes_lines_and_says_what_is_passed_over() -> None:
    scenario = aqmlab.Scenario.from_toml(BULK)
    lines = [
        "tc qdisc replace dev eth0 root cake bandwidth 5Mbit besteffort nat no-split-gso",
        "fq_codel limit 1001",
    ]
    with pytest.warns(UserWarning, match="cake: no-split-gso is not modelled"):
        made = configurations(scenario, lines)
    assert [*made] == ["cake 5Mbit", "fq_codel limit 1001"]
    with (
        pytest.warns(UserWarning, match="no-split-gso"),
        pytest.raises(ComparisonError, match="are the same configuration"),
    ):
        configurations(scenario, ["cake bandwidth 5Mbit besteffort nat", lines[0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        configurations(scenario, ["fq_codel", "cake bandwidth 5Mbit besteffort nat"])


def test_a_baseline_is_named_as_it_was_typed() -> None:
    found = aqmlab.compare(
        aqmlab.Scenario.from_toml(BULK, overrides={"duration_s": 4.0}),
        schemes=["red", "cake bandwidth 5Mbit besteffort nat"],
        baseline="cake bandwidth 5Mbit besteffort nat",
        seeds=[1],
    )
    assert (found.names, found.baseline) == (("cake 5Mbit", "red"), "cake 5Mbit")


def test_tuning_holds_what_the_words_give() -> None:
    queue = read("fq_codel limit 1001 target 14ms")
    searched = space_of(queue.scheme).without(queue.given)
    names = {each.name for each in searched.parameters}
    assert names
    assert not names & {"limit_packets", "target_ms"}
    with pytest.raises(aqmlab.errors.TuneError, match="every parameter with a range is given"):
        space_of("codel").without({each.name for each in space_of("codel").parameters})


def test_parameters_are_toml() -> None:
    asked = ParametrizedScheme.of("sfq depth 20")
    assert asked.name == "fq"
    assert asked.parameters["inner"] == '{ scheme = "drop-tail", limit_packets = 20 }'
    assert asked.is_linux


# --- in words ---


def test_every_word_is_explained() -> None:
    for name, discipline in DISCIPLINES.items():
        told = linux_words(name)
        assert all(f"\n  {word}" in told for word in discipline.words), name
    assert "class ceil" in linux_words("htb")
    assert "ceil_mbps of a class" in linux_words("htb")
    assert "pfifo" in linux_words("drop-tail")
    assert "sfq" in linux_words("fq")
    with pytest.raises(aqmlab.errors.RefusalError, match="unknown"):
        linux_words("pi2")


def test_a_line_is_shown_as_a_scenario_has_it() -> None:
    told = read_in_words("tc qdisc replace dev eth0 root cake bandwidth 18Mbit nat besteffort no-split-gso")
    assert told.startswith('cake bandwidth 18Mbit nat besteffort no-split-gso\n\nscheme = "cake"\n')
    assert "overhead_bytes = 14\n\ncake: no-split-gso is not modelled" in told


def test_the_page_lists_every_word_that_is_not_modelled() -> None:
    rows = [
        line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    told = {
        (name, word) for row in rows for name in row[1].split("`")[1::2] for word in row[2].split("`")[1::2]
    }
    passed_over = {
        (name, word)
        for name, discipline in DISCIPLINES.items()
        for word, its in discipline.words.items()
        if "not modelled" in meaning(its)
    }
    assert passed_over <= told
    assert {word for _, word in told} <= {word for each in DISCIPLINES.values() for word in each.words}


def test_cake_mq_is_a_cake_in_each_of_several_hardware_queues() -> None:
    queue = read("cake_mq bandwidth 18Mbit besteffort nat")
    assert (queue.scheme, queue.parameters["hardware_queues"], queue.parameters["rate_mbps"]) == (
        "cake",
        4,
        18.0,
    )
    assert any("hardware queues share the rate" in remark for remark in queue.remarks)
    assert "hardware_queues = 4" in read_in_words(
        "tc qdisc replace dev eth0 root cake_mq bandwidth 18Mbit nat"
    )
    with pytest.raises(ScenarioError, match=r'"autorate-ingress" is no word of Linux\'s cake_mq'):
        read("cake_mq bandwidth 18Mbit autorate-ingress")
