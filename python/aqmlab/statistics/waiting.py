"""Waiting times at a link, from the packets queued there: the one place where packets become seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.statistics.recorded import MissingDataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


def waiting_s(link: Mapping[str, Any], packets: FloatArray) -> FloatArray:
    """Seconds that a link takes to send so many packets, as frames of the mean size that it sent.

    Args:
        link: The summary of the link in a run's `run.json`.
        packets: Packets that wait.

    Raises:
        MissingDataError: The run sent nothing over the link, or it has no rate.
    """
    frame_bytes, rate_mbps = link.get("mean_frame_bytes"), link.get("rate_mbps")
    if not frame_bytes or not rate_mbps:
        raise MissingDataError(f"no rate or no frame of the link {link.get('name', '')} is known")
    return packets * (8e-6 * float(frame_bytes) / float(rate_mbps))
