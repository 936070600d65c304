"""What a study sees that stops at a number of completed exchanges, on exchanges written down by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.statistics import response_times
from aqmlab.statistics.distribution import together
from aqmlab.statistics.quantities import quantity
from aqmlab.statistics.stopped import stopped_after
from synthetic_results import POPULATIONS, SyntheticResult, names

# Exchanges of the right population by when they end and how long they took; the window begins at 10 s.
RIGHT = ((10.5, 1.0), (11.0, 0.5), (12.0, 0.25), (14.0, 3.5), (30.0, 18.5), (30.5, 0.5))
LEFT = ((10.1, 0.05), (10.2, 0.05))


def run() -> SyntheticResult:
    rows = [(1, *row) for row in RIGHT] + [(0, *row) for row in LEFT]
    responses = pa.table(
        {
            "population": names([row[0] for row in rows], POPULATIONS),
            "completed_at_s": np.array([row[1] for row in rows]),
            "response_time_s": np.array([row[2] for row in rows]),
            "response_bytes": pa.array(np.full(len(rows), 1000, dtype=np.uint64)),
        }
    )
    populations = [{"name": name, "failed": 0, "unfinished": 3} for name in POPULATIONS]
    summary = {"measured_from_s": 10.0, "measured_until_s": 40.0, "populations": populations}
    return SyntheticResult(summary, {"responses": responses})


def test_who_waits_when_a_study_stops_is_followed() -> None:
    stopped = stopped_after(run(), "right", 3)
    assert stopped.at_s == 12.0
    # The first began before the window, at 9.5 s: completed in it, it is not of those that began in it.
    assert stopped.completed.quantile(1.0) == 1.0
    assert stopped.completed.completed == 3
    assert stopped.followed.completed == 4
    assert stopped.under_way.tolist() == [3.5, 18.5]
    assert stopped.followed.cdf(2.0) == 0.5
    assert stopped.unfinished == 3


def test_a_run_that_ends_before_the_stop_cannot_tell() -> None:
    with pytest.raises(TooLittleDataError, match="right: 6 exchanges completed, 6 are needed"):
        stopped_after(run(), "right", 6)


def test_goodput_of_a_population_is_that_of_its_complete_responses() -> None:
    # Six responses of 1,000 bytes in 30 s.
    assert quantity("goodput_kbps/populations.right")(run()) == pytest.approx(1.6)
    with pytest.raises(MissingDataError, match=r"no populations\.nobody"):
        quantity("goodput_kbps/populations.nobody")(run())


def test_populations_together_are_their_sum(two_populations: SyntheticResult) -> None:
    apart = [response_times(two_populations, population=name) for name in POPULATIONS]
    both, pooled = together(apart), response_times(two_populations)
    assert both.completed == apart[0].completed + apart[1].completed
    grid = np.linspace(0.0, 4.0, 50)
    assert both.cdf(grid) == pytest.approx(pooled.cdf(grid))
    with pytest.raises(MissingDataError, match='no population "nobody"; there are: left, right'):
        response_times(two_populations, population="nobody")


@pytest.fixture
def two_populations() -> SyntheticResult:
    lower = np.array([0.1, 0.2, 0.2, 1.0])
    histogram = pa.table(
        {
            "population": names([0, 0, 1, 1], POPULATIONS),
            "size_class": pa.array(np.zeros(4, dtype=np.uint8)),
            "lower_s": lower,
            "upper_s": lower * 1.001,
            "count": pa.array(np.array([5, 3, 2, 4], dtype=np.uint64)),
        }
    )
    populations = [{"name": name, "failed": 1, "unfinished": 0} for name in POPULATIONS]
    return SyntheticResult({"populations": populations}, {"response_histogram": histogram})
