"""The numbers of one run: what each is, how it is computed, and which of them are shown of whom.

Everything is a pure function of a finished run. What several runs say together is `aqmlab.inference`.

Read in this order: `recorded` (what a quantity needs of a result), `distribution` (response times), `pages`
(page load times), `registry` (every single number, by name), `catalogue` (what is shown of a run).
"""

from aqmlab.errors import MissingDataError, TooLittleDataError, UnknownLinkError
from aqmlab.quantities.distribution import ResponseTimes, response_times
from aqmlab.quantities.pages import Pages, page_load_times
from aqmlab.quantities.recorded import Recorded, data_links, judged_links, measured_window_s
from aqmlab.quantities.registry import completed_per_90_minutes, loss_percent, throughput_mbps

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
