"""`aqmlab flent`: Flent's tests on a simulated line, against closed forms and second computations."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from aqmlab.errors import RefusalError
from aqmlab.presets.line import AS_IT_IS, Line
from aqmlab.study.flent_tests import TESTS, Measured, measure
from aqmlab.study.flent_tests.data_file import flent_test_document
from aqmlab.study.flent_tests.measuring import scenario_of
from small import BULK, aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path

_DOWN, _UP, _LENGTH_S = 20.0, 5.0, 15.0
_LINE = Line.of_rates(_DOWN, _UP)
_PROBE_BITS = 84 * 8


@pytest.fixture(scope="module", name="rrul")
def rrul_on_a_line() -> dict[str, Measured]:
    found = measure(TESTS["rrul"], _LINE, ["fq-codel"], length_s=_LENGTH_S)
    return {measured.queue: measured for measured in found}


def test_rrul_is_a_stream_of_each_class_either_way_beside_four_probes() -> None:
    document = scenario_of(TESTS["rrul"], _LINE).resolved
    flows = {flow["name"]: flow for flow in document["flows"]}
    marks = {"BE": 0, "BK": 8, "CS5": 40, "EF": 46}
    for way, direction in {"up": "right-to-left", "down": "left-to-right"}.items():
        for label, dscp in marks.items():
            flow = flows.pop(f"TCP {way}load {label}")
            assert (flow["direction"], flow.get("dscp", 0)) == (direction, dscp)
            assert (flow["start_s"], flow["stop_s"], flow["count"]) == (5.0, 65.0, 1)
    assert not flows
    assert document["duration_s"] == 70.0
    probes = {probe["name"]: (probe["dscp"], probe["echo"]) for probe in document["datagrams"]}
    assert probes == {
        "Ping (ms) UDP EF": (46, True),
        "Ping (ms) UDP BK": (8, True),
        "Ping (ms) UDP BE": (0, True),
        "Ping (ms) ICMP": (0, True),
    }
    # A probe each 0.2 s: 84 bytes.
    for probe in document["datagrams"]:
        assert probe["rate_mbps"] == pytest.approx(84 * 8 / 0.2 / 1e6)


def test_before_the_streams_a_probe_takes_the_round_trip_and_what_it_takes_to_send_it(
    rrul: dict[str, Measured],
) -> None:
    """All leave at once: the second waits for the first, and so on."""
    own_ms = 20.0 + 1e3 * _PROBE_BITS * (1 / (_UP * 1e6) + 1 / (_DOWN * 1e6))
    for measured in rrul.values():
        for place, probe in enumerate(measured.test.probes):
            idle = measured.idle_ms(probe.series)
            assert len(idle) == 25
            expected = own_ms + place * 1e3 * _PROBE_BITS / (_UP * 1e6)
            assert idle == pytest.approx(expected, abs=0.001), (measured.queue, probe.series)


def test_streams_carry_what_reached_their_receivers(rrul: dict[str, Measured]) -> None:
    for measured in rrul.values():
        groups = {flow["name"]: sum(flow["delivered_bytes"]) for flow in measured.result.run["flows"]}
        for stream in measured.test.streams:
            delivered_mbps = groups[stream.series] * 8 / 1e6 / _LENGTH_S
            sent = measured.streams[stream.series]
            # What was lost behind the line counts twice, what stood in it at the end not yet.
            assert measured.mean_mbps(stream.series) == pytest.approx(delivered_mbps, rel=0.03), stream.series
            assert sent.between(0.0, 5.0).sum() == 0.0
            assert len(sent.values) == 125


def test_probes_take_what_the_tables_of_the_run_say(rrul: dict[str, Measured]) -> None:
    behind_s = 0.010
    for measured in rrul.values():
        rows = {row["group"]: row for row in measured.result.tables["datagrams"].to_pylist()}
        for probe in measured.test.probes:
            row = rows[f"{probe.series}-echo"]
            took = measured.probes[probe.series].values / 1e3 - behind_s
            assert len(took) == rows[probe.series]["sent_packets"]
            every = took[np.isfinite(took)]
            assert len(every) == row["received_packets"]
            assert every.mean() == pytest.approx(row["delay_mean_s"])
            assert every.max() == pytest.approx(row["delay_maximum_s"])
            nearest = np.sort(every)[int(np.ceil(0.5 * len(every))) - 1]
            assert row["delay_p50_s"] == pytest.approx(nearest, rel=0.002)


def test_lost_probes_are_counted_and_never_come_back(rrul: dict[str, Measured]) -> None:
    # A limit of packets is one for probes too.
    short = {"scheme": "drop-tail", "limit_packets": 20}
    line = Line(
        {"dumbbell": {**_LINE.network["dumbbell"], "queue": short, "queue_right_to_left": short}}, 20.0
    )
    (measured,) = measure(TESTS["rrul"], line, [], length_s=_LENGTH_S)
    rows = measured.result.tables["datagrams"].to_pylist()
    lost = sum(row["lost_packets"] for row in rows if row["group"].endswith("-echo"))
    assert lost > 0
    # All are lost while streams last, or as their last packets leave.
    assert measured.lost_percent == pytest.approx(100 * lost / (4 * _LENGTH_S / 0.2), abs=1.0)
    sent = sum(row["sent_packets"] for row in rows if row["group"] in measured.probes)
    back = sum(row["received_packets"] for row in rows if row["group"].endswith("-echo"))
    never = sum(int(np.isinf(each.values).sum()) for each in measured.probes.values())
    assert never == sent - back >= lost
    assert rrul["fq-codel"].lost_percent == 0.0


def test_fair_queues_give_each_stream_its_share_and_let_probes_pass(rrul: dict[str, Measured]) -> None:
    measured = rrul["fq-codel"]
    for way in ("down", "up"):
        shares = [measured.mean_mbps(each.series) for each in measured.test.streams if each.way == way]
        assert shares == pytest.approx([float(np.mean(shares))] * 4, rel=0.08), way
    # A probe waits for the packet that is sent, one of each of four streams, and the other probes, each way.
    bound_ms = sum(1e3 * (5 * 12_000 + 4 * _PROBE_BITS) / (mbps * 1e6) for mbps in (_DOWN, _UP))
    assert np.median(measured.loaded_ms("Ping (ms) UDP EF")) < 20.0 + bound_ms
    full_ms = np.median(rrul[AS_IT_IS].loaded_ms("Ping (ms) UDP EF"))
    # CUBIC leaves 0.7 of what it had when the buffer of 100 ms ran over, round trip included.
    assert full_ms > 0.7 * (100.0 + 20.0)


def test_hosts_further_away_answer_later_and_still_get_their_share() -> None:
    [measured] = measure(TESTS["rtt_fair"], _LINE, [], length_s=5.0)
    for host, round_trip_ms in enumerate((20.0, 40.0, 80.0, 160.0), start=1):
        idle = measured.idle_ms(f"Ping (ms) ICMP{host}")
        assert idle.min() == pytest.approx(round_trip_ms, abs=0.9), host
    flows = scenario_of(TESTS["rtt_fair"], _LINE).resolved["flows"]
    # Beside the line's own 10 ms there and back.
    assert [flow["base_rtt_ms"] for flow in flows] == [10.0, 30.0, 70.0, 150.0] * 2


def test_the_data_file_has_the_series_that_flent_plots(rrul: dict[str, Measured]) -> None:
    measured = rrul["fq-codel"]
    document = flent_test_document(measured)
    labels = ("BE", "BK", "CS5", "EF", "avg", "sum")
    expected = {f"TCP {way}load {label}" for way in ("up", "down") for label in labels} | {"TCP totals"}
    expected |= {f"Ping (ms) {name}" for name in ("UDP EF", "UDP BK", "UDP BE", "ICMP", "avg")}
    results = document["results"]
    assert set(results) == expected
    assert document["x_values"] == pytest.approx([0.2 * step for step in range(1, 126)])
    lasts = [5.0 < at_s <= 20.0 for at_s in (round(x, 6) for x in document["x_values"])]
    for name, values in results.items():
        if name.startswith("TCP"):
            assert [value is not None for value in values] == lasts, name
    down = [results[f"TCP download {label}"] for label in ("BE", "BK", "CS5", "EF")]
    for step, sums in enumerate(zip(*down, strict=True)):
        if lasts[step]:
            assert results["TCP download sum"][step] == pytest.approx(sum(sums))
            assert results["TCP download avg"][step] == pytest.approx(sum(sums) / 4)
    assert document["metadata"]["NAME"] == "rrul"
    assert (document["metadata"]["LENGTH"], document["metadata"]["TOTAL_LENGTH"]) == (15.0, 25.0)
    assert (document["metadata"]["STEP_SIZE"], document["version"]) == (0.2, 4)


def test_the_command_prints_a_table_and_writes_flents_files(tmp_path: Path) -> None:
    arguments = ("flent", "tcp_nup", "--down", "8", "--up", "2", "--length", "3", "--schemes", "fq-codel")
    done = aqmlab_run(*arguments, "--flent", "files", "--output", "x.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "now (drop-tail)" in done.stdout
    assert "FQ-CoDel" in done.stdout
    names = sorted(file.name for file in (tmp_path / "files").iterdir())
    assert names == ["tcp_nup-as-it-is-seed-1.flent.gz", "tcp_nup-fq-codel-seed-1.flent.gz"]
    document = json.loads(gzip.decompress((tmp_path / "files" / names[0]).read_bytes()))
    assert document["metadata"]["DATA_FILENAME"] == names[0]
    assert set(document["results"]) == {
        *(f"TCP upload::{number}" for number in range(1, 5)),
        "TCP upload avg",
        "TCP upload sum",
        "Ping (ms) ICMP",
    }
    heading = (tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()[0]
    keys = ["queue", "up_mbps", "idle_ms", "loaded_p50_ms", "loaded_p99_ms", "lost_percent"]
    assert heading.split(",")[:7] == [*keys, "tcp_upload_1_mbps"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rrull", "--down", "8", "--up", "2"), "'rrull' is not one of"),
        (("rrul",), "give the line: --down 100 --up 10, or a scenario file"),
        (("rrul", "--down", "8", "--up", "0.1"), "0.256 Mbit/s or more"),
        (("rrul", "--down", "8", "--up", "2", "--length", "0"), "0.0 is not in the range"),
        (("rrul", "--down", "8", "--up", "2", "--schemes", "fqcodel"), 'did you mean "fq-codel"'),
        (("rrul", "--down", "8", "--up", "2", "--output", "x.txt"), ".csv"),
    ],
)
def test_wrong_words_are_told_with_what_is_legal(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = aqmlab_run("flent", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in " ".join(done.stderr.split()), done.stderr
    assert not list(tmp_path.iterdir())


def test_a_line_that_probes_would_fill_is_refused() -> None:
    with pytest.raises(RefusalError, match="0\\.1 Mbit/s up"):
        Line.of_rates(10.0, 0.1)


def test_a_round_trip_that_the_line_alone_exceeds_is_refused(tmp_path: Path) -> None:
    (tmp_path / "far.toml").write_text(BULK.replace("[dumbbell]", "[dumbbell]\ndelay_ms = 30.0"))
    done = aqmlab_run("flent", "rrul", "far.toml", "--rtt-ms", "5", cwd=tmp_path)
    assert done.returncode == 2
    assert "5 ms is less than the line's own delay takes there and back; legal: 60 ms or more" in " ".join(
        done.stderr.split()
    )
