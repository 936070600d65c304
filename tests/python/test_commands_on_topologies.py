"""Every command on a parking lot and on a star; topologies that make no sense, refused before a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from aqmlab.cli import commands

if TYPE_CHECKING:
    from pathlib import Path

LOT = """
name = "lot"
duration_s = 6.0
warm_up_s = 1.0

[parking_lot]
hops = 2
rate_mbps = 3.0
delay_ms = 2.0
queue = { scheme = "drop-tail", limit_packets = 30 }
interface_rate_mbps = 20.0
links = [{ hop = 1, rate_mbps = 2.0 }]

[[populations]]
name = "through"
browsers = "browsers-right"
servers = "servers-left"
count = 40

[[populations]]
name = "across"
browsers = "browsers-2"
servers = "servers-1"
count = 40

[[flows]]
count = 1
senders = "servers-left"
receivers = "browsers-right"
base_rtt_ms = 20.0

[record]
congestion_window_interval_ms = 100.0
"""

STAR = """
name = "star"
duration_s = 6.0
warm_up_s = 1.0

[star]
homes = 2
rate_mbps = 2.0
delay_ms = 4.0
queue = { scheme = "drop-tail", limit_packets = 30 }

[[populations]]
name = "people"
browsers = "homes"
servers = "servers"
count = 60

[[flows]]
count = 1
senders = "servers"
receivers = "homes"
base_rtt_ms = 20.0

[record]
congestion_window_interval_ms = 100.0
"""

TOPOLOGY = """
name = "routes"
duration_s = 5.0

[[topology.nodes]]
name = "sources"
kind = "host"

[[topology.nodes]]
name = "a"
kind = "router"

[[topology.nodes]]
name = "b"
kind = "router"

[[topology.nodes]]
name = "sinks"
kind = "host"

[[topology.links]]
from = "sources"
to = "a"

[[topology.links]]
from = "a"
to = "b"
rate_mbps = 2.0
queue = { scheme = "drop-tail", limit_packets = 30 }

[[topology.links]]
from = "b"
to = "sinks"

[[flows]]
count = 1
senders = "sources"
receivers = "sinks"
base_rtt_ms = 20.0
"""


def said(*words: str | Path, status: int = 0) -> str:
    """What a command says that ends with this status."""
    done = CliRunner().invoke(commands, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        if status == 0:
            raise done.exception
        return str(done.exception)
    assert done.exit_code == status, done.output
    return str(done.output)


@pytest.mark.parametrize(
    ("text", "link", "population"),
    [(LOT, "router-1-to-router-2", "through"), (STAR, "hub-to-homes-1", "people")],
    ids=["parking lot", "star"],
)
def test_every_command_works(
    text: str, link: str, population: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.toml").write_text(text, encoding="utf-8")
    threads = ("--executor", "threads", "--workers", "2")

    assert link in said("run", "here.toml", "--output", "one")
    result = json.loads((tmp_path / "one" / "run.json").read_text(encoding="utf-8"))
    assert all(law["holds"] for law in result["invariants"])
    assert result["flows"][0]["delivered_bytes"][0] > 0

    said(
        "compare", "here.toml", "--schemes", "drop-tail,red", "--seeds", "1", "--output", "two",
        "--links", link, *threads,
    )  # fmt: skip
    assert link in (tmp_path / "two" / "report.html").read_text(encoding="utf-8")
    assert link in said(
        "calibrate", "here.toml", "--demand", f"populations.{population}", "--sizes", "20,40",
        "--set", "duration_s=4", "--links", link, "--output", "lines", *threads,
    )  # fmt: skip
    assert "limit_packets" in said(
        "tune", "here.toml", "--scheme", "drop-tail", "--range", "limit_packets=10:40", "--queues", link,
        "--trials", "2", "--seeds", "1-2", "--fresh-seeds", "3-4", "--set", "duration_s=4",
        "--output", "tuned", *threads,
    )  # fmt: skip
    sweep = 'scenario = "here.toml"\nseeds = "1"\n[grid]\n"populations.0.count" = [20, 40]\n'
    (tmp_path / "sweep.toml").write_text(sweep, encoding="utf-8")
    said("sweep", "sweep.toml", "--links", link, *threads)
    said("report", "one", "--links", link, "--output", "page.html")
    assert link in (tmp_path / "page.html").read_text(encoding="utf-8")
    for what in ("queue", "cwnd"):
        said("plot", "one", "--what", what, "--link", link, "--output", f"{what}.csv")
        assert len((tmp_path / f"{what}.csv").read_text(encoding="utf-8").splitlines()) > 10
    said("draw", "here.toml", "--output", "net.svg")
    assert "Mbit/s" in (tmp_path / "net.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("wrong", "right", "place", "legal"),
    [
        ('[[topology.links]]\nfrom = "b"\nto = "sinks"\n', "", "topology.nodes.3.name", "a node that a link"),
        ('from = "b"\nto = "sinks"\n', 'from = "b"\nto = "sinks"\nboth_ways = false\n', "flows.0", "route"),
        ('from = "b"\nto = "sinks"\n', 'from = "b"\nto = "b"\n', "topology.links.2.to", "another node"),
        ("rate_mbps = 2.0", "rate_mbps = 0", "topology.links.1.rate_mbps", "0.001 to 1000000"),
        ('to = "sinks"', 'to = "sink"', "topology.links.2.to", '"sinks"'),
    ],
    ids=["unreachable sink", "missing route", "loop", "rate zero", "unknown node"],
)
def test_senseless_topologies_are_refused_with_their_place(
    wrong: str, right: str, place: str, legal: str, tmp_path: Path
) -> None:
    assert wrong in TOPOLOGY
    file = tmp_path / "here.toml"
    file.write_text(TOPOLOGY.replace(wrong, right), encoding="utf-8")
    refused = said("run", file, "--output", tmp_path / "one", status=2)
    assert place in refused
    assert legal in refused
    assert "here.toml:" in refused
    assert not (tmp_path / "one").exists()
