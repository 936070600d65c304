"""Linux as an ordinary process: live runs with the queues and the TCP of its kernel, without privileges.

Read in this order: `kernel` (which user-mode Linux there is, and what it has), `machine` (how it is booted),
`start.sh` (what every machine does first), `running` (a live run in it, seen from outside), `guest` (the same
from inside). The cross-checks with the kernel boot it by the same modules.
"""

from typing import TYPE_CHECKING

from aqmlab._lazily import lazily

if TYPE_CHECKING:
    from aqmlab.runs.user_mode.kernel import Kernel, installed

__all__ = ["Kernel", "installed"]

# Imported when first asked for: the process inside enters namespaces before Arrow starts threads.
__getattr__ = lazily(
    __name__,
    {
        "aqmlab.runs.user_mode.kernel": "Kernel installed",
    },
)
