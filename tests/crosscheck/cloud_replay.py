"""The very connections of a run of ns-2, replayed here: what each cloud opened and asked for, and when.

ns-2's script tells of every connection its start, its delays and its exchanges (`-record`); here they come as Tmix vectors on
the same network, so that both programs carry the same traffic and differ by nothing but themselves.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import aqmlab

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

SERVER_S = 0.006
"""What every server takes, in both programs: ns-2 tells of each exchange when it began and ended, not what lay between."""
SAME_INSTANT_S = 2e-6
"""ns-2 writes instants in microseconds."""

NETWORK = """
name = "clouds-replayed"
duration_s = {end_s}
warm_up_s = {warmup_s}

[parking_lot]
hops = {hops}
rate_mbps = {rate_mbps}
delay_ms = 1.0
queue = {{ scheme = "drop-tail", limit_packets = 200 }}
browser_machines = 2
server_machines = 2
interface_rate_mbps = {cloud_mbps}
interface_delay_ms = 1.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
"""
MACHINES = """
[[parking_lot.machines]]
name = "{name}"
router = {router}
count = 2
rate_mbps = 1.0
"""
FLOWS = """
[[flows]]
name = "{name}"
count = {count}
senders = "{senders}"
receivers = "{receivers}"
profile = "ns2-full"
host = {{ ecn = "on" }}
start_spread_s = 1.0
"""
POPULATION = """
[[populations]]
name = "{name}"
browsers = "{browsers}"
servers = "{servers}"
count = 1
model = {{ model = "tmix", vectors_file = "{name}" }}
profile = "ns2-full"
host = {{ ecn = "on" }}
"""
RECORD = """
[record]
throughput_layer = "ip"
responses = "rows"
"""


@dataclass
class Exchange:
    """A request and its response.

    Attributes:
        began_s: When the request was written.
        request_bytes: Its length.
        response_bytes: That of the response.
        took_s: From the request to the last byte of the response; none if the run ended before.
    """

    began_s: float
    request_bytes: int
    response_bytes: int
    took_s: float | None = None


@dataclass
class Connection:
    """A connection of a cloud.

    Attributes:
        began_s: When it was opened.
        one_way_ms: What its DelayBoxes add to each way.
        exchanges: One after the other.
    """

    began_s: float
    one_way_ms: float
    exchanges: list[Exchange] = field(default_factory=list)


def recorded(prefix: Path, clouds: Iterable[str]) -> dict[str, list[Connection]]:
    """What a run of ns-2 recorded of each cloud, `prefix` being its option `record` and its option `responses`."""
    delays = _delays(prefix)
    by_port: dict[tuple[str, str], list[Connection]] = defaultdict(list)
    made: dict[str, list[Connection]] = {name: [] for name in clouds}
    for line in prefix.with_name(f"{prefix.name}.connections").read_text(encoding="ascii").splitlines():
        cloud, number, began, server, port, client = line.split()
        connection = Connection(float(began), delays[client, server, number])
        by_port[cloud, f"{server}.{port}"].append(connection)
        made[cloud].append(connection)
    for cloud in made:
        _read_exchanges(prefix, cloud, by_port)
    return {
        cloud: [connection for connection in connections if connection.exchanges]
        for cloud, connections in made.items()
    }


def _delays(prefix: Path) -> dict[tuple[str, str, str], float]:
    """Milliseconds that the boxes of all routers add to a way of a connection, by its nodes and number."""
    drawn: dict[tuple[str, str, str], float] = defaultdict(float)
    for path in prefix.parent.glob(f"{prefix.name}.delays.*"):
        # A box forgets a connection at its FIN, and draws again for a SYN that comes behind: the first is that of its life.
        first: dict[tuple[str, str, str], float] = {}
        for line in path.read_text(encoding="ascii").splitlines():
            source, destination, number, milliseconds, _ = line.split()
            first.setdefault((source, destination, number), float(milliseconds))
        for key, delay_ms in first.items():
            drawn[key] += delay_ms
    return drawn


def _read_exchanges(prefix: Path, cloud: str, by_port: Mapping[tuple[str, str], list[Connection]]) -> None:
    """Gives the connections of a cloud their exchanges; a port serves one connection after the other."""
    took: dict[tuple[str, int], float] = {}
    for line in prefix.with_name(f"{prefix.name}.{cloud}").read_text(encoding="ascii").splitlines():
        ended, _, _, milliseconds, end, *_ = line.split()
        seconds = float(milliseconds) / 1000.0
        took[end, round((float(ended) - seconds) * 1e5)] = seconds
    samples = prefix.with_name(f"{prefix.name}.samples.{cloud}").read_text(encoding="ascii")
    places: dict[str, int] = defaultdict(int)
    for line in samples.splitlines():
        began_text, request, response, end = line.split()
        began, connections = float(began_text), by_port[cloud, end]
        place = places[end]
        while place + 1 < len(connections) and connections[place + 1].began_s <= began + SAME_INSTANT_S:
            place += 1
        places[end] = place
        instant = round(began * 1e5)
        near = (took.get((end, instant + step)) for step in (0, -1, 1))
        seconds_taken = next((seconds for seconds in near if seconds is not None), None)
        connections[place].exchanges.append(Exchange(began, int(request), int(response), seconds_taken))


def vectors(connections: Sequence[Connection]) -> str:
    """Connections in Tmix's original form."""
    lines = []
    for number, connection in enumerate(connections):
        lines.append(f"SEQ {connection.began_s * 1e6:.0f} {len(connection.exchanges)} {number} 0")
        lines.append(f"r {2000.0 * connection.one_way_ms:.0f}")
        ended = None
        for exchange in connection.exchanges:
            if ended is not None:
                lines.append(f"t {max(0.0, exchange.began_s - ended) * 1e6:.0f}")
            lines.append(f"> {exchange.request_bytes}")
            lines.append(f"t {SERVER_S * 1e6:.0f}")
            lines.append(f"< {exchange.response_bytes}")
            ended = exchange.began_s + (exchange.took_s or 0.0)
    return "\n".join(lines) + "\n"


def scenario(options: Mapping[str, float], clouds: Mapping[str, Sequence[Connection]]) -> aqmlab.Scenario:
    """The network of a run of ns-2's script with these options, and on it the connections that it recorded."""
    text = NETWORK.format(**options)
    last = int(options["hops"])
    if options["long_lived"]:
        for way, (source, sink) in {"forward": (0, last), "reverse": (last, 0)}.items():
            text += MACHINES.format(name=f"sources-{way}", router=source)
            text += MACHINES.format(name=f"sinks-{way}", router=sink)
    if options["long_lived"]:
        for way in ("forward", "reverse"):
            ends = {"senders": f"sources-{way}", "receivers": f"sinks-{way}"}
            text += FLOWS.format(name=f"long-lived-{way}", count=int(options["long_lived"]), **ends)
    for name in clouds:
        browsers, servers = _machines(name)
        text += POPULATION.format(name=name, browsers=browsers, servers=servers)
    files = "".join(f'"{name}" = """\n{vectors(own)}"""\n' for name, own in clouds.items())
    return aqmlab.Scenario.from_toml(f"{text}{RECORD}\n[files]\n{files}")


def _machines(cloud: str) -> tuple[str, str]:
    """Where the browsers and the servers of a cloud are; responses go forward from left to right."""
    ends = {"forward": ("browsers-right", "servers-left"), "reverse": ("browsers-left", "servers-right")}
    if cloud in ends:
        return ends[cloud]
    _, hop, way = cloud.split("-")
    here, there = int(hop), int(hop) + 1
    browsers, servers = (there, here) if way == "forward" else (here, there)
    return f"browsers-{browsers}", f"servers-{servers}"


# ------------------------------------------------------------------------------------ exchange by exchange

STORED_COLUMNS = ("cloud", "connection", "began_s", "one_way_ms", "request_bytes", "response_bytes", "took_s")
EMPTY = {
    "hops": 1,
    "rate_mbps": 1000.0,
    "cloud_mbps": 100.0,
    "long_lived": 0,
    "connections": 60,
    "warmup_s": 0.0,
    "end_s": 6.0,
}
"""A dumbbell on which nothing ever waits long: options of ns-2's script."""
NEAR_S = 0.001
"""How far apart the same request may be written in both programs."""


def store(path: Path, clouds: Mapping[str, Sequence[Connection]]) -> None:
    """Writes connections with what ns-2 took for each exchange."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(STORED_COLUMNS)
        for cloud, connections in clouds.items():
            for number, connection in enumerate(connections):
                for each in connection.exchanges:
                    took = "" if each.took_s is None else f"{each.took_s:.6f}"
                    own = (f"{each.began_s:.6f}", f"{connection.one_way_ms:.3f}")
                    writer.writerow((cloud, number, *own, each.request_bytes, each.response_bytes, took))


def stored(path: Path) -> dict[str, list[Connection]]:
    """The connections of such a file."""
    clouds: dict[str, list[Connection]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            connections = clouds.setdefault(row["cloud"], [])
            began = float(row["began_s"])
            if int(row["connection"]) == len(connections):
                connections.append(Connection(began, float(row["one_way_ms"])))
            took = float(row["took_s"]) if row["took_s"] else None
            exchange = Exchange(began, int(row["request_bytes"]), int(row["response_bytes"]), took)
            connections[-1].exchanges.append(exchange)
    return clouds


def differences(clouds: Mapping[str, Sequence[Connection]]) -> list[float]:
    """Seconds by which each exchange takes longer here than in ns-2, on the dumbbell `EMPTY`; an exchange of ns-2 that is not
    found here is an error."""
    result = aqmlab.run(scenario(EMPTY, clouds), seed=1)
    here: dict[tuple[str, int, int], list[tuple[float, float]]] = defaultdict(list)
    for row in result.tables["responses"].to_pandas().itertuples():
        key = (str(row.population), int(row.request_bytes), int(row.response_bytes))
        here[key].append((row.completed_at_s - row.response_time_s, row.response_time_s))
    found = []
    for cloud, connections in clouds.items():
        for each in (exchange for connection in connections for exchange in connection.exchanges):
            if each.took_s is None or each.began_s + each.took_s > EMPTY["end_s"] - NEAR_S:
                continue
            those = here[cloud, each.request_bytes, each.response_bytes]
            near = [took for began, took in those if abs(began - each.began_s) < NEAR_S]
            if not near:
                message = f"{cloud}: no exchange here like {each}"
                raise LookupError(message)
            found.append(min((took - each.took_s for took in near), key=abs))
    return found
