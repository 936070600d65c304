"""Live runs: the same scenario over the kernel's TCP, in real time.

Read in this order: `worker` (the process that a run has for itself), `running` (from a scenario to a result),
`program` (a command of one's own behind the bottleneck), `needs` (what a machine must allow).
"""

from aqmlab.live.needs import Need, needs
from aqmlab.live.program import Program, file_server
from aqmlab.live.running import run_live

__all__ = ["Need", "Program", "file_server", "needs", "run_live"]
