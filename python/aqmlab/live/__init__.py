"""Live runs: the same scenario over the kernel's TCP, in real time.

Read in this order: `worker` (the process that a run has for itself), `running` (from a scenario to a result),
`needs` (what a machine must allow).
"""

from aqmlab.live.needs import Need, needs
from aqmlab.live.running import run_live

__all__ = ["Need", "needs", "run_live"]
