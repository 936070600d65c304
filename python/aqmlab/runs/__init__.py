"""Running: one job type, a store of finished runs, and the executors that make the missing ones.

Read in this order: `job` (a run to be made), `many` (jobs to results, through a store), `store` (what is kept
and how it is told from what is damaged), `executors` (threads, processes, a Dask cluster), `memory` (whether
runs have room).
"""

from aqmlab.runs.job import SEED_MAX, Job
from aqmlab.runs.many import Execution, run, run_each, run_many

__all__ = ["SEED_MAX", "Execution", "Job", "run", "run_each", "run_many"]
