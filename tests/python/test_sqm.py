"""What to set in a router: best for whoever suffers most, and printed as it was run."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import shown
from aqmlab.errors import RefusalError
from aqmlab.load.parametrized_scheme import ParametrizedScheme
from aqmlab.scenario import Scenario
from aqmlab.show.objects.sqm import suffering
from aqmlab.statistics.experience import Grade
from aqmlab.study.sqm.candidates import candidates
from aqmlab.study.sqm.typed import (
    RouterShaper,
    autorate_config,
    cake_words,
    router_shapers,
    sqm_config,
    tc_lines,
)

if TYPE_CHECKING:
    from pathlib import Path

ADSL = RouterShaper("up", 0.475, 40, 0, "atm", None, "dual_source")
CABLE = RouterShaper("down", 95.0, 18, 64, "none", None, "dual_destination")


@pytest.fixture(scope="module")
def advice() -> aqmlab.RouterAdvice:
    return aqmlab.sqm(down_mbps=50, up_mbps=5, technology="vdsl", shares=[0.95, 0.8], seeds="1")


def test_the_recommended_row_is_best_for_whoever_suffers_most(advice: aqmlab.RouterAdvice) -> None:
    own, chosen = advice.own, advice.recommended
    assert own.grade.value > chosen.grade.value
    in_router = [row for row in advice.rows if row.candidate.scheme]
    enough = max(1.0, min(row.badness for row in in_router) + 0.15)
    assert chosen.badness <= enough
    # What costs less is worse than good.
    less = [row for row in in_router if row.candidate.share > chosen.candidate.share]
    assert all(row.badness > enough for row in less)


def test_few_seeds_are_said_beside_what_is_recommended(advice: aqmlab.RouterAdvice) -> None:
    first, *_ = shown.facts(advice)["advice"]
    assert first.startswith("Set ")
    assert " (1 seed: may be chance). It costs " in first


def test_a_single_seed_has_one_grade(advice: aqmlab.RouterAdvice) -> None:
    """Several have the best and the worst, in words as a comparison has them."""
    for row in advice.rows:
        assert row.within == (row.grade, row.grade)
    spread = replace(advice.own, within=(Grade.FAIR, Grade.UNUSABLE))
    assert " is fair to unusable (" in suffering(spread)


def test_what_is_printed_is_what_was_run(advice: aqmlab.RouterAdvice) -> None:
    shapers = advice.recommended.candidate.scenario.core.shapers()
    printed = "\n".join(advice.tc_lines())
    for link in ("router-down", "router-up"):
        rate_mbps, overhead, _, coding = shapers[link]
        # PTM and PPPoE: 30 bytes a packet (tc-cake(8): pppoe-ptm).
        assert (overhead, coding) == (30, "ptm")
        assert rate_mbps * 1e3 == pytest.approx(round(rate_mbps * 1e3))
        if advice.recommended.candidate.scheme == "cake":
            assert f"bandwidth {round(rate_mbps * 1e3)}kbit" in printed
    assert printed.count("ifb4sqm") >= 3


def test_the_modems_queue_is_empty_under_what_is_recommended(advice: aqmlab.RouterAdvice) -> None:
    chosen = advice.recommended.candidate
    run = aqmlab.run(chosen.scenario, seed=1)
    waits = {link: run.value("queue_mean_packets", links=[link]) for link in ("up", "router-up")}
    assert waits["up"] < 1.0
    assert waits["router-up"] > waits["up"]


def test_words_of_the_routers_own_queue_are_printed() -> None:
    line = {
        "technology": "adsl",
        "down_mbps": 6.0,
        "up_mbps": 0.5,
        "shaped_share_down": 0.95,
        "shaped_share_up": 0.95,
        "router_queue_up": {"scheme": "cake", "tins": "diffserv3", "ack_filter": "aggressive"},
        "router_queue_down": {"scheme": "cake", "ingress": True},
    }
    flow = {"count": 1, "direction": "up", "profile": "linux6-cubic"}
    scenario = Scenario.of({"name": "own", "duration_s": 1.0, "line": line, "flows": [flow]})
    at_share = next(each for each in candidates(scenario, ("cake",), (0.9,)) if each.scheme)
    shapers = router_shapers(at_share.scenario)
    down, up = map(cake_words, shapers)
    assert shapers != router_shapers(scenario)
    assert "besteffort" in down
    assert down.endswith(" ingress")
    assert "diffserv3" in up
    assert up.endswith(" ack-filter-aggressive")


def test_lines_of_tc_are_those_of_the_manuals() -> None:
    """tc-cake(8): atm overhead 40 is pppoe-llcsnap; docsis is overhead 18 mpu 64 noatm."""
    assert cake_words(ADSL) == "cake bandwidth 475kbit besteffort dual-srchost nat atm overhead 40"
    assert (
        cake_words(CABLE) == "cake bandwidth 95000kbit besteffort dual-dsthost nat noatm overhead 18 mpu 64"
    )
    tins = RouterShaper("up", 0.475, 40, 0, "atm", None, "dual_source", "diffserv4", ("ack-filter",))
    words = "dual-srchost nat atm overhead 40 ack-filter"
    assert cake_words(tins) == f"cake bandwidth 475kbit diffserv4 {words}"
    # Its script says besteffort, and its options behind that what counts.
    assert f"\toption eqdisc_opts 'diffserv4 {words}'" in sqm_config("cake", (tins,), "eth1")
    # HTB is told frames with their header of 14 bytes, and knows no PTM: 64/65 of the rate.
    up, *_ = tc_lines("fq-codel", (ADSL,), "eth1")
    assert up == "tc qdisc replace dev eth1 root handle 1: stab overhead 26 linklayer atm htb default 1"
    ptm = tc_lines("fq-codel", (RouterShaper("up", 9.75, 30, 0, "ptm", 10_240),), "eth1")
    assert "rate 9600kbit ceil 9600kbit" in ptm[1]
    assert ptm[2].endswith("handle 11: fq_codel limit 10240")


def test_a_printed_line_is_read_back_as_what_it_says() -> None:
    """By the reader of lines that people type."""
    read = ParametrizedScheme.of(f"tc qdisc replace dev eth1 root {cake_words(ADSL)}")
    assert read.name == "cake"
    told = {key: read.parameters[key] for key in ("rate_mbps", "overhead_bytes", "framing", "isolation")}
    assert told == {
        "rate_mbps": "0.475",
        "overhead_bytes": "40",
        "framing": '"atm"',
        "isolation": '"dual_source"',
    }


def test_openwrt_is_told_the_same_each_way_by_itself() -> None:
    up = RouterShaper("up", 0.95, 40, 0, "atm", None, "dual_source")
    told = dict(re.findall(r"option (\S+) '([^']*)'", "\n".join(sqm_config("cake", (CABLE, up), "eth1"))))
    assert (told["download"], told["upload"], told["qdisc"]) == ("95000", "950", "cake")
    assert told["linklayer"] == "none"
    assert told["iqdisc_opts"] == "dual-dsthost nat noatm overhead 18 mpu 64"
    assert told["eqdisc_opts"] == "dual-srchost nat atm overhead 40"
    # Its scripts choose the limits of other queues.
    assert sqm_config("fq-codel", (CABLE, up), "eth1") == []


def test_what_is_typed_is_what_ran_and_not_what_the_file_has() -> None:
    own = Scenario.of(str(aqmlab.new("home", down_mbps=6, up_mbps=0.5, technology="adsl", queue_in="line")))
    slow = {"scheme": "fq-codel", "limit_packets": 100, "target_ms": 60}
    tried = candidates(own.with_overrides({"line.router_queue_up": slow}), ["fq-codel", "drop-tail"], [0.9])
    fq_codel, drop_tail = tried[2:]
    assert fq_codel.scenario.resolved["line"]["router_queue_up"]["target_ms"] == 5.0
    for each in (fq_codel, drop_tail):
        lines = tc_lines(each.scheme, each.shapers, "eth1")
        for way in ("down", "up"):
            limit = each.scenario.resolved["line"][f"router_queue_{way}"]["limit_packets"]
            assert any(line.endswith(f" limit {limit}") for line in lines)


def test_a_line_that_is_good_already_needs_nothing() -> None:
    found = aqmlab.sqm(HOME_WITHOUT_LOAD, shares=[0.95], seeds="1")
    assert found.recommended is found.own
    assert found.tc_lines() == []
    assert "Nothing to set" in str(found)
    assert "already (1 seed: may be chance)." in " ".join(str(found).split())


HOME_WITHOUT_LOAD = """
name = "quiet"
duration_s = 12.0
warm_up_s = 2.0
[line]
technology = "fibre"
down_mbps = 300
up_mbps = 150
[[datagrams]]
name = "call"
count = 1
direction = "up"
packet_bytes = 200
rate_mbps = 0.08
"""


@pytest.fixture(scope="module")
def of_lte() -> aqmlab.RouterAdvice:
    return aqmlab.sqm(technology="lte", schemes=["cake"], shares=[0.95], seeds="1")


def test_where_rates_vary_shapers_that_follow_are_tried(
    of_lte: aqmlab.RouterAdvice, advice: aqmlab.RouterAdvice
) -> None:
    following = [row for row in of_lte.rows if row.candidate.follows]
    assert len(following) == 2
    assert not any(row.candidate.follows for row in advice.rows)
    for row in following:
        line = row.candidate.scenario.resolved["line"]
        for way in ("down", "up"):
            mean, least, most = row.shapers_mbps[way]
            rate_mbps = line[f"{way}_mbps"]
            assert line["cake_autorate"]["minimum_share"] * rate_mbps <= least <= mean <= most
            assert most <= line["cake_autorate"]["maximum_share"] * rate_mbps + 1e-6
        assert row.share == pytest.approx(
            min(1.0, *(row.shapers_mbps[way][0] / line[f"{way}_mbps"] for way in ("down", "up")))
        )
    said = " ".join(str(of_lte).split())
    assert "The line's rates vary" in said
    assert "The best fixed rate" in said or "are no better here" in said


def test_a_line_whose_shapers_follow_it_is_tried_at_fixed_rates_too() -> None:
    own = Scenario.of(str(aqmlab.new("home", technology="lte", queue_in="router")))
    followed = own.with_overrides({"line.cake_autorate": {"minimum_share": 0.5}})
    tried = candidates(followed, ["cake", "fq-codel"], [0.4])
    follows = [each.scenario.resolved["line"].get("cake_autorate") is not None for each in tried]
    # As it is; at the provider's; CAKE and FQ-CoDel at a fixed rate; two that follow.
    assert follows == [True, False, False, False, True, True]


def test_cake_autorate_is_told_the_limits_that_ran() -> None:
    """Its script refuses an idle threshold above the lowest rate, which is 2000 kbit/s by default."""
    own = Scenario.of(str(aqmlab.new("home", down_mbps=30, up_mbps=4, technology="lte", queue_in="line")))
    careful, _ = [each for each in candidates(own, ["cake"], [0.9]) if each.follows]
    told = dict(line.split("=") for line in autorate_config(careful.scenario, careful.shapers, "eth1"))
    assert told == {
        "dl_if": "ifb4sqm",
        "ul_if": "eth1",
        "pinger_method": "fping-ts",
        "min_dl_shaper_rate_kbps": "7500",
        "base_dl_shaper_rate_kbps": "15000",
        "max_dl_shaper_rate_kbps": "30000",
        "min_ul_shaper_rate_kbps": "1000",
        "base_ul_shaper_rate_kbps": "2000",
        "max_ul_shaper_rate_kbps": "4000",
        "connection_active_thr_kbps": "1000",
    }


def test_bad_input_is_refused_with_what_is_legal(tmp_path: Path) -> None:
    asked: dict[str, Any]
    for asked, message in (
        ({"shares": [1.2]}, "shares: 1.2 is out of range"),
        ({"schemes": ["red"]}, "schemes: what to type for red is not known"),
        ({"technology": "vdls"}, 'did you mean "vdsl"'),
        ({"device": "eth0; reboot"}, "is no name of a network device"),
        ({"line": HOME_WITHOUT_LOAD, "down_mbps": 3}, "down_mbps: is of a line without a scenario"),
    ):
        with pytest.raises(RefusalError, match=message):
            aqmlab.sqm(**asked)
    with pytest.raises(RefusalError):
        aqmlab.sqm(technology="cable", output=tmp_path / "tried.txt")


def test_programs_read_what_was_tried(advice: aqmlab.RouterAdvice, tmp_path: Path) -> None:
    with advice.save(tmp_path / "tried.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["set"] for row in rows] == [each.candidate.name for each in advice.rows]
    delays = [float(row["delay_p95_ms"]) for row in rows]
    recommended = advice.rows.index(advice.recommended)
    assert 0.0 < delays[recommended] < delays[0]  # in front: the line as it is
    assert {"configuration", "seed", "quantity", "value"} <= set(advice.to_arrow().column_names)
