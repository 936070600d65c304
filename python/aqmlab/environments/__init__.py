"""Environments of Gymnasium: an agent at a queue, in place of a congestion controller, or of a call's.

Needs the package gymnasium (`aqmlab[agents]`). An episode can be rewound: the simulation is copied
whole, packets under way included.
"""

from __future__ import annotations

from aqmlab.errors import RefusalError

try:
    import gymnasium  # noqa: F401
except ImportError as missing:
    raise RefusalError(
        f"aqmlab.environments needs the package gymnasium, from PyPI ({missing}): pip install gymnasium, "
        "or pip install '.[agents]' in the source folder"
    ) from None

from aqmlab.environments.episodes import Episodes, power, shown_without_delay, utilization_without_delay
from aqmlab.environments.queues import OF_A_GROUP, OF_A_LINK, QueueEnvironment
from aqmlab.environments.senders import OF_A_CALL, OF_FLOWS, CongestionEnvironment, VideoEnvironment

__all__ = [
    "OF_A_CALL",
    "OF_A_GROUP",
    "OF_A_LINK",
    "OF_FLOWS",
    "CongestionEnvironment",
    "Episodes",
    "QueueEnvironment",
    "VideoEnvironment",
    "power",
    "shown_without_delay",
    "utilization_without_delay",
]
