"""Linux as an ordinary process: live runs with the queues and the TCP of its kernel, without privileges.

Read in this order: `kernel` (which user-mode Linux there is, and what it has), `machine` (how it is booted),
`start.sh` (what every machine does first), `running` (a live run in it, seen from outside), `guest` (the same
from inside). The cross-checks with the kernel boot it by the same modules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aqmlab.runs.user_mode.kernel import Kernel, installed
    from aqmlab.runs.user_mode.running import Asked

__all__ = ["Asked", "Kernel", "installed"]

# Imported when first asked for: the process inside enters namespaces before Arrow starts threads.
_HOMES = {
    **dict.fromkeys(("Kernel", "installed"), "aqmlab.runs.user_mode.kernel"),
    "Asked": "aqmlab.runs.user_mode.running",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
