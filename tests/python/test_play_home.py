"""The household of `aqmlab play`: who is switched on, where the queue stands, what is drawn of the call."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import aqmlab
from aqmlab import Scenario
from aqmlab.comparison import Comparison, configurations
from aqmlab.comparison.verdict import verdict
from aqmlab.errors import ScenarioError
from aqmlab.load.queue_place import PLACES
from aqmlab.load.queues import placed
from aqmlab.presets import TECHNOLOGIES
from aqmlab.presets.line import AS_IT_IS
from aqmlab.runs.executors.active_runs import ActiveRuns
from aqmlab.show.play import AtHome, PlayedHome, is_home
from aqmlab.show.play.comparing import FullComparison
from aqmlab.show.play.knobs import PlayError
from aqmlab.show.play.measured import judged, measurement, strip
from aqmlab.show.play.server import PlayedRun, Player
from aqmlab.show.words.verdict import what_changes_most
from small import BULK, WEB
from test_play import ask, ended, serving

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.result import Result


@pytest.fixture(scope="module")
def home() -> PlayedHome:
    return PlayedHome(aqmlab.new("home").scenario, simulated_s=20.0)


def played(home: PlayedHome, setting: AtHome) -> Result:
    return home.run(home.at(setting), 1, ActiveRuns())


# --- who uses the line ---


def test_every_application_of_the_household_has_a_switch(home: PlayedHome) -> None:
    labels = {each["name"]: each["label"] for each in home.facts()["home"]["applications"]}
    assert labels == {
        "readers": "readers (pages)", "television": "television (videos)", "backup": "backup (upload)",
        "download": "download", "call": "call", "game": "game", "meeting": "meeting",
    }  # fmt: skip


def test_the_household_as_its_file_has_it_is_that_file(home: PlayedHome) -> None:
    assert home.start.scheme == AS_IT_IS
    assert home.at(home.start) == home.scenario


def test_what_is_switched_off_sends_nothing_and_the_others_ask_for_the_same(home: PlayedHome) -> None:
    """Common random numbers: users, pages and starts are drawn by names, so those that stay do not change."""
    everybody = played(home, home.start)
    without = played(home, replace(home.start, off=("backup", "call", "readers")))
    assert [each["name"] for each in without.scenario["flows"]] == ["download"]
    assert [each["name"] for each in without.scenario["populations"]] == ["television"]
    groups = set(without.tables["datagrams"]["group"].to_pylist())
    assert groups == set(everybody.tables["datagrams"]["group"].to_pylist()) - {"call-up", "call-down"}
    for group in ("game-up", "meeting-down"):
        first = [
            min(row["sent_s"] for row in run.tables["datagram_arrivals"].to_pylist() if row["group"] == group)
            for run in (everybody, without)
        ]
        assert first[0] == first[1]
    of_videos = [run.tables["video_segments"].to_pylist()[0] for run in (everybody, without)]
    assert of_videos[0]["requested_at_s"] == of_videos[1]["requested_at_s"]


def test_an_idle_line_has_good_calls_and_a_full_one_has_not(home: PlayedHome) -> None:
    """A backup fills 250 ms of the modem's buffer: more than the 150 ms of G.114."""
    alone = judged(played(home, replace(home.start, off=("backup", "download", "readers", "television"))))
    assert {row["grade"] for row in alone["rows"]} == {"good", None}
    assert alone["words"]["now"] == "Everybody is well off: all grades are good."
    full = {row["name"]: row for row in judged(played(home, home.start))["rows"]}
    assert full["call"]["grade"] == "fair"
    assert full["game"]["grade"] == "unusable"


# --- how many, who sends, what is wrong, on which line ---


@pytest.fixture(name="household", scope="module")
def a_household_on_any_line() -> PlayedHome:
    lines = {name: aqmlab.new("home", technology=name).scenario for name in TECHNOLOGIES}
    return PlayedHome(lines["cable"], simulated_s=20.0, technologies=lines)


def test_numbers_senders_and_faults_are_what_their_words_say(home: PlayedHome) -> None:
    setting = replace(
        home.start,
        counts={"readers": 5, "backup": 0, "download": 4},
        sender="bbr",
        faults=("loss", "varies", "wifi"),
    )
    document = home.at(setting).resolved
    assert [(each["name"], each["count"]) for each in document["populations"]] == [
        ("readers", 5),
        ("television", 1),
    ]
    [downloads] = document["flows"]
    assert (downloads["name"], downloads["count"]) == ("download", 4)
    assert downloads["host"]["congestion"] == "bbr-linux-v3"
    assert document["line"]["loss_probability_down"] == 0.01
    assert document["line"]["rates_vary"] is True
    wifi = {each["name"]: each.get("wifi_mbps") for each in document["devices"]}
    assert wifi["phone"] == 6.0
    assert wifi["laptop"] != 6.0
    assert home.about(setting, home.at(setting), "")["label"] == (
        "as it is; without backup; 5 × readers; 4 × download; BBR; packets lost on the line; "
        "a rate that varies; a phone far away"
    )


def test_nobody_of_an_application_is_as_without_it(home: PlayedHome) -> None:
    nobody = replace(home.start, counts={"download": 0})
    assert home.at(nobody) == home.at(replace(home.start, off=("download",)))
    everybody = {"readers": 0, "backup": 0, "download": 0}
    others = ("television", "call", "game", "meeting")
    with pytest.raises(PlayError, match="nobody uses the line"):
        home.at(replace(home.start, off=others, counts=everybody))


def test_another_kind_of_line_is_that_household(household: PlayedHome) -> None:
    facts = household.facts()["technologies"]
    assert list(facts) == list(TECHNOLOGIES)
    assert {name: each["start"]["technology"] for name, each in facts.items()} == {
        name: name for name in TECHNOLOGIES
    }
    for name in ("adsl", "lte"):
        own = aqmlab.new("home", technology=name).scenario
        setting = AtHome.of(json.loads(json.dumps(facts[name]["start"])))
        assert household.at(setting) == own
        queue = replace(setting, scheme="cake", place="router")
        assert household.at(queue) == placed(own, "cake", PLACES["router"], None)
    # A slow line has no meeting, whose switch is then missing.
    assert "meeting" not in [each["name"] for each in facts["adsl"]["home"]["applications"]]


def test_a_file_has_no_other_lines_nor_scenes(home: PlayedHome) -> None:
    assert (home.facts()["technologies"], home.facts()["scenes"]) == ({}, [])
    assert home.start.technology is None
    with pytest.raises(PlayError, match="technology"):
        home.at(replace(home.start, technology="adsl"))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"counts": {"fridge": 1}}, "counts: fridge"),
        ({"counts": {"television": 2}}, "counts: television"),
        ({"counts": {"download": 13}}, "counts: download: 13 is out of range; legal: 0 to 12"),
        ({"sender": "vegas"}, "sender"),
        ({"faults": ("flood",)}, "faults: flood"),
    ],
)
def test_numbers_senders_and_faults_that_are_none_are_refused(
    home: PlayedHome, change: dict[str, Any], place: str
) -> None:
    with pytest.raises(PlayError, match=place):
        home.at(replace(home.start, **change))


def test_a_file_of_ones_own_has_controls_for_what_it_has() -> None:
    """Without a phone none is far away; without downloads nobody sends them."""
    text = str(aqmlab.new("home")).replace('kind = "phone"', 'kind = "tablet"')
    text = text.replace('name = "download"', 'name = "updates"').replace(
        'name = "readers"', 'name = "guests"'
    )
    facts = PlayedHome(Scenario.from_toml(text), simulated_s=5.0).facts()["home"]
    assert [each["name"] for each in facts["faults"]] == ["loss", "varies"]
    assert {knob["name"]: knob["label"] for knob in facts["counts"]} == {
        "guests": "guests, number", "backup": "uploads (backups)", "updates": "updates, number",
    }  # fmt: skip
    assert [each["name"] for each in facts["senders"]] == ["", "cubic", "reno", "bbr"]
    talk = text[: text.index("# Two people")] + text[text.index("# A phone call") :]
    facts = PlayedHome(Scenario.from_toml(talk), simulated_s=5.0).facts()["home"]
    assert (facts["senders"], facts["counts"]) == ([], [])


# --- where the queue stands ---


@pytest.mark.parametrize("scheme", ["pie", "cake"])
@pytest.mark.parametrize("place", list(PLACES))
def test_a_queue_is_placed_as_compare_places_it(home: PlayedHome, scheme: str, place: str) -> None:
    setting = replace(home.start, scheme=scheme, place=place)
    assert home.at(setting) == placed(home.scenario, scheme, PLACES[place], None)


def test_a_file_whose_router_shapes_is_played_with_at_any_place() -> None:
    own = PlayedHome(aqmlab.new("home", queue_in="router").scenario, simulated_s=5.0)
    assert own.drawn_link(own.start) == "router-up"
    at_the_modem = own.at(replace(own.start, scheme="pie", place="modem")).resolved["line"]
    assert at_the_modem["modem_queue"]["scheme"] == "pie"
    assert at_the_modem.get("shaped_share_up") is None


def test_rates_and_the_schemes_own_parameters_are_turned(home: PlayedHome) -> None:
    rates = {"line.down_mbps": 50.0, "line.up_mbps": 5.0}
    setting = replace(home.start, rates_mbps=rates, scheme="codel", parameters={"target_ms": 12.0}, ecn=True)
    line = home.at(setting).resolved["line"]
    assert (line["down_mbps"], line["up_mbps"], line["shaped_share_up"]) == (50.0, 5.0, 0.95)
    assert [line[f"router_queue_{way}"]["target_ms"] for way in ("down", "up")] == [12.0, 12.0]
    assert line["router_queue_up"]["ecn"] is True
    about = home.about(setting, home.at(setting), "")
    values = {knob["name"]: knob["value"] for knob in about["further"]}
    assert (values["target_ms"], values["interval_ms"], values["ecn"]) == (12.0, 100.0, True)
    assert about["label"] == "CoDel in your router, which shapes; 50 Mbit/s down and 5 up"
    assert about["compare"].endswith("--schemes pie,fq-codel,cake --queue-in router")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"off": ("fridge",)}, "off: fridge"),
        ({"rates_mbps": {"line.delay_ms": 3.0}}, r"rates_mbps: line\.delay_ms"),
        ({"scheme": "pie2"}, 'did you mean "pie"'),
        ({"off": ("readers", "television", "backup", "download", "call", "game", "meeting")}, "nobody uses"),
        ({"scheme": "pie", "parameters": {"target": 5.0}}, "parameters: target"),
        ({"scheme": AS_IT_IS, "parameters": {"target_ms": 5.0}}, "target_ms: .*nothing with 'as it is'"),
        ({"scheme": AS_IT_IS, "ecn": True}, "ecn: .*nothing with 'as it is'"),
    ],
)
def test_what_cannot_be_set_is_refused(home: PlayedHome, change: dict[str, Any], place: str) -> None:
    with pytest.raises(PlayError, match=place):
        home.at(replace(home.start, **change))


def test_a_parameter_of_the_queue_that_a_line_has_by_default_is_turned(home: PlayedHome) -> None:
    """A shaping router has FQ-CoDel unless its file says otherwise: no table stands there."""
    setting = replace(home.start, scheme="fq-codel", parameters={"target_ms": 3.0})
    line = home.at(setting).resolved["line"]
    for way in ("router_queue_down", "router_queue_up"):
        assert (line[way]["scheme"], line[way]["target_ms"], line[way]["interval_ms"]) == (
            "fq-codel",
            3.0,
            100.0,
        )


def test_a_value_out_of_range_is_refused_by_what_was_turned(home: PlayedHome) -> None:
    """Both ways have the value, which is told once; nobody typed a key of the scenario."""
    for scheme in ("pie", "fq-codel"):
        with pytest.raises(ScenarioError) as refused:
            home.at(replace(home.start, scheme=scheme, parameters={"target_ms": -1.0}))
        assert str(refused.value).startswith("target_ms: -1 is ")
        assert len(str(refused.value).splitlines()) == 1
    with pytest.raises(ScenarioError, match=r"^down_mbps: -1 is out of range; legal: 0\.001 to 1000000$"):
        home.at(replace(home.start, rates_mbps={**home.start.rates_mbps, "line.down_mbps": -1.0}))


def test_a_parameter_of_the_first_scheme_is_refused_with_its_scheme() -> None:
    scenario = aqmlab.Scenario.from_toml(aqmlab.new("home"))
    with pytest.raises(ScenarioError) as refused:
        PlayedHome(scenario, scheme="pie:target_ms=-1")
    assert str(refused.value) == (
        "scheme pie: target_ms: -1 is not legal; legal: from 0.001 to 1e9 milliseconds"
    )


def test_a_place_that_is_none_is_refused(home: PlayedHome) -> None:
    with pytest.raises(aqmlab.errors.RefusalError, match="no queue stands in"):
        home.at(replace(home.start, scheme="pie", place="attic"))


def test_a_queue_may_be_chosen_at_first() -> None:
    scenario = aqmlab.new("home").scenario
    cake = PlayedHome(scenario, scheme="cake", queue_in="line", simulated_s=5.0)
    assert cake.at(cake.start) == placed(scenario, "cake", PLACES["line"], None)
    assert (cake.start.scheme, cake.facts()["link"]) == ("cake", "up")
    with pytest.raises(PlayError, match='did you mean "pie"'):
        PlayedHome(scenario, scheme="pie2", simulated_s=5.0)


def test_a_queue_may_be_chosen_with_parameters() -> None:
    scenario = aqmlab.new("home").scenario
    pie = PlayedHome(scenario, scheme="pie:target_ms=5:ecn=true", queue_in="line", simulated_s=5.0)
    assert (pie.start.scheme, pie.start.parameters, pie.start.ecn) == ("pie", {"target_ms": 5}, True)
    for queue in (
        pie.at(pie.start).resolved["line"]["modem_queue"],
        pie.at(pie.start).resolved["line"]["provider_queue"],
    ):
        assert (queue["scheme"], queue["target_ms"], queue["ecn"]) == ("pie", 5.0, True)


def test_only_lines_are_homes(home: PlayedHome) -> None:
    assert is_home(home.scenario)
    assert not any(is_home(Scenario.from_toml(text)) for text in (WEB, BULK))


# --- what is drawn ---


def test_the_strip_has_every_packet_of_the_window_once() -> None:
    """Conservation: those that came and the ticks of those that did not are those that were sent."""
    slow = PlayedHome(aqmlab.new("home", down_mbps=20.0, up_mbps=0.5).scenario, simulated_s=20.0)
    result = played(slow, replace(slow.start, scheme="codel"))
    drawn = strip(result)
    assert drawn is not None
    assert (drawn["of"], drawn["limits_ms"], [way["way"] for way in drawn["ways"]]) == (
        "call", [150.0, 400.0], ["up", "down"],
    )  # fmt: skip
    rows = {row["group"]: row for row in result.tables["datagrams"].to_pylist()}
    for way in drawn["ways"]:
        sent = rows[f"call-{way['way']}"]["sent_packets"]
        assert len(way["time_s"]) + len(way["lost_s"]) == sent
        instants = sorted([*way["time_s"], *way["lost_s"]])
        assert np.allclose(np.diff(instants), 0.02, atol=2e-3), "G.711: a packet every 20 ms"
    assert rows["call-up"]["lost_packets"] == len(drawn["ways"][0]["lost_s"]) > 0


def test_the_grade_of_the_call_follows_from_what_is_drawn(home: PlayedHome) -> None:
    """ITU-T G.114: good up to 150 ms one way, fair up to 400; of the way that suffers more."""
    for setting in (home.start, replace(home.start, scheme="fq-codel")):
        result = played(home, setting)
        drawn = strip(result)
        assert drawn is not None
        assert not any(way["lost_s"] for way in drawn["ways"])
        slow_ms = max(float(np.percentile(way["delay_ms"], 95)) for way in drawn["ways"])
        by_hand = "good" if slow_ms <= 150.0 else "fair" if slow_ms <= 400.0 else "poor"
        assert judged(result)["rows"][0]["grade"] == by_hand


def test_where_nobody_calls_the_next_one_is_drawn_and_at_last_the_queue(home: PlayedHome) -> None:
    for off, told in [(("call",), "game"), (("call", "game"), "meeting"), (("call", "game", "meeting"), "")]:
        setting = replace(home.start, off=off)
        scenario = home.at(setting)
        seen = measurement(
            home.run(scenario, 1, ActiveRuns()), home.drawn_link(setting), home.waiting_links(scenario)
        )["strip"]
        assert (seen["of"], sorted(way["way"] for way in seen["ways"])) == (told, ["down", "up"])


def test_the_first_look_is_the_beginning_of_the_longer_run() -> None:
    home = PlayedHome(aqmlab.new("home").scenario)
    scenario = home.at(home.start)
    quick_s, whole_s = (home.length_of(scenario, quick=quick) for quick in (True, False))
    assert (quick_s, whole_s) == (20.0, 70.0)
    quick, whole = (strip(home.run(scenario, 1, ActiveRuns(), seconds)) for seconds in (quick_s, whole_s))
    assert quick is not None
    assert whole is not None
    for first, all_of_it in zip(quick["ways"], whole["ways"], strict=True):
        assert first["delay_ms"] == all_of_it["delay_ms"][: len(first["delay_ms"])]
    fast = home.at(replace(home.start, rates_mbps={"line.down_mbps": 1000.0, "line.up_mbps": 100.0}))
    assert [home.length_of(fast, quick=quick) for quick in (True, False)] == [8.0, 8.0]


def test_a_setting_that_was_played_is_answered_again_without_a_run(home: PlayedHome) -> None:
    player = Player(home, "home.toml")
    stopped = ActiveRuns()
    first = player._play(home.start, ActiveRuns(), quick=True)
    stopped.stop()
    assert player._play(home.start, stopped, quick=True) == first
    with pytest.raises(aqmlab.errors.Cancelled):
        player._play(replace(home.start, seed=2), stopped, quick=True)
    player.close()


def test_the_same_setting_is_played_once_and_another_one_stops_it() -> None:
    long = PlayedHome(aqmlab.new("home").scenario, simulated_s=3600.0)
    player = Player(long, "home.toml")
    player.first()
    first = player._begin(long.start, quick=True)
    assert player._begin(long.start, quick=True) is first
    whole = player._begin(long.start, quick=False)
    other = player._begin(replace(long.start, off=("backup",)), quick=True)
    with pytest.raises(aqmlab.errors.Cancelled):
        whole.result(timeout=60)
    assert json.loads(other.result(timeout=60))["more"] is True
    player.close()


def test_what_is_saved_is_the_setting_and_its_commands_read_it(home: PlayedHome) -> None:
    for place in PLACES:
        setting = replace(home.start, scheme="fq-codel", place=place, off=("game",))
        scenario = home.at(setting)
        saved = Scenario.from_toml(scenario.as_toml())
        assert saved == scenario
        words = home.about(setting, scenario, "")["compare"].split()
        assert words[2] == "home-played.toml"
        schemes, queue_in = words[words.index("--schemes") + 1], words[words.index("--queue-in") + 1]
        assert list(configurations(saved, schemes.split(","), (), queue_in, None)) == [
            AS_IT_IS,
            "pie",
            "cake",
        ]


# --- two settings ---


def test_two_queues_are_compared_and_other_people_are_not() -> None:
    home = PlayedHome(aqmlab.new("home", down_mbps=5.0, up_mbps=1.0).scenario, simulated_s=5.0)
    with closing(FullComparison(home, budget_s=0.1)) as comparison:
        with pytest.raises(PlayError, match="not the same applications"):
            comparison.start(home.start, replace(home.start, off=("game",)))
        with pytest.raises(PlayError, match="are the same"):
            comparison.start(home.start, replace(home.start, seed=2))
        comparison.start(home.start, replace(home.start, scheme="fq-codel"))
        seen = ended(comparison)
        assert (seen["state"], seen["names"]) == ("done", ["as it is", "FQ-CoDel"])
        assert "FQ-CoDel" in (comparison.report or "")
    slower = replace(home.start, rates_mbps={"line.down_mbps": 5.0, "line.up_mbps": 0.8})
    assert home.names(home.start, slower) == ("as it is", "as it is; 5 Mbit/s down and 0.8 up")


def test_of_two_queues_side_by_side_it_is_said_what_changes_most(home: PlayedHome) -> None:
    player = Player(home, "home.toml")
    other = replace(home.start, scheme="fq-codel")
    assert player.changes(home.start, other) == "", "nothing was run"
    for setting in (home.start, other, replace(home.start, off=("game",))):
        player._play(setting, ActiveRuns(), quick=False)
    results = {AS_IT_IS: [played(home, home.start)], "FQ-CoDel": [played(home, other)]}
    found = Comparison.of(results)
    assert player.changes(home.start, other) == what_changes_most(found, verdict(found)) != ""
    assert player.changes(home.start, replace(home.start, off=("game",))) == "", "not the same people"
    player.close()


def test_runs_of_both_sides_are_kept_however_many_came_before(home: PlayedHome) -> None:
    player = Player(home, "home.toml")
    of_any = PlayedRun("", played(home, home.start))
    for seed in range(2, 40):
        player._lately.keep(replace(home.start, seed=seed), of_any, quick=True)
    player._play(home.start, ActiveRuns(), quick=False)
    player._play(replace(home.start, scheme="pie"), ActiveRuns(), quick=False)
    assert player.changes(home.start, replace(home.start, scheme="pie")) != ""
    assert player._lately.of(replace(home.start, seed=2), quick=True) is None, "let go"
    player.close()


# --- served ---


def test_without_a_scenario_it_is_the_household(tmp_path: Path) -> None:
    with serving(tmp_path, "--down", "50", "--up", "10", "--seconds", "25", scenario=None) as (
        host, port, token,
    ):  # fmt: skip
        facts = json.loads(ask(host, port, f"/knobs?token={token}")[1])
        assert facts["start"]["rates_mbps"] == {"line.down_mbps": 50.0, "line.up_mbps": 10.0}
        start = facts["start"]
        status, body = ask(host, port, f"/run?token={token}&quick=1", start)
        assert (status, json.loads(body)["more"]) == (200, True)
        status, body = ask(host, port, f"/run?token={token}", start)
        assert (status, json.loads(body)["more"]) == (200, False)
        sides = {"before": start, "now": {**start, "scheme": "pie"}}
        assert json.loads(ask(host, port, f"/changes?token={token}", sides)[1]) == {"words": ""}
        assert ask(host, port, f"/changes?token={token}", {"before": start})[0] == 400
        for wrong in ({"off": ["fridge"]}, {"off": "call"}, {"place": 3}, {"place": "attic", "scheme": "pie"},
                      {"rates_mbps": {}, "ecn": 2}, {"demand": 3}, {"technology": "pigeon"}, {"sender": 3},
                      {"counts": {"download": -1}}, {"counts": {"download": "1"}},
                      {"faults": "loss"}):  # fmt: skip
            status, body = ask(host, port, f"/run?token={token}", {**start, **wrong})
            assert (status, bool(json.loads(body)["refused"])) == (400, True), wrong
    assert list(tmp_path.iterdir()) == [], "nothing is written"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["web.toml", "--down", "50"], "--down, --up and --technology are of the household"),
        (["web.toml", "--queue-in", "modem"], "are of a [line]"),
        (["--queue-in", "attic"], "no queue stands in"),
        (["--queue-in", "modem", "--shaped-share", "0.9"], "only a router shapes"),
        (["--technology", "pigeon"], "pigeon"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, options: list[str], said: str) -> None:
    (tmp_path / "web.toml").write_text(WEB, encoding="utf-8")
    command = [sys.executable, "-m", "aqmlab", "play", "--no-browser", "--seconds", "5", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr
