"""`aqmlab compare` of a scenario under several schemes, and of several scenarios."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import aqmlab
from aqmlab.comparison import Change, Comparison, Level, Values
from aqmlab.comparison.change import Inference
from aqmlab.comparison.running import lengthened, scheduled
from aqmlab.errors import ComparisonError, TooLittleDataError
from aqmlab.files.folders import folder_name
from aqmlab.inference import Interval
from aqmlab.load.queues import Queues
from aqmlab.show.words.comparison import sentences
from aqmlab.statistics.catalogue import (
    LOADED_MEDIAN,
    LOADED_P95,
    OF_LINKS,
    OF_OBJECTS,
    OF_PEOPLE,
    RESPONSE_MEDIAN,
)
from aqmlab.statistics.quantities import throughput_mbps as THROUGHPUT  # noqa: N812 (a constant here)
from small import BULK, WEB, aqmlab_run, contents

if TYPE_CHECKING:
    from pathlib import Path


def beside(values: dict[str, list[float]], bounds: dict[str, float] | None = None) -> Comparison:
    """Configurations with these medians of page load times, one for each seed; infinite ones have a bound."""
    seeds = len(next(iter(values.values())))
    none = Values(np.full(seeds, np.nan), np.full(seeds, np.nan))
    known: dict[tuple[str, str], Values] = {}
    for name, each in values.items():
        own = np.array(each)
        least = np.where(np.isinf(own), (bounds or {}).get(name, 0.0), own)
        known |= {(name, LOADED_MEDIAN.name): Values(least, own), (name, LOADED_P95.name): none}
    return Comparison(tuple(values), tuple(range(seeds)), ("link",), runs={}, _values=known)


def told(base: list[float], own: list[float], **bounds: float) -> str:
    """What is said of the median, without that of the 95 %."""
    (sentence,) = sentences(beside({"a": base, "b": own}, bounds))
    return sentence.removeprefix("b: half of the pages load in ").partition("; the slowest page")[0]


# Logarithms of ratios that differ by -0.3 and 0.3 three times each: s^2 = 0.09 * 6/5. Student's quantile of
# 1 - 0.05/6 (three statements, two sides) with five degrees of freedom is 3.5341: the half width is
# 3.5341 * 0.3 * sqrt(1.2 / 6) = 0.47415, a factor of 1.6066.
BASE = [4.0] * 6
SPREAD = np.exp([0.3, -0.3] * 3)
FACTOR = 1.6066


def test_a_change_is_told_with_direction_size_and_certainty() -> None:
    # Half of 4 s, times or by the factor: 1.24 to 3.21 s.
    assert told(BASE, list(2.0 * SPREAD)) == "2.0 s instead of 4.0 s (0.79 to 2.8 s sooner)"
    # 10 s, times or by the factor: 6.22 to 16.07 s.
    assert told(BASE, list(10.0 * SPREAD)) == "10 s instead of 4.0 s (2.2 to 12 s later)"
    # 2.80 to 7.23 s. What would have been seen with a probability of 0.8: 0.9195 standard errors more, which
    # is a factor of exp(0.47415 + 0.12337) = 1.818: from 4 s to 2.20 s or to 7.27 s.
    assert told(BASE, list(4.5 * SPREAD)) == (
        "4.5 s instead of 4.0 s (no clear difference: 1.2 s sooner to 3.2 s later; "
        "6 seeds detect 1.8 s sooner or 3.3 s later)"
    )
    assert told(BASE[:2], [3.0, 3.0]) == "3.0 s instead of 4.0 s (2 seeds: too few for an interval)"


def test_a_run_that_was_too_short_makes_a_difference_one_sided() -> None:
    late = [*(24.0 * SPREAD[:5]), math.inf]
    least = 24.0 * float(SPREAD[5])
    # 24 s by the factor are 14.9 s; 4 s times the factor are 6.43 s, of 24 s a share of 0.268.
    assert told(BASE, late, b=least) == ("more than 24 s instead of 4.0 s (later by at least 11 s)")
    assert told(late, BASE, a=least) == ("4.0 s instead of more than 24 s (sooner by at least 18 s)")
    both = told([*BASE[:5], math.inf], late, a=30.0, b=least)
    assert both.endswith("(runs too short to say by how much)")  # five pairs are left, too few


def test_a_pair_with_bounds_on_both_sides_takes_nothing_from_the_others() -> None:
    # With the baseline the sixth of seven says at least 24 s; the seventh took longer than its run with both.
    late = [*(24.0 * SPREAD[:5]), math.inf, math.inf]
    least = 24.0 * float(SPREAD[5])
    found = beside({"a": late, "b": [*BASE, math.inf]}, {"a": least, "b": 30.0})
    (sentence,) = sentences(found)
    # As without the seventh (above): six pairs, of which 24 s and 4 s are the levels.
    told_of_six = "4.0 s instead of more than 24 s (sooner by at least 18 s, in 6 of 7 runs)"
    assert told_of_six in sentence
    change = found.change("b", LOADED_MEDIAN)
    assert (change.pairs, change.silent) == (6, 1)


def test_a_seed_without_a_page_takes_nothing_from_the_others() -> None:
    seven = [*BASE, math.nan]
    # The level is of the same six runs: the 90 s of the seventh stand beside no page of the baseline.
    assert told(seven, [*(2.0 * SPREAD), 90.0]) == (
        "2.0 s instead of 4.0 s (0.79 to 2.8 s sooner, in 6 of 7 runs)"
    )


def test_the_bound_of_a_one_sided_difference_covers() -> None:
    # The truth: times of mean 10 s; those above 11 s are only known to be longer than 11 s. The stated least
    # difference must not exceed the true one more often than the interval may miss.
    draws = np.random.default_rng(5)
    trials, exceeded = 2_000, 0
    for _ in range(trials):
        own = draws.normal(10.0, 1.0, size=8)
        seen = Values(np.minimum(own, 11.0), np.where(own > 11.0, np.inf, own))
        before = draws.normal(5.0, 1.0, size=8)
        change = Change.of(THROUGHPUT, Values(before, before), seen, Inference(0.95))
        assert isinstance(change.difference, Interval)
        exceeded += change.difference.lower > 5.0
    # One side of 95 %, and three standard errors.
    assert exceeded / trials < 0.025 + 3.0 * math.sqrt(0.025 * 0.975 / trials)


def test_the_visible_difference_is_seen_as_often_as_it_says() -> None:
    draws = np.random.default_rng(7)
    degrees, trials, seen = 7, 3_000, 0
    # With the true deviation in place of its estimate: 1 s / sqrt(8) times the two quantiles of Student.
    true = (stats.t.ppf(0.975, degrees) + stats.t.ppf(0.8, degrees)) / math.sqrt(8.0)
    for _ in range(trials):
        before = np.zeros(8)
        after = draws.normal(true, 1.0, size=8)
        change = Change.of(THROUGHPUT, Values(before, before), Values(after, after), Inference(0.95))
        seen += change.direction == 1
    assert seen / trials == pytest.approx(0.8, abs=0.03)


def test_the_differences_of_all_that_is_told_hold_together() -> None:
    base = [2.0, 2.1, 1.9, 2.0, 2.1, 1.9]
    found = beside({"a": base, "b": [each * 0.75 for each in base], "c": [*base[:-1], math.inf]}, {"c": 9.0})
    # Two configurations against the first, two quantities and the ratio of matched pages each.
    assert found.confidence_of_each == pytest.approx(1.0 - 0.05 / (2 * 3))
    change = found.change("b", LOADED_MEDIAN).difference
    assert isinstance(change, Interval)
    assert change.mean == pytest.approx(-0.25 * np.exp(np.log(base).mean()))
    assert change.confidence == found.confidence_of_each
    # One run in which half of the pages never ended makes the level a bound, and nothing else.
    level = found.level("c", LOADED_MEDIAN)
    assert isinstance(level, Level)
    assert (level.have, level.beyond) == (6, 1)
    assert level.mean == pytest.approx(np.exp(np.log([*base[:-1], 9.0]).mean()))


@pytest.mark.exhaustive
def test_simultaneous_intervals_cover_as_often_as_they_say() -> None:
    # Five alternatives that change nothing, 8 seeds, Gaussian noise common to all and of each: how often does
    # any of the fifteen intervals leave zero out?
    draws = np.random.default_rng(3)
    trials, missed = 2_000, 0
    names = tuple(f"s{k}" for k in range(6))
    for _ in range(trials):
        common = draws.normal(size=8)
        known = {}
        for name in names:
            for each in (*OF_PEOPLE, RESPONSE_MEDIAN):  # one for the matched pages
                own = np.exp(common + draws.normal(size=8))
                known[name, each.name] = Values(own, own)
        found = Comparison(names, tuple(range(8)), ("link",), runs={}, _values=known)
        told = (*OF_PEOPLE, RESPONSE_MEDIAN)
        missed += any(found.change(name, each).direction for name in names[1:] for each in told)
    # Bonferroni is conservative: at most 5 %, less three standard errors of the estimate on the safe side.
    assert 0.005 < missed / trials < 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / trials)


def test_seeds_are_added_by_the_scatter_of_those_at_hand() -> None:
    # The level of b is 2 s, and a width of 2 s about it that of the logarithm's 2 asinh(1/2) = 0.9624.
    base = [2.0] * 6
    found = beside({"a": base, "b": list(2.0 * SPREAD**2)})
    assert found.seeds_for(2.0) == math.ceil(4.0 * 3.5341**2 * 0.36 * 1.2 / 0.9624**2) == 24
    assert found.seeds_for(1e3) == 6
    few = beside({"a": base[:5], "b": base[:5]})
    with pytest.raises(TooLittleDataError, match="5 seeds are too few to estimate the number of seeds"):
        few.seeds_for(1.0)
    with pytest.raises(TooLittleDataError, match="too few pages ended"):
        beside({"a": base, "b": [*base[:5], math.inf]}).seeds_for(1.0)


def test_added_seeds_do_not_change_the_scatter_that_decided() -> None:
    values = {"a": [2.0] * 8, "b": [*(2.0 * SPREAD), 2.0, 2.0]}
    found = replace(beside(values), first_stage=6)
    ratio = found.change("b", LOADED_MEDIAN).ratio
    assert isinstance(ratio, Interval)
    half = 3.5341 * 0.3 * math.sqrt(1.2 / 8.0)
    assert math.log(ratio.upper / ratio.lower) == pytest.approx(2.0 * half, rel=1e-4)


def test_an_added_seed_without_a_page_takes_no_guarantee_from_the_others() -> None:
    values = {"a": [2.0] * 8, "b": [*(2.0 * SPREAD), 2.0, math.nan]}
    ratio = replace(beside(values), first_stage=6).change("b", LOADED_MEDIAN).ratio
    assert isinstance(ratio, Interval)
    # Seven have a number; the scatter, and its five degrees of freedom, remain those of the first six.
    half = 3.5341 * 0.3 * math.sqrt(1.2 / 7.0)
    assert math.log(ratio.upper / ratio.lower) == pytest.approx(2.0 * half, rel=1e-4)


@pytest.fixture
def link(tmp_path: Path) -> Path:
    (tmp_path / "link.toml").write_text(WEB)
    (tmp_path / "bulk.toml").write_text(BULK)
    return tmp_path


def test_one_scenario_under_several_schemes(link: Path) -> None:
    asked = ("compare", "link.toml", "--schemes", "drop-tail,red,fq-codel", "--seeds", "1-2")
    made = aqmlab_run(*asked, "--details", cwd=link)
    assert made.returncode == 0, made.stderr
    words = " ".join(made.stdout.split())
    assert "RED: half of the pages load in" in words
    assert "FQ-CoDel: half of the pages load in" in words
    assert "(2 seeds: too few for an interval)" in words
    folder = link / "results" / "compare-web"
    table = pd.read_csv(folder / "comparison.csv", index_col="configuration")
    assert list(table.index) == ["drop-tail", "red", "fq-codel"]
    for scheme in table.index:
        results = [aqmlab.Result.load(folder / scheme / f"seed-{seed}") for seed in (1, 2)]
        assert {result.run["links"][0]["scheme"] for result in results} == {scheme}
        # The limit is the scenario's, everything else the scheme's own.
        assert {result.scenario["dumbbell"]["queue"]["limit_packets"] for result in results} == {500}
        for quantity in (LOADED_MEDIAN, *OF_OBJECTS, *OF_LINKS[:2]):
            each = [quantity(result) for result in results]
            mean = np.exp(np.mean(np.log(each))) if quantity.on_logarithms else np.mean(each)
            assert table.loc[scheme, f"{quantity.name}.mean"] == pytest.approx(mean)
    # What is there is not made again.
    before = {file: file.stat().st_mtime_ns for file in folder.glob("*/*/run.json")}
    assert (folder / "report.html").is_file()
    again = aqmlab_run(*asked, "--quiet", "--no-report", cwd=link)
    assert (again.returncode, again.stdout.strip()) == (0, "results/compare-web"), again.stderr
    assert {file: file.stat().st_mtime_ns for file in folder.glob("*/*/run.json")} == before
    assert (folder / "report.html").is_file(), "it is of this comparison"


def test_several_scenarios_and_one_without_users(link: Path) -> None:
    (link / "other.toml").write_text(BULK.replace("50", "5").replace("two flows", "small queue"))
    made = aqmlab_run("compare", "bulk.toml", "other.toml", "--seeds", "1-6", "--no-report", cwd=link)
    assert made.returncode == 0, made.stderr
    assert "aqmlab report results/compare-two-flows draws its report" in " ".join(made.stdout.split())
    assert "half of the pages" not in made.stdout, "there is nobody to speak of"
    table = pd.read_csv(
        link / "results" / folder_name("compare-two flows") / "comparison.csv", index_col="configuration"
    )
    assert list(table.index) == ["two flows", "small queue"]
    assert not any(column.startswith("page") for column in table.columns)
    lost = "loss_percent.minus_first"
    assert table.loc["small queue", f"{lost}.lower"] <= table.loc["small queue", f"{lost}.mean"]


@pytest.mark.exhaustive
def test_seeds_are_added_until_the_interval_is_narrow(link: Path) -> None:
    asked = ("compare", "link.toml", "--schemes", "drop-tail,red", "--seeds", "1-6")
    short = ("--set", "duration_s=9.0", "--set", "warm_up_s=3.0")
    folder = link / "results" / "compare-web"

    def widths() -> tuple[float, float]:
        """From end to end of the difference in seconds, and of the logarithm of its ratio."""
        table = pd.read_csv(folder / "comparison.csv", index_col="configuration")
        edges = [table.loc["red", f"{LOADED_MEDIAN.name}.minus_first.{edge}"] for edge in ("lower", "upper")]
        level = float(table.loc["drop-tail", f"{LOADED_MEDIAN.name}.mean"])
        lower, upper = (float(edge) for edge in edges)
        return upper - lower, math.log((level + upper) / (level + lower))

    made = aqmlab_run(*asked, *short, "--no-report", cwd=link)
    assert made.returncode == 0, made.stderr
    at_first, log_at_first = widths()
    folder = link / "results" / "compare-web-2"  # the first one stays
    made = aqmlab_run(*asked, *short, "--until-width", str(0.8 * at_first), cwd=link)
    assert made.returncode == 0, made.stderr
    # The width falls with the root of the number, on logarithms: 6 / 0.8^2 is 9.4 for a narrow one.
    assert len(list((folder / "red").iterdir())) == 10
    assert "Means over 10 seeds" in " ".join(made.stdout.split())
    assert "The first 6 seeds decided the number of seeds" in " ".join(made.stdout.split())
    assert "longer runs" not in made.stdout
    # The folder of the comparison, and those of its configurations, tell the same.
    for folders in ([folder], [folder / "drop-tail", folder / "red"]):
        told = aqmlab_run("compare", *map(str, folders), cwd=link)
        assert told.returncode == 0, told.stderr
        assert told.stdout.rstrip() in made.stdout
    assert widths()[1] == pytest.approx(log_at_first * math.sqrt(6.0 / 10.0))
    as_compared = (folder / "report.html").read_text()
    told = aqmlab_run("report", str(folder), cwd=link)
    assert told.returncode == 0, told.stderr
    assert (folder / "report.html").read_text() == as_compared
    together = aqmlab_run("report", str(folder), str(folder / "red"), cwd=link)
    assert together.returncode == 2
    assert "its first seeds decided the number of seeds" in " ".join(together.stderr.split())
    (folder / "first_stage.json").write_text('{"seeds": [2, 3, 4, 5, 6, 7], "width_s": 1.0}')
    others = aqmlab_run("report", str(folder), cwd=link)
    assert others.returncode == 2
    assert "the first in the folder are [1, 2, 3, 4, 5, 6]" in " ".join(others.stderr.split())
    refused = aqmlab_run(*asked, *short, "--until-width", str(at_first / 100.0), cwd=link)
    assert refused.returncode == 2
    needed = re.search(r"needs ([\d,]+) seeds; legal:", " ".join(refused.stderr.split()))
    assert needed
    half = log_at_first / 2.0  # of a width of 2 sinh(half) times the level, of which a hundredth is asked
    expected = 6.0 * (half / math.asinh(math.sinh(half) / 100.0)) ** 2
    assert int(needed[1].replace(",", "")) == pytest.approx(expected, abs=1.0)


def test_a_width_without_users_is_refused_before_any_run(tmp_path: Path) -> None:
    (tmp_path / "bulk.toml").write_text(BULK)
    refused = aqmlab_run(
        "compare", "bulk.toml", "--schemes", "drop-tail,pie", "--until-width", "1", "--quiet", cwd=tmp_path
    )
    assert refused.returncode == 2
    assert "--until-width: two flows has no users" in refused.stderr
    assert "legal: scenarios with users, or a fixed number of seeds" in refused.stderr
    assert list(contents(tmp_path)) == ["bulk.toml"], "nothing was run"


def test_a_width_that_too_few_pages_decide_is_refused_with_the_folder_of_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_few(_: object, __: float) -> int:
        raise TooLittleDataError("too few pages ended")

    monkeypatch.setattr(Comparison, "seeds_for", too_few)
    short = WEB.replace("duration_s = 20.0", "duration_s = 6.5")
    wanted = tmp_path / "wanted"
    aqmlab.compare(short, schemes=["drop-tail", "pie"], seeds=[1], output=wanted)
    with (
        pytest.warns(UserWarning, match="holds another comparison"),
        pytest.raises(ComparisonError, match=r"wanted-2: until_width_s: too few pages ended"),
    ):
        aqmlab.compare(
            short, schemes=["drop-tail", "pi"], seeds=range(1, 7), until_width_s=1.0, output=wanted
        )


def test_runs_are_lengthened_before_seeds_are_added(link: Path) -> None:
    # A second of warm-up and one of cool-down: twelve seconds are measured instead of two.
    edges = ("--set", "duration_s=4.0", "--set", "warm_up_s=1.0", "--set", "cool_down_s=1.0")
    asked = ("compare", "link.toml", "--schemes", "drop-tail,red", "--seeds", "1-6", "--no-report", *edges)
    made = aqmlab_run(*asked, "--until-width", "1000", "--details", cwd=link)
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("runs of 14 s instead of 4 s: longer runs before more seeds\n")
    assert "those that were waited for in the measured 12 s" in " ".join(made.stdout.split())
    folder = link / "results" / "compare-web-14s"
    assert len(list((folder / "red").iterdir())) == 6
    # Shorter runs under the usual name stand beside them.
    made = aqmlab_run(*asked, cwd=link)
    assert made.returncode == 0, made.stderr
    assert "kept in results/compare-web;" in " ".join(made.stdout.split())


@pytest.mark.parametrize(
    ("duration_s", "warm_up_s", "cool_down_s", "becomes_s"),
    [
        (5.9, 1.0, 1.0, 14.0),
        (6.0, 1.0, 1.0, None),
        (20.0, 1.0, 1.0, None),
        (1.0, 0.0, 0.0, None),
        (6.3, 2.1, 0.0, None),  # in binary three times 2.1 is more than 6.3
        (1.2, 0.1, 0.3, None),
        (1.19, 0.1, 0.3, 2.8),
    ],
)
def test_runs_that_measure_twice_their_edges_keep_their_length(
    duration_s: float, warm_up_s: float, cool_down_s: float, becomes_s: float | None
) -> None:
    lengths = {"duration_s": duration_s, "warm_up_s": warm_up_s, "cool_down_s": cool_down_s}
    own = aqmlab.Scenario.from_toml(f"{BULK}start_spread_s = 0.0\n", overrides=lengths)
    assert not list(scheduled(own.resolved))
    if becomes_s is None:
        assert lengthened(own) is own
    else:
        assert lengthened(own).duration_s == pytest.approx(becomes_s)


def test_what_happens_at_an_instant_of_its_own_is_not_lengthened() -> None:
    edges = {"duration_s": 4.0, "warm_up_s": 1.0, "cool_down_s": 1.0}
    assert lengthened(aqmlab.Scenario.from_toml(BULK, overrides=edges)).duration_s == 14.0
    for extra in (
        "start_s = 1.5",
        "stop_s = 3.0",
        "bytes = 100_000",
        "start_spread_s = 2.0",
        "starts_s = [0.5, 2.5]",
        "phases = { each_s = 1.5, flows = [1, 2] }",
    ):
        own = aqmlab.Scenario.from_toml(f"{BULK}{extra}\n", overrides=edges)
        assert list(scheduled(own.resolved)) == ["flows.0"], extra
        assert lengthened(own) is own
    arriving = BULK + "bytes = 100_000\narrivals_hz = 2.0\n"
    assert lengthened(aqmlab.Scenario.from_toml(arriving, overrides=edges)).duration_s == 14.0


def test_a_folder_tells_of_the_seeds_that_were_compared_in_it(link: Path) -> None:
    asked = ("compare", "link.toml", "--schemes", "drop-tail,red", "--set", "duration_s=8.0", "--no-report")
    for seeds, folder in (("1-3", "compare-web"), ("2-3", "compare-web-2")):
        made = aqmlab_run(*asked, "--seeds", seeds, cwd=link)
        assert made.returncode == 0, made.stderr
        told = aqmlab_run("compare", f"results/{folder}", cwd=link)
        assert told.returncode == 0, told.stderr
        assert f"Means over {3 if seeds == '1-3' else 2} seeds" in told.stdout
        assert told.stdout.rstrip() in made.stdout


def test_a_scenario_alone_is_compared_with_itself_under_other_queues(link: Path) -> None:
    made = aqmlab_run("compare", "link.toml", "--seeds", "1", "--no-report", cwd=link)
    assert made.returncode == 0, made.stderr
    own = aqmlab.compare({"own": WEB, "pie": WEB}, seeds=[1], overrides=None)
    found = aqmlab.compare(link / "results" / "compare-web")
    assert found.names == ("as it is", "pie", "fq-codel", "cake")
    assert found.values("as it is", LOADED_MEDIAN).values == own.values("own", LOADED_MEDIAN).values
    assert aqmlab.compare(WEB, seeds=[1]).names == found.names


def test_several_seeds_of_a_run_end_with_one_summary(link: Path) -> None:
    made = aqmlab_run("run", "link.toml", "--seeds", "1-2", "--no-offered-load", cwd=link)
    assert made.returncode == 0, made.stderr
    assert made.stdout.count("busy %") == 2  # of each direction, not their mean
    assert "web, 2 seeds" in made.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "one scenario, perhaps with --schemes"),
        (("link.toml", "bulk.toml", "--schemes", "red,pi"), "one scenario, perhaps with --schemes"),
        (("link.toml", "--schemes", "rod"), "scheme 'rod': unknown"),
        (("link.toml", "--schemes", "red,rod"), "scheme 'rod': unknown"),
        (("link.toml", "--schemes", "red,pi", "--seeds", "1-5", "--until-width", "1"), "needs 6 seeds"),
        (("link.toml", "--schemes", "red,pi", "--until-width", "0"), "not in the range"),
        (("link.toml", "--until-width", "10%"), "10% is no number; legal: seconds, such as 0.5"),
        ((".", ".", "--until-width", "1"), "--until-width adds runs"),
        (("link.toml", "."), ". is a folder"),
        (("nosuch.toml", "--schemes", "red,pi"), "nosuch.toml: there is no such file or folder"),
        (("lnk.toml", "--schemes", "red,pi"), 'there is no such file or folder; did you mean "link.toml"?'),
        ((".", "nosuch"), "nosuch: there is no such file or folder"),
        ((".", "--names", "a,b"), "2 names for 1 folder"),
        (("link.toml", "bulk.toml", "--names", "a,b"), "--names is for folders"),
        (("link.toml", "bulk.toml", "--queues", "left-to-right"), "--queues is of one scenario"),
        (("link.toml", "--schemes", "red,pi", "--queues", "nowhere"), "nowhere"),
        (("link.toml", "--schemes", "red,pi", "--links", "nowhere", "--seeds", "1"), "nowhere"),
    ],
)
def test_what_cannot_be_compared_is_refused(link: Path, arguments: tuple[str, ...], message: str) -> None:
    made = aqmlab_run("compare", *arguments, cwd=link)
    assert made.returncode != 0
    assert message in " ".join(made.stderr.split()), made.stderr
    assert "Traceback" not in made.stderr


def test_folders_are_compared_in_the_words_of_scenarios(link: Path) -> None:
    asked = ("compare", "link.toml", "--schemes", "drop-tail,red", "--seeds", "1-2", "--no-report")
    made = aqmlab_run(*asked, cwd=link)
    base = "results/compare-web"
    told = aqmlab_run("compare", f"{base}/drop-tail", f"{base}/red", cwd=link)
    assert told.returncode == 0, told.stderr
    assert made.stdout.startswith(told.stdout.rstrip())
    again = ("compare", f"{base}/red", f"{base}/drop-tail", "--names", "a,b", "--details")
    turned = aqmlab_run(*again, cwd=link)
    assert "b: half of the pages load in" in turned.stdout


def test_folders_of_runs_without_responses_tell_of_the_link(link: Path) -> None:
    made = aqmlab_run("run", "bulk.toml", "--output", "bulk", cwd=link)
    assert made.returncode == 0, made.stderr
    made = aqmlab_run("compare", "bulk", "bulk", cwd=link)
    assert made.returncode == 0, made.stderr
    assert "link left-to-right" in made.stdout
    assert "pages" not in made.stdout


def test_scenarios_whose_names_would_share_a_folder_are_both_kept(link: Path) -> None:
    for file, name, limit in (("one.toml", "a b", "50"), ("other.toml", "a-b", "5")):
        (link / file).write_text(BULK.replace("two flows", name).replace("50", limit))
    made = aqmlab_run("compare", "one.toml", "other.toml", "--seeds", "1-2", "--no-report", cwd=link)
    assert made.returncode == 0, made.stderr
    kept = [aqmlab.Result.load(file.parent) for file in (link / "results").glob("*/*/*/run.json")]
    told = {(each.scenario["name"], each.scenario["dumbbell"]["queue"]["limit_packets"]) for each in kept}
    assert (len(kept), told) == (4, {("a b", 50), ("a-b", 5)})


def test_a_scenario_given_twice_is_refused(link: Path) -> None:
    made = aqmlab_run("compare", "bulk.toml", "bulk.toml", "--seeds", "1", cwd=link)
    assert (made.returncode, "listed twice" in made.stderr) == (2, True)


def test_folders_of_one_name_are_told_apart(link: Path) -> None:
    for place, limit in (("small", "5"), ("large", "500")):
        setting = f"dumbbell.queue.limit_packets={limit}"
        made = aqmlab_run("run", "link.toml", "--output", f"{place}/pi", "--set", setting, cwd=link)
        assert made.returncode == 0, made.stderr
    made = aqmlab_run("compare", "small/pi", "large/pi", "--details", cwd=link)
    assert "large/pi: half of the pages load in" in made.stdout, made.stderr


def test_a_comparison_refuses_runs_of_another_scenario_in_its_folder(link: Path) -> None:
    short = ("--seeds", "1", "--no-report", "--quiet")
    made = aqmlab_run("compare", "link.toml", "--schemes", "drop-tail,red", *short, cwd=link)
    assert made.returncode == 0, made.stderr
    faster = ("--set", "dumbbell.rate_mbps=4.0", "--quiet", "--no-offered-load")
    made = aqmlab_run("run", "link.toml", *faster, "--output", "results/compare-web/pi", cwd=link)
    assert made.returncode == 0, made.stderr
    for command in (("report",), ("plot", "--what", "cdf")):
        refused = aqmlab_run(*command, "results/compare-web", cwd=link)
        assert refused.returncode == 2
        assert "not of one scenario: dumbbell.rate_mbps" in " ".join(refused.stderr.split())
    # Folders given one by one are drawn, with a warning.
    meant = ("results/compare-web/pi", "results/compare-web/red")
    drawn = aqmlab_run("plot", *meant, "--what", "cdf", cwd=link)
    assert drawn.returncode == 0, drawn.stderr
    message = "warning: Not only the queue differs between RED and PI: dumbbell.rate_mbps 2 instead of 4."
    assert message in " ".join(drawn.stderr.split())


def test_two_rates_are_compared_and_told(link: Path) -> None:
    (link / "fast.toml").write_text(WEB.replace("rate_mbps = 2.0", "rate_mbps = 4.0").replace("web", "fast"))
    made = aqmlab_run("compare", "link.toml", "fast.toml", "--seeds", "1", cwd=link)
    assert made.returncode == 0, made.stderr
    caution = "Not only the queue differs between fast and web: dumbbell.rate_mbps 4 instead of 2."
    assert caution in " ".join(made.stdout.split())
    page = (link / "results" / "compare-web" / "report.html").read_text()
    assert caution in page
    assert "with web: " in page, "whose link stands at the top"
    again = aqmlab_run("report", "results/compare-web", cwd=link)
    assert again.returncode == 0, again.stderr


def test_other_users_are_refused_before_anything_runs(link: Path) -> None:
    for place, sizes in (("a", "100 0.5\n1000 1\n"), ("b", "1000 0.5\n20000 1\n")):
        (link / place).mkdir()
        (link / place / "sizes.cdf").write_text(sizes)
        model = 'model = { model = "unc", response_bytes_cdf_file = "sizes.cdf" }'
        text = WEB.replace("per_side = 150", f"per_side = 150\n{model}").replace("web", place)
        (link / place / "s.toml").write_text(text)
    made = aqmlab_run("compare", "a/s.toml", "b/s.toml", "--seeds", "1-6", cwd=link)
    assert made.returncode == 2
    assert "response_bytes_cdf_file another sizes.cdf instead of sizes.cdf" in " ".join(made.stderr.split())
    assert not (link / "results").exists()


def test_other_traffic_is_no_comparison(link: Path) -> None:
    (link / "back.toml").write_text(
        BULK.replace("left-to-right", "right-to-left").replace("two flows", "back")
    )
    made = aqmlab_run("compare", "bulk.toml", "back.toml", "--seeds", "1", cwd=link)
    assert made.returncode == 2
    said = " ".join(made.stderr.split())
    assert "what else sends: flows.0.direction right-to-left instead of left-to-right" in said


def test_a_limit_of_bytes_is_left_to_a_scheme_that_counts_packets() -> None:
    """The presets of homes limit their queues in bytes; FQ-CoDel counts packets, of which it has 10,240."""
    of_bytes = aqmlab.Scenario.from_toml(
        WEB, overrides={"dumbbell.queue": {"scheme": "drop-tail", "limit_bytes": 90_000}}
    )
    queues = Queues.of(of_bytes)
    by_packets = queues.with_scheme(of_bytes, "fq-codel").resolved["dumbbell"]["queue"]
    assert by_packets["limit_packets"] == 10_240
    assert queues.with_scheme(of_bytes, "pie").resolved["dumbbell"]["queue"]["limit_bytes"] == 90_000
