"""How long packets wait in a queue: in the mean, and how long one would wait that arrives now.

The mean needs no model of the link: it is the mean queue over the packets sent per second (Little's law),
also where a shaper or a trace of rates sends them, or a link is often idle. At an instant, what waits is sent
with the framing of its link: headers of layer 2, padding to the shortest frame, gaps. A queue of forty-byte
acknowledgements on Ethernet takes twice as long as its bytes alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.errors import MissingDataError, ScenarioError
from aqmlab.files.columns import to_numpy
from aqmlab.scenario import core_of
from aqmlab.statistics.recorded import Recorded, has_name, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

_OPPORTUNITY_BYTES = 1_504
"""What a link sends at each line of a trace of Mahimahi's."""
_MILLISECONDS = 1_000.0


@dataclass(frozen=True)
class Framing:
    """What a link adds to an IP packet.

    Attributes:
        overhead_bytes: Header and check sequence.
        minimum_frame_bytes: The shortest frame; shorter ones are padded.
        gap_bytes: Preamble and gap, which take time between frames.
    """

    overhead_bytes: int
    minimum_frame_bytes: int
    gap_bytes: int

    def wire_bytes(self, packets: FloatArray, ip_bytes: FloatArray) -> FloatArray:
        """Bytes with the same transmission time as a number of packets with a total of IP bytes.

        The packets of a queue are taken to have one size, their mean: exact where they do, or where none is
        shorter than the shortest frame. Otherwise short packets are padded by more than is counted here.
        """
        framed = ip_bytes + packets * self.overhead_bytes
        return np.maximum(framed, packets * self.minimum_frame_bytes) + packets * self.gap_bytes


@dataclass(frozen=True)
class Shaper:
    """A rate of the scheme's own, to which it holds what leaves.

    Attributes:
        rate_mbps: The rate in Mbit/s.
        overhead_bytes: Bytes that each packet has beside its IP length.
    """

    rate_mbps: float
    overhead_bytes: int

    def time_ms(self, packets: FloatArray, ip_bytes: FloatArray) -> FloatArray:
        """How long so many packets with so many bytes of IP in all take."""
        return (ip_bytes + packets * self.overhead_bytes) * 8e-3 / self.rate_mbps


@dataclass(frozen=True)
class Trace:
    """The instants at which a link may send, over and over.

    Attributes:
        opportunities_ms: Those of one round, in milliseconds, never decreasing; the last ends the round.
    """

    opportunities_ms: FloatArray

    @classmethod
    def of(cls, text: str) -> Trace:
        """Reads a trace that a scenario's check has accepted."""
        return cls(np.array([float(line) for line in text.splitlines()]))

    def time_ms(self, time_s: FloatArray, wire_bytes: FloatArray) -> FloatArray:
        """From each instant (seconds) until the opportunity that carries the last of so many bytes."""
        instants, period_ms = self.opportunities_ms, float(self.opportunities_ms[-1])
        now_ms = time_s * _MILLISECONDS
        rounds = np.floor(now_ms / period_ms)
        first = np.searchsorted(instants, now_ms - rounds * period_ms, side="left")
        needed = np.ceil(wire_bytes / _OPPORTUNITY_BYTES).astype(np.int64)
        more, last = np.divmod(first + np.maximum(needed, 1) - 1, instants.size)
        done_ms = (rounds + more) * period_ms + instants[last]
        return np.where(needed > 0, done_ms - now_ms, 0.0)


@dataclass(frozen=True)
class Service:
    """What sends the packets of a queue.

    Attributes:
        rate_mbps: The link's rate in Mbit/s; of a trace, its mean.
        framing: What the link adds to each packet.
        shaper: What the scheme holds them to, if it does.
        trace: When the link may send, where that varies.
    """

    rate_mbps: float
    framing: Framing
    shaper: Shaper | None = None
    trace: Trace | None = None

    @classmethod
    def of(cls, result: Recorded, link: str) -> Service:
        """That of a monitored link.

        Raises:
            MissingDataError: The scenario cannot be read any more.
        """
        scenario = result.run["scenario"]
        try:
            core = core_of(scenario)
        except ScenarioError as error:
            raise MissingDataError(str(error)) from None
        own = next(each for each in core.monitored_links() if each.name == link)
        added = core.framings()[link]
        framing = Framing(added.overhead_bytes, added.minimum_frame_bytes, added.gap_bytes)
        queue = reduce(_inner, own.queue_key.split("."), scenario)
        shaped_mbps = queue.get("rate_mbps") if queue["scheme"] == "cake" else None
        name = reduce(_inner, _trace_key(link, own.rate_key).split("."), scenario)
        return cls(
            own.rate_mbps,
            framing,
            None if shaped_mbps is None else Shaper(shaped_mbps, queue["overhead_bytes"]),
            None if name is None else Trace.of(scenario["files"][name]),
        )

    def waiting_ms(self, time_s: FloatArray, packets: FloatArray, ip_bytes: FloatArray) -> FloatArray:
        """How long what waits at each instant takes to be sent, in milliseconds."""
        wire_bytes = self.framing.wire_bytes(packets, ip_bytes)
        of_link = (
            wire_bytes * 8e-3 / self.rate_mbps
            if self.trace is None
            else self.trace.time_ms(time_s, wire_bytes)
        )
        return of_link if self.shaper is None else np.maximum(of_link, self.shaper.time_ms(packets, ip_bytes))


def waiting_ms(result: Recorded, link: str) -> tuple[FloatArray, FloatArray]:
    """Sampling instants of a link's queue in seconds, and how long what waits then takes to be sent, in ms.

    This is the wait of a packet that is served behind all that wait; the rest of the packet on the link comes
    on top. A scheduler of several queues may serve it sooner.

    Args:
        result: A finished run.
        link: The name of a monitored link.

    Raises:
        MissingDataError: The run has no table `queue`, or its scenario cannot be read any more.
    """
    rows = table(result, "queue", setting="record.queue_interval_ms")
    own = has_name(rows, "link", link)
    packets, ip_bytes = (to_numpy(rows[name])[own].astype(np.float64) for name in ("packets", "bytes"))
    time_s = to_numpy(rows["time_s"])[own]
    return time_s, Service.of(result, link).waiting_ms(time_s, packets, ip_bytes)


def mean_waiting_s(link: Mapping[str, Any]) -> float:
    """Mean wait in seconds of the packets that a link sent in the measured window, by Little's law.

    Where a scheme discards packets that have waited, as CoDel does, their waits are in it too: of a link that
    loses a tenth in this way it is up to a ninth too long.

    Args:
        link: The summary of the link in a run's `run.json`.

    Raises:
        MissingDataError: Packets wait, and the run sent nothing over the link in the measured window.
    """
    packets = float(link["queue_packets_mean"])
    if not packets:
        return 0.0
    frame_bytes, sent_mbps = float(link["mean_frame_bytes"]), float(link["throughput_frame_mbps"])
    if not frame_bytes or not sent_mbps:
        raise MissingDataError(f"nothing left on {link['name']} in the measured window")
    return packets * frame_bytes * 8e-6 / sent_mbps


def _trace_key(link: str, rate_key: str) -> str:
    """Where a scenario names the trace of a link's rate. A dumbbell's ways share a rate, and no trace."""
    if rate_key.startswith("dumbbell."):
        way = "" if link == "left-to-right" else "right_to_left_"
        return f"dumbbell.rate_{way}trace_file"
    return f"{rate_key.removesuffix('_mbps')}_trace_file"


def _inner(outer: Any, name: str) -> Any:  # noqa: ANN401
    return outer[int(name)] if isinstance(outer, list) else outer.get(name)
