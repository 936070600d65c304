"""Downloads by different congestion controls, alone and in pairs, in each queue."""

from __future__ import annotations

import csv
import math
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab.show.objects.senders import table_of
from aqmlab.study.senders import with_senders
from aqmlab.tables.stored import to_csv
from small import aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path

LINE = """
name = "two downloads"
duration_s = 12.0
warm_up_s = 4.0

[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 300 }

[[flows]]
name = "up"
count = 1
direction = "right-to-left"
base_rtt_ms = 20.0
profile = "linux6-cubic"
application_mbps = 0.5

[[flows]]
name = "download"
count = 3
direction = "left-to-right"
base_rtt_ms = 20.0
profile = "linux6-cubic"
host = { timer_hz = 250 }

[[datagrams]]
name = "call"
count = 1
direction = "left-to-right"
packet_bytes = 200
rate_mbps = 0.08
"""


def test_the_endless_flow_down_is_sent_by_each_of_a_pair() -> None:
    own = aqmlab.Scenario.from_toml(LINE)
    flows = with_senders(own, ("reno", "bbr-linux-v1")).resolved["flows"]
    assert [each["name"] for each in flows] == ["up", "first", "second"]
    assert [each["host"]["congestion"] for each in flows[1:]] == ["reno", "bbr-linux-v1"]
    assert {each["count"] for each in flows[1:]} == {1}
    assert {each["host"]["timer_hz"] for each in flows[1:]} == {250}
    assert flows[0] == own.resolved["flows"][0]


def test_alone_is_without_the_other_downloads_and_their_settings() -> None:
    own = aqmlab.Scenario.from_toml(
        LINE + '[[flows]]\nname = "other"\ncount = 1\ndirection = "left-to-right"\nbase_rtt_ms = 20.0\n'
        'profile = "linux6-cubic"\nhost = { congestion = "prague", ecn = "accurate" }\n'
    )
    assert [each["name"] for each in with_senders(own, ("reno",)).resolved["flows"]] == ["up", "first"]


def test_what_no_sender_is_called_and_what_is_not_of_senders_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE, encoding="utf-8")
    for arguments, told in (
        (["--senders", "cubicc"], "aqmlab: senders: controller 'cubicc': unknown"),
        (
            ["--senders", "own.so"],
            "aqmlab: senders: own.so: no symbol of this library is named; legal: own.so:",
        ),
        (["--senders", "own.so:"], "aqmlab: senders: own.so: no symbol of this library is named; legal: own"),
        (["--senders", "bbr"], "bbr has several editions; legal: bbr-linux-v1, bbr-linux-v2, bbr-l4s-v2"),
        (["--senders", ","], "names none"),
        (["--senders", "cubic", "--within", "9s"], "--within is not of --senders"),
    ):
        done = aqmlab_run("compare", tmp_path / "line.toml", *arguments)
        assert (done.returncode, told in done.stderr) == (2, True), done.stderr


@pytest.fixture(scope="module")
def matrix() -> aqmlab.SenderMatrix:
    return aqmlab.senders(LINE, ["cubic", "ledbat"], schemes=["drop-tail", "fq-codel"], seeds=[1, 2])


def test_a_background_sender_yields_in_one_queue_and_not_where_each_has_its_own(
    matrix: aqmlab.SenderMatrix,
) -> None:
    """LEDBAT (RFC 6817) yields to CUBIC, whose queue is beyond its target; FQ-CoDel halves the line."""
    assert matrix.share("drop-tail", "ledbat", "cubic") < 0.2
    assert matrix.share("fq-codel", "ledbat", "cubic") == pytest.approx(0.5, abs=0.05)
    for queue in matrix.queues:
        both = matrix.share(queue, "ledbat", "cubic") + matrix.share(queue, "cubic", "ledbat")
        assert both == pytest.approx(1.0)


def test_the_call_waits_for_the_senders_queue(matrix: aqmlab.SenderMatrix) -> None:
    """300 full packets at 10 Mbit/s are 0.37 s: CUBIC fills them, LEDBAT keeps 0.1 s, FQ-CoDel none."""
    delays = {
        (queue, sender): matrix.alone(queue, sender).mean("call_delay_p95_ms")
        for queue in matrix.queues
        for sender in matrix.senders
    }
    assert delays["drop-tail", "cubic"] == pytest.approx(370, rel=0.15)
    assert delays["drop-tail", "ledbat"] == pytest.approx(110, rel=0.25)
    assert delays["fq-codel", "cubic"] == pytest.approx(0.0, abs=20.0)


def test_one_row_for_each_queue_senders_seed_and_number(matrix: aqmlab.SenderMatrix) -> None:
    frame = matrix.to_pandas()
    # In each queue, of each seed: alone two numbers each, in three pairs three each.
    assert len(frame) == 2 * 2 * (2 * 2 + 3 * 3)
    assert "beside cubic, %" in str(matrix)


def test_the_table_says_how_many_seeds_there_were_and_what_is_sure() -> None:
    """Student's t of five degrees of freedom: 2.571. LEDBAT's share is far from half."""
    found = aqmlab.senders(LINE, ["cubic", "ledbat"], schemes=["drop-tail", "fq-codel"], seeds=range(1, 7))
    shares = [
        100.0 * numbers["second_mbps"] / (numbers["first_mbps"] + numbers["second_mbps"])
        for numbers in found.met["drop-tail", ("cubic", "ledbat")].by_seed.values()
    ]
    mean = fmean(shares)
    half_width = 2.570582 * stdev(shares) / math.sqrt(6)
    [row] = [
        each
        for each in csv.DictReader(to_csv(table_of(found)).splitlines())
        if (each["queue"], each["sender"]) == ("drop-tail", "ledbat")
    ]
    assert float(row["share_beside_cubic_percent"]) == pytest.approx(mean)
    assert float(row["share_beside_cubic_low_percent"]) == pytest.approx(mean - half_width)
    assert float(row["share_beside_cubic_high_percent"]) == pytest.approx(mean + half_width)
    assert row["seeds"] == "6"
    text = " ".join(str(found).split())
    assert f"{mean:.0f}±{half_width:.0f}*" in text or f"{mean:.0f} ± {half_width:.0f}*" in text
    assert "means over 6 seeds with 95 % intervals; *: a share that is not half" in text


def test_two_seeds_give_no_interval_and_say_so(matrix: aqmlab.SenderMatrix) -> None:
    assert matrix.seeds == (1, 2)
    text = " ".join(str(matrix).split())
    assert "±" not in text
    assert "means over 2 seeds: too few for intervals" in text
    assert matrix.alone("drop-tail", "cubic").interval("no such number") is None


NODES = """
name = "between two machines"
duration_s = 12.0
warm_up_s = 4.0

[[topology.nodes]]
name = "sources"
kind = "host"
count = 4

[[topology.nodes]]
name = "sinks"
kind = "host"
count = 4

[[topology.nodes]]
name = "near"
kind = "router"

[[topology.nodes]]
name = "far"
kind = "router"

[[topology.links]]
from = "sources"
to = "near"
rate_mbps = 100.0
delay_ms = 5.0

[[topology.links]]
from = "sinks"
to = "far"
rate_mbps = 100.0
delay_ms = 5.0

[[topology.links]]
from = "near"
to = "far"
rate_mbps = 10.0
delay_ms = 5.0
queue = { scheme = "drop-tail", limit_packets = 300 }

[[flows]]
name = "there"
count = 2
senders = "sources"
receivers = "sinks"
profile = "linux6-cubic"

[[flows]]
name = "back"
count = 1
senders = "sinks"
receivers = "sources"
profile = "linux6-cubic"
application_mbps = 0.5

[[datagrams]]
name = "talk"
count = 1
senders = "sources"
receivers = "sinks"
packet_bytes = 200
rate_mbps = 0.08
"""


def test_between_machines_the_way_of_the_first_flow_is_that_of_the_downloads() -> None:
    own = aqmlab.Scenario.from_toml(NODES)
    flows = with_senders(own, ("reno", "ledbat")).resolved["flows"]
    assert [(each["name"], each["senders"]) for each in flows] == [
        ("first", "sources"), ("second", "sources"), ("back", "sinks"),
    ]  # fmt: skip
    found = aqmlab.senders(own, ["cubic", "ledbat"], schemes=["drop-tail", "fq-codel"], seeds=[1])
    assert found.call == "talk"
    assert found.share("drop-tail", "ledbat", "cubic") < 0.2


def test_the_command_writes_table_and_figure(tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE.replace("12.0", "2.0").replace("4.0", "0.5"), encoding="utf-8")
    out = tmp_path / "out"
    done = aqmlab_run(
        "compare", tmp_path / "line.toml", "--senders", "cubic,reno", "--schemes", "drop-tail,pie",
        "--seeds", "1", "--output", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (out / "figure-senders.svg").is_file()
    assert len((out / "senders.csv").read_text(encoding="utf-8").splitlines()) == 1 + 2 * 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--senders", "cubic,cubic"], "each once"),
        (["--senders", "cubik"], '"cubic"'),
        (["--senders", "cubic", "--details"], "--schemes"),
    ],
)
def test_mistakes_name_what_is_legal(options: list[str], told: str, tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE, encoding="utf-8")
    done = aqmlab_run("compare", tmp_path / "line.toml", *options, "--output", tmp_path / "out")
    assert done.returncode == 2
    assert told in done.stderr


def test_a_folder_that_cannot_be_made_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE, encoding="utf-8")
    (tmp_path / "file").touch()
    output = tmp_path / "file" / "out"
    done = aqmlab_run(
        "compare", tmp_path / "line.toml", "--senders", "cubic", "--seeds", "1", "--output", output
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be created, because" in done.stderr
    assert "runs" not in done.stderr


def test_a_scenario_without_an_endless_flow_down_is_refused() -> None:
    with pytest.raises(aqmlab.ComparisonError, match="no flow that never ends"):
        aqmlab.senders(LINE.replace("left-to-right", "right-to-left"), ["cubic"], seeds=[1])
