"""The same page under two configurations: which pages are matched, how ratios are taken, what is said."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import aqmlab
from aqmlab.comparison import Comparison, compare
from aqmlab.comparison.change import Inference
from aqmlab.comparison.page_ratio import MOST_TRIMMED, MatchedPages, PageRatio, share_cut, trimmed_mean
from aqmlab.inference import Interval
from aqmlab.show.tables.comparison import comparison_records
from aqmlab.show.words.amounts import span_of_ratios, times_as_long
from aqmlab.show.words.comparison import answer, sentences
from small import WEB
from synthetic_results import POPULATIONS, SyntheticResult, names, synthetic_result

if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOW_S, DURATION_S = (30.0, 150.0), 200.0
Row = tuple[int, int, float, float, bool]
"""User, page, began, took (or was watched), ended."""


def run_with(rows: Sequence[Row], seed: int = 1) -> SyntheticResult:
    """A run of 200 s, measured from 30 s to 150 s, with these pages of the left population."""
    user, page, began, took, ended = (np.array(column) for column in zip(*rows, strict=True))
    counted = np.where(ended, 1, 2)  # followed, unfinished
    tables = {
        "pages": pa.table(
            {
                "population": names(np.zeros(len(rows)), POPULATIONS),
                "user": pa.array(user.astype(np.uint32)),
                "page": pa.array(page.astype(np.uint32)),
                "began_s": began.astype(float),
                "page_load_time_s": took.astype(float),
                "ended": pa.array(ended.astype(np.uint8)),
                "objects": pa.array(np.ones(len(rows), dtype=np.uint32)),
            }
        ),
        "page_histogram": _histogram(took.astype(float), counted),
    }
    result = synthetic_result(seed=seed, window_s=WINDOW_S, tables=tables)
    result.run["scenario"]["duration_s"] = DURATION_S
    return result


def _histogram(took: np.ndarray, counted: np.ndarray) -> pa.Table:
    order = np.argsort(took)
    return pa.table(
        {
            "population": names(np.zeros(took.size), POPULATIONS),
            "counted": names(counted[order], ("completed", "followed", "unfinished")),
            "lower_s": took[order],
            "upper_s": took[order],
            "count": pa.array(np.ones(took.size, dtype=np.uint64)),
        }
    )


def test_pages_of_one_user_and_number_are_matched_and_no_others() -> None:
    own = run_with([(0, 0, 40.0, 1.0, True), (0, 1, 60.0, 2.0, True), (1, 0, 20.0, 9.0, True)])
    base = run_with([(0, 1, 90.0, 4.0, True), (0, 2, 95.0, 1.0, True), (1, 0, 40.0, 3.0, True)])
    # Page 0 of user 1 began before the window under one of them; page 1 of user 0 took 2 s instead of 4 s.
    found = MatchedPages.of(own, base)
    assert list(found.lower) == list(found.upper) == [math.log(0.5)]
    assert (found.pages, found.cut) == (1, 0)
    assert MatchedPages.of(base, own).lower == pytest.approx([math.log(2.0)])
    assert MatchedPages.of(own, base, population="right").pages == 0


def test_a_page_that_one_run_cut_off_bounds_the_ratio_and_one_cut_in_both_says_nothing() -> None:
    # The page that began at 145 s was watched for 55 s, and for more than that it took; its pair took 5 s.
    own = run_with([(0, 0, 145.0, 55.0, False), (0, 1, 50.0, 2.0, True)])
    base = run_with([(0, 0, 140.0, 5.0, True), (0, 1, 50.0, 2.0, True)])
    found = MatchedPages.of(own, base)
    assert (found.pages, found.cut) == (2, 1)
    assert list(found.lower) == pytest.approx([math.log(55.0 / 5.0), 0.0])
    assert list(found.upper) == [math.inf, 0.0]
    other = MatchedPages.of(base, own)
    assert list(other.lower) == [-math.inf, 0.0]
    assert list(other.upper) == pytest.approx(list(-found.lower))
    # Watched for unequal times and cut in both: anything may be the truth.
    both = MatchedPages.of(own, run_with([(0, 0, 40.0, 160.0, False)]))
    assert list(both.lower) == [-math.inf]
    assert list(both.upper) == [math.inf]
    assert (both.pages, both.cut) == (1, 1)


def test_a_page_of_which_nothing_came_was_waited_for_to_the_end_of_the_run() -> None:
    own, base = (run_with([(0, 0, 140.0, took, True)]) for took in (9.0, 5.0))
    rows = own.tables["pages"]
    place = rows.schema.get_field_index("objects")
    nothing = pa.array(np.zeros(1, dtype=np.uint32))
    own.tables["pages"] = rows.set_column(place, "objects", nothing)  # type: ignore[index]
    found = MatchedPages.of(own, base)
    assert list(found.lower) == pytest.approx([math.log(60.0 / 5.0)])
    assert list(found.upper) == [math.inf]


def test_the_middle_third_bears_a_third_of_cut_pages_on_either_side() -> None:
    # Of eight the fourth and fifth whole and a third of their neighbours, of five the third and a third of
    # its neighbours, of three the second.
    third = MOST_TRIMMED
    assert trimmed_mean(np.array([9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0]), third) == pytest.approx(3.5)
    assert trimmed_mean(np.array([-math.inf, 1.0, 2.0, 4.0, math.inf]), third) == pytest.approx(2.2)
    assert trimmed_mean(np.array([-math.inf, 2.0, math.inf]), third) == pytest.approx(2.0)
    assert trimmed_mean(np.array([2.0, math.inf]), third) == math.inf
    assert trimmed_mean(np.array([7.0]), third) == pytest.approx(7.0)
    # Without cut pages nothing is left out; a fifth of five is one at either end.
    assert trimmed_mean(np.array([9.0, 1.0, 2.0]), 0.0) == pytest.approx(4.0)
    assert trimmed_mean(np.array([-math.inf, 1.0, 2.0, 6.0, math.inf]), 0.2) == pytest.approx(3.0)


def test_as_much_is_left_out_as_was_cut_off_whichever_seed_is_away() -> None:
    whole, cut = np.zeros(4), np.array([0.0, 0.0, 0.0, math.inf])
    assert share_cut([MatchedPages(whole, whole)] * 3) == 0.0
    # One of twelve above; without a seed of whole pages one of eight.
    assert share_cut([MatchedPages(whole, whole)] * 2 + [MatchedPages(whole, cut)]) == pytest.approx(1 / 8)
    # Below it is two of them.
    below = MatchedPages(np.array([-math.inf, -math.inf, 0.0, 0.0]), cut)
    assert share_cut([MatchedPages(whole, whole), below]) == pytest.approx(1 / 2)
    assert share_cut([]) == 0.0


@pytest.mark.parametrize("seed", range(40))
def test_no_ratio_of_cut_pages_leaves_out_that_of_the_same_pages_followed(seed: int) -> None:
    """Watching times of both sides are unequal: each page is cut by its own run."""
    draws = np.random.default_rng(seed)
    users = int(draws.integers(1, 12))
    began = draws.uniform(31.0, 149.0, size=(2, users))
    took = np.exp(draws.normal(1.5, 1.5, size=(2, users)))
    truth, seen = [], []
    for side in range(2):
        watched = np.exp(draws.normal(2.5, 1.0, size=users))
        rows = list(zip(range(users), [0] * users, began[side], took[side], [True] * users, strict=True))
        truth.append(run_with(rows))
        cut = took[side] > watched
        rows = [
            (user, 0, began[side][user], float(min(took[side][user], watched[user])), not cut[user])
            for user in range(users)
        ]
        seen.append(run_with(rows))
    whole, found = (MatchedPages.of(*pair) for pair in (truth, seen))
    assert whole.cut == 0
    assert (found.lower <= whole.lower).all()
    assert (whole.upper <= found.upper).all()
    for share in (0.0, 0.1, MOST_TRIMMED):
        ends = (trimmed_mean(each, share) for each in (whole.lower, found.lower, found.upper))
        truth_of_all, lower, upper = ends
        assert lower <= truth_of_all <= upper


def test_runs_that_cut_off_the_pages_of_the_baseline_say_what_is_certain() -> None:
    # All pages take 2 s; with the baseline half of them are cut after 20 s and the others take 10 s.
    own, base = [], []
    for seed in range(1, 9):
        own.append(run_with([(user, 0, 40.0, 2.0 + 0.01 * seed, True) for user in range(8)], seed))
        rows = [(user, 0, 40.0, 10.0 if user < 4 else 20.0, user < 4) for user in range(8)]
        base.append(run_with(rows, seed))
    found = compare({"a": base, "b": own})
    ratio = found.page_ratio("b")
    assert (ratio.cut, ratio.direction, ratio.is_one_sided) == (32, -1, True)
    (sentence,) = sentences(found)
    # Half of the middle pages have 2.045/10, half less than 2.045/20: 0.145 in the geometric mean.
    assert sentence.endswith("; the same page takes at least 85 % less time."), sentence
    assert found.to_dict()["configurations"]["b"]["page_time_ratio"]["mean"] is None
    assert "of which the end of a run cut off 32" in found.details().replace("\n", " ")


def test_the_interval_of_the_ratio_is_students_over_what_each_seed_adds() -> None:
    # Of two pages each, all at one ratio per seed and none cut: what a seed adds to the mean is its own.
    logarithms = np.log([0.3, 0.35, 0.45, 0.48, 0.5, 0.52, 0.6, 0.7])
    matched = [MatchedPages(*[np.full(2, each)] * 2) for each in logarithms]
    found = PageRatio.of(matched, Inference(0.95))
    half = stats.t.ppf(0.975, 7) * logarithms.std(ddof=1) / math.sqrt(8.0)
    assert isinstance(found.estimate, Interval)
    assert math.log(found.estimate.upper / found.estimate.lower) == pytest.approx(2.0 * half)
    assert found.estimate.mean == pytest.approx(math.exp(logarithms.mean()))
    assert (found.direction, found.pages, found.seeds) == (-1, 16, 8)
    visible = half + stats.t.ppf(0.8, 7) * logarithms.std(ddof=1) / math.sqrt(8.0)
    assert found.visible == pytest.approx(math.exp(visible))


def test_a_seed_without_matched_pages_takes_nothing_from_the_others() -> None:
    half, none = np.full(3, math.log(0.5)), np.zeros(0)
    matched = [MatchedPages(half, half)] * 6 + [MatchedPages(none, none)]
    found = PageRatio.of(matched, Inference(0.95))
    assert found.estimate.mean == pytest.approx(0.5)
    assert found.seeds == 6
    assert PageRatio.of([], Inference(0.95)).estimate.mean is None
    few = PageRatio.of(matched[:2], Inference(0.95))
    assert few.estimate.mean == pytest.approx(0.5)
    assert (few.direction, few.visible) == (0, None)


def test_matched_pages_scatter_less_than_medians() -> None:
    # Pages of very different sizes, all a tenth slower under one queue with noise of 20 %: what the window
    # happens to hold moves the medians of both, and no ratio of a page.
    draws = np.random.default_rng(11)
    ratios, medians = [], []
    for seed in range(1, 9):
        sizes = np.exp(draws.normal(size=40))
        slower = 1.1 * sizes * np.exp(0.2 * draws.normal(size=40))
        held = draws.permutation(40)[:30]  # of these pages the window holds some under the other queue
        rows = [(user, 0, 40.0, float(sizes[user]), True) for user in range(40)]
        others = [(int(user), 0, 40.0, float(slower[user]), True) for user in held]
        pair = run_with(others, seed), run_with(rows, seed)
        ratios.append(trimmed_mean(MatchedPages.of(*pair).lower, 0.0))
        medians.append(math.log(np.median(slower[held]) / np.median(sizes)))
    assert np.mean(ratios) == pytest.approx(math.log(1.1), abs=0.04)
    assert np.var(ratios) < np.var(medians) / 5.0


def several(ratio: float, scatter: float = 0.0, seeds: int = 8) -> Comparison:
    """Two configurations of which every page of one takes so many times as long, with noise by seed."""
    draws = np.random.default_rng(2)
    base, own = [], []
    for seed in range(1, 1 + seeds):
        took = [1.0, 2.0, 3.0, 4.0]
        noise = math.exp(scatter * draws.normal())
        base.append(run_with([(user, 0, 40.0, each, True) for user, each in enumerate(took)], seed))
        rows = [(user, 0, 40.0, ratio * noise * each, True) for user, each in enumerate(took)]
        own.append(run_with(rows, seed))
    return compare({"a": base, "b": own})


@pytest.mark.parametrize(
    ("ratio", "scatter", "said"),
    [
        (1.2, 0.02, "; the same page takes 20 % longer (17 to 24 %)."),
        (0.34, 0.02, "; the same page takes 66 % less time (65 to 67 %)."),
        (3.0, 0.02, "; the same page takes 3.0 times as long (2.9 to 3.1 times)."),
    ],
)
def test_what_the_same_page_takes_is_said(ratio: float, scatter: float, said: str) -> None:
    found = several(ratio, scatter)
    (sentence,) = sentences(found)
    assert sentence.endswith(said), sentence
    how_much = said.removeprefix("; the same page takes ").partition(" (")[0]
    assert answer(found)[-1] == f"Page for page, the same page takes {how_much} with b."


def test_of_two_seeds_the_ratio_is_said_to_have_no_interval() -> None:
    (sentence,) = sentences(several(1.2, 0.001, seeds=2))
    assert sentence.endswith("; the same page takes 20 % longer (2 seeds: too few for an interval)."), (
        sentence
    )


def test_where_the_same_page_tells_nothing_the_visible_ratio_is_said() -> None:
    found = several(1.0, 0.2)
    (sentence,) = sentences(found)
    assert "; the same page: no clear difference (" in sentence
    shown = re.search(r"; 8 seeds detect (\d+) % less time or (\d+) % longer\)\.$", sentence)
    assert shown is not None, sentence
    less, more = shown.groups()
    # One ratio and its inverse, in whole per cent.
    assert (1.0 - int(less) / 100.0) * (1.0 + int(more) / 100.0) == pytest.approx(1.0, abs=0.01)
    assert answer(found)[-1].startswith("95 % of the pages load in 4.0 s with a and ")


def test_programs_read_the_ratio() -> None:
    found = several(0.5, 0.1)
    heads = [column.name for column in comparison_records(found).columns]
    row = dict(zip(heads, (cell.value for cell in comparison_records(found).rows[1]), strict=True))
    ratio = found.page_ratio("b")
    assert isinstance(ratio.estimate, Interval)
    assert row["page_time_ratio.mean"] == ratio.estimate.mean
    assert row["page_time_ratio.lower"] == ratio.estimate.lower
    assert row["page_time_ratio.pages"] == 32
    assert found.to_dict()["configurations"]["b"]["page_time_ratio"]["mean"] == ratio.estimate.mean


def test_pages_of_other_users_are_never_matched() -> None:
    scenario = aqmlab.Scenario.from_toml(WEB, overrides={"duration_s": 8.0})
    more = scenario.with_overrides({"users.per_side": 160})
    runs = {name: [aqmlab.run(each)] for name, each in (("fewer", scenario), ("more", more))}
    assert compare(runs, same_users=False).page_ratio("more").pages == 0
    again = compare({"a": runs["fewer"], "b": runs["fewer"]}).page_ratio("b")
    assert again.pages > again.cut > 0


def test_pages_are_matched_as_a_plain_loop_matches_them() -> None:
    scenario = aqmlab.Scenario.from_toml(WEB, overrides={"duration_s": 12.0})
    found = compare(scenario, schemes=["drop-tail", "pi"], seeds=[1])
    took: dict[str, dict[tuple[str, int, int], tuple[float, float]]] = {}
    for name, (run,) in found.runs.items():
        took[name] = {
            (row["population"], row["user"], row["page"]): (row["page_load_time_s"], bool(row["ended"]))
            for row in run.result.tables["pages"].to_pylist()
            if 5.0 <= row["began_s"] < 12.0
        }
    lower, upper = [], []
    for key in took["pi"].keys() & took["drop-tail"].keys():
        (own, whole), (base, also) = took["pi"][key], took["drop-tail"][key]
        lower.append(math.log(own / base) if also else -math.inf)
        upper.append(math.log(own / base) if whole else math.inf)
    (matched,) = found._match("pi")
    assert matched.pages == len(lower) > 20
    for ends, expected in ((lower, matched.lower), (upper, matched.upper)):
        # Each page three times: of these the middle third are whole ones.
        middle = sorted(ends * 3)[len(ends) : 2 * len(ends)]
        assert sum(middle) / len(middle) == pytest.approx(trimmed_mean(expected, MOST_TRIMMED))


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (0.04, "96 % less time"),
        (0.004, "99.6 % less time"),
        (0.00004, "99.996 % less time"),
        (0.34, "66 % less time"),
        (0.995, "0.5 % less time"),
        (1.2, "20 % longer"),
        (2.0, "2.0 times as long"),
        (25.0, "25 times as long"),
    ],
)
def test_ratios_are_said_as_people_say_them(ratio: float, said: str) -> None:
    assert times_as_long(ratio) == said


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (0.28, 0.41, "59 to 72 %"),
        (0.07, 0.39, "61 to 93 %"),
        (0.9, 1.2, "10 % less to 20 % longer"),
        (1.06, 1.35, "6 to 35 %"),
        (1.5, 2.5, "50 % longer to 2.5 times as long"),
        (2.5, 3.8, "2.5 to 3.8 times"),
    ],
)
def test_spans_of_ratios_have_their_unit_once(lower: float, upper: float, said: str) -> None:
    assert span_of_ratios(lower, upper) == said
