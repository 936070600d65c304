"""`aqmlab play`: what can be turned, what a setting becomes, and whom the server answers."""

from __future__ import annotations

import html
import http.client
import json
import math
import random
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

import aqmlab
from aqmlab import Scenario, ScenarioError
from aqmlab import run as run_scenario
from aqmlab.comparison import Comparison
from aqmlab.errors import Cancelled
from aqmlab.load.queue_place import PLACES
from aqmlab.runs import Job, run_many
from aqmlab.runs.executors.active_runs import ActiveRuns
from aqmlab.show.play import PlayedLink, Turned
from aqmlab.show.play.comparing import FullComparison
from aqmlab.show.play.knobs import PlayError, read_json
from aqmlab.show.play.measured import measurement
from aqmlab.statistics.pages import Pages, page_load_times, unfinished_pages
from small import BULK, WEB

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aqmlab.result import Result

ASYMMETRIC = WEB.replace("rate_mbps = 2.0", "rate_mbps = 2.0\nrate_right_to_left_mbps = 1.0")


@pytest.fixture(scope="module")
def played() -> PlayedLink:
    return PlayedLink(Scenario.from_toml(WEB), simulated_s=10.0)


# --- what can be turned ---


def test_knobs_stand_where_the_scenario_has_them(played: PlayedLink) -> None:
    by_name = {knob.name: knob for knob in played.knobs()}
    assert {name: knob.value for name, knob in by_name.items()} == {
        "dumbbell.rate_mbps": 2.0, "demand": 150, "limit": 500, "scheme": "pi", "ecn": False,
    }  # fmt: skip
    assert (by_name["demand"].low, by_name["demand"].high, by_name["demand"].integer) == (15, 1500, True)
    # What works in its queues has a table of its own, which is no knob.
    assert "fq" not in by_name["scheme"].choices
    assert "fq-codel" in by_name["scheme"].choices


def test_a_scheme_brings_its_main_parameters(played: PlayedLink) -> None:
    knobs = played.knobs_of_schemes()
    assert [knob.name for knob in knobs["pi"]] == ["q_ref_packets", "sampling_hz"]
    assert knobs["drop-tail"] == []  # its limit is the buffer's knob
    # RFC 8289: a target of 5 ms and an interval of 100 ms.
    assert {knob.name: knob.value for knob in knobs["codel"]} == {"target_ms": 5.0, "interval_ms": 100.0}
    # Floyd and Jacobson 1993 have thresholds of 5 and 15 packets, which no table of the scenario says.
    assert {knob.name: knob.value for knob in knobs["red"]} == {
        "min_th_packets": 5, "max_th_packets": 15, "max_p": 0.1, "w_q": 0.002,
    }  # fmt: skip
    # Linux: a 4096th of a second of the link, from 300 bytes on; 2 Mbit/s would be 61 bytes.
    assert {knob.name: knob.value for knob in knobs["cake"]}["quantum_bytes"] == 300


def test_each_direction_with_a_rate_of_its_own_has_a_knob() -> None:
    link = PlayedLink(Scenario.from_toml(ASYMMETRIC), simulated_s=10.0)
    assert link.start.rates_mbps == {"dumbbell.rate_mbps": 2.0, "dumbbell.rate_right_to_left_mbps": 1.0}


def test_the_slowest_link_is_drawn_under_every_setting() -> None:
    slow_back = PlayedLink(Scenario.from_toml(ASYMMETRIC), simulated_s=5.0)
    assert slow_back.link == "right-to-left"
    faster = replace(slow_back.start, rates_mbps={"dumbbell.rate_right_to_left_mbps": 9.0})
    result = slow_back.run(slow_back.at(faster), 1, ActiveRuns())
    assert measurement(result, slow_back.link)["link"] == "right-to-left"


def test_flows_are_turned_where_nobody_browses() -> None:
    link = PlayedLink(Scenario.from_toml(BULK), simulated_s=3.0)
    assert link.demand.unit == "flows"
    result = link.run(link.at(replace(link.start, demand=5)), 1, ActiveRuns())
    seen = measurement(result, link.link)
    assert (seen["pages"], seen["responses"], seen["numbers"]["pages_unfinished"]) == (None, None, None)
    assert result.scenario["flows"][0]["count"] == 5
    assert len(seen["queue"]["time_s"]) > 1_000


# --- what a setting becomes ---


def test_knobs_that_were_not_turned_leave_the_scenario_as_it_is(played: PlayedLink) -> None:
    assert played.overrides(played.start) == {}
    assert played.at(played.start) == played.scenario
    assert played.command(played.start, "a b.toml") == "aqmlab run 'a b.toml'"


def test_what_is_turned_is_overridden_and_nothing_else(played: PlayedLink) -> None:
    turned = replace(
        played.start,
        rates_mbps={"dumbbell.rate_mbps": 3.0},
        demand=200,
        parameters={"q_ref_packets": 50, "sampling_hz": 160.0},
        limit=80,
        ecn=True,
    )
    expected = {
        "dumbbell.queue.q_ref_packets": 50,
        "dumbbell.queue.ecn": True,
        "dumbbell.queue.limit_packets": 80,
        "dumbbell.rate_mbps": 3.0,
        "users.left": 200,
        "users.right": 200,
        "users.host.ecn": "on",
    }
    assert played.overrides(turned) == expected
    # The page's command is the same scenario: its --set are read as the command line reads them.
    assert played.at(turned) == played.scenario.with_overrides(expected)


def test_another_scheme_keeps_the_buffer_and_its_own_defaults(played: PlayedLink) -> None:
    codel = {knob.name: knob.value for knob in played.knobs_of_schemes()["codel"]}
    turned = replace(played.start, scheme="codel", parameters=codel)
    assert played.overrides(turned) == {"dumbbell.queue": {"scheme": "codel", "limit_packets": 500}}
    # One knob turns one parameter: the interval stays at 100 ms.
    slower = replace(turned, parameters={**codel, "target_ms": 10.0})
    assert played.overrides(slower)["dumbbell.queue"] == {
        "scheme": "codel", "limit_packets": 500, "target_ms": 10.0,
    }  # fmt: skip


def red(queue: str) -> PlayedLink:
    text = WEB.replace('{ scheme = "pi", limit_packets = 500 }', f'{{ scheme = "red", {queue} }}')
    return PlayedLink(Scenario.from_toml(text), simulated_s=5.0)


@pytest.mark.parametrize(
    ("queue", "thresholds"),
    [
        ("limit_packets = 100", (5, 15)),
        ("limit_packets = 100, min_th_packets = 20", (20, 60)),
        # 2 Mbit/s are 500 packets of 500 bytes a second: 50 in 100 ms, half of them and three times that.
        ("limit_packets = 100, target_delay_ms = 100", (25, 75)),
    ],
)
def test_knobs_show_the_thresholds_in_force_and_one_turned_leaves_the_other(
    queue: str, thresholds: tuple[int, int]
) -> None:
    link = red(queue)
    low, high = thresholds
    shown = link.start.parameters
    assert (shown["min_th_packets"], shown["max_th_packets"]) == (low, high)
    turns: list[tuple[dict[str, Any], tuple[int, int]]] = [
        ({"min_th_packets": 7.0}, (7, high)),
        ({"max_th_packets": 90}, (low, 90)),
    ]
    for turned, expected in turns:
        at = link.parameters(link.at(replace(link.start, parameters=turned)))
        assert (at["min_th_packets"], at["max_th_packets"]) == expected
        assert {name: value for name, value in at.items() if "_th_" not in name} == {
            "max_p": 0.1,
            "w_q": 0.002,
        }
    other = link.parameters(link.at(replace(link.start, parameters={"max_p": 0.3})))
    assert other == {**shown, "max_p": 0.3}


def test_a_knob_follows_the_rate_where_its_parameter_does() -> None:
    link = red("limit_packets = 100, target_delay_ms = 100, w_q = { time_constant_s = 1.0 }")
    faster = link.parameters(link.at(replace(link.start, rates_mbps={"dumbbell.rate_mbps": 4.0})))
    assert (faster["min_th_packets"], faster["max_th_packets"]) == (50, 150)
    # Floyd, Gummadi and Shenker 2001: 1 - exp(-1/C) for C = 1,000 packets a second.
    assert faster["w_q"] == pytest.approx(1.0 - math.exp(-1e-3), rel=1e-9)


def test_a_parameter_in_whose_place_another_stands_has_no_knob() -> None:
    """Adaptive RED's target delay is 5 ms (its paper), and none where thresholds are given."""
    for given, target in [("", 5.0), (", min_th_packets = 20", None)]:
        queue = f'{{ scheme = "ared", limit_packets = 100{given} }}'
        text = WEB.replace('{ scheme = "pi", limit_packets = 500 }', queue)
        link = PlayedLink(Scenario.from_toml(text), simulated_s=5.0)
        assert link.start.parameters.get("target_delay_ms") == target


TWO_WAYS = WEB.replace(
    '{ scheme = "pi", limit_packets = 500 }',
    '{ scheme = "drop-tail", limit_bytes = 600000 }\n'
    'queue_right_to_left = { scheme = "drop-tail", limit_bytes = 90000 }',
)


def test_a_queue_of_its_own_in_each_direction_is_played_with() -> None:
    """Under a scheme without a limit of bytes the two become alike, and one table of the scenario."""
    link = PlayedLink(Scenario.from_toml(TWO_WAYS), simulated_s=5.0)
    assert link.queues.keys == ("dumbbell.queue", "dumbbell.queue_right_to_left")
    knobs = link.knobs_of_schemes()
    for scheme, own in knobs.items():
        parameters = {knob.name: knob.value for knob in own}
        turned = link.at(replace(link.start, scheme=scheme, parameters=parameters))
        assert {str(table["scheme"]) for table in link.queues.tables(turned)} == {scheme}


def test_knobs_stand_where_the_link_that_is_drawn_has_them() -> None:
    """The slow way back is drawn, and its own queue acts there."""
    thresholds = "min_th_packets = 30, max_th_packets = 90"
    queues = (
        'queue = { scheme = "red", limit_packets = 100 }\n'
        f'queue_right_to_left = {{ scheme = "red", limit_packets = 200, {thresholds} }}'
    )
    pi = 'queue = { scheme = "pi", limit_packets = 500 }'
    link = PlayedLink(Scenario.from_toml(ASYMMETRIC.replace(pi, queues)), simulated_s=5.0)
    assert link.link == "right-to-left"
    start = link.start
    assert (start.limit, start.parameters["min_th_packets"], start.parameters["max_th_packets"]) == (
        200,
        30,
        90,
    )
    assert link.parameters(link.scenario) == start.parameters
    assert {knob.name: knob.value for knob in link.knobs_of_schemes()["red"]} == start.parameters
    assert link.overrides(start) == {}
    # What is turned is turned at both.
    turned = link.at(replace(start, limit=100))
    assert [table["limit_packets"] for table in link.queues.tables(turned)] == [100, 100]


def test_a_run_measures_what_the_scenario_does() -> None:
    record = '[record]\nresponse_end = "connection_closed"\nthroughput_layer = "ip"\n'
    mah = WEB.partition("[record]")[0] + 'model = { model = "mah" }\n' + record
    link = PlayedLink(Scenario.from_toml(mah), simulated_s=5.0)
    measured = link.run(link.scenario, 1, ActiveRuns()).scenario["record"]
    assert (measured["response_end"], measured["throughput_layer"]) == ("connection_closed", "ip")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"rates_mbps": {"dumbbell.rate": 1.0}}, "rates_mbps: dumbbell.rate"),
        ({"scheme": "pie2"}, 'did you mean "pie"'),
        ({"parameters": {"target_ms": 5.0}}, "parameters: target_ms"),
    ],
)
def test_what_is_no_knob_is_refused(played: PlayedLink, change: dict[str, Any], place: str) -> None:
    with pytest.raises(PlayError, match=place):
        played.overrides(replace(played.start, **change))


def test_a_value_out_of_range_is_refused_by_the_scenario(played: PlayedLink) -> None:
    with pytest.raises(ScenarioError, match="rate_mbps"):
        played.at(replace(played.start, rates_mbps={"dumbbell.rate_mbps": -1.0}))


def test_schemes_that_differ_are_not_played_with() -> None:
    other = 'queue_right_to_left = { scheme = "red", limit_packets = 50 }\n\n[users]'
    with pytest.raises(PlayError, match="pi, red at its queues"):
        PlayedLink(Scenario.from_toml(WEB.replace("[users]", other, 1)), simulated_s=5.0)


def test_requests_that_are_none_are_refused() -> None:
    for text, place in [
        (b"{", "not JSON"),
        (b"[]", "a table"),
        (b"{}", "rates_mbps is missing"),
        (
            b'{"rates_mbps": {}, "demand": "many", "scheme": "pi", "parameters": {}, "ecn": true, "seed": 1}',
            "demand",
        ),
    ]:
        with pytest.raises(PlayError, match=place):
            Turned.of(read_json(text))


# --- what is drawn ---


def waited_for(result: Result) -> tuple[int, int]:
    """How many pages were under way in the window, and how many of them were not loaded at the end."""
    begin, until = result.run["measured_from_s"], result.run["measured_until_s"]
    pages = [
        row
        for row in result.tables["pages"].to_pylist()
        if row["began_s"] < until and row["began_s"] + row["page_load_time_s"] > begin
    ]
    return len(pages), sum(not (row["ended"] and row["objects"]) for row in pages)


def test_the_page_draws_what_the_run_recorded(played: PlayedLink) -> None:
    result = played.run(played.scenario, 1, ActiveRuns())
    seen = measurement(result, played.link)
    rows = result.queue.to_pandas()
    rows = rows[rows["link"] == seen["link"]]
    assert len(seen["queue"]["time_s"]) == len(rows)
    # 2 Mbit/s send 250 bytes a millisecond; Ethernet: headers of 18 bytes, 64 at least, gaps of 20.
    frames = (rows["bytes"] + 18 * rows["packets"]).clip(lower=64 * rows["packets"])
    longest = (frames + 20 * rows["packets"]).max() / 250.0
    assert max(seen["queue"]["delay_ms"]) == pytest.approx(longest, rel=1e-4)
    times = page_load_times(result, Pages.FOLLOWED)
    assert seen["pages"]["seconds"][49] == times.quantile(0.5)
    counts = result.tables["page_histogram"].to_pandas().groupby("counted", observed=True)["count"].sum()
    unfinished = counts.get("unfinished", 0) + counts.get("failed", 0)
    assert seen["numbers"]["pages_unfinished"] == unfinished
    assert seen["numbers"]["pages_begun"] == counts["followed"] + unfinished
    assert (seen["warm_up_s"], seen["measured_s"]) == (2.0, pytest.approx(7.0))
    json.dumps(seen, allow_nan=False)


def test_another_queue_serves_the_same_users() -> None:
    """Common random numbers: the first pages that users ask for do not depend on the queue."""
    short = PlayedLink(Scenario.from_toml(WEB), simulated_s=5.0)
    asked = []
    for scheme in ("pi", "drop-tail"):
        scenario = short.at(replace(short.start, scheme=scheme, parameters={}))
        asked.append(short.run(scenario, 1, ActiveRuns()).run["populations"][0]["users"])
    assert asked[0] == asked[1]


def test_a_newer_setting_stops_the_one_before() -> None:
    endless = PlayedLink(Scenario.from_toml(WEB), simulated_s=100_000.0)
    active = ActiveRuns()
    active.stop()
    with pytest.raises(Cancelled):
        endless.run(endless.scenario, 1, active)


# --- the full comparison ---


def ended(comparison: FullComparison, within_s: float = 120.0) -> dict[str, Any]:
    until = time.monotonic() + within_s
    while (seen := comparison.status())["state"] == "running":
        assert time.monotonic() < until, seen
        time.sleep(0.05)
    return seen


def test_the_full_comparison_is_that_of_the_same_runs_made_by_hand(played: PlayedLink) -> None:
    now = replace(played.start, scheme="drop-tail", parameters={})
    with closing(FullComparison(played)) as comparison:
        assert comparison.status() == {"state": "none", "words": ""}
        assert comparison.start(played.start, now)["state"] == "running"
        seen = ended(comparison)
        report = comparison.report
    assert (seen["state"], seen["refused"], seen["names"]) == ("done", None, ["pi", "drop-tail"])
    assert (seen["simulated_s"], seen["shortened"], seen["finished"], seen["runs"]) == (20.0, False, 16, 16)
    by_hand = {
        name: run_many([Job(Scenario.from_toml(text), seed) for seed in range(1, 9)], progress=False)
        for name, text in {
            "pi": WEB,
            "drop-tail": WEB.replace('"pi"', '"drop-tail"'),
        }.items()
    }
    [sentence] = Comparison.of(by_hand).sentences()
    assert report is not None
    assert html.escape(sentence) in report.replace("\N{NO-BREAK SPACE}", " ")


def test_a_long_scenario_is_shortened_to_what_the_budget_affords() -> None:
    text = WEB.replace("duration_s = 20.0", "duration_s = 40000.0").replace(
        "warm_up_s = 5.0", "warm_up_s = 4000.0"
    )
    long = PlayedLink(Scenario.from_toml(text), simulated_s=5.0)
    with closing(FullComparison(long, budget_s=0.01)) as comparison:
        comparison.start(long.start, replace(long.start, ecn=True))
        seen = ended(comparison)
    # No shorter than the shortest run of the page, and its warm-up stays a tenth of it.
    assert (seen["state"], seen["simulated_s"], seen["shortened"]) == ("done", 10.0, True)
    assert seen["names"] == ["ecn false", "ecn true"]
    short = long.shortened(long.scenario, 10.0).resolved
    assert (short["duration_s"], short["warm_up_s"], short["record"]["responses"]) == (10.0, 1.0, "auto")


def test_a_comparison_is_cancelled_at_once() -> None:
    text = WEB.replace("duration_s = 20.0", "duration_s = 50000.0")
    endless = PlayedLink(Scenario.from_toml(text), simulated_s=5.0)
    with closing(FullComparison(endless, budget_s=1e9)) as comparison:
        comparison.start(endless.start, replace(endless.start, ecn=True))
        while not comparison.status()["simulated_s"]:
            assert comparison.status()["state"] == "running"
            time.sleep(0.02)
        comparison.cancel()
        seen = ended(comparison)
        assert (seen["state"], comparison.report) == ("cancelled", None)


def test_a_comparison_without_pages_has_a_report_too() -> None:
    flows = PlayedLink(Scenario.from_toml(BULK), simulated_s=3.0)
    with closing(FullComparison(flows)) as comparison:
        comparison.start(flows.start, replace(flows.start, rates_mbps={"dumbbell.rate_mbps": 5.0}))
        seen = ended(comparison)
        assert (seen["state"], seen["refused"], seen["names"]) == (
            "done",
            None,
            ["rate_mbps 10", "rate_mbps 5"],
        )
        assert "levels and differences" in (comparison.report or "")
        assert "rate_mbps 5" in (comparison.report or "")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({}, "are the same"),
        ({"seed": 2}, "are the same"),
        ({"demand": 200, "ecn": True}, "150 users before and 200 now"),
        ({"scheme": "pie2"}, 'did you mean "pie"'),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_runs(
    played: PlayedLink, change: dict[str, Any], place: str
) -> None:
    with closing(FullComparison(played)) as comparison:
        with pytest.raises(PlayError, match=place):
            comparison.start(played.start, replace(played.start, **change))
        assert comparison.status() == {"state": "none", "words": ""}


# --- whom the server answers ---


@contextmanager
def serving(folder: Path, *options: str, scenario: str | None = WEB) -> Iterator[tuple[str, int, str]]:
    """The command as its users have it, perhaps without a scenario; yields host, port and token."""
    file = [] if scenario is None else ["web.toml"]
    if scenario is not None:
        (folder / "web.toml").write_text(scenario, encoding="utf-8")
    command = [sys.executable, "-m", "aqmlab", "play", *file, "--no-browser", "--seconds", "5", *options]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = next(line for line in server.stdout if line.startswith("http://"))
            parts = urlsplit(address.strip())
            yield str(parts.hostname), int(parts.port or 0), parse_qs(parts.query)["token"][0]
        finally:
            server.send_signal(signal.SIGINT)
            try:
                assert server.wait(timeout=120) == 0
            finally:
                server.kill()


def ask(host: str, port: int, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
    method = "GET" if body is None else "POST"
    sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    with closing(http.client.HTTPConnection(host, port, timeout=60)) as connection:
        connection.request(method, path, sent, headers)
        with connection.getresponse() as answer:
            return answer.status, answer.read()


def test_the_server_answers_this_machine_and_who_has_the_token(tmp_path: Path) -> None:
    with serving(tmp_path) as (host, port, token):
        assert host == "127.0.0.1"
        assert ask(host, port, "/")[0] == 403
        assert ask(host, port, f"/?token={token[:-1]}")[0] == 403
        # A name of another site that leads here (DNS rebinding).
        assert ask(host, port, f"/?token={token}", Host="evil.example")[0] == 403
        status, page = ask(host, port, f"/?token={token}")
        assert (status, b"aqmlab play" in page, token.encode() in page) == (200, True, True)
        assert ask(host, port, f"/asset/nothing.js?token={token}")[0] == 404
        for name in ("page.js", "page.css", "uplot.js", "uplot.css"):
            assert ask(host, port, f"/asset/{name}?token={token}")[0] == 200, name

        facts = json.loads(ask(host, port, f"/knobs?token={token}")[1])
        assert (facts["name"], facts["simulated_s"], facts["start"]["scheme"]) == ("web", 5.0, "pi")
        status, body = ask(host, port, f"/run?token={token}", facts["start"])
        assert (status, json.loads(body)["link"]) == (200, "left-to-right")
        status, body = ask(host, port, f"/run?token={token}", {**facts["start"], "scheme": "blue"})
        assert (status, "legal: " in json.loads(body)["refused"]) == (400, True)
        assert ask(host, port, f"/run?token={token}", b"{")[0] == 400
        assert ask(host, port, "/run", facts["start"])[0] == 403

        assert ask(host, port, "/comparison")[0] == 403
        assert ask(host, port, "/comparison/report")[0] == 403
        assert ask(host, port, "/comparison", {"before": facts["start"], "now": facts["start"]})[0] == 403
        assert json.loads(ask(host, port, f"/comparison?token={token}")[1])["state"] == "none"
        assert ask(host, port, f"/comparison/report?token={token}")[0] == 404
        for pair, place in [
            ({"before": facts["start"]}, "now is missing"),
            ({"before": facts["start"], "now": {}}, "request.now: rates_mbps is missing"),
            ({"before": facts["start"], "now": facts["start"]}, "are the same"),
        ]:
            status, answer = ask(host, port, f"/comparison?token={token}", pair)
            assert (status, place in json.loads(answer)["refused"]) == (400, True), answer


BAD: list[object] = [
    None, True, -1, 0, 1.5, 2**64, 2**70, -(2**70), 1e300, float("nan"), float("inf"), "", "x", "<script>",
    [], {}, {"a": {"b": []}}, [[[]]], "/etc/passwd.py:X", "\ud800",
]  # fmt: skip
WHOLE_BODIES = [
    b"", b"[", b"[" * 60_000, b'{"a":' * 12_000, b"\xff\xfe", b"null", b"[]", b"NaN", b"1", b'"a"',
    b"{}" + b" " * 60_000, b"1" * 60_000,
]  # fmt: skip


def malformed(start: dict[str, Any], coins: random.Random) -> Iterator[bytes]:
    """Each key of a request with every wrong value, without it, with one more, and bytes that are changed."""
    yield from WHOLE_BODIES
    yield json.dumps({**start, "extra": 1}).encode()
    for key in start:
        yield json.dumps({name: value for name, value in start.items() if name != key}).encode()
        for value in BAD:
            yield json.dumps({**start, key: value}).encode()
    for value in BAD:
        yield json.dumps({**start, "rates_mbps": {"dumbbell.rate_mbps": value}}).encode()
        yield json.dumps({**start, "parameters": {"q_ref_packets": value}}).encode()
        yield json.dumps({**start, "parameters": {str(value): 1.0}}).encode()
    whole = json.dumps(start).encode()
    for _ in range(100):
        changed = bytearray(whole)
        for _ in range(coins.randint(1, 4)):
            changed[coins.randrange(len(changed))] = coins.randrange(256)
        yield bytes(changed)


def test_every_malformed_request_is_answered_with_a_sentence(tmp_path: Path) -> None:
    with serving(tmp_path, scenario=BULK) as (host, port, token):
        start = json.loads(ask(host, port, f"/knobs?token={token}")[1])["start"]
        for body in malformed({**start, "parameters": {}}, random.Random(1)):  # noqa: S311
            for path, sent in (("run", body), ("comparison", b'{"before": %b, "now": %b}' % (body, body))):
                if len(sent) >= 64 * 1024:
                    continue
                status, answer = ask(host, port, f"/{path}?token={token}", sent)
                said = json.loads(answer)
                assert status in {200, 400}, (path, body[:200], answer)
                if status == 400:
                    assert said["refused"].strip(), body[:200]
                    assert "Traceback" not in said["refused"]


def test_an_error_of_the_server_is_a_sentence_for_the_page(tmp_path: Path) -> None:
    with serving(tmp_path) as (host, port, token):
        with closing(http.client.HTTPConnection(host, port, timeout=60)) as connection:
            connection.request("PUT", f"/run?token={token}", b"{}")
            with connection.getresponse() as answer:
                assert answer.status == 405
                assert json.loads(answer.read()) == {"refused": "Method Not Allowed"}
        status, body = ask(host, port, "/run", {})
        assert (status, "needs the token" in json.loads(body)["refused"]) == (403, True)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, port, _token):
        command = [sys.executable, "-m", "aqmlab", "play", "web.toml", "--no-browser", "--seconds", "5"]
        second = subprocess.run(
            [*command, "--port", str(port)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert second.returncode == 2
        assert f"--port {port}: Address already in use" in second.stderr


def test_pages_that_began_and_never_came_are_counted() -> None:
    slow = run_scenario(
        'name = "slow"\nduration_s = 8.0\nwarm_up_s = 1.0\n'
        '[dumbbell]\nrate_mbps = 0.005\nqueue = { scheme = "drop-tail", limit_packets = 50 }\n'
        '[users]\nleft = 0\nright = 40\nmodel = { model = "pages", think_time_median_seconds = 2 }\n'
    )
    begun, unfinished = waited_for(slow)
    assert begun == unfinished > unfinished_pages(slow) > 0, "some began before the window"
    assert page_load_times(slow, Pages.FOLLOWED).completed == 0
    found = measurement(slow, "left-to-right")
    assert found["pages"] is None
    assert (found["numbers"]["pages_begun"], found["numbers"]["pages_unfinished"]) == (begun, unfinished)


def test_a_household_is_played_with_at_the_place_of_its_queue() -> None:
    """Turned in the router the rates stay the line's, and what is printed says where the queue stands."""
    home = aqmlab.new("home").scenario
    assert PlayedLink(home, simulated_s=5.0).link == "up"
    place = PLACES["router"]
    settings = place.settings(home)
    link = PlayedLink(home.with_overrides(settings), queues=place.links, settings=settings, simulated_s=5.0)
    assert link.link == "router-up"
    assert link.start.rates_mbps == {"line.down_mbps": 100.0, "line.up_mbps": 10.0}
    turned = replace(link.start, rates_mbps={"line.down_mbps": 50.0, "line.up_mbps": 10.0}, scheme="cake")
    words = link.command(turned, "home.toml").split()
    assert {"line.shaped_share_down=0.95", "line.shaped_share_up=0.95", "line.down_mbps=50.0"} <= set(words)
    assert link.at(turned).core.shapers()["router-down"][0] == pytest.approx(47.5)
    assert PlayedLink(home, queues=("down",), simulated_s=5.0).link == "down"
