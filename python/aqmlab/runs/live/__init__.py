"""Live runs: the same scenario over the kernel's TCP, in real time.

Read in this order: `worker` (the process that a run has for itself), `running` (from a scenario to a result,
and a command of one's own behind the bottleneck), `requirements` and `probe` (what a machine must allow).
"""
