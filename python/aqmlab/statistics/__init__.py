"""What may be said from a set of replications, and what may not.

The unit of inference is the replication: the exchanges of one run share a queue, so they depend on one
another and no interval here is ever taken over exchanges. Everything is a pure function of results.

Read in this order: `recorded` (what a statistic needs of a result), `distribution` (one run's response
times), `pages` (its page load times), `quantities` (the registry of one run's single numbers), `replication`
(means and intervals over runs), `band` (a whole curve at once), `verdict` (better, worse, equivalent,
trade-off), `strength` (how clearly), `stopping` (how many replications it takes), `hurst` (long-range
dependence, imported by itself).
"""

from aqmlab.errors import MissingDataError, TooLittleDataError, UnknownLinkError
from aqmlab.statistics.band import Band, critical_value, paired_band, paired_distributions, sign_flip_p_value
from aqmlab.statistics.distribution import ResponseTimes, response_times
from aqmlab.statistics.pages import Pages, page_load_times
from aqmlab.statistics.quantities import completed_per_90_minutes, loss_percent, throughput_mbps
from aqmlab.statistics.recorded import Recorded, data_links, judged_links, measured_window_s
from aqmlab.statistics.replication import (
    MINIMUM_REPLICATIONS,
    Interval,
    NotEnoughReplications,
    RunToRun,
    mean_interval,
    run_to_run,
)
from aqmlab.statistics.verdict import Judgement, Verdict, judge

__all__ = [
    "MINIMUM_REPLICATIONS",
    "Band",
    "Interval",
    "Judgement",
    "MissingDataError",
    "NotEnoughReplications",
    "Pages",
    "Recorded",
    "ResponseTimes",
    "RunToRun",
    "TooLittleDataError",
    "UnknownLinkError",
    "Verdict",
    "completed_per_90_minutes",
    "critical_value",
    "data_links",
    "judge",
    "judged_links",
    "loss_percent",
    "mean_interval",
    "measured_window_s",
    "page_load_times",
    "paired_band",
    "paired_distributions",
    "response_times",
    "run_to_run",
    "sign_flip_p_value",
    "throughput_mbps",
]
