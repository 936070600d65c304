"""The numbers of one run: what each is, how it is computed, and which of them are shown of whom.

Everything is a pure function of a finished run. What several runs say together is `aqmlab.inference`.

Read in this order: `recorded` (what a quantity needs of a result), `distribution` (response times), `pages`
(page load times), `quantities` (every single number, by name), `catalogue` (what is shown of a run).
"""

from aqmlab.errors import MissingDataError, TooLittleDataError, UnknownLinkError
from aqmlab.statistics.distribution import ResponseTimes, response_times
from aqmlab.statistics.pages import Pages, page_load_times
from aqmlab.statistics.quantities import completed_per_90_minutes, loss_percent, throughput_mbps
from aqmlab.statistics.recorded import Recorded, data_links, judged_links, measured_window_s

__all__ = [
    "MissingDataError",
    "Pages",
    "Recorded",
    "ResponseTimes",
    "TooLittleDataError",
    "UnknownLinkError",
    "completed_per_90_minutes",
    "data_links",
    "judged_links",
    "loss_percent",
    "measured_window_s",
    "page_load_times",
    "response_times",
    "throughput_mbps",
]
