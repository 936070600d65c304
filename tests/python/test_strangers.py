"""The ledger of measurements by others: its rule on numbers worked by hand, its tables, one small run."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import median

import pytest
from click.testing import CliRunner

import aqmlab
from aqmlab import traffic_control
from aqmlab.cli import commands
from aqmlab.papers import scorecard, strangers
from aqmlab.papers.documents import Conclusion
from aqmlab.papers.strangers import Beside, Measure, Rule, StrangersCell
from aqmlab.runs.executors import Threads
from aqmlab.show.papers import pages
from aqmlab.show.papers.strangers import Strangers

SOURCE = """
title = "two flows"
source = "nobody"
file = "small.csv"
group = "first"

[scenario]
duration_s = 3.0

[scenario.dumbbell]
rate_mbps = 2.0
queue = { scheme = "drop-tail", limit_packets = 20 }

[[scenario.flows]]
name = "first"
count = 1
direction = "left-to-right"
profile = "linux6-cubic"

[[scenario.flows]]
name = "second"
count = 1
direction = "left-to-right"
base_rtt_ms = 20.0
profile = "linux6-cubic"

[factors.first.values]
reno = { "flows.0.host.congestion" = "reno" }
bbr2 = "BBRv2"

[factors.rtt_ms]
key = "flows.0.base_rtt_ms"

[factors.limit]
key = "dumbbell.queue.limit_packets"
times = 10

[measures.share]
title = "share"
of = "share"
published = ["first_mbps", "second_mbps"]
ours = ["goodput_mbps/flows.first", "goodput_mbps/flows.second"]

[switches.slow]
doubt = "The rate is not printed."
overrides = { "dumbbell.rate_mbps" = 1.0 }

[switches.elsewhere]
doubt = "The rate of other cells is not printed."
overrides = { "dumbbell.rate_mbps" = 1.0 }
where = { rtt_ms = "30" }
"""
TABLE = "first,rtt_ms,limit,first_mbps,second_mbps\nreno,20,2,1.0 1.2,0.9 0.7\nbbr2,20,2,1.5,0.4\n"


@pytest.fixture
def source(tmp_path: Path) -> strangers.Source:
    (tmp_path / "small.toml").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "small.csv").write_text(TABLE, encoding="utf-8")
    return strangers.read(tmp_path, "small")


def beside(measure: Measure, row: dict[str, str], ours: list[float], source: strangers.Source) -> Beside:
    return Beside(StrangersCell(source, row), "m", measure, dict(enumerate(ours)), Rule(2.0, 2.0))


def test_a_share_has_the_range_of_the_trials_twice_our_deviation_and_half_a_digit(
    source: strangers.Source,
) -> None:
    """Trials 0.6 and 0.5: mean 0.55, half their range 0.05; ours 0.70 and 0.74: mean 0.72, deviation 0.02828.

    A twentieth more of 6 or of 4 moves 0.6 by 0.0019835 and 0.0029777.
    """
    share = Measure("share", "share", ("a", "b"))
    found = beside(share, {"a": "6.0 5.0", "b": "4.0 5.0"}, [0.70, 0.74], source)
    assert found.published == pytest.approx(0.55)
    assert found.published_spread == pytest.approx(0.05)
    assert found.own_spread == pytest.approx(2 * 0.0282843, rel=1e-5)
    assert found.error == pytest.approx(0.17)
    rounding = (6.05 / 10.05 - 0.6) + (0.6 - 6.0 / 10.05)
    assert found.tolerance == pytest.approx(0.05 + 0.0565685 + rounding, rel=1e-5)
    assert found.inside is False


def test_of_a_mean_with_a_deviation_twice_that_is_allowed(source: strangers.Source) -> None:
    row = {"mbps": "14.00", "mbps_deviation": "0.60"}
    found = beside(Measure("goodput", "value", ("mbps",)), row, [15.2], source)
    assert found.tolerance == pytest.approx(1.2 + 0.005)
    assert found.inside is True
    assert beside(found.measure, row, [15.3], source).inside is False


def test_a_share_moves_with_the_deviations_of_both_flows(source: strangers.Source) -> None:
    """60 and 40 with deviations of 2 and 1: 62 of 102 are 0.6078, 60 of 101 are 0.5941."""
    row = {"a": "60.0", "a_deviation": "2.0", "b": "40.0", "b_deviation": "1.0"}
    share = Measure("share", "share", ("a", "b"))
    found = beside(share, row, [0.62], source)
    assert found.published_spread == pytest.approx(2 * (0.007843 + 0.005941), rel=1e-3)
    assert found.inside is True
    assert beside(share, row, [0.63], source).inside is False


def test_a_round_trip_is_the_mean_of_what_the_sender_takes_for_it(source: strangers.Source) -> None:
    """Samples of each 100 ms that the run recorded itself, of one flow and not of the other."""
    scenario = (
        source.cells[0]
        .scenario(())
        .with_overrides({"record.congestion_window_interval_ms": 100.0, "flows.1.base_rtt_ms": 80.0})
    )
    result = aqmlab.run(scenario, seed=1)
    means = [
        Measure("round trip", "value", (), (f"smoothed_round_trip_ms/flows.{name}",)).of_run(result, {})
        for name in ("first", "second")
    ]
    # 20 and 80 ms of delay, and up to 20 packets of 1,500 bytes at 2 Mbit/s: 120 ms.
    assert 20.0 < means[0] < 145.0
    assert means[1] - means[0] == pytest.approx(60.0, abs=10.0)


def test_buffers_of_pam_are_those_of_the_artifact() -> None:
    """Products of 100 Mbit/s and 10 (2) ms over 1,500 bytes, and a packet; 10,000 in DualPI2."""
    found = {
        (row["buffer_products"], row["other"].endswith("2ms"), row["queue"].startswith("DualPI2")): row[
            "limit_packets"
        ]
        for row in strangers.load("pam2025").rows
    }
    assert {key[:2]: limit for key, limit in found.items() if not key[2]} == {
        ("0.5", False): "42",
        ("2.0", False): "167",
        ("8.0", False): "667",
        ("0.5", True): "9",
        ("2.0", True): "34",
        ("8.0", True): "134",
    }
    assert {limit for key, limit in found.items() if key[2]} == {"10000"}


def test_queues_are_what_the_words_of_linux_mean() -> None:
    """The commands of both artifacts, read by the reader of Linux' words, but for what was learnt of PIE.

    Set-ups were fixed before the runs: Linux' own way with high probabilities is a switch.
    """
    as_fixed: dict[str, dict[str, object]] = {
        "pie": {"high_delay_step": False, "largest_probability": 1.0},
        # As many packets as may wait in all queues never wait in one before the limit of all is reached.
        "linux-fq": {"flow_limit_packets": 1000},
    }
    commands = {
        ("pam2025", "Codel"): "codel limit 42 target 5ms interval 100ms ecn",
        ("pam2025", "Codel_drop"): "codel limit 42 target 5ms interval 100ms noecn",
        ("pam2025", "pie_drop, 1 ms"): "pie limit 9 target 1ms noecn",
        ("pam2025", "FQ_Codel"): "fq_codel limit 42 target 5ms interval 100ms ecn",
        ("pam2025", "FQ"): "fq limit 42 flow_limit 42 ce_threshold 5ms",
        ("pam2025", "FQ, 1 ms"): "fq limit 9 flow_limit 9 ce_threshold 1ms",
        ("pam2025", "FQ_Codel_L4S beside ECT(0)"): (
            "fq_codel limit 42 target 5ms interval 100ms ecn ce_threshold 1ms ce_threshold_selector 0x01/0x01"
        ),
        ("pam2025", "DualPI2"): "dualpi2 target 5ms",
        ("l4s-tests", "fq_codel(1q,1ms/20ms)"): "fq_codel flows 1 target 1ms interval 20ms",
        ("l4s-tests", "pie"): "pie ecn",
        ("l4s-tests", "pie(100p/5ms)"): "pie limit 100 target 5ms tupdate 32ms alpha 2 beta 20 ecn",
    }
    for (name, queue), command in commands.items():
        cells = [each for each in strangers.load(name).cells if each.row["queue"] == queue]
        scenario = next(each for each in cells if not each.not_modelled).scenario(())
        read = traffic_control.read(command)
        fixed = as_fixed.get(read.scheme, {})
        queue_read = {"scheme": read.scheme, **read.parameters, **fixed}
        own = scenario.with_overrides({"dumbbell.queue": queue_read})
        assert scenario.resolved["dumbbell"]["queue"] == own.resolved["dumbbell"]["queue"], queue


@pytest.mark.parametrize(
    ("of", "values", "made"),
    [
        ("share", [1, 3], 0.25),
        ("sum", [1, 3], 4),
        ("jain", [1, 3], 0.8),
        ("value", [3], 3),
        ("resent", [20], 25),
    ],
)
def test_what_is_made_of_numbers(of: str, values: list[float], made: float) -> None:
    assert strangers.MAKES[of](values) == pytest.approx(made)


def test_a_cell_is_run_with_its_factors_and_another_is_counted(source: strangers.Source) -> None:
    reno, bbr2 = source.cells
    assert bbr2.not_modelled == ("BBRv2",)
    resolved = reno.scenario(()).resolved
    assert resolved["flows"][0]["host"]["congestion"] == "reno"
    assert resolved["flows"][0]["base_rtt_ms"] == 20.0
    assert resolved["dumbbell"]["queue"]["limit_packets"] == 20
    assert reno.scenario(["slow"]).resolved["dumbbell"]["rate_mbps"] == 1.0
    assert reno.scenario(["elsewhere"]).resolved["dumbbell"]["rate_mbps"] == 2.0


def test_ours_stand_beside_theirs_and_in_the_scorecard(source: strangers.Source, tmp_path: Path) -> None:
    found = strangers.compare_with(
        [source], [1, 2], executor=Threads(2), store=tmp_path / "runs", progress=False
    )
    ran, counted = found
    assert [*ran.ours] == [1, 2]
    assert all(0.0 < each < 1.0 for each in ran.ours.values())
    run = aqmlab.run(source.cells[0].scenario(()), seed=2)
    first, second = (run.value(f"goodput_mbps/flows.{name}") for name in ("first", "second"))
    assert ran.ours[2] == first / (first + second)
    assert counted.ours == {}
    assert counted.inside is None
    card = [*strangers.scored(found, "quick", "1")]
    assert [each.conclusion == Conclusion.NOT_RUN for each in card] == [False, True]
    assert card[1].verdict == "not modelled: BBRv2"
    assert {each.of: each.conclusions.total() for each in scorecard.counted(card)} == {
        scorecard.CAN_FAIL: 1,
        scorecard.NOT_MODELLED: 1,
    }
    (study,) = pages.studies_of(card)
    assert len(study.rows) == 1
    assert study.page == "strangers.md"
    shown = Strangers(found, "quick", {})
    assert "BBRv2 (1)" in str(shown)
    assert {*shown.to_pandas()["seed"].dropna()} == {1, 2}


def test_every_shipped_cell_has_a_legal_scenario_or_a_reason() -> None:
    cells = {name: strangers.load(name).cells for name in strangers.source_names()}
    for own in cells.values():
        for cell in own:
            assert cell.not_modelled or cell.scenario(()).duration_s > 0.0
    modelled = {name: sum(not cell.not_modelled for cell in own) for name, own in cells.items()}
    assert {name: len(own) for name, own in cells.items()} == {
        "l4s-tests": 120,
        "pam2025": 529,
        "ifip2025": 84,
        "ifip2025-many": 41,
        "cake-flowiso": 34,
        "kernel": 198,
    }
    assert modelled == {
        "l4s-tests": 96,
        "pam2025": 528,
        "ifip2025": 84,
        "ifip2025-many": 41,
        "cake-flowiso": 14,
        "kernel": 198,
    }


def test_every_switch_is_legal_in_every_cell_of_its_source() -> None:
    for name in strangers.source_names():
        source = strangers.load(name)
        for switch in source.switches:
            for cell in source.cells:
                assert cell.not_modelled or cell.scenario([switch])


def test_the_command_counts_what_is_not_modelled_and_writes_all_cells(tmp_path: Path) -> None:
    command = [
        "reproduce",
        "strangers",
        "--source",
        "cake-flowiso",
        "--seeds",
        "1",
        "--output",
        str(tmp_path / "out"),
    ]
    result = CliRunner().invoke(commands, command)
    assert result.exit_code == 0, result.output
    assert "FQ-CoDel hashed" in result.output
    with (tmp_path / "out" / "cells.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == 2 * 34
    assert sum(row["inside"] == "" for row in rows) == 2 * 20
    assert scorecard.read(tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["strangers", "--source", "pam2024"], '"pam2025"'),
        (["strangers", "--scale", "huge"], "quick"),
        (["strangers", "--source", "ifip2025", "--switch", "drafts"], '"draft"'),
        (["strangers", "--loads", "90"], "--seeds"),
        (["le2003", "--source", "pam2025"], "strangers"),
    ],
)
def test_mistakes_name_what_is_legal(options: list[str], told: str) -> None:
    result = CliRunner().invoke(commands, ["reproduce", *options])
    assert result.exit_code == 2
    assert told in result.output


def test_a_misspelt_ledger_or_study_is_told_the_nearest() -> None:
    for misspelt, meant in (("stranger", "strangers"), ("le2030", "le2003"), ("All", "all")):
        refused = CliRunner().invoke(commands, ["reproduce", misspelt])
        assert (refused.exit_code, f'did you mean "{meant}"?' in refused.output) == (2, True), refused.output


def test_a_value_that_means_nothing_is_refused_with_its_table(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "small.csv").write_text(TABLE.replace("reno,", "renoo,"), encoding="utf-8")
    with pytest.raises(aqmlab.ExperimentError, match=r"small\.csv: .*renoo.*reno"):
        strangers.read(tmp_path, "small")


@pytest.mark.parametrize("kept", ["quick.csv", "kernel-quick.csv"])
def test_the_page_says_what_the_kept_run_says(kept: str) -> None:
    """Counts of each source and the medians of shares, worked out anew from the kept numbers."""
    root = Path(__file__).parents[2]
    page = (root / "docs" / "explanation" / "strangers.md").read_text(encoding="utf-8")
    with (root / "python/aqmlab/experiments" / "strangers" / kept).open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    for row in rows:
        error, tolerance = abs(float(row["error"])), float(row["tolerance"])
        ours, published = float(row["ours"]), float(row["published"])
        assert error == pytest.approx(abs(ours - published), abs=2e-3 * max(1.0, abs(ours)))
        if error != pytest.approx(tolerance, rel=0.01):
            assert (row["inside"] == "yes") == (error <= tolerance)
    inside = sum(row["inside"] == "yes" for row in rows)
    assert f"{inside} of their {len(rows)} numbers" in " ".join(page.split())
    for source in {row["source"] for row in rows}:
        shares = [
            row for row in rows if row["source"] == source and row["measure"] in ("share", "jain_index")
        ]
        held = sum(row["inside"] == "yes" for row in shares)
        error = median(abs(float(row["error"])) for row in shares)
        line = next(each for each in page.splitlines() if each.startswith(f"| `{source}` | all"))
        assert f"| {len(shares)} | {error:.3f} | {held} of {len(shares)} |" in line


def test_options_of_studies_are_refused_by_name_and_the_ledger_is_listed() -> None:
    runner = CliRunner()
    refused = runner.invoke(commands, ["reproduce", "strangers", "--cells", "x", "--loads", "90"])
    assert refused.exit_code == 2
    assert "--cells, --loads: not of strangers" in refused.output
    refused = runner.invoke(commands, ["reproduce", "sfa", "--source", "pam2025"])
    assert refused.exit_code == 2
    assert "not of sfa" in refused.output
    assert "  strangers  " in runner.invoke(commands, ["list"]).output
