"""Live runs: the same scenario over the kernel's TCP, in real time.

Read in this order: `worker` (the process that a run has for itself), `running` (from a scenario to a result),
`program` (a command of one's own behind the bottleneck), `requirements` and `probe` (what a machine must
allow).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aqmlab.runs.live.program import Program, file_server
    from aqmlab.runs.live.requirements import Need, needs
    from aqmlab.runs.live.running import live, run_live

__all__ = ["Need", "Program", "file_server", "live", "needs", "run_live"]

# Imported when first asked for: a process enters a user namespace before Arrow and NumPy start threads.
_HOMES = {
    **dict.fromkeys(("Need", "needs"), "aqmlab.runs.live.requirements"),
    **dict.fromkeys(("Program", "file_server"), "aqmlab.runs.live.program"),
    **dict.fromkeys(("live", "run_live"), "aqmlab.runs.live.running"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
