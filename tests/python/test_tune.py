"""`aqmlab tune`: what is searched, what is sought, the race, and what comes out of it."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import aqmlab
from aqmlab import _core
from aqmlab.errors import ExperimentError, TuneError, UnknownLinkError
from aqmlab.load.queues import Queues
from aqmlab.runs.executors import Threads
from aqmlab.show.objects.search import candidates_table, own, save
from aqmlab.show.tables.render import as_plain_text, parts_within
from aqmlab.statistics import data_links
from aqmlab.statistics.run_summary import figures
from aqmlab.study.tuning import Objective, Outcome, Plan, space_of
from aqmlab.study.tuning import search as tune
from aqmlab.study.tuning.candidates import Candidate, TrialState, front
from aqmlab.study.tuning.racing import adjusted, is_worse, rungs
from aqmlab.study.tuning.search import settings_of
from aqmlab.study.tuning.space import default_ranges, read_ranges_file
from aqmlab.tables.model import Medium
from small import BULK, TWO_HOPS, WEB, aqmlab_run, bulk, command, contents
from sweeping import finished, write
from watched_processes import wait_until

ROOT = Path(__file__).parents[2]
BUSY = WEB.replace("rate_mbps = 2.0", "rate_mbps = 1.0").replace("duration_s = 20.0", "duration_s = 10.0")


def busy(queue: str = '{ scheme = "red", limit_packets = 60, min_th_packets = 5 }') -> aqmlab.Scenario:
    return aqmlab.Scenario.from_toml(BUSY.replace('{ scheme = "pi", limit_packets = 500 }', queue))


# --- what is searched ---


@pytest.mark.parametrize("scheme", sorted(default_ranges()))
def test_the_corners_of_every_default_range_are_legal(scheme: str) -> None:
    space = space_of(scheme)
    queues = Queues.of(busy())
    base = queues.with_scheme(busy(), scheme)
    for end in ("low", "high"):
        drawn = {
            parameter.name: parameter.values[0] if parameter.values else getattr(parameter, end)
            for parameter in space.parameters
        }
        settings = space.settings(drawn)
        assert settings.keys() == drawn.keys()
        queue = queues.with_settings(base, settings)
        assert queue.resolved["dumbbell"]["queue"].items() >= settings.items()


def test_a_threshold_is_a_multiple_of_the_other_and_follows_it() -> None:
    space = space_of("red")
    names = [parameter.name for parameter in space.parameters]
    assert names.index("max_th_packets") == names.index("min_th_packets") + 1
    drawn = {
        "min_th_packets": 30,
        "max_th_packets": 3.0,
        "max_p": 0.123456,
        "w_q": 0.002,
        "limit_packets": 99.6,
    }
    assert space.settings(drawn) == {
        "min_th_packets": 30, "max_th_packets": 90, "max_p": 0.1235, "w_q": 0.002, "limit_packets": 100,
    }  # fmt: skip


def test_ranges_are_replaced_or_held_fixed() -> None:
    ranges = {
        "max_p": {"low": 0.1, "high": 0.2},
        "limit_packets": 480,
        "max_th_packets": {"low": 60, "high": 90},
    }
    space = {parameter.name: parameter for parameter in space_of("red", ranges).parameters}
    assert (space["max_p"].low, space["max_p"].high, space["max_p"].log) == (0.1, 0.2, False)
    assert space["limit_packets"].values == (480,)
    assert space["max_th_packets"].times is None
    assert space["max_th_packets"].integer
    assert space["w_q"] == {each.name: each for each in space_of("red").parameters}["w_q"]


def test_every_scheme_has_default_ranges_but_those_whose_classes_are_the_scenarios() -> None:
    assert set(default_ranges()) == set(_core.scheme_names()) - {"prio", "htb"}
    for scheme, classes in {"prio": "bands", "htb": "classes"}.items():
        with pytest.raises(
            TuneError, match=f"{scheme}: no default ranges, because its {classes} are for the"
        ):
            space_of(scheme)
    given = space_of("prio", {"limit_packets": {"low": 10, "high": 100}})
    assert [parameter.name for parameter in given.parameters] == ["limit_packets"]


def test_a_scheme_without_default_ranges_is_searched_in_those_that_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("aqmlab.study.tuning.space.default_ranges", dict)
    with pytest.raises(TuneError, match=r"fq-codel: no default ranges; give a table \[fq-codel\] in a file"):
        space_of("fq-codel")
    space = space_of("fq-codel", {"target_ms": {"low": 1.0, "high": 20.0, "log": True}})
    assert [parameter.name for parameter in space.parameters] == ["target_ms"]


@pytest.mark.parametrize(
    ("scheme", "ranges", "message"),
    [
        ("ered", {}, "scheme 'ered': unknown"),
        ("fq-codel", {"flow": {"low": 1, "high": 2}}, r'fq-codel.flow: unknown; did you mean "flows"\?'),
        ("red", {"max_q": {"low": 1, "high": 2}}, r'red.max_q: unknown; did you mean "max_p"\?'),
        ("red", {"max_p": {"low": 0.5, "high": 0.1}}, r"red.max_p: low \(0.5\) has to be below high \(0.1\)"),
        ("red", {"max_p": {"low": 0, "high": 0.1, "log": True}}, "a log scale starts above 0"),
        ("red", {"max_p": {"low": 0.1}}, "red.max_p: high is missing"),
        ("red", {"max_p": {"low": 0.1, "hihg": 1}}, r'red.max_p.hihg: unknown; did you mean "high"\?'),
        ("red", {"max_p": {"values": []}}, "red.max_p.values: a list of at least 1, not"),
        ("red", {"limit_packets": {"low": -5, "high": 10}}, "-5 to 10 exceeds the legal range, 0 to"),
        ("red", {"limit_packets": {"low": 1.5, "high": 10}}, "whole numbers only"),
        ("red", {"max_p": {"low": 1, "high": 2, "times": "min_p"}}, "red.max_p.times: min_p: unknown"),
        ("red", {"ecn": {"low": 1, "high": 2}}, r"red.ecn: is no number, .* values = \[false, true\]"),
        ("red", {"ecn": {"values": [True, 1]}}, "red.ecn: 1 is not legal; legal: false, true"),
        ("red", {"ecn": "on"}, "red.ecn: 'on' is not legal; legal: false, true"),
        ("red", {"idle": {"low": 1, "high": 2}}, r'values = \["paper", "ns2", "altq"\]'),
        ("red", {"idle": "linux"}, """'linux' is not legal; legal: "paper", "ns2", "altq\""""),
        ("red", {"max_p": True}, "red.max_p: True is not legal; legal: a number"),
    ],
)
def test_an_illegal_range_is_refused_with_its_place(
    scheme: str, ranges: dict[str, object], message: str
) -> None:
    with pytest.raises(TuneError, match=message):
        space_of(scheme, ranges)


def test_another_scheme_takes_over_the_limit_and_the_same_one_everything() -> None:
    base = busy()
    queues = Queues.of(base)
    assert queues.with_scheme(base, "red") is base
    queue = queues.with_scheme(base, "pi").resolved["dumbbell"]["queue"]
    assert (queue["scheme"], queue["limit_packets"]) == ("pi", 60)


# --- what is sought ---

RUN: dict[str, float | int | None] = {
    "response_restricted_mean_2s_s": 0.5,
    "utilization_percent": 90.0,
    "loss_percent": 2.0,
}


def test_a_smaller_cost_is_better_for_every_objective() -> None:
    costs = {name: Objective(name).cost(RUN) for name in ("best-response-times", "highest-utilization")}
    assert costs == {"best-response-times": 0.5, "highest-utilization": pytest.approx(0.1)}
    assert Objective("lowest-drop-rate").cost(RUN) == pytest.approx(0.02)
    pages = {**RUN, "page_followed_p95_s": 12.0, "page_followed_p99_s": float("inf"), "measured_s": 60.0}
    # Where too few pages ended, they took the whole window.
    assert [Objective(f"page-load-p{share}").cost(pages) for share in (95, 99)] == [12.0, 60.0]
    weighted = Objective("weighted", weights={"response": 2.0, "loss": 10.0})
    assert weighted.cost(RUN) == pytest.approx(2.0 * 0.5 + 10.0 * 0.02)


def test_an_objective_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(TuneError, match=r"objective \'fast\': unknown .*best-response-times"):
        Objective("fast")
    with pytest.raises(TuneError, match=r'weights.los: unknown; did you mean "loss"\?'):
        Objective("weighted", weights={"los": 1.0})
    with pytest.raises(TuneError, match="at least one above 0"):
        Objective("weighted", weights={"loss": 0.0})
    with pytest.raises(TuneError, match=r"weights: not used by objective rpm; legal: objective weighted"):
        Objective("rpm", weights={"loss": 1.0})
    with pytest.raises(TuneError, match=r"restricted_to_s: not used by objective rpm"):
        Objective("rpm", restricted_to_s=3.0)
    with pytest.raises(TuneError, match=r"a longer window .* users, record.responses"):
        Objective().cost({**RUN, "response_restricted_mean_2s_s": None, "measured_s": 3.0})


def test_users_on_one_side_have_one_link_that_carries_data() -> None:
    # 150 people on the left, nobody on the right: data comes from the servers on the right.
    result = aqmlab.run(busy(), overrides={"users.right": 0, "users.left": 150, "duration_s": 8.0})
    (link,) = data_links(result)
    assert link["name"] == "right-to-left"
    row = figures(result)
    assert row["throughput_mbps"] == link["throughput_mbps"]
    assert row["left-to-right.throughput_mbps"] < row["right-to-left.throughput_mbps"]  # type: ignore[operator]
    assert [link["name"] for link in data_links(aqmlab.run(bulk()))] == ["left-to-right"]


# --- the race ---


def test_seeds_are_used_in_growing_parts() -> None:
    parts = [list(rung) for rung in rungs(range(1, 13))]
    assert parts == [[1, 2], [3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    assert [list(rung) for rung in rungs((5,))] == [[5]]


def test_a_candidate_is_stopped_by_its_paired_differences_alone() -> None:
    # Differences 0.1, 0.2, 0.3: mean 0.2, standard error 0.1/√3 = 0.0577. The Student bound at 90 % with two
    # degrees of freedom is 1.8856 of those, 0.1089: worse. Much wider (−0.8, 0.2, 1.2), it is not.
    incumbent = {1: 1.0, 2: 5.0, 3: 9.0}
    assert is_worse({1: 1.1, 2: 5.2, 3: 9.3}, incumbent)
    assert not is_worse({1: 0.2, 2: 5.2, 3: 10.2}, incumbent)
    assert not is_worse({1: 0.9, 2: 4.8, 3: 8.7}, incumbent)
    assert not is_worse(incumbent, incumbent)
    assert not is_worse({1: 99.0}, incumbent)


def test_an_equal_candidate_is_stopped_as_rarely_as_promised() -> None:
    generator = np.random.default_rng(1)
    looks = 4000
    stopped = 0
    for _ in range(looks):
        traffic = generator.normal(10.0, 5.0, 4)
        own, others = (dict(enumerate(traffic + generator.normal(0.0, 0.1, 4))) for _ in range(2))
        stopped += is_worse(own, others)
    # 10 % of the looks, give or take four standard errors of a binomial share.
    assert abs(stopped / looks - 0.1) < 4 * (0.1 * 0.9 / looks) ** 0.5


def test_a_candidate_that_saw_few_seeds_is_judged_by_the_difference_on_those() -> None:
    reference = {1: 1.0, 2: 2.0, 3: 6.0}
    assert adjusted({1: 1.5, 2: 2.5}, reference) == pytest.approx(3.5)
    assert adjusted(reference, reference) == pytest.approx(3.0)


def candidate(label: str, response_s: float, utilization: float, loss: float) -> Candidate:
    fresh: dict[str, float | int | None] = {
        "response_restricted_mean_2s_s": response_s, "utilization_percent": utilization, "loss_percent": loss,
    }  # fmt: skip
    return Candidate(label, {}, None, "search", fresh={9: fresh})


def test_the_front_holds_what_nothing_beats_in_everything() -> None:
    everything = [
        candidate("quick", 0.3, 80.0, 4.0),
        candidate("busy", 0.6, 99.0, 3.0),
        candidate("lossless", 0.9, 90.0, 0.0),
        candidate("quick, but worse", 0.3, 79.0, 4.0),
        candidate("beaten by busy", 0.7, 98.0, 3.0),
    ]
    assert [each.label for each in front(everything, Objective())] == ["quick", "busy", "lossless"]


# --- the search ---

PLAN = Plan(trials=5, seeds=(1, 2, 3), fresh_seeds=(11, 12, 13, 14, 15, 16), batch=2)


def search(store: Path, plan: Plan = PLAN, workers: int = 2) -> Outcome:
    space = space_of("red", {"limit_packets": 60})
    return tune(
        busy(), space, Objective(), plan, store=store, executor=Threads(workers), progress=False,
        beside="christiansen2000:red-5-15,red-120-360,red-30-90-w1024",
    )  # fmt: skip


@pytest.fixture(name="found", scope="module")
def finished_search(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path, dict[str, Path]]:
    """A small search, its store and the files it leaves behind."""
    folder = tmp_path_factory.mktemp("tune")
    outcome = search(folder / "store")
    return outcome, folder / "store", save(outcome, folder / "out")


@pytest.mark.exhaustive
def test_a_search_names_the_links_that_it_judges_and_refuses_those_that_are_not_there(
    found: tuple[Outcome, Path, dict[str, Path]],
) -> None:
    outcome, store, files = found
    assert json.loads(files["search.json"].read_text())["links"] == list(outcome.links)
    assert outcome.links == tuple(link["name"] for link in data_links(aqmlab.run(busy())))
    space = space_of("red", {"limit_packets": 60})
    with pytest.raises(UnknownLinkError, match=r"links: left-to-rigth: unknown.*left-to-right"):
        tune(busy(), space, Objective(), PLAN, store=store, executor=Threads(1), links=["left-to-rigth"])


def test_all_candidates_saw_the_same_seeds_and_the_figures_come_from_others(
    found: tuple[Outcome, Path, dict[str, Path]],
) -> None:
    outcome = found[0]
    assert len(outcome.candidates) == 6
    for each in outcome.candidates:
        seeds = tuple(each.figures)
        assert seeds == PLAN.seeds if each.state is TrialState.FULL else seeds == PLAN.seeds[:2]
        assert set(each.fresh) == (set(PLAN.fresh_seeds) if each.state is TrialState.FULL else set())
    assert outcome.winner.state is TrialState.FULL
    costs = {
        each.label: np.mean(list(each.costs(outcome.objective).values()))
        for each in outcome.candidates
        if each.state is TrialState.FULL
    }
    assert outcome.winner.label == min(costs, key=lambda label: float(costs[label]))
    assert set(outcome.front) <= set(outcome.candidates)
    assert outcome.published
    assert all(set(each.fresh) == set(PLAN.fresh_seeds) for each in outcome.published)


def test_the_search_depends_on_its_seed_and_not_on_workers_or_what_is_stored(
    found: tuple[Outcome, Path, dict[str, Path]], tmp_path: Path
) -> None:
    outcome, store, _ = found
    before = contents(store)
    again = search(store, workers=1)
    assert contents(store) == before
    assert [each.settings for each in again.candidates] == [each.settings for each in outcome.candidates]
    assert [each.estimate for each in again.candidates] == [each.estimate for each in outcome.candidates]
    assert again.runs == outcome.runs
    plan = Plan(trials=2, seeds=(1,), fresh_seeds=(2,), batch=2, optimiser_seed=5)
    other = search(tmp_path, plan)
    assert other.candidates[1].settings != outcome.candidates[1].settings


def test_the_folder_holds_trials_front_best_and_figure(found: tuple[Outcome, Path, dict[str, Path]]) -> None:
    outcome, store, files = found
    trials = pd.read_parquet(files["trials.parquet"])
    assert list(trials["trial"]) == list(range(6))
    assert set(trials["state"]) <= {"full", "stopped", "refused"}
    rows = pd.read_csv(files["front.csv"]).set_index("label")
    assert set(rows[rows["on_front"]].index) == {each.label for each in outcome.front}
    winner = rows.loc[outcome.winner.label]
    assert winner["cost_lower"] < winner["cost_mean"] < winner["cost_upper"]
    best = aqmlab.Scenario.from_file(files["best.toml"])
    results = [aqmlab.Result.load(store / best.content_address(seed)) for seed in PLAN.fresh_seeds]
    means = [figures(result)["response_restricted_mean_2s_s"] for result in results]
    assert winner["cost_mean"] == pytest.approx(np.mean([float(mean or 0.0) for mean in means]))
    assert files["trade-off.svg"].read_text().startswith("<svg")
    assert files["trade-off.png"].read_bytes().startswith(b"\x89PNG")
    facts = json.loads(files["search.json"].read_text())
    assert facts["fresh_seeds"] == list(PLAN.fresh_seeds)


def test_settings_beside_are_those_of_the_cells_that_were_named(
    found: tuple[Outcome, Path, dict[str, Path]],
) -> None:
    published = {each.note: each for each in found[0].published}
    wide = published["christiansen2000: red-120-360"]
    # Its own limit, though the search holds another one fixed.
    assert wide.settings == {
        "min_th_packets": 120, "max_th_packets": 360, "w_q": 1 / 512, "max_p": 0.1, "limit_packets": 480,
    }  # fmt: skip
    assert wide.label == "RED 120/360"
    assert wide.scenario is not None
    queue = wide.scenario.resolved["dumbbell"]["queue"]
    assert queue["max_th_packets"] == 360
    # What is not searched stays as the scenario has it.
    assert queue["gentle"] == busy().resolved["dumbbell"]["queue"]["gentle"]
    assert found[0].role(wide) == "published"
    with (ROOT / "python/aqmlab/experiments/christiansen2000/published_table4.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    every = settings_of("christiansen2000", busy(), Queues.of(busy()), space_of("red"))
    thresholds = {(each.settings["min_th_packets"], each.settings["max_th_packets"]) for each in every}
    assert {(int(row["min_th"]), int(row["max_th"])) for row in rows} <= thresholds
    assert len({str(each.settings) for each in every}) == len(every)


def test_settings_beside_need_an_experiment_and_its_scheme() -> None:
    queues, space = Queues.of(busy()), space_of("red")
    with pytest.raises(TuneError, match="none of its cells has a queue of rem"):
        settings_of("christiansen2000", queues.with_scheme(busy(), "rem"), queues, space_of("rem"))
    with pytest.raises(ExperimentError, match=r'did you mean "christiansen2000"\?'):
        settings_of("christiansen", busy(), queues, space)
    with pytest.raises(ExperimentError, match=r'has no cell "red-30-91"'):
        settings_of("christiansen2000:red-30-91", busy(), queues, space)


def test_no_setting_of_a_paper_is_run_unless_it_is_named(tmp_path: Path) -> None:
    at_10_mbps = busy().with_overrides({"dumbbell.rate_mbps": 10.0, "duration_s": 7.0})
    plan = Plan(trials=1, seeds=(1,), fresh_seeds=(2,), batch=1)
    executor = Threads(2)
    outcome = tune(
        at_10_mbps, space_of("red"), Objective(), plan, store=tmp_path, executor=executor, progress=False
    )
    assert outcome.published == ()


def test_queues_that_differ_are_set_alike() -> None:
    other = {"scheme": "drop-tail", "limit_packets": 9}
    given = busy().with_overrides({"dumbbell.queue_right_to_left": other})
    queues = Queues.of(given)
    assert queues.keys == ("dumbbell.queue", "dumbbell.queue_right_to_left")
    assert queues.schemes(given) == ["red", "drop-tail"]
    base = queues.with_scheme(given, "red")
    assert queues.settings(base, ["max_p", "limit_packets"])["limit_packets"] is None
    assert [table["limit_packets"] for table in queues.tables(base)] == [60, 9]
    # Equal queues both ways are one queue.
    alike = queues.with_settings(base, {"limit_packets": 33})
    assert {table["limit_packets"] for table in Queues.of(alike).tables(alike)} == {33}
    assert Queues.of(given, ["right-to-left"]).keys == ("dumbbell.queue_right_to_left",)


def test_the_scenario_as_given_is_run_as_it_is_whatever_scheme_is_searched(tmp_path: Path) -> None:
    # Its queue is PI with settings of its own; the search is for RED.
    given = busy('{ scheme = "pi", limit_packets = 300, q_ref_packets = 9 }')
    space = space_of("red", {"limit_packets": 60})
    plan = Plan(trials=3, seeds=(1,), fresh_seeds=tuple(range(11, 18)), batch=3)
    outcome = tune(
        given, space, Objective(), plan, store=tmp_path / "store", executor=Threads(2), progress=False
    )  # fmt: skip
    own = {seed: figures(aqmlab.run(given, seed=seed)) for seed in plan.fresh_seeds}
    assert outcome.given.fresh == own
    assert outcome.given.scenario is given
    start = outcome.candidates[0]
    assert (start.label, start.origin) == ("defaults of red", "defaults")
    assert start.fresh != own
    assert outcome.given not in outcome.candidates
    cost = {seed: float(run["response_restricted_mean_2s_s"] or 0.0) for seed, run in own.items()}
    mean = np.mean([outcome.winner.fresh_costs(outcome.objective)[seed] - cost[seed] for seed in cost])
    assert outcome.against(outcome.given).mean == pytest.approx(mean)
    told = outcome.summary().splitlines()[-1]
    assert told.startswith(f"against the scenario as given (pi), on fresh seeds: {mean:.4g} s (")
    assert outcome.role(outcome.given) == "as given"
    files = save(outcome, tmp_path / "out")
    rows = pd.read_csv(files["front.csv"]).set_index("role")
    assert rows.loc["as given", "cost_mean"] == pytest.approx(np.mean(list(cost.values())))
    facts = json.loads(files["search.json"].read_text())
    assert facts["scenario"]["dumbbell"]["queue"]["q_ref_packets"] == 9


def test_a_scenario_of_the_scheme_is_the_start_of_the_search(
    found: tuple[Outcome, Path, dict[str, Path]],
) -> None:
    outcome = found[0]
    assert outcome.given is outcome.candidates[0]
    assert outcome.given.label == "as given"
    assert set(outcome.given.figures) == set(PLAN.seeds)


def test_another_search_goes_beside_the_first(
    found: tuple[Outcome, Path, dict[str, Path]],
) -> None:
    outcome, folder = found[0], found[2]["search.json"].parent
    assert own(outcome, folder) == folder, "the same search"
    other = replace(outcome, plan=replace(outcome.plan, budget_runs=1_000))
    with pytest.warns(UserWarning, match=r"out holds another search, with another budget_runs: this one"):
        assert own(other, folder) == folder.with_name("out-2")


RANGES = {
    "a table that is none": ("red = 3", "red: a table of ranges, such as [red], not 3"),
    "an unknown scheme": ("[reed]\n[red]", "scheme 'reed': unknown; did you mean \"red\"?"),
    "another scheme alone": ("[pi]\nq_ref_packets = 5", "no table [red]; there are pi"),
    "another scheme with a slip": (
        "[red]\n[pi]\nq_ref_packet = 5",
        'pi.q_ref_packet: unknown; did you mean "q_ref_packets"?',
    ),
    "a text for a number": ("[red]\nmax_p = { low = 'a', high = 1 }", "red.max_p.low: a number, not 'a'"),
    "no number": ("[red]\nmax_p = { low = nan, high = 1 }", "red.max_p.low: a number, not nan"),
    "a number beyond all": (
        "[red]\nmax_p = { low = 0, high = 1e300 }",
        "red.max_p.high: a number, not 1e+300",
    ),
    "a number for a flag": (
        "[red]\nmax_p = { low = 0.1, high = 1, log = 1 }",
        "red.max_p.log: true or false, not 1",
    ),
    "a list for a name": (
        "[red]\nmax_p = { low = 1, high = 2, times = [1] }",
        "red.max_p.times: a text",
    ),
    "a multiple of texts": (
        "[red]\nmin_th_packets = 'x'",
        "red.min_th_packets: 'x' is not legal; legal: a number",
    ),
    "a date among the values": (
        "[red]\nmax_p = { values = [1979-05-27] }",
        "red.max_p.values[1]: a text, a number",
    ),
    "a list among the values": ("[red]\nmax_p = { values = [[1]] }", "red.max_p.values[1]: a text, a number"),
}


@pytest.mark.parametrize("what", RANGES)
def test_a_file_of_ranges_is_checked_whole_and_told_with_file_and_key(what: str, tmp_path: Path) -> None:
    text, message = RANGES[what]
    file = tmp_path / "ranges.toml"
    file.write_text(text)
    with pytest.raises(TuneError) as refused:
        read_ranges_file(file, "red")
    assert str(refused.value).startswith(f"{file}: ")
    assert message in str(refused.value)


def test_the_shipped_ranges_are_such_a_file() -> None:
    for scheme, ranges in default_ranges().items():
        assert read_ranges_file(ROOT / "python/aqmlab/study/tuning/ranges.toml", scheme) == ranges


def test_a_budget_ends_the_search(tmp_path: Path) -> None:
    outcome = search(tmp_path, Plan(trials=50, seeds=(1,), fresh_seeds=(2,), batch=2, budget_runs=4))
    assert len(outcome.candidates) == 5  # the scenario as given and two pairs: 1 + 2 < 4 ≤ 1 + 2 + 2


def test_fresh_seeds_end_where_seeds_end() -> None:
    last = 2**64 - 1
    assert Plan(seeds=(last - 8,)).fresh_seeds == tuple(range(last - 7, last + 1))
    with pytest.raises(TuneError, match=f"no 8 fresh seeds are left after {last - 7}: give fresh ones"):
        Plan(seeds=(last - 7,))
    assert Plan(seeds=(last,), fresh_seeds=(1,)).fresh_seeds == (1,)


def test_fresh_seeds_are_fresh() -> None:
    assert Plan(seeds=(1, 2, 3, 4)).fresh_seeds == (5, 6, 7, 8, 9, 10, 11, 12)
    with pytest.raises(TuneError, match="3 is a search seed"):
        Plan(seeds=(1, 2, 3), fresh_seeds=(3, 4))


@pytest.mark.exhaustive
def test_a_killed_search_goes_on_and_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    file = tmp_path / "web.toml"
    file.write_text(BUSY)
    arguments = (
        "tune", file, "--scheme", "drop-tail", "--trials", "2", "--seeds", "1-2", "--fresh-seeds", "7-8",
        "--range", "limit_packets=10:60:log", "--objective", "weighted", "--weights", "response=1,loss=3",
    )  # fmt: skip
    places = {name: ("--store", tmp_path / name, "--output", tmp_path / f"{name}-out") for name in ("a", "b")}
    whole = aqmlab_run(*arguments, *places["a"])
    assert whole.returncode == 0, whole.stderr
    assert "drop-tail, weighted" in whole.stderr
    assert "weighted: " in whole.stdout
    process = subprocess.Popen(
        command(*arguments, *places["b"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: finished(tmp_path / "b") >= 3, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert finished(tmp_path / "b") < finished(tmp_path / "a")
    again = aqmlab_run(*arguments, *places["b"], "--quiet")
    assert again.returncode == 0, again.stderr
    assert contents(tmp_path / "b") == contents(tmp_path / "a")
    assert contents(tmp_path / "b-out") == contents(tmp_path / "a-out")
    best = tomllib.loads((tmp_path / "a-out/best.toml").read_text())
    assert 10 <= best["dumbbell"]["queue"]["limit_packets"] <= 500


# --- what is left behind ---

RED = 'queue = { scheme = "red", limit_packets = 60 }'
CROSSING = 'direction = "left-to-right"'
BASES = {
    "users": BUSY.replace('queue = { scheme = "pi", limit_packets = 500 }', RED),
    "arrivals": f"""
name = "arrivals"
duration_s = 6.0
[dumbbell]
rate_mbps = 2.0
{RED}
[users]
per_side = 20
[[flows]]
count = 5
{CROSSING}
arrivals_hz = 1.0
bytes = 20000
""",
    "datagrams": BULK.replace('queue = { scheme = "drop-tail", limit_packets = 50 }', RED)
    + f"""
[[datagrams]]
count = 2
{CROSSING}
packet_bytes = 200
rate_mbps = 0.08
""",
    "topology": TWO_HOPS,
    "one each way": BUSY.replace(
        'queue = { scheme = "pi", limit_packets = 500 }',
        f"{RED}\n{RED.replace('queue', 'queue_right_to_left')}",
    ),
    "file beside it": BUSY.replace('queue = { scheme = "pi", limit_packets = 500 }', RED).replace(
        "per_side = 150",
        'per_side = 50\nmodel = { model = "unc", response_bytes_cdf_file = "sizes.cdf" }',
    ),
}


@pytest.mark.parametrize("kind", BASES)
def test_what_was_found_is_the_users_file_with_the_settings_and_runs(kind: str, tmp_path: Path) -> None:
    (tmp_path / "sizes.cdf").write_text("100 0.5\n2000 1\n")
    (tmp_path / "own.toml").write_text(BASES[kind])
    objective = "highest-utilization"
    done = aqmlab_run(
        "tune", "own.toml", "--trials", "1", "--seeds", "1", "--fresh-seeds", "2", "--objective", objective,
        "--set", "duration_s=6.5", "--set", "warm_up_s=1.5", "--output", "found", "--quiet", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = tmp_path / "found/best.toml"
    ran = aqmlab_run("run", "found/best.toml", "--output", "again", "--quiet", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    settings = json.loads((tmp_path / "found/search.json").read_text())["winner"]["settings"]
    best = aqmlab.Scenario.from_file(found)
    tables = Queues.of(best).tables(best)
    assert all(table.items() >= settings.items() for table in tables)
    # Nothing is said that neither the file nor the search says.
    written, own = tomllib.loads(found.read_text()), tomllib.loads(BASES[kind])
    assert written.keys() - own.keys() <= {"description", "files", "warm_up_s"}
    assert written.get("files", {}).keys() == ({"sizes.cdf"} if kind == "file beside it" else set())
    assert (written["duration_s"], written["warm_up_s"]) == (6.5, 1.5)
    for name in own.keys() - {"name", "duration_s", "warm_up_s", "dumbbell", "topology"}:
        assert written[name] == own[name]


def test_candidates_that_are_refused_are_counted_with_their_reasons(tmp_path: Path) -> None:
    """A threshold below the other is refused by the scenario's check: half of this range is."""
    ranges = {
        "min_th_packets": {"low": 10, "high": 30}, "max_th_packets": {"low": 10, "high": 30},
        "max_p": 0.1, "w_q": 0.002, "limit_packets": 60,
    }  # fmt: skip
    plan = Plan(trials=6, seeds=(1,), fresh_seeds=(2,))
    outcome = tune(
        busy(), space_of("red", ranges), Objective("highest-utilization"), plan,
        store=tmp_path, executor=Threads(2), progress=False,
    )  # fmt: skip
    refused = [each for each in outcome.candidates if each.state is TrialState.REFUSED]
    for each in outcome.candidates[1:]:
        low, high = each.settings["min_th_packets"], each.settings["max_th_packets"]
        assert (each.state is TrialState.REFUSED) == (low >= high)
    assert refused
    assert f"{len(refused)} invalid" in outcome.summary()
    assert f"refused: {refused[0].label} (min_th_packets = " in outcome.summary()
    assert "below max_th_packets" in outcome.summary()


def test_a_parameter_that_the_scenario_leaves_open_is_told_as_it_is_in_force(tmp_path: Path) -> None:
    """RED without thresholds runs with those of 1993: 5 and 15 packets."""
    scenario = busy('{ scheme = "red", limit_packets = 60 }')
    plan = Plan(trials=1, seeds=(1,), fresh_seeds=(2,))
    outcome = tune(
        scenario, space_of("red"), Objective("highest-utilization"), plan,
        store=tmp_path, executor=Threads(2), progress=False,
    )  # fmt: skip
    table = candidates_table(outcome, [outcome.given])
    shown = dict(zip([column.title for column in table.columns], table.rows[0], strict=True))
    assert (shown["min_th"].lines[0].text, shown["max_th"].lines[0].text) == ("5", "15")
    told = replace(outcome, winner=outcome.given).summary()
    assert "as given (min_th_packets = 5, max_th_packets = 15, max_p = 0.1, " in told
    assert "None" not in told
    # The scenario does not say them, and what is written of it does not either.
    assert outcome.given.settings["min_th_packets"] is None


@pytest.mark.parametrize("width", [80, 100])
def test_the_table_of_a_search_has_whole_words_in_every_terminal(
    found: tuple[Outcome, Path, dict[str, Path]], width: int
) -> None:
    """A name is one line, and a table that is too wide goes on below."""
    outcome = found[0]
    whole = candidates_table(outcome, outcome.shown)
    shown = [as_plain_text(part, width=width) for part in parts_within(whole, width)]
    for part in shown:
        rows = part.splitlines()[-len(outcome.shown) :]
        for row, candidate in zip(rows, outcome.shown, strict=True):
            assert row.split("  ")[0].strip() == candidate.label
    heads = [column.title for column in whole.shown_in(Medium.TERMINAL).columns]
    assert heads[:3] == ["", "what it is", "min(t, 2) s"], "what a search is for stands before the parameters"
    assert all(sum(head in part for part in shown) >= 1 for head in heads)
    assert not any("…" in part for part in shown)


@pytest.mark.parametrize(
    ("package", "arguments", "message"),
    [
        ("optuna", ("tune", "web.toml"), "pip install 'aqmlab[tune]'"),
        ("distributed", ("sweep", "sweep.toml", "--executor", "dask"), "pip install 'aqmlab[dask]'"),
    ],
)
def test_without_an_extra_its_command_says_how_to_get_it(
    package: str, arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    write(tmp_path)
    program = (
        f"import sys; sys.modules[{package!r}] = None; from aqmlab.cli import main; main({list(arguments)!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mean_over_the_seeds_that_have_a_value_is_no_mean() -> None:
    row: dict[str, float | int | None] = {"page_followed_p50_s": 2.0, "loss_percent": 1.0}
    tried = Candidate("tried", {}, None, "search", fresh={1: row, 2: {**row, "page_followed_p50_s": None}})
    assert tried.means(fresh=True) == {"page_followed_p50_s": None, "loss_percent": 1.0}
