"""Running: one job type, a store of finished runs, and the executors that make the missing ones.

Read in this order: `job` (a run to be made), `many` (jobs to results, through a store), `store` (what is kept
and how it is told from what is damaged), `executors` (threads, processes, a Dask cluster), `protocol` (what
processes that make runs are told and answer), `memory` (whether runs have room).
"""

from typing import TYPE_CHECKING

from aqmlab._lazily import lazily

if TYPE_CHECKING:
    from aqmlab.runs.job import Job
    from aqmlab.runs.many import Execution, run, run_each, run_many
    from aqmlab.seeds import SEED_MAX

__all__ = ["SEED_MAX", "Execution", "Job", "run", "run_each", "run_many"]

# Imported when first asked for: a live run's worker needs the protocol without Arrow, which starts threads.
__getattr__ = lazily(
    __name__,
    {
        "aqmlab.runs.job": "Job",
        "aqmlab.seeds": "SEED_MAX",
        "aqmlab.runs.many": "Execution run run_each run_many",
    },
)
