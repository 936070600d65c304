"""`aqmlab line`: files worked out by hand, mistaken files, and lines that the fitting code is not told."""

from __future__ import annotations

import gzip
import json
import re
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import aqmlab
from aqmlab import RefusalError, Scenario
from aqmlab.study.line_fit.queue_fit import QueueKind
from aqmlab.study.line_fit.resampling import bounds
from blind_lines import FORMATS, BlindLine, blind_lines
from documented import ROOT
from line_files import BEGAN, LOADED, SAW, WAVEFORM, flent, iperf3, ping_log
from small import aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path


def packed(series: dict[str, list[float | None]], at_s: list[float] | None = None) -> bytes:
    return gzip.compress(flent(series, at_s).encode())


def written(folder: Path, **files: str | bytes) -> list[Path]:
    paths = []
    for name, content in files.items():
        paths.append(folder / name)
        paths[-1].write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


def test_ping_and_iperf3_together_are_a_line(tmp_path: Path) -> None:
    files = written(tmp_path, ping=ping_log(LOADED), down=iperf3(9.0, way="down", at_s=10))
    line = aqmlab.line_from(files)
    down, up = line.ways["down"], line.ways["up"]
    assert down.rate_mbps is not None
    # 1,448 bytes in IP packets of 1,500, and an echo request of 84 bytes each second.
    assert down.rate_mbps.value == pytest.approx(9.0 * 1500 / 1448 + 84 * 8e-6)
    assert down.rate_mbps.low < down.rate_mbps.value < down.rate_mbps.high < 9.5
    assert line.round_trip_ms is not None
    assert line.round_trip_ms.value == pytest.approx(20.0)
    assert down.kind is QueueKind.TAIL_DROP
    assert down.buffer_ms is not None
    assert down.buffer_ms.low < 100.0 < down.buffer_ms.high
    assert down.buffer_ms.value == pytest.approx(100.0, abs=1.0)
    assert up.rate_mbps is None
    table = line.scenario.resolved["line"]
    assert table["down_mbps"] == pytest.approx(9.0 * 1500 / 1448, rel=1e-3)
    assert table["provider_queue"]["limit_bytes"] == pytest.approx(0.1 * 9.32e6 / 8, rel=0.02)
    # What was not fitted is said, and is what is usual.
    assert re.search(r"^# up_mbps = 10  # not fitted \(no upload in these files\)", line.text, re.MULTILINE)
    assert re.search(r"^# modem_queue: not fitted", line.text, re.MULTILINE)
    assert table["up_mbps"] == 10.0
    behind = next(flow for flow in line.scenario.resolved["flows"] if flow["name"] == "download")
    assert 2 * table["delay_ms"] + behind["base_rtt_ms"] == pytest.approx(20.0)


def test_a_file_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    (file,) = written(tmp_path, up=iperf3(6.0, way="up"))
    assert aqmlab.line_from([file, file]).numbers == aqmlab.line_from([file]).numbers


@pytest.mark.parametrize(
    ("technology", "on_the_line"),
    [("cable", 1518.0), ("vdsl", 1530 * 65 / 64), ("adsl", 33 * 53.0), ("fibre", 1500.0)],
)
def test_the_rate_counts_what_the_technology_counts(
    technology: str, on_the_line: float, tmp_path: Path
) -> None:
    (file,) = written(tmp_path, up=iperf3(6.0, way="up"))
    line = aqmlab.line_from([file], technology=technology)
    rate = line.ways["up"].rate_mbps
    assert rate is not None
    assert rate.value == pytest.approx(6.0 * on_the_line / 1448)
    assert line.scenario.resolved["line"]["technology"] == technology


def test_a_log_without_times_is_aligned_by_where_round_trips_rise(tmp_path: Path) -> None:
    undated = ping_log(LOADED, every_s=0.5, dated=False)
    files = written(tmp_path, ping=undated, up=iperf3(9.0, way="up", at_s=3000, seconds=10))
    buffer = aqmlab.line_from(files).ways["up"].buffer_ms
    assert buffer is not None
    assert buffer.low < 100.0 < buffer.high


WINDOWS = """
Ping wird ausgeführt für 192.0.2.1 mit 32 Bytes Daten:
Antwort von 192.0.2.1: Bytes=32 Zeit=14ms TTL=57
Antwort von 192.0.2.1: Bytes=32 Zeit=12ms TTL=57
Zeitüberschreitung der Anforderung.
Antwort von 192.0.2.1: Bytes=32 Zeit=13ms TTL=57
Antwort von 192.0.2.1: Bytes=32 Zeit=12ms TTL=57
Antwort von 192.0.2.1: Bytes=32 Zeit=12ms TTL=57

Ping-Statistik für 192.0.2.1:
    Pakete: Gesendet = 6, Empfangen = 5, Verloren = 1 (16% Verlust),
    Minimum = 12ms, Maximum = 14ms, Mittelwert = 12ms
"""
MACOS = "PING h (192.0.2.1): 56 data bytes\n" + "\n".join(
    f"64 bytes from 192.0.2.1: icmp_seq={number} ttl=57 time=12,{number} ms"
    if number != 2
    else "Request timeout for icmp_seq 2"
    for number in range(6)
)
BUSYBOX = "\n".join(
    f"64 bytes from 192.0.2.1: seq={number} ttl=57 time=12.{number} ms" for number in range(6)
)


def test_answers_of_ping_that_overtake_or_come_twice_are_put_in_order(tmp_path: Path) -> None:
    lines = ping_log([0.0] * 10, dated=False).splitlines()
    lines[3:5] = [lines[4], lines[3], f"{lines[3]} (DUP!)"]
    line = aqmlab.line_from(written(tmp_path, ping="\n".join(lines)))
    assert line.round_trip_ms is not None
    assert line.round_trip_ms.value == 20.0
    with pytest.raises(RefusalError, match="two logs in one file"):
        aqmlab.line_from(written(tmp_path, ping="\n".join(ping_log([0.0] * 200) for _ in range(2))))


@pytest.mark.parametrize(
    "log",
    [WINDOWS.encode("utf-16"), WINDOWS.encode("latin-1"), MACOS.encode(), BUSYBOX.encode(),
     b"\xef\xbb\xbf" + ping_log([0.0] * 6).encode()],
    ids=["windows, by PowerShell", "windows", "macos with commas", "busybox", "with a byte order mark"],
)  # fmt: skip
def test_ping_of_every_system_is_read(log: bytes, tmp_path: Path) -> None:
    line = aqmlab.line_from(written(tmp_path, log=log))
    assert line.round_trip_ms is not None
    assert line.round_trip_ms.value in (12.0, 20.0)
    assert line.round_trip_ms.low == 0.0  # nobody knows whether the line was idle
    assert line.ways["down"].rate_mbps is None


@pytest.mark.parametrize(("separator", "point"), [(",", "."), (";", ",")])
def test_the_csv_of_waveform_is_read_also_as_a_spreadsheet_saves_it(
    separator: str, point: str, tmp_path: Path
) -> None:
    parts = ([20.0] * 12, [20.0 + each for each in SAW * 5], [20.5] * 20)
    spelt = ("\n".join(f"{each:.1f}".replace(".", point) for each in part) for part in parts)
    line = aqmlab.line_from(written(tmp_path, csv=WAVEFORM.format(separator, point, *spelt)))
    down, up = line.ways["down"], line.ways["up"]
    assert down.rate_mbps is not None
    assert down.rate_mbps.value == pytest.approx(90.5 * 1500 / 1448, rel=1e-4)
    assert down.buffer_ms is not None
    assert down.buffer_ms.low < 100.0 < down.buffer_ms.high
    # One figure says nothing of how steady the rate was, and nothing waited.
    assert up.kind is QueueKind.QUIET
    assert up.rate_mbps is not None
    assert up.rate_mbps.high == np.inf
    assert 'modem_queue = { scheme = "fq-codel" }' in line.text


def crusader(*, up_wait_s: float) -> str:
    """20 Mbit/s down and 5 up at once from 5 to 25 s; probes wait 40 ms on the way down and so long up."""

    def duration(seconds: float) -> dict[str, int]:
        return {"secs": int(seconds), "nanos": round(seconds % 1 * 1e9)}

    def group(mbps: float, *, download: bool) -> dict[str, Any]:
        data = [{"time": duration(5 + 0.1 * at), "bytes": int(at * mbps * 12_500)} for at in range(201)]
        return {"download": download, "both": True, "streams": [{"data": data}]}

    pings = []
    for number in range(300):
        loaded = 50 <= number < 250
        up = 0.007 + (up_wait_s if loaded else 0.0)  # the clocks differ, and never mind how
        total = 0.020 + (0.040 + up_wait_s if loaded else 0.0)
        latency = {"total": duration(total), "up": duration(up)}
        pings.append({"index": number, "sent": duration(0.1 * number), "latency": latency})
    groups = [group(20.0, download=True), group(5.0, download=False)]
    whole = {"version": 2, "generated_by": "Crusader 0.3.2", "stream_groups": groups, "pings": pings}
    return json.dumps(whole, indent=2)


def test_one_way_delays_tell_the_queues_of_a_line_apart_that_is_full_both_ways(tmp_path: Path) -> None:
    line = aqmlab.line_from(written(tmp_path, result=crusader(up_wait_s=0.150)))
    for way, wait_ms in (("down", 40.0), ("up", 150.0)):
        buffer = line.ways[way].buffer_ms
        assert buffer is not None, way
        assert buffer.value == pytest.approx(wait_ms), way
        rate = line.ways[way].rate_mbps
        assert rate is not None
        # The answers to what goes the other way take part of the line: one packet in two at most.
        assert rate.low <= {"down": 20.0, "up": 5.0}[way] * 1500 / 1448 <= rate.high


def test_a_data_file_of_flent_is_read_with_the_round_trips_of_its_streams(tmp_path: Path) -> None:
    idle, full = [None] * 25, [4.0] * 100
    series: dict[str, list[float | None]] = {
        "TCP upload::1": [*idle, *full, *idle],
        "TCP upload::2": [*idle, *full, *idle],
        "TCP upload sum": [*idle, *[8.0] * 100, *idle],
        "TCP upload::1::tcp_rtt": [*idle, *[35.0] * 100, *idle],
        "Ping (ms) ICMP": [10.0] * 150,
    }
    line = aqmlab.line_from(written(tmp_path, data=packed(series)))
    up = line.ways["up"]
    assert up.rate_mbps is not None
    assert up.rate_mbps.value == pytest.approx(8.0 * 1500 / 1448 + 5 * 84 * 8e-6, rel=1e-4)
    assert up.kind is QueueKind.ISOLATED
    assert "transfers' own packets wait 25 ms: flows are isolated" in up.notes


def test_both_ways_at_once_without_one_way_delays_leave_the_queues_open(tmp_path: Path) -> None:
    idle = [None] * 25
    series: dict[str, list[float | None]] = {
        "TCP download BE": [*idle, *[40.0] * 100, *idle],
        "TCP upload BE": [*idle, *[8.0] * 100, *idle],
        "Ping (ms) ICMP": [*[10.0] * 25, *[210.0] * 100, *[10.0] * 25],
    }
    line = aqmlab.line_from(written(tmp_path, data=packed(series)))
    for way in ("down", "up"):
        assert line.ways[way].kind is QueueKind.UNKNOWN
        assert line.ways[way].buffer_ms is None
    assert (
        line.text.count("not fitted (both ways were full at once: 200 ms wait in both queues together") == 2
    )
    quiet: dict[str, list[float | None]] = {**series, "Ping (ms) ICMP": [10.0] * 150}
    line = aqmlab.line_from(written(tmp_path, data=packed(quiet)))
    assert [line.ways[way].kind for way in ("down", "up")] == [QueueKind.ISOLATED] * 2


def pcap_of_a_download() -> bytes:
    """A server 30 ms away sends 500 packets a second for 10 s; its own clock ticks in milliseconds."""
    packets = []
    for number in range(5000):
        at = 0.030 + number * 0.002
        stamp = 1000 + int(1e3 * at)
        echo = 1000 + int(1e3 * (at - 0.030)) if number else 999
        packets.append((at, (2, 1), 1448, 7_000 + 1448 * number, 1, stamp, echo))
        packets.append((at + 1e-5, (1, 2), 0, 1, 7_000 + 1448 * (number + 1), 1000 + int(1e3 * at), stamp))
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 101)
    for at, (source, target), payload, sequence, acknowledged, stamp, echo in packets:
        options = struct.pack("!BBBBII", 1, 1, 8, 10, stamp, echo)
        tcp = struct.pack("!HHIIBBHHH", 5201, 5201, sequence, acknowledged, 8 << 4, 0x10, 0, 0, 0) + options
        ends = bytes([192, 0, 2, source]), bytes([192, 0, 2, target])
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 52 + payload, 0, 0, 64, 6, 0) + ends[0] + ends[1]
        whole = round(at * 1e6)
        frame = ip + tcp  # and no payload: `tcpdump -s 96`
        content += (
            struct.pack("<IIII", whole // 10**6, whole % 10**6, len(frame), len(frame) + payload) + frame
        )
    return content


def test_a_capture_shows_the_rate_and_the_round_trips_of_a_download(tmp_path: Path) -> None:
    line = aqmlab.line_from(written(tmp_path, download=pcap_of_a_download()))
    down = line.ways["down"]
    assert down.rate_mbps is not None
    assert down.rate_mbps.value == pytest.approx(500 * 1500 * 8e-6)
    assert line.round_trip_ms is not None
    assert line.round_trip_ms.value == pytest.approx(30.0, abs=1.0)
    assert down.kind is QueueKind.NONE
    assert down.rate_mbps.high == np.inf  # nothing waited: the line may carry more


# ------------------------------------------------------------------------------------------- mistaken files


HALF = iperf3(9.0, way="down", at_s=10, seconds=2)
BACK = ping_log([0.0] * 10).replace(f"[{BEGAN + 7}", f"[{BEGAN + 2}")
MISTAKES: dict[str, tuple[dict[str, str | bytes], str]] = {
    "empty": ({"a": b""}, "a: is empty"),
    "a scenario": ({"a": 'name = "x"\n'}, "a: is not recognised; legal: a data file of Flent"),
    "a HAR file": ({"a": '{"log": {"creator": {}, "entries": []}}'}, "a: is a HAR file"),
    "too short": ({"a": HALF}, "nothing of a line can be fitted (transfers too short: 4 s or more"),
    "a short ping": ({"a": ping_log([0.0, 0.0])}, "a: 2 answers of ping; legal: 5 or more"),
    "times go back": ({"a": BACK}, "a: times go back behind answer 7"),
    "flent's times go back": (
        {"a": packed({"Ping (ms) ICMP": [1.0, 1.0, 1.0]}, [0.2, 0.6, 0.4])},
        "a.x_values: times go back",
    ),
    "flent with words": ({"a": packed({"Ping (ms) ICMP": ["fast", 1.0]})}, "numbers or null"),  # type: ignore[list-item]
    "contradictory": (
        {"a": iperf3(90.0, way="down"), "b": iperf3(20.0, way="down", at_s=90_000)},
        "contradict each other: 93.2 and 20.7 Mbit/s down",
    ),
    "UDP": ({"a": iperf3(9.0, way="up", test_start={"protocol": "UDP"})}, "a: a test of UDP"),
    "iperf3 failed": (
        {"a": '{"start": {"connected": []}, "intervals": [], "end": {}, "error": "unable to connect"}'},
        "a: iperf3 failed: unable to connect",
    ),
    "crusader's own file": (
        {"a": struct.pack("<QQ", 0x5372AB82AE7C59CB, 2) + b"\xff\x06"},
        "crusader's own file; crusader export",
    ),
    "damaged gzip": ({"a": b"\x1f\x8b\x08" + b"\0" * 20}, "a: damaged, gzip cannot unpack it"),
    "a capture of nothing": ({"a": pcap_of_a_download()[:24]}, "which end is at home is not to be seen"),
    "another link type": (
        {"a": struct.pack("<IHHiIIIQIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 127, 0, 4, 4, 0)},
        "a: link type 127; legal: Ethernet, raw IP",
    ),
    "waveform cut off": ({"a": "Mean Unloaded Latency (ms),19\n"}, "no unloaded latencies: is the file"),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistaken_file_is_refused_by_name(
    what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    files, said = MISTAKES[what]
    paths = written(tmp_path, **files)
    with pytest.raises(RefusalError) as refused:
        aqmlab.line_from(paths)
    assert said in str(refused.value)
    assert str(paths[0]) in str(refused.value)
    with pytest.raises(SystemExit) as left:
        aqmlab.cli.main(["line", "--from", *map(str, paths)])
    assert left.value.code == 2
    assert capfd.readouterr().err.startswith("aqmlab: ")


def test_where_all_is_lost_nothing_is_fitted(tmp_path: Path) -> None:
    lost = "Zeitüberschreitung der Anforderung.\n" * 9
    with pytest.raises(RefusalError, match="ping: 1 answer of ping; legal: 5 or more"):
        aqmlab.line_from(written(tmp_path, ping=f"Antwort von 192.0.2.1: Zeit=12ms TTL=57\n{lost}"))
    with pytest.raises(RefusalError, match="not recognised"):
        aqmlab.line_from(written(tmp_path, ping=lost))


# ------------------------------------------------------------------------------------------------ statistics


def test_all_resamples_have_their_multinomial_weights() -> None:
    """Of blocks 0 and 1 the mean of two drawn is 0, 1/2 and 1 with 1/4, 1/2 and 1/4: the bound is all."""
    assert bounds(np.array([0.0, 0.0, 1.0, 1.0]), np.mean) == (0.0, 1.0)
    # Six equal blocks leave nothing open.
    assert bounds(np.tile([1.0, 3.0], 6), np.mean) == (2.0, 2.0)
    # The mean of six blocks, of which one is 6 and five are 0, is the number of times that it was drawn,
    # binomial with 6 and 1/6: 0 in 33 %, at most 3 in 99.1 %, at most 2 in 93.8 %.
    spiked = np.repeat([6.0, 0.0, 0.0, 0.0, 0.0, 0.0], 2)
    assert bounds(spiked, np.mean) == (0.0, 3.0)


# ------------------------------------------------------------------------------------------- as users have it


def test_the_command_writes_a_scenario_that_runs(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        ping=ping_log([*LOADED, *LOADED]),
        down=iperf3(9.0, way="down", at_s=10),
        up=iperf3(5.0, way="up", at_s=50),
    )
    made, table = tmp_path / "my-line.toml", tmp_path / "fitted.csv"
    done = aqmlab_run("line", "--from", *map(str, files), "-o", str(made), "--table", str(table))
    assert done.returncode == 0, done.stderr
    assert "next: aqmlab bloat" in done.stdout
    head, *rows = table.read_text().splitlines()
    assert head.split(",")[:2] == ["quantity", "value"]
    assert {row.split(",")[0] for row in rows} == {
        "round_trip_ms", "down_mbps", "buffer_down_ms", "up_mbps", "buffer_up_ms",
    }  # fmt: skip
    short = {"duration_s": 4.0, "warm_up_s": 1.0, "cool_down_s": 1.0}
    assert aqmlab.run(made, overrides=short).run["links"]
    again = aqmlab_run("line", *map(str, files), "-o", str(made))
    assert again.returncode == 2
    assert "exists already" in again.stderr
    asked = aqmlab_run("line", "--from", *map(str, files), "--json")
    numbers = {row["quantity"]: row for row in json.loads(asked.stdout)["numbers"]}
    assert numbers["down_mbps"]["at_least"] < 9.0 * 1500 / 1448 < numbers["down_mbps"]["at_most"]
    assert json.loads(asked.stdout)["queues"] == {"down": "drop-tail", "up": "drop-tail"}


def test_without_files_the_command_says_what_belongs_there() -> None:
    done = aqmlab_run("line")
    assert done.returncode == 2
    assert "legal: --from FILE..." in done.stderr


# ------------------------------------------------------------------------------------------------ blind lines


_OPEN = (QueueKind.SHORT, QueueKind.QUIET, QueueKind.NONE)
"""What is said where the kind cannot be seen."""
TOLD = {"drop-tail": "drop-tail", "pie": "controlled", "codel": "controlled", "fq-codel": "flows isolated"}


def judged(line: BlindLine, form: str, folder: Path) -> dict[str, list[bool | None]]:
    """Whether bounds hold, by what they are of; of kinds of queues none where it is not told."""
    technology = None if line.technology == "other" else line.technology
    found = aqmlab.line_from(FORMATS[form](line, folder), technology=technology)
    assert Scenario.of(found.text).resolved["line"]
    trip = found.round_trip_ms
    assert trip is not None
    judged: dict[str, list[bool | None]] = {"rate": [], "buffer": [], "kind": []}
    # A capture at the router does not see what the home itself adds, half of the ten milliseconds behind.
    true_ms = line.round_trip_ms - (5.0 if form == "pcap" else 0.0)
    judged["round trip"] = [trip.low <= true_ms <= trip.high + 0.2 * (form == "pcap")]
    for way, fitted in found.ways.items():
        rate, buffer, queue = fitted.rate_mbps, fitted.buffer_ms, line.queues[way]
        assert rate is not None, (form, way)
        judged["rate"].append(rate.low <= line.mbps[way] <= rate.high)
        if queue.scheme == "drop-tail" and buffer is not None:
            judged["buffer"].append(buffer.low <= queue.buffer_ms <= buffer.high)
        told = "controlled" if form == "pcap" and queue.scheme == "fq-codel" else TOLD[queue.scheme]
        judged["kind"].append(None if fitted.kind in _OPEN else fitted.kind.value == told)
    return judged


@pytest.mark.parametrize(
    ("form", "place"), [("flent", 0), ("ping and iperf3", 2), ("crusader", 1), ("waveform", 7)]
)
def test_a_line_that_was_not_told_is_fitted(form: str, place: int, tmp_path: Path) -> None:
    found = judged(blind_lines(8, seed=47)[place], form, tmp_path)
    assert all(each is not False for of in found.values() for each in of), found


@pytest.mark.exhaustive
def test_bounds_of_forty_lines_hold_as_often_as_the_documentation_says(tmp_path: Path) -> None:
    """Lines that were drawn after the fitting was finished; the page says how many bounds held."""
    sums: dict[str, list[bool | None]] = {}
    for number, line in enumerate(blind_lines(40, seed=1129)):
        form = list(FORMATS)[(number // 5 + number) % 5]
        form = "flent" if form == "pcap" and max(line.mbps.values()) > 60.0 else form  # or files are large
        folder = tmp_path / str(number)
        folder.mkdir()
        for what, each in judged(line, form, folder).items():
            sums.setdefault(what, []).extend(each)
    counts = {
        what: (sum(each is True for each in of), sum(each is None for each in of), len(of))
        for what, of in sums.items()
    }
    page = (ROOT / "docs/how-to/my-line.md").read_text()
    rows = re.findall(
        r"^\| (rate|round trip|buffer|kind)[^|]*\| (\d+) of (\d+)[^|]*\| (\d+) \|", page, re.MULTILINE
    )
    assert {what: (int(held), int(open_), int(count)) for what, held, count, open_ in rows} == counts
