"""Lines that the fitting code is not told, measured in simulation and written as other programs write it.

The writers follow the programs' own descriptions and share no code with the readers. Probes get what a
machine at home adds: an exponential wait of half a millisecond on average.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

import aqmlab
from aqmlab.presets.line import Line
from aqmlab.runs import Job, run_many
from aqmlab.study.flent_tests import TESTS, Measured, measure
from aqmlab.study.flent_tests.data_file import save_flent_test

if TYPE_CHECKING:
    from pathlib import Path

LENGTH_S, BEFORE_S = 20.0, 5.0
ON_THE_LINE = {"cable": 1518.0, "vdsl": 1530 * 65 / 64, "adsl": 33 * 53.0, "fibre": 1500.0, "other": 1500.0}
"""Bytes of the line that a packet of 1,500 takes: DOCSIS, PTM with PPPoE, ATM cells with PPPoE, none."""
_ECHO_ON_THE_LINE = {"cable": 102.0, "vdsl": 114 * 65 / 64, "adsl": 3 * 53.0, "fibre": 84.0, "other": 84.0}
_RATES = {
    "cable": ((20, 100), (3, 30)),
    "vdsl": ((10, 80), (2, 30)),
    "adsl": ((4, 20), (0.6, 1.4)),
    "fibre": ((40, 120), (20, 80)),
    "other": ((5, 80), (2, 40)),
}
_HOST_MS = 0.5
_QUEUES = ("drop-tail", "drop-tail", "drop-tail", "pie", "codel", "fq-codel")


_ANY = """
[[datagrams]]
name = "any"
count = 1
direction = "down"
device = "pc"
packet_bytes = 99
rate_mbps = 0.01
"""


@dataclass(frozen=True)
class Queue:
    """A queue: its scheme, and how long a full buffer takes to be sent if it is drop-tail."""

    scheme: str
    buffer_ms: float
    table: str

    @classmethod
    def drawn(cls, rng: random.Random, mbps: float, on_the_line: float, most_ms: int) -> Queue:
        scheme = rng.choice(_QUEUES)
        held = max(20 * 1500, int(mbps * 125 * rng.randint(50, most_ms)))
        buffer_ms = held / 1500 * on_the_line * 8e-3 / mbps
        keys = {"drop-tail": f", limit_bytes = {held}", "fq-codel": ""}.get(scheme, ", limit_packets = 1000")
        return cls(scheme, buffer_ms, f'{{ scheme = "{scheme}"{keys} }}')


@dataclass(frozen=True)
class BlindLine:
    """A line, and the scenario that it is."""

    technology: str
    mbps: dict[str, float]
    queues: dict[str, Queue]
    delay_ms: int
    transfers: int

    @property
    def round_trip_ms(self) -> float:
        """Of 84 bytes on the idle line, to servers that are 10 ms behind it."""
        sending = sum(8e-3 * _ECHO_ON_THE_LINE[self.technology] / mbps for mbps in self.mbps.values())
        return 2 * self.delay_ms + 10 + sending

    @property
    def text(self) -> str:
        return f"""
name = "blind"
duration_s = {LENGTH_S + 2.0}
warm_up_s = 1.0
[line]
technology = "{self.technology}"
down_mbps = {self.mbps["down"]}
up_mbps = {self.mbps["up"]}
delay_ms = {self.delay_ms}
provider_queue = {self.queues["down"].table}
modem_queue = {self.queues["up"].table}
[[devices]]
name = "pc"
"""


def blind_lines(count: int, seed: int) -> list[BlindLine]:
    """Lines of all technologies in turn."""
    rng = random.Random(seed)  # noqa: S311 (no secret)
    found = []
    for number in range(count):
        technology = list(_RATES)[number % len(_RATES)]
        down, up = (round(rng.uniform(*of), 2) for of in _RATES[technology])
        size = ON_THE_LINE[technology]
        queues = {"down": Queue.drawn(rng, down, size, 250), "up": Queue.drawn(rng, up, size, 600)}
        found.append(
            BlindLine(technology, {"down": down, "up": up}, queues, rng.randint(2, 25), rng.choice((4, 4, 1)))
        )
    return found


def measured(line: BlindLine, way: str) -> Measured:
    """Downloads or uploads on the line, beside a probe each 0.2 s."""
    test = TESTS["tcp_ndown" if way == "down" else "tcp_nup"]
    test = replace(test, streams=test.streams[: line.transfers])
    own = Line.of_scenario(aqmlab.Scenario.of(line.text + _ANY))
    (found,) = measure(test, own, [], length_s=LENGTH_S)
    return found


def as_flent(line: BlindLine, folder: Path) -> list[Path]:
    files = []
    for way in ("down", "up"):
        files.append(folder / f"{way}.flent.gz")
        save_flent_test(measured(line, way), files[-1])
    return files


def _probes(found: Measured, seed: int) -> tuple[np.ndarray, np.ndarray]:
    series = next(iter(found.probes.values()))
    rng = np.random.default_rng(seed)
    return series.at_s, series.values + rng.exponential(_HOST_MS, len(series.values))


def as_ping_and_iperf3(line: BlindLine, folder: Path) -> list[Path]:
    """A log of `ping -D -i 0.2` over both tests, and iperf3's result of each."""
    began_s, lines, files = 1_700_000_000.6, ["PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data."], []
    for number, way in enumerate(("down", "up")):
        found = measured(line, way)
        at_s, trips = _probes(found, number)
        for place, (at, trip) in enumerate(zip(at_s, trips, strict=True)):
            if np.isfinite(trip):
                sequence = number * len(at_s) + place + 1
                spelt = f"{trip:.0f}" if trip >= 100 else f"{trip:.1f}" if trip >= 10 else f"{trip:.2f}"
                lines.append(
                    f"[{began_s + at + trip / 1e3:.6f}] 64 bytes from 192.0.2.1: icmp_seq={sequence} ttl=57 "
                    f"time={spelt} ms"
                )
        files.append(folder / f"{way}.json")
        files[-1].write_text(json.dumps(_iperf3(found, way, began_s + BEFORE_S)))
        began_s += LENGTH_S + 2 * BEFORE_S
    files.append(folder / "ping.log")
    files[-1].write_text("\n".join(lines) + "\n")
    return files


def _iperf3(found: Measured, way: str, began_s: float) -> dict[str, object]:
    mbps = np.sum([series.values for series in found.streams.values()], axis=0)
    steps = round(BEFORE_S / 0.2)
    seconds = mbps[steps : steps + round(LENGTH_S / 0.2)].reshape(-1, 5).mean(axis=1)
    sums = [
        {"start": float(at), "end": at + 1.0, "seconds": 1.0, "bytes": int(each * 125_000),
         "bits_per_second": each * 1e6, "omitted": False, "sender": way == "up"}
        for at, each in enumerate(seconds)
    ]  # fmt: skip
    test = {"protocol": "TCP", "num_streams": 4, "duration": int(LENGTH_S), "reverse": int(way == "down")}
    return {
        "start": {
            "connected": [],
            "version": "iperf 3.16",
            "timestamp": {"time": "", "timesecs": int(began_s)},
            "connecting_to": {"host": "192.0.2.1", "port": 5201},
            "tcp_mss_default": 1448,
            "test_start": test,
        },
        "intervals": [{"streams": [], "sum": each} for each in sums],
        "end": {},
    }


def as_crusader(line: BlindLine, folder: Path) -> list[Path]:
    """What `crusader export` writes: downloads, then uploads, a point each 0.2 s."""
    groups: list[object] = []
    pings: list[object] = []
    began_s = 1.5
    for number, way in enumerate(("down", "up")):
        found = measured(line, way)
        streams = [
            {"data": [{"time": _duration(began_s + 0.2 * at), "bytes": int(size)}
                      for at, size in enumerate(np.concatenate([[0.0], np.cumsum(of.values * 25_000)]))]}
            for of in found.streams.values()
        ]  # fmt: skip
        groups.append({"download": way == "down", "both": False, "streams": streams})
        for at, trip in zip(*_probes(found, number), strict=True):
            latency = {"total": _duration(trip / 1e3), "up": _duration(0.0)} if np.isfinite(trip) else None
            pings.append({"index": len(pings), "sent": _duration(began_s + at), "latency": latency})
        began_s += LENGTH_S + 2 * BEFORE_S
    file = folder / "crusader.json"
    whole = {"version": 2, "generated_by": "Crusader 0.3.2", "stream_groups": groups, "pings": pings}
    file.write_text(json.dumps(whole, indent=2))
    return [file]


def _duration(seconds: float) -> dict[str, int]:
    nanos = round(seconds * 1e9)
    return {"secs": nanos // 10**9, "nanos": nanos % 10**9}


def as_waveform(line: BlindLine, folder: Path) -> list[Path]:
    """The CSV of Waveform's test, with a latency each 0.4 s."""
    stages: dict[str, list[float]] = {"UNLOADED": []}
    speeds = {}
    for number, way in enumerate(("down", "up")):
        found = measured(line, way)
        at_s, trips = _probes(found, number)
        busy = (at_s >= BEFORE_S) & (at_s < BEFORE_S + LENGTH_S) & np.isfinite(trips)
        stages["UNLOADED"] += trips[at_s < BEFORE_S][::2].tolist()
        stages[f"{way.upper()}LOAD STAGE"] = trips[busy][::2].tolist()
        speeds[way] = found.sum_mbps(way)
    lines = ["====== RESULTS SUMMARY ======", "Bufferbloat Grade,C", ""]
    lines += [f"Mean Unloaded Latency (ms),{np.mean(stages['UNLOADED']):.2f}", ""]
    lines += [f"{way.title()}load speed (Mbps),{mbps:.2f}" for way, mbps in speeds.items()]
    for stage, of in stages.items():
        lines += ["", f"====== {stage} LATENCY MEASUREMENTS (ms) ======", *(f"{each:.2f}" for each in of)]
    file = folder / "bufferbloat.csv"
    file.write_text("\n".join(lines) + "\n")
    return [file]


def as_captures(line: BlindLine, folder: Path) -> list[Path]:
    """What passes the home's router, each way a file, while a computer downloads, and uploads after that."""
    flow = """
[[flows]]
name = "{way}"
count = {count}
direction = "{way}"
device = "pc"
base_rtt_ms = 10.0
start_s = {at}
stop_s = {end}
profile = "linux6-cubic"
"""
    text = line.text.replace(f"duration_s = {LENGTH_S + 2.0}", f"duration_s = {2 * LENGTH_S + 6.0}")
    for number, way in enumerate(("down", "up")):
        at_s = 1.0 + number * (LENGTH_S + 4.0)
        text += flow.format(way=way, count=line.transfers, at=at_s, end=at_s + LENGTH_S)
    job = Job(aqmlab.Scenario.of(text), 1, folder=folder / "run", pcap=("router-down", "router-up"))
    run_many([job])
    return sorted((folder / "run").glob("*.pcapng"))


FORMATS = {
    "flent": as_flent,
    "ping and iperf3": as_ping_and_iperf3,
    "crusader": as_crusader,
    "waveform": as_waveform,
    "pcap": as_captures,
}
