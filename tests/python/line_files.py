"""What other programs write of a line, made up: numbers that can be worked out by hand."""

from __future__ import annotations

import json

BEGAN = 1_700_000_000
"""2023-11-14, 22:13:20 UTC."""


def ping_log(waits_ms: list[float | None], *, every_s: float = 1.0, dated: bool = True) -> str:
    """A log of iputils' ping whose answers take 20 ms and these waits; none: lost."""
    lines = ["PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data."]
    for number, wait in enumerate(waits_ms):
        if wait is None:
            continue
        at = f"[{BEGAN + number * every_s + (20 + wait) / 1e3:.6f}] " if dated else ""
        lines.append(f"{at}64 bytes from 192.0.2.1: icmp_seq={number + 1} ttl=57 time={20 + wait:.1f} ms")
    took = round((len(waits_ms) - 1) * every_s * 1e3)
    lines += ["", f"{len(waits_ms)} packets transmitted, {len(lines) - 1} received, time {took}ms"]
    return "\n".join(lines)


def iperf3(mbps: float, *, way: str, at_s: int = 0, seconds: int = 20, **start: object) -> str:
    """A result of iperf3 whose streams carry the same in each second."""
    sums = [
        {"start": at, "end": at + 1, "bytes": mbps * 125_000, "sender": way == "up"} for at in range(seconds)
    ]
    begin = {"connected": [], "timestamp": {"timesecs": BEGAN + at_s}, "tcp_mss_default": 1448, **start}
    return json.dumps({"start": begin, "intervals": [{"sum": each} for each in sums], "end": {}})


SAW = [60.0, 75.0, 90.0, 100.0]
"""What waits in front of a tail-drop queue of 100 ms, again and again."""
LOADED: list[float | None] = [*[0.0] * 10, *SAW * 5, *[0.0] * 10]


WAVEFORM = """====== RESULTS SUMMARY ======
Bufferbloat Grade{0}C
Mean Unloaded Latency (ms){0}19{1}8
Download speed (Mbps){0}90{1}5
Upload speed (Mbps){0}9{1}05

====== UNLOADED LATENCY MEASUREMENTS (ms) ======
{2}
====== DOWNLOAD STAGE LATENCY MEASUREMENTS (ms) ======
{3}
====== UPLOAD STAGE LATENCY MEASUREMENTS (ms) ======
{4}
"""


def flent(series: dict[str, list[float | None]], at_s: list[float] | None = None) -> str:
    """A data file of Flent, unpacked."""
    count = len(next(iter(series.values())))
    content = {
        "version": 4,
        "metadata": {"NAME": "tcp_8down"},
        "x_values": at_s or [0.2 * at for at in range(1, count + 1)],
        "results": series,
        "raw_values": {},
    }
    return json.dumps(content)
