"""Plays conversations written as text to this machine's kernel, and prints them with what the kernel sent and its window.

usage: unshare --net python -m tests.crosscheck.kernel.play FILE, as root

The file is one of recordings, or of facts (crates/tcp/tests/packetdrill): lines `>`, `=` and `end` in it are left out,
and those of the kernel printed instead. A conversation takes as long as it says, all of a file at once.
"""

import re
import socket
import struct
import sys
import time
from pathlib import Path

from . import wire
from .device import KERNEL, Captured, Device
from .peer import FIRST, PORT
from .recording import blocks_text

_INFO, _WINDOW, _LOST, _CONGESTION, _MAX_PACING_RATE, _NO_DELAY = 11, 80, 32, 13, 47, 1
_BETWEEN_S = 0.0537
"""Conversations of a file begin so long after each other: few of their instants are then the same."""
_LOOKS_EVERY_S, _AFTER_S = 0.0002, 0.5
_SETTING = re.compile(r"^set (\w+) = (\S+)", re.MULTILINE)
_RANGE = re.compile(r"(\d+):(\d+)")
_SETTINGS = {"tail_loss_probe": "tcp_early_retrans", "rack": "tcp_recovery", "forward_recovery": "tcp_frto"}


class Conversation:
    """One of the file, with the peer's part."""

    def __init__(self, device: Device, number: int, text: str) -> None:
        lines = [line.split("#")[0].strip() for line in text.splitlines()]
        self.title = lines[0]
        self.device, self.address, self.port = device, f"10.77.2.{1 + number}", 21_000 + number
        self.settings = dict(_SETTING.findall(text))
        self.is_client = "open client" in lines
        self.reno = "profile linux6-reno" in lines
        self.events = [
            (float(time_text), action)
            for time_text, action in (line.split(" ", 1) for line in lines if line[:1].isdigit())
            if action[0] not in ">=" and action != "end"
        ]
        self.socket: socket.socket | None = None
        self.kernels_first: int | None = None
        self.kernels_port = PORT
        self.printed: list[tuple[float, str]] = []
        self.stamp = 0
        self.begin = 0.0

    def listen(self) -> None:
        if self.is_client:
            self.socket = self._socket()
        else:
            listener = self._socket()
            listener.bind((KERNEL, self.port))
            listener.listen(1)
            self.listener = listener
            self.kernels_port = self.port

    def _socket(self) -> socket.socket:
        made = socket.socket()
        made.setsockopt(socket.IPPROTO_TCP, _CONGESTION, b"reno" if self.reno else b"cubic")
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_000_000)
        made.setsockopt(socket.IPPROTO_TCP, _NO_DELAY, 0)
        if self.settings.get("pacing") == "true":
            made.setsockopt(socket.SOL_SOCKET, _MAX_PACING_RATE, 1 << 30)
        made.setblocking(False)
        return made

    def act(self, action: str) -> None:
        words = action.split()
        match words:
            case ["<", *segment]:
                self.device.inject(self._packet(segment))
                self._accept()
            case ["write", count, *closes]:
                self.printed.append((time.monotonic(), action))
                assert self.socket is not None
                self.socket.send(bytes(int(count)))
                if closes:
                    self.socket.shutdown(socket.SHUT_WR)
            case ["close"]:
                self.printed.append((time.monotonic(), action))
                assert self.socket is not None
                self.socket.shutdown(socket.SHUT_WR)
            case ["connect"]:
                self.printed.append((time.monotonic(), action))
                assert self.socket is not None
                self.socket.connect_ex((self.address, self.port))
            case _:
                raise ValueError(f"{self.title}: {action}: not one of <, write, close, connect")

    def _accept(self) -> None:
        if self.socket is None and self.kernels_first is not None:
            try:
                self.socket, _ = self.listener.accept()
            except BlockingIOError:
                return
            self.socket.setblocking(False)

    def window(self) -> None:
        if self.socket is not None:
            info = self.socket.getsockopt(socket.IPPROTO_TCP, _INFO, 104)
            (window,), (lost,) = struct.unpack_from("I", info, _WINDOW), struct.unpack_from("I", info, _LOST)
            self.printed.append((time.monotonic(), f"= cwnd {window}, lost {lost}"))

    def captured(self, captured: Captured) -> None:
        segment = captured.segment
        if captured.from_kernel:
            if self.kernels_first is None and segment.flags & wire.SYN:
                self.kernels_first, self.kernels_port = segment.sequence, segment.source_port
            if segment.stamp:
                self.stamp = segment.stamp[0]
        first, other = (
            (self.kernels_first or 0, FIRST) if captured.from_kernel else (FIRST, self.kernels_first or 0)
        )
        start = wire.relative(segment.sequence, first)
        flags = [name for bit, name in _FLAGS.items() if segment.flags & bit]
        blocks = [(wire.relative(a, other), wire.relative(b, other)) for a, b in segment.blocks]
        acknowledged = (
            f" ack {wire.relative(segment.acknowledgement, other)}" if segment.flags & wire.ACK else ""
        )
        direction = ">" if captured.from_kernel else "<"
        text = f"{' '.join([direction, *flags])} {start}:{start + segment.payload_bytes}{acknowledged}{blocks_text(blocks)}"
        self.printed.append((captured.at, text))

    def _packet(self, words: list[str]) -> bytes:
        flags = sum(bit for bit, name in _FLAGS.items() if name in words)
        text = " ".join(words)
        start, end = (int(number) for number in _RANGE.findall(text)[0])
        acknowledged = re.search(r"ack (\d+)", text)
        blocks = re.search(r"sack ((?:\d+:\d+ ?)+)", text)
        first = self.kernels_first or 0
        pairs = [(int(a), int(b)) for a, b in _RANGE.findall(blocks.group(1))] if blocks else []
        timestamps = self.settings.get("timestamps") == "true"
        segment = wire.Segment(
            self.address,
            KERNEL,
            self.port,
            self.kernels_port,
            FIRST + start,
            first + int(acknowledged.group(1)) if acknowledged else 0,
            flags | (wire.ACK if acknowledged else 0),
            end - start,
            tuple((first + a, first + b) for a, b in pairs),
            (int(1000 * time.monotonic()) & 0x7FFFFFFF, self.stamp) if timestamps else None,
        )
        room = 12 if timestamps else 0
        maximum = int(self.settings["maximum_segment_bytes"]) + room if flags & wire.SYN else None
        return wire.encoded(segment, maximum_segment=maximum)


_FLAGS = {wire.SYN: "SYN", 1: "FIN", wire.RST: "RST", 0x40: "ECE", 0x80: "CWR"}


def _configured(settings: dict[str, str]) -> Device:
    """The device of a namespace that is set as the first conversation of the file says: they share one."""
    device = Device(timestamps=settings.get("timestamps") == "true")
    folder = Path("/proc/sys/net/ipv4")
    for key, sysctl in _SETTINGS.items():
        if settings.get(key) == "false":
            (folder / sysctl).write_text("0\n")
    (folder / "tcp_ecn").write_text("1\n" if settings.get("ecn") == "on" else "2\n")
    return device


def play(device: Device, conversations: list[Conversation]) -> None:
    by_address = {conversation.address: conversation for conversation in conversations}

    def read() -> None:
        for captured in device.captured():
            segment = captured.segment
            found = by_address.get(segment.destination if captured.from_kernel else segment.source)
            if found is not None:
                found.captured(captured)

    agenda = sorted(
        (conversation.begin + when, place, conversation.address, action)
        for conversation in conversations
        for place, (when, action) in enumerate(conversation.events)
    )
    for at, _, address, action in agenda:
        while time.monotonic() < at:
            read()
            time.sleep(_LOOKS_EVERY_S)
        by_address[address].act(action)
        read()
        by_address[address].window()
    end = time.monotonic() + _AFTER_S
    while time.monotonic() < end:
        read()
        time.sleep(_LOOKS_EVERY_S)


def main(file: str) -> int:
    texts = re.split(r"^conversation ", Path(file).read_text(), flags=re.MULTILINE)[1:]
    device = _configured(dict(_SETTING.findall(texts[0])))
    conversations = [Conversation(device, number, text) for number, text in enumerate(texts)]
    begin = time.monotonic() + _BETWEEN_S
    for number, conversation in enumerate(conversations):
        conversation.begin = begin + number * _BETWEEN_S
        conversation.listen()
    play(device, conversations)
    for conversation in conversations:
        print("conversation", conversation.title)
        for at, text in sorted(conversation.printed):
            print(f"{at - conversation.begin:.4f} {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
