"""What may be said from a set of replications, and what may not.

The unit of inference is the replication: the exchanges of one run share a queue, so they depend on one
another and no interval here is ever taken over exchanges. Nothing here knows what a run is: it takes numbers
and curves.

Read in this order: `replication` (means and intervals over runs, and how many it takes), `band` (a whole
curve at once), `verdict` (better, worse, equivalent, trade-off), `strength` (how clearly), `hurst`
(long-range dependence, imported by itself).
"""

from aqmlab.inference.band import Band, critical_value, paired_band, paired_distributions, sign_flip_p_value
from aqmlab.inference.replication import (
    MINIMUM_REPLICATIONS,
    Interval,
    NotEnoughReplications,
    RunToRun,
    mean_interval,
    run_to_run,
)
from aqmlab.inference.verdict import Judgement, Verdict, judge

__all__ = [
    "MINIMUM_REPLICATIONS",
    "Band",
    "Interval",
    "Judgement",
    "NotEnoughReplications",
    "RunToRun",
    "Verdict",
    "critical_value",
    "judge",
    "mean_interval",
    "paired_band",
    "paired_distributions",
    "run_to_run",
    "sign_flip_p_value",
]
