"""How long packets wait in a queue: in the mean, and how long one would wait that arrives now.

The mean is counted, of the packets that the queue let go; of a kernel's queue it is the mean queue over the
packets sent per second (Little's law). Neither needs a model of the link, also where a shaper or a trace of
rates sends, or a link is often idle. At an instant the link itself is
asked when what waits has been sent (`backlog_ms` of the core): with its framing, as its medium is granted
to it, and as the shaper of its queue lets it go. A queue of forty-byte acknowledgements on Ethernet takes
twice as long as its bytes alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.errors import MissingDataError, ScenarioError
from aqmlab.files.columns import to_numpy
from aqmlab.scenario import core_of
from aqmlab.statistics.recorded import Recorded, has_name, seed, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.statistics.distribution import FloatArray


def waiting_ms(result: Recorded, link: str) -> tuple[FloatArray, FloatArray]:
    """Sampling instants of a link's queue in seconds, and how long what waits then takes to be sent, in ms.

    This is the wait of a packet that is served behind all that wait; the rest of the packet on the link comes
    on top. A scheduler of several queues may serve it sooner.
    """
    rows = table(result, "queue", setting="record.queue_interval_ms")
    own = has_name(rows, "link", link)
    packets, ip_bytes = (to_numpy(rows[name])[own] for name in ("packets", "bytes"))
    time_s = to_numpy(rows["time_s"])[own]
    scenario = result.run["scenario"]
    try:
        core = core_of(scenario)
    except ScenarioError as error:
        raise MissingDataError(str(error)) from None
    waits = core.backlog_ms(link, seed(result), time_s.tolist(), packets.tolist(), ip_bytes.tolist())
    return time_s, np.array(waits, dtype=np.float64)


def mean_waiting_s(link: Mapping[str, Any]) -> float:
    """Mean wait in seconds of the packets that a queue let go in the measured window.

    Of packets that a scheme discarded after they had waited it has nothing, except where the queue is the
    kernel's, which does not tell how long they had: there it is Little's law over all that waited.
    """
    packets = float(link["queue_packets_mean"])
    if not packets:
        return 0.0
    if "wait_mean_s" in link:
        return float(link["wait_mean_s"])
    frame_bytes, sent_mbps = float(link["mean_frame_bytes"]), float(link["throughput_frame_mbps"])
    if not frame_bytes or not sent_mbps:
        raise MissingDataError(f"nothing left on {link['name']} in the measured window")
    return packets * frame_bytes * 8e-6 / sent_mbps
