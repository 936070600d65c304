"""A result as a data file of Flent, the FLExible Network Tester, so that `flent` and `flent-gui` show it.

Series of a run are named as Flent's test `tcp_bidirectional` names them, those of one of its tests as that
test does. The format: `flent_file.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from aqmlab.errors import ResultError
from aqmlab.files.columns import to_numpy
from aqmlab.files.flent_file import Heading, document, write
from aqmlab.statistics.waiting import waiting_ms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aqmlab.result import Result

TEST = "tcp_bidirectional"
DOWNLOAD, UPLOAD, PING = "TCP download", "TCP upload", "Ping (ms) ICMP"


def save_flent(result: Result, file: Path, *, download: str = "", upload: str = "") -> None:
    """Writes a Flent data file."""
    write(flent_document(result, download=download, upload=upload), file)


def flent_document(result: Result, *, download: str = "", upload: str = "") -> dict[str, Any]:
    """The content of a Flent data file; as of `save_flent`."""
    links = {link["name"]: link for link in result.run["links"]}
    for name in (download, upload):
        if name and name not in links:
            raise ResultError.unknown(f"link {name!r}", name, list(links))
    down = links[download] if download else max(links.values(), key=lambda link: link["throughput_mbps"])
    up = links[upload] if upload else _reverse(down, list(links.values()))
    instants, series = _throughputs(result, {DOWNLOAD: down, UPLOAD: up})
    series[PING] = _waiting_ms(result, [link for link in (down, up) if link], instants)
    step_s = float(instants[1] - instants[0]) if len(instants) > 1 else float(instants[0])
    return document(
        Heading(
            TEST,
            f"{result.scenario['name']}, seed {result.seed}",
            _note(result, down, up),
            result.version,
            host=down["to"],
            length_s=float(instants[-1]),
            total_s=float(instants[-1]),
            step_s=step_s,
        ),
        instants,
        series,
        {
            DOWNLOAD: {"UNITS": "Mbits/s", "LINK": down["name"]},
            UPLOAD: {"UNITS": "Mbits/s", "LINK": up["name"] if up else None},
            PING: {"UNITS": "ms"},
        },
    )


def _reverse(link: Mapping[str, Any], links: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    ends = (link["to"], link["from"])
    return next((other for other in links if (other["from"], other["to"]) == ends), None)


def _throughputs(
    result: Result, links: Mapping[str, Mapping[str, Any] | None]
) -> tuple[np.ndarray[Any, Any], dict[str, np.ndarray[Any, Any]]]:
    """Mbit/s of each link in each interval, and the ends of the intervals."""
    instants, series = np.zeros(0), {}
    for name, link in links.items():
        if link is None:
            continue
        rows = _of_link(result, "link", link["name"])
        instants = to_numpy(rows["time_s"])
        lengths = np.diff(instants, prepend=0.0)
        series[name] = to_numpy(rows["frame_bytes"]) * 8e-6 / lengths
    return instants, series


def _waiting_ms(
    result: Result, links: Sequence[Mapping[str, Any]], instants: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """How long a packet would have waited in the queues of these links, all in turn, at each instant."""
    waiting = np.zeros(len(instants))
    for link in links:
        sampled, of_queue = waiting_ms(result, link["name"])
        last = np.searchsorted(sampled, instants, side="right") - 1
        waiting += of_queue[np.maximum(last, 0)]
    return waiting


def _of_link(result: Result, table: str, link: str) -> Any:  # noqa: ANN401  (pyarrow has no types)
    rows = result.tables[table]
    return rows.filter(pc.equal(rows["link"].cast("string"), link))


def _note(result: Result, down: Mapping[str, Any], up: Mapping[str, Any] | None) -> str:
    directions = f"download: link {down['name']} under {down['scheme']}"
    if up is not None:
        directions += f"; upload: link {up['name']} under {up['scheme']}"
    return (
        f"Simulated by aqmlab {result.version}, seed {result.seed}. {directions}. Ping: the time that a "
        "packet would have waited in the queues of these links, without propagation and its transmission."
    )
