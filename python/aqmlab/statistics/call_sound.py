"""What a call sounds like at the other end: its packets' losses and delays, made audible.

A telephone cuts speech into packets, G.711 into packets of 20 ms. The receiver plays each at a fixed time
after it was sent: the shortest delay of the call and `buffer_ms`, its play-out buffer. What was lost, or
comes later than that, is a gap of silence. Real telephones fill gaps and stretch their buffers: calls sound
better than this, and are later.

    import numpy as np
    import aqmlab
    from aqmlab.statistics.call_sound import heard

    home = {"record.datagrams": True}
    result = aqmlab.run("home.toml", overrides=home)
    speech = np.sin(2 * np.pi * 440 * np.arange(5 * 8000) / 8000)
    sound = heard(result, "call-up", speech, begin_s=20.0)
    # In a notebook: IPython.display.Audio(sound.samples, rate=sound.samples_hz)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.errors import MissingDataError, RefusalError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics.recorded import ended_s, has_name, table
from aqmlab.terminal.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.recorded import Recorded

    BoolArray = NDArray[np.bool_]

SAMPLES_HZ = 8_000
"""Samples of telephone speech per second (G.711)."""
BUFFER_MS = 60.0
"""The play-out buffer: a packet may come so much later than the fastest one."""
_CALL = "a group of [[datagrams]] with rate_mbps and without on_s, whose packets leave at even distances"


@dataclass(frozen=True)
class HeardCall:
    """A piece of a call as its listener hears it.

    Attributes:
        samples: The sound: what was said, with silence for each packet that did not come in time.
        samples_hz: Samples per second.
        sent_s: When each packet was sent.
        delay_s: Its delay; infinite if it never came.
        play_out_s: How long after its sending each packet is played.
    """

    samples: FloatArray
    samples_hz: int
    sent_s: FloatArray
    delay_s: FloatArray
    play_out_s: float

    @property
    def lost(self) -> BoolArray:
        """Which packets never came."""
        return np.isinf(self.delay_s)

    @property
    def late(self) -> BoolArray:
        """Which packets came after their time of play-out."""
        return ~self.lost & (self.delay_s > self.play_out_s)

    @property
    def gap_percent(self) -> float:
        """The share of the packets that are silence."""
        return 100.0 * float((self.lost | self.late).mean())


def heard(
    result: Recorded,
    group: str,
    speech: ArrayLike,
    *,
    begin_s: float | None = None,
    source: int = 0,
    buffer_ms: float = BUFFER_MS,
    samples_hz: int = SAMPLES_HZ,
) -> HeardCall:
    """What arrives of speech that a call of a run carries.

    Args:
        result: A run with `record.datagrams = true`.
        group: The call: a group of `[[datagrams]]` with `rate_mbps`.
        speech: What is said, as samples from -1 to 1. What the call has no packets for is not heard.
        begin_s: When the speaker begins, in simulated seconds; by default with the measured window.
        source: Which source of the group.
        buffer_ms: How much later than the fastest packet one may come.
        samples_hz: Samples of `speech` per second.

    Raises:
        MissingDataError: The run did not record the arrivals of datagrams, or nothing of the call arrived.
        RefusalError: The group is no such call, or an argument is not legal.
    """
    if not (math.isfinite(buffer_ms) and buffer_ms >= 0.0):
        raise _refused("buffer_ms", buffer_ms, "0 or more")
    if samples_hz <= 0:
        raise _refused("samples_hz", samples_hz, "1 or more")
    begins = float(result.run["measured_from_s"]) if begin_s is None else begin_s
    interval_s = _packet_interval_s(result, group)
    said = np.asarray(speech, dtype=np.float64)
    until_s = min(begins + said.size / samples_hz, _stops_s(result, group))
    sent_s, delay_s = call_packets(result, group, begins, until_s, source=source)
    return played(said, sent_s, delay_s, packet_s=interval_s, buffer_ms=buffer_ms, samples_hz=samples_hz)


def call_packets(
    result: Recorded, group: str, begin_s: float, until_s: float, *, source: int = 0
) -> tuple[FloatArray, FloatArray]:
    """When each packet of a call was sent in a part of a run, and its delay: infinite if it never came.

    Packets leave at even distances: those that arrived show when the others were sent, from the first one, or
    `begin_s` if that is later.

    Raises:
        MissingDataError: The run did not record the arrivals of datagrams, or nothing of the call arrived.
        RefusalError: The group is no such call.
    """
    interval_s = _packet_interval_s(result, group)
    arrivals = table(result, "datagram_arrivals", setting="record.datagrams = true")
    own = has_name(arrivals, "group", group) & (to_numpy(arrivals["source"]) == source)
    came_s, delays_s = (to_numpy(arrivals[name])[own] for name in ("sent_s", "delay_s"))
    if came_s.size == 0:
        raise MissingDataError(f"nothing of {group}, source {source}, arrived")
    first_s = float(came_s.min())
    number = np.rint((came_s - first_s) / interval_s).astype(np.int64)
    least = max(0, math.ceil((begin_s - first_s) / interval_s - 1e-6))
    most = max(least, math.ceil((until_s - first_s) / interval_s - 1e-6))
    delay_s = np.full(most - least, np.inf)
    inside = (number >= least) & (number < most)
    delay_s[number[inside] - least] = delays_s[inside]
    sent_s = first_s + interval_s * np.arange(least, most, dtype=np.float64)
    return sent_s.astype(np.float64), delay_s


def played(
    speech: FloatArray,
    sent_s: FloatArray,
    delay_s: FloatArray,
    *,
    packet_s: float,
    buffer_ms: float = BUFFER_MS,
    samples_hz: int = SAMPLES_HZ,
) -> HeardCall:
    """Speech cut into packets: those in time are played, the others are silence.

    Args:
        speech: What is said; packets without speech, and speech without packets, are left out.
        sent_s: When each packet was sent.
        delay_s: The delay of each; infinite of what never came.
        packet_s: How much speech a packet has.
        buffer_ms: How much later than the fastest packet one may come.
        samples_hz: Samples of `speech` per second.
    """
    edges = np.rint(packet_s * samples_hz * np.arange(delay_s.size + 1)).astype(np.int64)
    count = int(np.searchsorted(edges, speech.size, side="right")) - 1
    delay_s, sent_s = delay_s[:count], sent_s[:count]
    came = delay_s[np.isfinite(delay_s)]
    play_out_s = float(came.min() if came.size else 0.0) + buffer_ms / 1000.0
    samples = speech[: edges[count]].copy()
    for packet in np.flatnonzero(delay_s > play_out_s):
        samples[edges[packet] : edges[packet + 1]] = 0.0
    return HeardCall(samples, samples_hz, sent_s, delay_s, play_out_s)


def _packet_interval_s(result: Recorded, group: str) -> float:
    own = _group(result, group)
    if own.get("rate_mbps") is None or own.get("on_s") is not None:
        raise RefusalError(
            f"{group}: its packets leave at uneven distances; legal: {_CALL}",
            place="group",
            value=group,
            legal=_CALL,
        )
    return 8e-6 * float(own["packet_bytes"]) / float(own["rate_mbps"])


def _stops_s(result: Recorded, group: str) -> float:
    """When the call ends, at the latest with the run."""
    stop_s = _group(result, group).get("stop_s")
    return min(math.inf if stop_s is None else float(stop_s), ended_s(result))


def _group(result: Recorded, group: str) -> Mapping[str, Any]:
    groups = {str(each["name"]): each for each in result.run["scenario"].get("datagrams", ())}
    if group not in groups:
        legal = ", ".join(groups) or "none, as the scenario has no [[datagrams]]"
        raise RefusalError(
            f"{group}: no group of [[datagrams]]{nearest(group, groups)} (legal: {legal})",
            place="group",
            value=group,
            legal=legal,
        )
    found: Mapping[str, Any] = groups[group]
    return found


def _refused(place: str, value: object, legal: str) -> RefusalError:
    return RefusalError(f"{place}: {value!r}; legal: {legal}", place=place, value=value, legal=legal)
