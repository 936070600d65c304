"""Live runs: the same scenario over the kernel's TCP, in real time.

Read in this order: `worker` (the process that a run has for itself), `running` (from a scenario to a result),
`program` (a command of one's own behind the bottleneck), `requirements` and `probe` (what a machine must
allow).
"""

from typing import TYPE_CHECKING

from aqmlab._lazily import lazily

if TYPE_CHECKING:
    from aqmlab.runs.live.program import Program
    from aqmlab.runs.live.requirements import needs
    from aqmlab.runs.live.running import live, run_live

__all__ = ["Program", "live", "needs", "run_live"]

# Imported when first asked for: a process enters a user namespace before Arrow and NumPy start threads.
__getattr__ = lazily(
    __name__,
    {
        "aqmlab.runs.live.requirements": "needs",
        "aqmlab.runs.live.program": "Program",
        "aqmlab.runs.live.running": "live run_live",
    },
)
