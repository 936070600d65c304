"""In user-mode Linux: asks its CAKE for the tin of each codepoint, what tins are told, shares, what leaves with
ingress, and what its filter leaves.

Each answer is a line that begins with its kind. The cases of the filter are read from a file: `WORD SEGMENT...` a line, each segment
`PORT;ack:...;ts:.../...;sack:...-...;FLAG`, and the line comes back with the numbers of those that arrived.
"""

import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import time

HERE, THERE = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
TINS = ("diffserv3", "diffserv4", "diffserv8", "precedence")
FLAGS = {"psh": 0x08, "fin": 0x01, "ece": 0x40, "cwr": 0x80}
FRAME_BYTES = 1014
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
# CS0, CS1, AF41, EF; and one of each of eight.
FLOODED = {
    "diffserv3": (0, 8, 46),
    "diffserv4": (0, 8, 34, 46),
    "diffserv8": (1, 8, 0, 34, 18, 16, 46, 48),
    "precedence": (0, 8, 16, 24, 32, 40, 48, 56),
}


def cake(*words, anew=True):
    """Puts CAKE there; not `anew`, what waits stays."""
    if anew:
        gone = ["tc", "qdisc", "del", "dev", "a0", "root"]
        subprocess.run(gone, check=False, stderr=subprocess.DEVNULL)
    subprocess.run(["tc", "qdisc", "replace", "dev", "a0", "root", "cake", *words], check=True)


def told():
    shown = subprocess.check_output(["tc", "-s", "-j", "qdisc", "show", "dev", "a0"])
    return json.loads(shown)[0]["tins"]


def ask_codepoints():
    for tins in TINS:
        cake(tins)
        found = []
        for dscp in range(64):
            before = told()
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
            for _ in range(3):
                sender.sendto(bytes(500), ("10.0.0.2", 9))
            grown = [new["sent_bytes"] - old["sent_bytes"] for old, new in zip(before, told())]
            found.append(grown.index(max(grown)))
        print("CODEPOINTS", tins, *found, flush=True)


def ask_settings():
    names = ("threshold_rate", "target_us", "interval_us", "flow_quantum")
    for tins in TINS:
        cake("bandwidth", "16Mbit", tins)
        print("SETTINGS", tins, *("/".join(str(tin[name]) for name in names) for tin in told()), flush=True)


def receiver():
    """Packets as they arrive at the other end, whole."""
    namespace, own = (os.open(name, os.O_RDONLY) for name in ("/run/netns/b", "/proc/self/ns/net"))
    enter = ctypes.CDLL(None).setns
    enter(namespace, 0)
    got = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
    got.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
    got.bind(("b0", 0x0800))
    enter(own, 0)
    return got


def ask_shares():
    for tins, dscps in FLOODED.items():
        # What COBALT drops is not what shares are about.
        cake("bandwidth", "4Mbit", tins, "rtt", "1000s", "memlimit", "32Mb")
        senders = []
        for dscp in dscps:
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2)
            sender.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 25)
            senders.append(sender)
        got, counts = receiver(), dict.fromkeys(dscps, 0)
        for _ in range(1500):
            for sender in senders:
                sender.sendto(bytes(972), ("10.0.0.2", 9))
        got.settimeout(1)
        begun = time.monotonic()
        while time.monotonic() < begun + 2.5:
            packet = got.recv(2000)
            # The first half second is that in which not everything had come.
            if time.monotonic() > begun + 0.5 and packet[15] >> 2 in counts:
                counts[packet[15] >> 2] += 1
        total = sum(counts.values())
        print("SHARES", tins, *(f"{dscp}:{count / total:.4f}" for dscp, count in counts.items()), flush=True)


def ask_ingress():
    """What leaves, as a share of the rate, when half as much again comes and answers to nothing: after 8 s, of 6 s."""
    for word in ("egress", "ingress"):
        cake("bandwidth", "4Mbit", "besteffort", "flows", word)
        senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(4)]
        got = receiver()
        got.setblocking(False)
        begun, sent, left = time.monotonic(), 0, 0
        while (elapsed := time.monotonic() - begun) < 14:
            while sent < elapsed * 6e6 / 8 / FRAME_BYTES:
                senders[sent % 4].sendto(bytes(FRAME_BYTES - 42), ("10.0.0.2", 9))
                sent += 1
            try:
                while got.recv(2000):
                    left += elapsed > 8
            except BlockingIOError:
                time.sleep(0.002)
        print(f"INGRESS {word} {left * FRAME_BYTES * 8 / 6 / 4e6:.4f}", flush=True)


def checksum(data):
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packet_of(number, segment):
    port, *words = segment.split(";")
    said = dict(word.split(":") for word in words if ":" in word and not word.startswith("sack:"))
    options = b""
    if "ts" in said:
        options += b"\1\1\x08\x0a" + struct.pack(">II", *map(int, said["ts"].split("/")))
    blocks = [tuple(map(int, word[5:].split("-"))) for word in words if word.startswith("sack:")]
    if blocks:
        options += bytes([1, 1, 5, 2 + 8 * len(blocks)]) + b"".join(struct.pack(">II", *b) for b in blocks)
    flags = 0x10 | sum(bit for word, bit in FLAGS.items() if word in words)
    offset = (20 + len(options)) // 4 << 4 | ("ae" in words)
    head = struct.pack(">HHIIBBHHH", int(port), 80, 1, int(said["ack"]), offset, flags, 1000, 0, 0)
    tcp = head + options + bytes(100 * ("data" in words))
    pseudo = HERE + THERE + struct.pack(">BBH", 0, 6, len(tcp))
    tcp = tcp[:16] + struct.pack(">H", checksum(pseudo + tcp)) + tcp[18:]
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), number, 0x4000, 64, 6, 0, HERE, THERE) + tcp


def ask_filter(file):
    sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    with open(file, encoding="utf-8") as cases:
        for line in cases:
            word, *segments = line.split()
            # All wait while the first is sent: 26 ms.
            cake("bandwidth", "20kbit", "besteffort", "flowblind", "rtt", "1000s", word)
            packets = [packet_of(number, segment) for number, segment in enumerate(segments, 1)]
            got = receiver()
            for packet in packets:
                sender.sendto(packet, ("10.0.0.2", 0))
            got.settimeout(0.3)
            # Faster once all are there: the words of the filter stay.
            time.sleep(0.01)
            cake("bandwidth", "1Mbit", "besteffort", "flowblind", "rtt", "1000s", word, anew=False)
            arrived = []
            try:
                while True:
                    packet = got.recv(2000)
                    arrived.append(struct.unpack(">H", packet[18:20])[0])
            except TimeoutError:
                pass
            print("FILTER", word, *arrived, flush=True)


ask_codepoints()
ask_settings()
ask_shares()
ask_ingress()
ask_filter(sys.argv[1])
