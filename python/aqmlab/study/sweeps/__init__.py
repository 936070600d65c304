"""Sweeps: one scenario at many points, each with the same seeds, in one store.

A sweep is a file (`docs/how-to/sweeps.md`), checked whole before anything runs. The design gives the points;
every point is run with every seed, so that points are compared in pairs. What is finished is in the store
under its content address; everything else about a sweep, how far it is and its table, is a function of the
file and the store.
"""

from aqmlab.study.sweeps.file import Sweep, read, read_text
from aqmlab.study.sweeps.running import SweepResults, sweep
from aqmlab.study.sweeps.status import Status, export, rows, status

__all__ = [
    "Status",
    "Sweep",
    "SweepResults",
    "export",
    "read",
    "read_text",
    "rows",
    "status",
    "sweep",
]
