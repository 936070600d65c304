"""What comparisons say of calls and games: the group that suffers most, never against a row that differs."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from aqmlab.comparison import Comparison
from aqmlab.show.words.calls import besides_pages
from aqmlab.show.words.comparison import sentences
from aqmlab.statistics.experience import CALL, GAME, Grade, experience, grade_of
from aqmlab.statistics.observation import Observation
from synthetic_results import synthetic_result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.statistics.experience import Kind
    from aqmlab.statistics.quantity import OfRun
    from synthetic_results import SyntheticResult

KINDS = {"call-up": CALL, "call-down": CALL, "game-up": GAME}
SEEDS = range(1, 8)

Numbers = tuple[float, float, float, float]
"""Of a group in a run: median delay, 95th percentile and 99th in milliseconds, and loss in per cent."""
DEAD = (math.nan, math.nan, math.nan, 100.0)
IDLE = (20.0, 21.0, 22.0, 0.0)


def run_of(seed: int, groups: Mapping[str, Numbers]) -> SyntheticResult:
    """A run whose groups have one source each, with these numbers."""
    half_ms, slow_ms, slowest_ms, loss_percent = (
        np.array(each) for each in zip(*groups.values(), strict=True)
    )
    lost = np.rint(10.0 * loss_percent).astype(int)
    delays_s = {"p50": half_ms, "p95": slow_ms, "p99": slowest_ms}
    table = pa.table(
        {
            "group": pa.array(list(groups)).dictionary_encode(),
            "sent_packets": np.full(lost.size, 1000),
            "received_packets": 1000 - lost,
            "lost_packets": lost,
            "under_way_packets": np.zeros(lost.size, dtype=int),
            "arrived_bytes": 200 * (1000 - lost),
            "delay_minimum_s": np.minimum(half_ms, 10.0) / 1000.0,
            **{
                f"delay_{name}_{end}_s": values / 1000.0
                for name, values in delays_s.items()
                for end in ("least", "most")
            },
        }
    )
    run = synthetic_result(seed=seed, tables={"datagrams": table})
    run.run["scenario"]["datagrams"] = [{"name": name, "rate_mbps": 0.08} for name in groups]
    return run


def compared(**configurations: Sequence[Mapping[str, Numbers]]) -> Comparison:
    return Comparison.of(
        {
            name: [run_of(seed, groups) for seed, groups in zip(SEEDS, runs, strict=True)]
            for name, runs in configurations.items()
        }
    )


def always(**groups: Numbers) -> list[dict[str, Numbers]]:
    """The same in every run, but for a little."""
    named = {name.replace("_", "-"): numbers for name, numbers in groups.items()}
    return [
        {name: (a * (1 + 0.001 * seed), b * (1 + 0.001 * seed), c * (1 + 0.001 * seed), loss)
         for name, (a, b, c, loss) in named.items()}
        for seed in SEEDS
    ]  # fmt: skip


def test_the_delay_alone_does_not_decide() -> None:
    """An uplink of 0.5 Mbit/s: FQ-CoDel takes the delay away, and the words with it."""
    found = compared(
        droptail=always(call_up=(720.0, 750.0, 760.0, 0.4)), mine=always(call_up=(41.0, 900.0, 1_150.0, 8.0))
    )
    told = besides_pages(found)
    assert re.fullmatch(
        r"The call on the way up is unusable with droptail \(delay 753 ms, loss 0\.40 %, MOS 2\.\d\) and "
        r"unusable with mine \(delay 904 ms, loss 8\.0 %, MOS 1\.\d\)\. Delays: 95th percentile, one way\.",
        told[0],
    )
    assert told[1].startswith(
        "Worse with mine than with droptail: the call on the way up (delay 904 ms instead of 753 ms, jitter "
    )
    assert re.search(r"loss 8\.0 % instead of 0\.40 %, MOS 1\.\d instead of 2\.\d\)\.$", told[1])


def test_the_group_is_the_one_that_suffers_most_under_each_queue() -> None:
    """Not the same under both, and not the one that suffers least (`min` in place of `max`)."""
    found = compared(
        one=always(call_up=(300.0, 500.0, 600.0, 0.0), game_up=IDLE, call_down=IDLE),
        other=always(call_up=IDLE, game_up=(60.0, 150.0, 160.0, 0.0), call_down=IDLE),
    )
    told = besides_pages(found)
    assert re.match(
        r"Worst off of calls and games: the call on the way up "
        r"with one, unusable \(delay .*\); the game on the way up with "
        r"other, poor \(delay 151 ms, jitter 151 ms, loss 0 %\)\. Delays",
        told[0],
    )
    assert told[1].startswith(
        "Worse with other than with one: the game on the way up (delay 151 ms instead of 21 ms"
    )


@pytest.mark.parametrize("names", [("good", "dead"), ("dead", "good")])
def test_a_dead_call_is_said_wherever_it_stands(names: tuple[str, str]) -> None:
    runs = {
        "good": always(call_up=IDLE, call_down=IDLE, game_up=(40.0, 90.0, 100.0, 2.0)),
        "dead": always(call_up=DEAD, call_down=IDLE, game_up=IDLE),
    }
    found = compared(**{name: runs[name] for name in names})
    first = besides_pages(found)[0]
    assert "the call on the way up with dead, unusable (nothing of it arrives)" in first
    assert "the game on the way up with good, fair (" in first
    level = found.level("dead", "delay_p50_ms/datagrams.call-up")
    assert level.mean == pytest.approx(1000.0 * 120.0)
    assert level.bound.value == ">"
    change = found.change(names[1], "delay_p50_ms/datagrams.call-up")
    assert change.direction == (1 if names[1] == "dead" else -1)
    assert found.level("dead", "voice_mos/datagrams.call-up").mean == 1.0
    assert found.level("dead", "goodput_kbps/datagrams.call-up").mean == 0.0


def test_a_call_that_is_dead_in_some_runs_only_counts_there_with_the_bad_end() -> None:
    runs = always(call_up=IDLE)
    runs[2] = {"call-up": DEAD}
    found = compared(all=always(call_up=IDLE), some=runs)
    level = found.level("some", "delay_p95_ms/datagrams.call-up")
    assert (level.have, level.beyond, level.bound.value) == (7, 1, ">")
    assert "is unusable with" not in besides_pages(found)[0]
    assert "good with all" in besides_pages(found)[0]
    assert "unusable with some (delay more than " in besides_pages(found)[0]


def test_one_configuration_is_told_without_its_name_and_equal_groups_by_the_first() -> None:
    found = compared(one=always(call_up=IDLE, call_down=IDLE))
    (told,) = besides_pages(found)
    assert told == (
        "Worst off of calls and games: the call on the way up, good (delay 21 ms, loss 0 %, MOS 4.3). "
        "Delays: 95th percentile, one way."
    )


def test_what_is_no_call_is_told_without_a_grade() -> None:
    found = compared(one=always(call_up=IDLE), other=always(call_up=(30.0, 40.0, 50.0, 3.0)))
    for runs in found.runs.values():
        for run in runs:
            run.result.run["scenario"]["datagrams"] = [{"name": "call-up", "rate_mbps": 20.0}]
    (told,) = besides_pages(found)
    assert told == (
        "Worst off of calls and games: the call on the way up "
        "with one (delay 21 ms, loss 0 %); the call on the way up with "
        "other (delay 40 ms, loss 3.0 %). Delays: 95th percentile, one way."
    )
    assert not [each.name for each in found.quantities if each.name.startswith("voice_mos")]


# --------------------------------------------------------------------------------------------- the property

FAMILIES = {
    "delay": ("delay_p50_ms", "delay_p95_ms", "delay_p99_ms"),
    "jitter": ("delay_variation_p99_ms",),
    "loss": ("loss_percent",),
    "MOS": ("voice_mos",),
}
_GRADES = "|".join(grade.word for grade in Grade)


def drawn(draw: np.random.Generator) -> list[dict[str, Numbers]]:
    """Runs of a configuration: groups that are well, that suffer from delay, from loss, or are dead."""
    means = {
        group: (10.0 ** draw.uniform(1.0, 3.0), draw.choice([0.0, 0.3, 4.0, 30.0], p=[0.4, 0.2, 0.3, 0.1]))
        for group in KINDS
    }
    dead = {group for group in KINDS if draw.random() < 0.1}
    spread = draw.choice([0.01, 0.5])
    runs = []
    for _ in SEEDS:
        run = {}
        for group, (delay_ms, loss) in means.items():
            median, slow, slowest = np.sort(delay_ms * np.exp(spread * draw.normal(size=3)))
            lost = min(99.0, round(loss * float(np.exp(spread * draw.normal())), 1))
            is_dead = group in dead or draw.random() < 0.02
            run[group] = DEAD if is_dead else (float(median), float(slow), float(slowest), lost)
        runs.append(run)
    return runs


def mean_of(found: Comparison, name: str, quantity: OfRun) -> Observation:
    """Ends of the mean over all runs."""
    values = found.values(name, quantity)
    return Observation(float(np.mean(values.lower)), float(np.mean(values.upper)))


def suffers(found: Comparison, name: str) -> dict[str, float]:
    """How bad each group is, by itself."""
    badness = {}
    for group, kind in KINDS.items():
        felt = experience(group, kind, lambda quantity: mean_of(found, name, quantity))
        assert felt is not None
        badness[group] = felt.badness
    return badness


def against(found: Comparison, name: str, kinds: Mapping[str, Kind], sign: int) -> set[tuple[str, str]]:
    """The rows of each group with a star, that are worse (1) or better (-1) than the baseline's."""
    rows = set()
    for group, kind in kinds.items():
        for family, names in FAMILIES.items():
            if family == "MOS" and kind is GAME:
                continue
            worse = -1 if family == "MOS" else 1
            moved = [found.change(name, f"{each}/datagrams.{group}").direction for each in names]
            if sign * worse in moved:
                rows.add((group, family))
    return rows


def said(sentence: str) -> set[tuple[str, str]]:
    """The rows that a sentence names."""
    groups = re.findall(r"the (\w+) on the way (\w+) \(([^()]*)\)", sentence.partition(": ")[2])
    return {
        (f"{who}-{way}", family)
        for who, way, rows in groups
        for row in rows.split(", ")
        for family in FAMILIES
        if re.match(rf"(median |99 % )?{family} ", row)
    }


@pytest.mark.parametrize("seed", range(40))
def test_no_headline_points_against_a_row_that_differs(seed: int) -> None:
    draw = np.random.default_rng(seed)
    found = compared(first=drawn(draw), second=drawn(draw))
    head, *others = besides_pages(found)
    named = re.findall(rf"the (\w+) on the way (\w+) with (\w+), ({_GRADES})(?: to ({_GRADES}))? ", head)
    groups = {name: f"{who}-{way}" for who, way, name, *_ in named}
    assert tuple(groups) == found.names
    for name in found.names:
        badness = suffers(found, name)
        assert badness[groups[name]] == max(badness.values()), "the group that suffers most"
    places = {grade.word: grade.value for grade in Grade}
    own = {name: grade_of(max(suffers(found, name).values())).value for name in found.names}
    for _, _, name, best, worst in named:
        assert places[best] <= own[name] <= places[worst or best]
    worsened = own["second"] > own["first"]
    wanted = against(found, "second", KINDS, -1 if worsened else 1)
    assert (said(others[0]) if others else set()) == wanted
    if others:
        assert others[0].startswith("Better with second than" if worsened else "Worse with second than")
    assert len(others) <= 1
    for name in found.names:
        for group in KINDS:
            for quantity in ("delay_p95_ms", "delay_variation_p99_ms", "loss_percent"):
                assert found.level(name, f"{quantity}/datagrams.{group}").have == len(SEEDS), (
                    "no seed is left out"
                )


def test_equal_groups_are_said_once_and_nothing_against_them() -> None:
    runs = always(call_up=IDLE, call_down=IDLE, game_up=IDLE)
    found = compared(first=runs, second=runs)
    assert [each for each in sentences(found) if "than with" in each] == []
    assert besides_pages(found)[0].count(", good (") == 2
