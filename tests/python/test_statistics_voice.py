"""The E-model: published points, a second expression, monotonic in delay and loss, and a run by hand."""

from __future__ import annotations

import numpy as np
import pytest

import aqmlab
from aqmlab.errors import MissingDataError
from aqmlab.statistics.quantities import quantity
from aqmlab.statistics.voice import (
    delay_impairment,
    loss_impairment,
    opinion_score,
    rating,
)
from naive_quantities import idd_slope
from small import CALLS
from test_statistics_datagrams import two_sources

WATCHED = CALLS.replace("duration_s = 3.0", "duration_s = 8.0\ncool_down_s = 5.0")
"""Nothing that was sent in the window is under way at the end."""


@pytest.mark.parametrize(
    ("r", "mos"), [(93.2, 4.41), (90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)]
)
def test_opinion_scores_are_those_of_g107_annex_b(r: float, mos: float) -> None:
    """The table of the annex has two digits; 93.2 is the R of its default values."""
    assert float(opinion_score(np.array(r))) == pytest.approx(mos, abs=0.0065)


def test_opinion_scores_end_at_their_bounds() -> None:
    assert opinion_score(np.array([-10.0, 0.0, 3.0])).tolist() == [1.0, 1.0, 1.0]
    assert opinion_score(np.array([100.0, 120.0])).tolist() == [4.5, 4.5]


def test_a_delay_costs_what_g107_says() -> None:
    assert delay_impairment(np.array([0.0, 50.0, 100.0])).tolist() == [0.0, 0.0, 0.0]
    for delay_ms in (150.0, 200.0, 300.0, 400.0, 500.0):
        octaves = np.log10(delay_ms / 100.0) / np.log10(2.0)
        naive = 25.0 * (np.linalg.norm([1.0, octaves], 6) - np.linalg.norm([3.0, octaves], 6) + 2.0)
        assert float(delay_impairment(np.array(delay_ms))) == pytest.approx(float(naive), rel=1e-12)
    # One octave above 100 ms: 25 (2^(1/6) - 3 (730/729)^(1/6) + 2).
    assert float(delay_impairment(np.array(200.0))) == pytest.approx(3.04, abs=0.01)


def test_beyond_the_range_of_g107_a_delay_costs_as_much_a_millisecond_as_at_its_end() -> None:
    """The formula levels off at 50, R = 43; its range ends at 500 ms."""
    at_ms = np.array([499.999, 500.0, 500.001, 600.0, 12_000.0])
    cost = delay_impairment(at_ms)
    slope = (cost[1] - cost[0]) / 0.001
    assert cost[2:] - cost[1] == pytest.approx(slope * (at_ms[2:] - 500.0), rel=1e-4)
    none = np.zeros(3)
    assert opinion_score(rating(np.array([12_000.0, np.inf, np.nan]), none)).tolist() == [1.0, 1.0, 1.0]


def test_no_longer_delay_no_jitter_and_no_loss_ever_sounds_better() -> None:
    """Whatever the delay: up to an hour. Jitter is part of the delay that the play-out buffer holds."""
    delays_ms = np.concatenate([np.linspace(0.0, 1_000.0, 2_001), np.geomspace(1_000.0, 3.6e6, 500)])
    losses = np.concatenate([np.linspace(0.0, 5.0, 26), np.linspace(6.0, 100.0, 48)])
    score = opinion_score(rating(delays_ms[:, None], losses[None, :]))
    assert (np.diff(score, axis=0) <= 0.0).all()
    assert (np.diff(score, axis=1) <= 1e-12).all()
    assert (score.min(), score.max() < 4.5) == (1.0, True)


def test_a_loss_costs_what_g107_says() -> None:
    """At a loss of Bpl the impairment is half of what is left of 95."""
    assert loss_impairment(np.array([0.0, 25.1])).tolist() == pytest.approx([0.0, 47.5])
    assert float(loss_impairment(np.array(1.0))) == pytest.approx(95.0 / 26.1)


def test_a_longer_delay_and_a_greater_loss_never_sound_better() -> None:
    delays, losses = np.linspace(0.0, 2_000.0, 401), np.linspace(0.0, 100.0, 101)
    r = rating(delays[:, None], losses[None, :])
    for found in (r, opinion_score(r)):
        assert (np.diff(found, axis=0) <= 1e-12).all()
        assert (np.diff(found, axis=1) <= 1e-12).all()
    assert r.max() == pytest.approx(93.2 - 95.0 / 26.1)
    assert r.min() == 0.0
    assert opinion_score(r).min() == 1.0


def test_a_group_by_hand() -> None:
    """Sources of 10 % and no loss, 99 % of their packets within 70 and 100 ms."""
    run = two_sources()
    # 100 - 0.99 * 90 = 10.9 % unheard, 90 ms; 1 % unheard, 120 ms.
    delayed = 25.0 * ((1.0 + np.log2(1.2) ** 6) ** (1 / 6) - (729.0 + np.log2(1.2) ** 6) ** (1 / 6) + 2.0)
    r = [93.2 - 95.0 * 10.9 / 36.0, 93.2 - 95.0 / 26.1 - delayed]
    assert quantity("voice_r/datagrams.call")(run) == pytest.approx(sum(r) / 2)
    mos = [1.0 + 0.035 * each + each * (each - 60.0) * (100.0 - each) * 7e-6 for each in r]
    assert quantity("voice_mos/datagrams.call")(run) == pytest.approx(sum(mos) / 2)
    # A call of which nothing arrives is rated with the worst that there is.
    assert quantity("voice_r/datagrams.call")(two_sources(received=(0, 100))) == pytest.approx(r[1] / 2)
    assert quantity("voice_mos/datagrams.call")(two_sources(received=(0, 100))) == pytest.approx(
        (1.0 + mos[1]) / 2
    )


def test_a_run_by_the_rows_of_its_datagrams() -> None:
    slow = WATCHED.replace("fq-codel", "drop-tail").replace("rate_mbps = 10.0", "rate_mbps = 0.6")
    slow = slow.replace('drop-tail" }', 'drop-tail", limit_packets = 100 }').replace(
        "count = 21", "count = 3"
    )
    found = []
    for text in (WATCHED, slow):
        result = aqmlab.run(text)
        scores = []
        for row in result.datagrams.to_pylist():
            # At the worst: what is under way at the end never comes.
            heard = 0.99 * row["received_packets"] / row["sent_packets"]
            ear_ms = 20.0 + 1000.0 * row["delay_p99_most_s"]
            octaves = max(0.0, np.log10(min(ear_ms, 500.0) / 100.0) / np.log10(2.0))
            late = 25.0 * (np.linalg.norm([1.0, octaves], 6) - np.linalg.norm([3.0, octaves], 6) + 2.0)
            late += max(0.0, ear_ms / 1000.0 - 0.5) * idd_slope(0.5)
            lost = 100.0 - 100.0 * heard
            r = max(0.0, 93.2 - float(late) - 95.0 * lost / (lost + 25.1))
            scores.append(max(1.0, 1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6))
        found.append(result.value("voice_mos/datagrams.calls"))
        assert found[-1] == pytest.approx(sum(scores) / len(scores))
    assert found[0] > 4.3  # its own queue
    assert found[1] < 3.6  # 0.4 s of everybody's packets


def test_round_trips_are_no_calls() -> None:
    result = aqmlab.run(WATCHED.replace('name = "calls"', 'name = "calls"\necho = true'))
    assert result.value("voice_mos/datagrams.calls") > 4.3
    with pytest.raises(MissingDataError, match=r"datagrams\.calls-echo has delays of round trips"):
        result.value("voice_mos/datagrams.calls-echo")


def test_a_comparison_shows_it_where_delay_and_loss_stand() -> None:
    queues = ["drop-tail:limit_packets=400", "fq-codel"]
    found = aqmlab.compare(
        WATCHED.replace("rate_mbps = 10.0", "rate_mbps = 4.0"), schemes=queues, seeds=[1, 2]
    )
    lines = [line.split() for line in found.details().splitlines()]
    score = next(line for line in lines if line[:2] == ["voice", "MOS"])
    levels = [found.level(name, "voice_mos/datagrams.calls").mean for name in found.names]
    assert [float(each.partition("±")[0]) for each in score[2:]] == pytest.approx(levels, abs=0.005)
    assert (
        found.to_dict()["configurations"]["fq-codel"]["voice_mos/datagrams.calls"]["difference"]["mean"] > 0
    )
    assert "higher is better" in found.details()
