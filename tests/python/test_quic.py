"""Connections over QUIC, as users of the package meet them: what is said of them, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import aqmlab
from aqmlab import Scenario, ScenarioError
from aqmlab.show.objects.senders import table_of
from aqmlab.show.report.network import facts
from aqmlab.tables.stored import to_csv
from small import BULK

OVER_QUIC = BULK + 'name = "up"\ntransport = "quic"\n'
BESIDE_TCP = (
    OVER_QUIC
    + """
[[flows]]
name = "beside"
count = 1
direction = "left-to-right"
base_rtt_ms = 40.0
[record]
congestion_window_interval_ms = 100.0
"""
)


def refused(text: str, **overrides: object) -> str:
    with pytest.raises(ScenarioError) as error:
        Scenario.from_toml(text, overrides={key.replace("__", "."): each for key, each in overrides.items()})
    return str(error.value)


def test_a_report_says_what_carries_the_flows() -> None:
    told = facts({"one": aqmlab.run(BESIDE_TCP, seed=1)})
    assert (told["flows, up"], told["flows, beside"]) == ("2 QUIC flows", "1 TCP flow")


def test_windows_are_those_of_flows_over_tcp_alone() -> None:
    rows = aqmlab.run(BESIDE_TCP, seed=1).tables["congestion_windows"].to_pylist()
    assert {row["flow_group"] for row in rows} == {"beside"}
    assert refused(OVER_QUIC + "[record]\ncongestion_window_interval_ms = 100.0\n").endswith(
        "record.congestion_window_interval_ms: no long-lived flow goes over TCP, whose windows it records: "
        'the transport is "quic"; legal: together with [[flows]] over "tcp", or left out'
    )


def test_hosts_have_the_keys_of_the_transport_and_no_profile_of_tcp() -> None:
    assert 'unknown key "ecm"; legal keys: congestion, ecn; did you mean "ecn"?' in refused(
        OVER_QUIC + "host = { ecm = true }\n"
    )
    assert refused(OVER_QUIC + 'profile = "bsd45"\n').endswith(
        'flows.0.profile: "bsd45" describes TCP, and the transport is "quic"; legal: "linux6-cubic" or '
        '"linux6-reno", or left out'
    )
    assert '"bsd45" describes TCP' in refused(OVER_QUIC, flows__0__profile="bsd45")


def both_ways(scenario: Scenario) -> list[dict[str, Any]]:
    """The resolved document again, read as a document, as TOML and with an override."""
    again = (
        Scenario.of(scenario.resolved),
        Scenario.from_toml(scenario.as_toml()),
        scenario.with_overrides({"duration_s": scenario.duration_s}),
    )
    return [each.resolved for each in again]


@pytest.mark.parametrize("profile", ["", 'profile = "linux6-reno"\n'])
def test_a_resolved_scenario_is_legal_and_the_same_again(profile: str) -> None:
    scenario = Scenario.from_toml(OVER_QUIC + profile)
    assert scenario.resolved["flows"][0].get("profile") == ("linux6-reno" if profile else None)
    assert both_ways(scenario) == [scenario.resolved] * 3


@pytest.mark.parametrize(
    ("traffic", "key"),
    [
        ('[users]\nper_side = 1\ntransport = "quic"\n', "users.transport"),
        ('[[flows]]\ncount = 1\ndirection = "left-to-right"\ntransport = "quic"\n', "flows.1.transport"),
    ],
)
def test_a_live_run_refuses_it_by_its_key(traffic: str, key: str) -> None:
    core = pytest.importorskip("aqmlab._core")
    if not hasattr(core, "LiveRun"):
        pytest.skip("live runs need Linux")
    told = f'^{key} = "quic": a live run has the kernel\'s TCP alone; legal: "tcp"$'
    with pytest.raises(ScenarioError, match=told):
        core.LiveRun(Scenario.from_toml(BULK + traffic).core, 1, core.LiveSettings())


def test_senders_go_over_the_transport_of_the_download_and_say_so() -> None:
    found = aqmlab.senders(OVER_QUIC, ["cubic"], schemes=["pie"], seeds=[1])
    assert found.transport == "quic"
    assert "one download over QUIC with this sender" in repr_of(found)
    over_tcp = aqmlab.senders(OVER_QUIC.replace("quic", "tcp"), ["cubic"], schemes=["pie"], seeds=[1])
    assert "one download over TCP with this sender" in repr_of(over_tcp)
    assert to_csv(table_of(found)) != to_csv(table_of(over_tcp))
    with pytest.raises(aqmlab.ComparisonError, match='"quic" has no ledbat; legal: "cubic" or "reno"'):
        aqmlab.senders(OVER_QUIC, ["ledbat"], schemes=["pie"], seeds=[1])


def repr_of(found: aqmlab.SenderMatrix) -> str:
    return " ".join(table_of(found).caption.split())
