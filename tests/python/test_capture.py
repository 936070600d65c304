"""`aqmlab run --pcap`: by a parser of its own against the table `packets`, and by tshark where it is."""

from __future__ import annotations

import hashlib
import shutil
import struct
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import aqmlab
from small import BULK, CALLS, WEB, aqmlab_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PORT = "left-to-right"
BACK = "right-to-left"
ECN_BITS = {"not_ect": 0b00, "ect1": 0b01, "ect0": 0b10, "ce": 0b11}
FLAG_BITS = {"FIN": 0x01, "SYN": 0x02, "RST": 0x04, "ACK": 0x10, "ECE": 0x40, "CWR": 0x80, "AE": 0x100}
# RFC 7323 section 3.2, RFC 2018 sections 2 and 3: kinds of options, and of padding.
TIMESTAMPS, PERMITTED, BLOCKS = 8, 4, 5

ALL_AT_ONCE = (
    WEB.replace(
        '{ scheme = "pi", limit_packets = 500 }', '{ scheme = "red", limit_packets = 60, ecn = true }'
    )
    .replace("duration_s = 20.0", "duration_s = 8.0")
    .replace("warm_up_s = 5.0", "warm_up_s = 0.0")
    .replace("per_side = 150", 'per_side = 60\nprofile = "ns2-full"\nhost.ecn = "on"')
    + """
[[flows]]
count = 3
direction = "left-to-right"
profile = "bsd45"
host = { header_bytes = 52, syn_header_bytes = 60, window_bytes = 200000 }

[[flows]]
name = "today"
count = 1
direction = "left-to-right"
profile = "linux6-cubic"
stop_s = 5.0

[[flows]]
name = "scalable"
count = 1
direction = "left-to-right"
profile = "linux6-dctcp"
stop_s = 5.0

[[datagrams]]
name = "calls"
count = 2
direction = "left-to-right"
packet_bytes = 201
rate_mbps = 0.08
dscp = 46
"""
)


@dataclass(frozen=True)
class Packet:
    """What a parser finds of an IP packet."""

    at_ns: int
    ends: tuple[str, int, str, int]
    traffic_class: int
    ip_bytes: int
    flags: int | None = None
    sequence: int = 0
    acknowledgement: int = 0
    payload: int = 0
    window: int = 0
    options: tuple[tuple[int, bytes], ...] = ()


def folded(data: bytes) -> int:
    """The sum of all words in the complement of ones (RFC 1071): 0xffff over what holds its own checksum."""
    padded = data + b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f">{len(padded) // 2}H", padded))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def blocks(data: bytes) -> list[tuple[int, bytes]]:
    """The blocks of a pcapng file; each says its length twice."""
    found, place = [], 0
    while place < len(data):
        kind, length = struct.unpack_from("<II", data, place)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, place + length - 4) == (length,)
        found.append((kind, data[place + 8 : place + length - 4]))
        place += length
    return found


def packets_in(file: Path, port: str) -> list[Packet]:
    """All packets of a file, every length and checksum asserted."""
    section, interface, *rest = blocks(file.read_bytes())
    assert section[0] == 0x0A0D0D0A
    assert struct.unpack_from("<IHHq", section[1]) == (0x1A2B3C4D, 1, 0, -1)
    assert interface[0] == 1
    assert struct.unpack_from("<HHI", interface[1]) == (101, 0, 0)
    assert port.encode() in interface[1]
    assert struct.pack("<HHB", 9, 1, 9) in interface[1]  # if_tsresol: nanoseconds
    return [parsed(kind, content) for kind, content in rest]


def parsed(kind: int, content: bytes) -> Packet:
    number, high, low, captured, original = struct.unpack_from("<IIIII", content)
    assert (kind, number) == (6, 0)
    assert captured == original
    data = content[20 : 20 + captured]
    header = 4 * (data[0] & 0x0F)
    assert data[0] >> 4 == 4
    assert struct.unpack_from(">H", data, 2) == (captured,)
    assert folded(data[:header]) == 0xFFFF
    segment = data[header:]
    pseudo = data[12:20] + struct.pack(">BBH", 0, data[9], len(segment))
    assert folded(pseudo + segment) == 0xFFFF
    source, destination = (".".join(map(str, data[place : place + 4])) for place in (12, 16))
    ports = struct.unpack_from(">HH", segment)
    facts = {"at_ns": high << 32 | low, "ends": (source, ports[0], destination, ports[1])}
    if data[9] == 17:
        assert struct.unpack_from(">H", segment, 4) == (len(segment),)
        return Packet(**facts, traffic_class=data[1], ip_bytes=captured, payload=len(segment) - 8)
    assert data[9] == 6
    sequence, acknowledgement, offset, flags, window = struct.unpack_from(">IIBBH", segment, 4)
    payload = segment[4 * (offset >> 4) :]
    assert not any(payload)
    flags |= (offset & 1) << 8
    return Packet(
        **facts,
        traffic_class=data[1],
        ip_bytes=captured,
        flags=flags,
        sequence=sequence,
        acknowledgement=acknowledgement,
        payload=len(payload),
        window=window,
        options=tuple(options_in(segment[20 : 4 * (offset >> 4)])),
    )


def options_in(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and content of each option (RFC 9293 section 3.1); what follows the end of the list is nothing."""
    place = 0
    while place < len(data) and data[place] != 0:
        if data[place] == 1:
            place += 1
            continue
        kind, length = data[place], data[place + 1]
        assert 2 <= length <= len(data) - place
        yield kind, data[place + 2 : place + length]
        place += length
    assert not any(data[place:])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("captured")
    (folder / "all.toml").write_text(ALL_AT_ONCE)
    done = aqmlab_run(
        "run", "all.toml", "--seed", "3", "--pcap", PORT, "--pcap", BACK, "--output", "with",
        "--no-offered-load", "--quiet", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("port", [PORT, BACK])
def test_every_departure_is_a_packet_with_its_headers(made: Path, port: str) -> None:
    table = aqmlab.Result.load(made / "with").tables["packets"].to_pylist()
    rows = [row for row in table if row["event"] == "departure" and row["link"] == port]
    packets = packets_in(made / "with" / f"{port}.pcapng", port)
    assert len(packets) == len(rows) > 1000
    for packet, row in zip(packets, rows, strict=True):
        assert packet.at_ns == round(row["time_s"] * 1e9)
        assert (packet.ip_bytes, packet.payload) == (row["ip_bytes"], row["payload_bytes"])
        assert packet.traffic_class & 0b11 == ECN_BITS[row["codepoint"]]
        if row["class"] == "datagram":
            # Sources are numbered from the top down.
            assert packet.ends[1::2] == (49152 + 2**32 - 1 - row["connection"], 9)
            assert (packet.flags, packet.traffic_class >> 2) == (None, 46)
            continue
        assert packet.flags == sum(FLAG_BITS[name] for name in row["flags"].split("+") if name)
        assert (packet.sequence, packet.acknowledgement) == (row["sequence"], row["acknowledgement"])
        caller = 49152 + row["connection"] % 16384
        assert packet.ends[1::2] == ((caller, 9) if row["sender"] == "active" else (9, caller))


def test_there_are_as_many_as_the_port_counted(made: Path) -> None:
    result = aqmlab.Result.load(made / "with")
    for port in (PORT, BACK):
        link = next(link for link in result.run["links"] if link["name"] == port)
        departed = link["counters"]["departed"]["packets"]
        kept = len(packets_in(made / "with" / f"{port}.pcapng", port))
        # One may still be in transmission at the end.
        assert departed - 1 <= kept <= departed


def test_quic_is_udp_with_its_lengths_and_as_many_packets_as_the_port_counted(tmp_path: Path) -> None:
    """RFC 9000 section 14.1: the first packet has 1,200 bytes or more; quic.md: at most 1,452."""
    text = BULK.replace("warm_up_s = 1.0", "warm_up_s = 0.0")
    text += 'transport = "quic"\nstart_spread_s = 0.0\n[record]\npackets = true\n'
    (tmp_path / "quic.toml").write_text(text)
    done = aqmlab_run(
        "run", "quic.toml", "--pcap", PORT, "--pcap", BACK, "--output", "out", "--quiet", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    result = aqmlab.Result.load(tmp_path / "out")
    rows = [row for row in result.tables["packets"].to_pylist() if row["event"] == "departure"]
    for port in (PORT, BACK):
        packets = packets_in(tmp_path / "out" / f"{port}.pcapng", port)
        own = [row for row in rows if row["link"] == port]
        assert [packet.ip_bytes for packet in packets] == [row["ip_bytes"] for row in own]
        assert {packet.flags for packet in packets} == {None}, "UDP"
        assert all(packet.payload == packet.ip_bytes - 28 <= 1452 for packet in packets)
        counters = next(link for link in result.run["links"] if link["name"] == port)["counters"]
        of_classes = counters["by_class"].items()
        assert [name for name, own in of_classes if own["arrived_packets"]] == ["datagram"]
        assert counters["departed"]["packets"] - 1 <= len(packets) <= counters["departed"]["packets"]
    # 3 s at 10 Mbit/s with 38 bytes of Ethernet, but for a slow start of some round trips.
    data = packets_in(tmp_path / "out" / f"{PORT}.pcapng", PORT)
    assert data[0].payload >= 1200
    assert 0.8 * 3e7 < sum(8 * (packet.ip_bytes + 38) for packet in data) < 3e7


def test_marks_and_ends_are_seen(made: Path) -> None:
    packets = packets_in(made / "with" / f"{PORT}.pcapng", PORT)
    assert {packet.traffic_class & 0b11 for packet in packets} == set(ECN_BITS.values())
    conversations: dict[int, set[tuple[str, str]]] = {}
    for packet in packets:
        source, here, destination, there = packet.ends
        assert source.startswith("10.")
        assert destination.startswith("10.")
        assert source != destination
        if packet.flags is not None:
            pair = (source, destination) if there == 9 else (destination, source)
            conversations.setdefault(here if there == 9 else there, set()).add(pair)
    assert len(conversations) >= 100
    assert all(len(pairs) == 1 for pairs in conversations.values())


def test_nothing_else_is_another_and_the_files_are_the_same_again(made: Path) -> None:
    for name, options in (("without", []), ("again", ["--pcap", PORT, "--pcap", BACK])):
        done = aqmlab_run(
            "run",
            "all.toml",
            "--seed",
            "3",
            *options,
            "--output",
            name,
            "--no-offered-load",
            "--quiet",
            cwd=made,
        )
        assert done.returncode == 0, done.stderr
    digests = {name: digests_of(made / name) for name in ("with", "without", "again")}
    assert digests["again"] == digests["with"]
    captured = {f"{PORT}.pcapng", f"{BACK}.pcapng"}
    assert set(digests["with"]) - set(digests["without"]) == captured
    listed = (made / "with" / "SHA256SUMS").read_text()
    assert all(name in listed for name in captured)
    assert all(
        digests["with"][name] == digest for name, digest in digests["without"].items() if name != "SHA256SUMS"
    )


def test_options_say_when_a_segment_was_sent_and_what_has_arrived_beyond_a_hole(made: Path) -> None:
    """Of flows of today's hosts: an echo is a timestamp that the other end has sent, and a block lies in what
    was sent and is not acknowledged, unless it is a duplicate (RFC 2883) and lies below."""
    sent = [
        (packet, dict(packet.options))
        for port in (PORT, BACK)
        for packet in packets_in(made / "with" / f"{port}.pcapng", port)
        if any(kind in {TIMESTAMPS, PERMITTED} for kind, _ in packet.options)
    ]
    sent.sort(key=lambda pair: pair[0].at_ns)
    stamps: dict[tuple[str, int, str, int], set[int]] = {}
    highest: dict[tuple[str, int, str, int], int] = {}
    reported = 0
    for packet, options in sent:
        source, here, destination, there = packet.ends
        back = (destination, there, source, here)
        value, echo = struct.unpack(">II", options[TIMESTAMPS])
        assert value <= packet.at_ns // 10**6
        # The first packets of the other end may have been lost before this port.
        assert echo == 0 or echo in stamps.get(back, {echo})
        stamps.setdefault(packet.ends, set()).add(value)
        assert packet.flags is not None
        end = packet.sequence + packet.payload + (packet.flags & FLAG_BITS["FIN"])
        highest[packet.ends] = max(highest.get(packet.ends, 0), end)
        assert (PERMITTED in options) == bool(packet.flags & FLAG_BITS["SYN"])
        numbers = struct.unpack(f">{len(options.get(BLOCKS, b'')) // 4}I", options.get(BLOCKS, b""))
        for place, (first, last) in enumerate(zip(numbers[::2], numbers[1::2], strict=True)):
            assert first < last <= highest[back]
            assert first > packet.acknowledgement or place == 0
            reported += first > packet.acknowledgement
    assert len(sent) > 500
    assert reported > 10


def test_a_run_that_is_there_without_its_packets_is_not_taken_for_one_with(made: Path) -> None:
    command = ["run", "all.toml", "--seed", "3", "--no-offered-load", "--quiet", "--output"]
    if not (made / "bare").exists():
        assert aqmlab_run(*command, "bare", cwd=made).returncode == 0
    beside = aqmlab_run(*command, "bare", "--pcap", PORT, cwd=made)
    assert (beside.returncode, beside.stdout) == (0, "bare-2\n")
    assert f"bare holds this run without the packets of {PORT}: this goes to bare-2" in beside.stderr
    assert not list((made / "bare").glob("*.pcap*"))
    assert list((made / "bare-2").glob("*.pcap*"))
    assert aqmlab_run(*command, "with", "--pcap", PORT, "--pcap", BACK, cwd=made).returncode == 0


def test_an_unknown_port_is_refused_with_the_legal_ones(made: Path) -> None:
    refused = aqmlab_run("run", "all.toml", "--pcap", "middle", "--output", "never", cwd=made)
    assert refused.returncode == 2
    words = " ".join(refused.stderr.split())
    assert f'--pcap: unknown port "middle"; legal: "{PORT}", "{BACK}"' in words
    assert not (made / "never").exists()


def test_headers_that_are_no_whole_words_are_refused(made: Path) -> None:
    refused = aqmlab_run(
        "run",
        "all.toml",
        "--pcap",
        PORT,
        "--set",
        "users.host.header_bytes=41",
        "--output",
        "never",
        cwd=made,
    )
    assert refused.returncode == 2
    words = " ".join(refused.stderr.split())
    assert "host.header_bytes = 41" in words
    assert "legal is for a capture a multiple of 4" in words
    assert not (made / "never").exists()


def digests_of(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def has_tshark() -> bool:
    return shutil.which("tshark") is not None


def tshark(*arguments: str) -> list[str]:
    if not has_tshark():
        pytest.skip("tshark is not installed")
    done = subprocess.run(["tshark", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("port", [PORT, BACK])
def test_tshark_reads_every_packet_without_a_complaint(made: Path, port: str) -> None:
    file = made / "with" / f"{port}.pcapng"
    checking = [f"-o{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
    fields = ["ip.src", "tcp.srcport", "ip.dst", "tcp.dstport", "tcp.len", "ip.dsfield.ecn", "tcp.flags"]
    rows = tshark(*checking, "-r", str(file), "-Tfields", *(f"-e{name}" for name in fields))
    packets = packets_in(file, port)
    assert len(rows) == len(packets)
    for row, packet in zip(rows, packets, strict=True):
        source, _, destination, _, length, ecn, flags = row.split("\t")
        assert (source, destination) == (packet.ends[0], packet.ends[2])
        assert int(ecn) == packet.traffic_class & 0b11
        if packet.flags is not None:
            assert (int(length), int(flags, 16)) == (packet.payload, packet.flags)
    wrong = "_ws.malformed || ip.checksum.status != 1 || tcp.checksum.status != 1 || udp.checksum.status != 1"
    assert tshark(*checking, "-r", str(file), "-Y", wrong) == []
    # What TCP does under losses is a note or a warning of its analysis; an error would be ours.
    assert tshark(*checking, "-r", str(file), "-Y", "_ws.expert.severity == error") == []


def test_a_short_scenario_of_calls_has_datagrams_alone_on_one_side(tmp_path: Path) -> None:
    (tmp_path / "calls.toml").write_text(CALLS)
    done = aqmlab_run("run", "calls.toml", "--pcap", PORT, "--output", "out", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    packets = packets_in(tmp_path / "out" / f"{PORT}.pcapng", PORT)
    assert {packet.payload for packet in packets if packet.flags is None} == {172}
