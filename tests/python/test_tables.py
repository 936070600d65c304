import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from scipy.special import stdtr, stdtrit

from altered_experiment import altered_experiment
from aqmlab.inference import Interval, NotEnoughReplications
from aqmlab.papers import experiments, scorecard
from aqmlab.papers.frame import Agreement, Number, Row, frame_of, published_rows
from aqmlab.papers.published import NOT_KEPT, AtLength, PublishedTable
from aqmlab.papers.study import Study
from aqmlab.papers.tables import published, runs
from aqmlab.papers.tables.published import best_settings, caption, fill
from aqmlab.papers.tables.runs import ablations
from aqmlab.show.objects.sweep import endings
from aqmlab.show.tables.render import as_plain_text, parts_within, to_html, to_terminal
from aqmlab.statistics import ResponseTimes
from aqmlab.statistics.quantities import quantity
from aqmlab.tables import save, to_csv
from aqmlab.tables.model import Column, Table, TableCell, named, number
from synthetic_results import SyntheticResult, exchange_times, synthetic_result, synthetic_study

CHRISTIANSEN = experiments.load("christiansen2000")
SECONDS = 120.0
NINETY_MINUTES = 5400.0


def cell_rows(study: Study, table: PublishedTable | None = None) -> list[Row]:
    """The numbers of a table's cells, by default of the first."""
    return frame_of(study, table or study.experiment.published.tables[0])


def read(table: Table) -> list[dict[str, str]]:
    """The rows of a table as its CSV has them."""
    return list(csv.DictReader(io.StringIO(to_csv(table))))


def as_published(
    name: str, load: float, seed: int, *, loss_percent: float, completed: float, mbps: float
) -> SyntheticResult:
    """A result with exactly these numbers in the table's units."""
    del name, load
    return synthetic_result(
        seed=seed,
        times_s=exchange_times(seed, size=500),
        completed=round(completed * 1e6 * SECONDS / NINETY_MINUTES),
        arrived=(1_000_000, 1_000_000),
        discarded=(round(loss_percent * 1e4), round(loss_percent * 1e4)),
        throughput_mbps=(mbps - 2.0, mbps + 2.0),
    )


def pi_24_at_98(
    *, loss: float = 3.9, completed: float = 15.1, mbps: float = 89.3, replications: int = 8
) -> Study:
    """The paper's cell: 3.9 % loss, 15.1 million completed, 89.3 Mbit/s."""

    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        if (name, load) != ("pi-24", 98.0):
            return None
        return as_published(name, load, seed, loss_percent=loss, completed=completed, mbps=mbps)

    return synthetic_study(make, replications=replications)


def test_numbers_equal_to_the_papers_are_within_tolerance() -> None:
    (row,) = cell_rows(pi_24_at_98())
    assert row.within is True
    for entry in row.numbers.values():
        assert entry.difference == pytest.approx(0.0, abs=1e-3)
    assert row.numbers["throughput_mbps"].by_link == pytest.approx(
        {"left-to-right": 87.3, "right-to-left": 91.3}
    )


@pytest.mark.parametrize(
    ("changed", "quantity", "within"),
    # Tolerances: throughput 1.5 Mbit/s, completed 3 % of 15.1 = 0.453, loss 25 % of 3.9 = 0.975 points.
    [
        ({"mbps": 90.75}, "throughput_mbps", True),
        ({"mbps": 90.85}, "throughput_mbps", False),
        ({"completed": 15.5}, "completed_millions", True),
        ({"completed": 15.6}, "completed_millions", False),
        ({"loss": 4.8}, "loss_percent", True),
        ({"loss": 2.9}, "loss_percent", False),
    ],
)
def test_the_tolerance_is_the_border(changed: dict[str, float], quantity: str, within: bool) -> None:
    (row,) = cell_rows(pi_24_at_98(**changed))  # type: ignore[arg-type]
    assert row.numbers[quantity].within is within
    assert row.within is within


def judged(study: Study, **changes: object) -> Row:
    """The only row of table 2, where the table asks for something else."""
    table = replace(study.experiment.published.table("2"), **changes)  # type: ignore[arg-type]
    (row,) = cell_rows(study, table)
    return row


NEAR = {"loss_percent": 3.7, "completed_millions": 15.2, "throughput_mbps": 89.0}
FAR = {**NEAR, "throughput_mbps": 95.0}


@pytest.mark.parametrize(
    ("mbps", "least_window_s", "at_length", "expected"),
    [
        (89.3, 0.0, None, Agreement.WITHIN),
        (95.0, 0.0, None, Agreement.DIFFERS),
        (95.0, 0.0, NEAR, Agreement.DIFFERS),  # a window that is long enough is judged by itself
        (89.3, 121.0, None, Agreement.WITHIN),
        (95.0, 121.0, None, Agreement.SCALE_CANNOT_JUDGE),
        (95.0, 120.0, None, Agreement.DIFFERS),
        (95.0, 121.0, NEAR, Agreement.SCALE),
        (95.0, 121.0, FAR, Agreement.DIFFERS),
        (89.3, 121.0, NEAR, Agreement.WITHIN),
        (89.3, 121.0, FAR, Agreement.WITHIN_HERE_ALONE),
    ],
)
def test_a_short_window_does_not_show_that_the_networks_differ(
    mbps: float, least_window_s: float, at_length: dict[str, float] | None, expected: Agreement
) -> None:
    known = AtLength("", "today", {} if at_length is None else {("pi-24", 98.0): at_length})
    row = judged(pi_24_at_98(mbps=mbps), least_window_s=least_window_s, least_warm_up_s=0.0, at_length=known)
    assert row.agreement is expected
    (line,) = read(published.table_of([row]))
    assert line["agreement"] == str(expected)


def test_a_window_that_begins_too_soon_does_not_judge_either() -> None:
    study = pi_24_at_98(mbps=95.0)
    (result, *_) = study.results("pi-24", 98.0)
    begins_s = float(result.run["measured_from_s"])
    late = judged(study, least_window_s=0.0, least_warm_up_s=begins_s, at_length=NOT_KEPT)
    soon = judged(study, least_window_s=0.0, least_warm_up_s=begins_s + 1.0, at_length=NOT_KEPT)
    assert late.agreement is Agreement.DIFFERS
    assert soon.agreement is Agreement.SCALE_CANNOT_JUDGE


def test_cells_that_an_input_was_chosen_by_are_marked_and_counted_apart() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        if name not in ("pi-24", "pi-240") or load not in (90.0, 98.0, 105.0):
            return None
        wanted = experiments.load("le2003").published.table("2").rows[name, load].values
        loss, completed, mbps = (wanted[each] for each in NEAR)
        return as_published(name, load, seed, loss_percent=loss, completed=completed, mbps=mbps)

    rows = cell_rows(synthetic_study(make))
    marked = {row.cell: row.in_sample for row in rows}
    assert marked["pi-24", 90.0] == marked["pi-24", 98.0] == ("transmit ring",)
    assert not any(marked[cell] for cell in marked if cell[0] == "pi-240" or cell[1] == 105.0)
    told = "in-sample (†: transmit ring fitted to published numbers of the cell) 2 of 2, others 4 of 4"
    assert told in caption(rows)
    assert "PI 24 †" in to_html(published.table_of(rows))


def test_the_load_really_offered_is_that_of_the_uncongested_network_with_the_same_users() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        if load != 98.0 or name not in ("uncongested", "pi-24"):
            return None
        mbps = (96.0 + seed, 98.0 + seed) if name == "uncongested" else (80.0, 80.0)
        return synthetic_result(seed=seed, times_s=exchange_times(seed, size=500), throughput_mbps=mbps)

    study = synthetic_study(make, replications=3)
    # Means of the directions: 98, 99 and 100 of 100 Mbit/s.
    assert [row.realised_percent for row in cell_rows(study)] == pytest.approx([99.0, 99.0])
    table = to_html(published.table_of(cell_rows(study)))
    assert "<td>99.0 %</td>" in table
    alone = replace(study, cells={cell: runs for cell, runs in study.cells.items() if cell[0] == "pi-24"})
    assert [row.realised_percent for row in cell_rows(alone)] == [None]


def at_length_in(file: str, tmp_path: Path) -> AtLength:
    shipped = 'at_length = { file = "replications_at_length.csv", '
    folder = altered_experiment("le2003", tmp_path, shipped, 'at_length = { file = "long.csv", ')
    (folder / "long.csv").write_text(file)
    return experiments.read(folder).published.table("2").at_length


def test_our_numbers_at_the_papers_length_are_read_from_the_runs_that_a_reproduction_lists(
    tmp_path: Path,
) -> None:
    file = save(runs.replications(pi_24_at_98(loss=3.7, mbps=89.0, replications=2)), tmp_path / "runs.csv")
    assert [line.split(",")[:3] for line in file.read_text().splitlines()] == [
        ["cell", "load_percent", "seed"],
        ["pi-24", "98.0", "1"],
        ["pi-24", "98.0", "2"],
    ]
    known = at_length_in(file.read_text(), tmp_path)
    assert known.values.keys() == {("pi-24", 98.0)}
    assert known.values["pi-24", 98.0] == pytest.approx(
        {"loss_percent": 3.7, "completed_millions": 15.1, "throughput_mbps": 89.0}, rel=1e-3
    )


def test_seeds_of_several_days_are_averaged(tmp_path: Path) -> None:
    head = "cell,load_percent,seed,loss_percent,completed_millions,throughput_mbps\n"
    known = at_length_in(
        head + "pi-24,98,1,3.0,15.0,88.0\npi-24,98,2,4.0,15.2,89.0\npi-24,90,1,1,14,87\n", tmp_path
    )
    assert known.values["pi-24", 98.0] == {
        "loss_percent": 3.5,
        "completed_millions": pytest.approx(15.1),
        "throughput_mbps": 88.5,
    }
    assert known.values["pi-24", 90.0]["loss_percent"] == 1.0


def test_runs_without_a_tables_quantities_are_none_of_its_runs(tmp_path: Path) -> None:
    head = "cell,load_percent,seed,loss_percent,completed_millions,throughput_mbps\n"
    known = at_length_in(head + "pi-24,98,1,3.0,15.0,88.0\nuncongested,98,1,,,\n", tmp_path)
    assert known.values == {
        ("pi-24", 98.0): {"loss_percent": 3.0, "completed_millions": 15.0, "throughput_mbps": 88.0}
    }


def test_a_row_of_two_runs_counts_twice(tmp_path: Path) -> None:
    head = "cell,load_percent,replications,loss_percent,completed_millions,throughput_mbps\n"
    known = at_length_in(head + "pi-24,98,2,3.0,15.0,88.0\npi-24,98,1,6.0,15.3,89.5\n", tmp_path)
    assert known.values["pi-24", 98.0] == pytest.approx(
        {"loss_percent": 4.0, "completed_millions": 15.1, "throughput_mbps": 88.5}
    )


def test_from_six_replications_on_there_are_intervals() -> None:
    (row,) = cell_rows(pi_24_at_98(replications=6))
    assert isinstance(row.numbers["loss_percent"].ours, Interval)
    (row,) = cell_rows(pi_24_at_98(replications=5))
    assert isinstance(row.numbers["loss_percent"].ours, NotEnoughReplications)
    assert row.within is True
    assert "too few for intervals" in caption([row])


def test_what_was_not_published_is_neither_inside_nor_outside() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        return synthetic_result(seed=seed) if name == "red-24" and load == 90.0 else None

    (row,) = cell_rows(synthetic_study(make))
    assert row.within is None
    assert published_rows([row]) == []


def test_the_csv_holds_ours_the_papers_and_both_directions() -> None:
    (line,) = read(published.table_of(cell_rows(pi_24_at_98(loss=4.9))))
    assert line["cell"] == "pi-24"
    assert float(line["loss_percent"]) == pytest.approx(4.9)
    assert float(line["loss_percent_published"]) == 3.9
    assert float(line["loss_percent_difference"]) == pytest.approx(1.0)
    assert line["loss_percent_within"] == "False"
    assert line["realised_load_percent"] == ""
    assert float(line["throughput_mbps_left-to-right"]) == pytest.approx(87.3)


def test_the_table_for_people_shows_ours_beside_the_papers() -> None:
    rows = [judged(pi_24_at_98(mbps=95.0), least_window_s=0.0, least_warm_up_s=0.0)]
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(to_terminal(published.table_of(rows), title="Table 2"))
    text = console.export_text()
    assert "PI 24" in text
    assert "95.0±0.0" in text
    assert "+5.7" in text
    assert "0 of 1 cells within tolerance" in text
    assert 'class="outside">+5.7' in to_html(published.table_of(rows))


def test_html_shows_names_as_they_are() -> None:
    (row,) = cell_rows(pi_24_at_98())
    hostile = replace(row, label="<script>")
    assert "<script>" not in to_html(published.table_of([hostile]))


def test_an_empty_table_is_still_a_table() -> None:
    assert to_csv(published.table_of([])).count("\n") == 1
    assert "0 of 0 cells" in caption([])


def test_an_entry_without_a_published_value_has_no_difference() -> None:
    entry = Number(quantity("loss_percent"), NotEnoughReplications(have=2, mean=1.0))
    assert entry.difference is None
    assert entry.within is None


def test_an_ablation_is_compared_with_what_it_changes() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        timeouts = {"ared-24": 0.2, "ared-24-bytes": 0.05}.get(name)
        if timeouts is None or load != 98.0:
            return None
        return synthetic_result(seed=seed, times_s=exchange_times(seed, timeouts=timeouts))

    (row,) = read(ablations(synthetic_study(make)))
    assert (row["cell"], row["against"]) == ("ARED 24, byte mode", "ARED 24")
    assert row["verdict"] == "better"
    # 15 % of exchanges lose a second, as far as they end within two.
    mean = float(row["restricted_mean_difference_ms"])
    assert mean == pytest.approx(-150.0, abs=15.0)
    assert float(row["lower_ms"]) < mean < float(row["upper_ms"])


def test_levels_of_an_ablation_stand_beside_those_of_its_base_and_of_the_paper() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        lost = {"ared-24": 5.5, "ared-24-bytes": 4.2}.get(name)
        if lost is None or load != 98.0:
            return None
        return as_published(name, load, seed, loss_percent=lost, completed=14.5, mbps=88.0)

    (line,) = read(ablations(synthetic_study(make)))
    found = [float(line[f"loss_percent{part}"]) for part in ("", "_base", "_published")]
    assert found == pytest.approx([4.2, 5.5, 4.1])
    assert float(line["completed_millions_published"]) == 14.0


# ------------------------------------------ single runs and best settings, of the 2000 study

RUNS_KBPS = (1070.0, 1075.0, 1080.0, 1085.0, 1090.0, 1095.0)


def table_3(kilobytes_per_s: Sequence[float] = RUNS_KBPS, *, loss: float = 0.8) -> Study:
    """RED 30/90 at 90 %, where the paper has 1,079 KB/s and a drop ratio of 0.8 %."""

    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        if (name, load) != ("red-30-90", 90.0):
            return None
        return synthetic_result(
            seed=seed,
            users=(0, 3060),
            times_s=exchange_times(seed, median_s=0.266),
            throughput_mbps=(kilobytes_per_s[seed - 1] * 8192 / 1e6, 0.5),
            arrived=(100_000, 1),
            discarded=(round(loss * 1000), 0),
            queue_packets=(20.2, 0.0),
        )

    return synthetic_study(make, replications=len(kilobytes_per_s), loads=(90.0,), name="christiansen2000")


def test_a_published_single_run_is_scored_by_the_scatter_of_our_runs() -> None:
    (row,) = cell_rows(table_3(), CHRISTIANSEN.published.table("3"))
    entry = row.numbers["throughput_kilobytes_per_s"]
    # Mean 1082.5, s = sqrt(87.5); (1082.5 - 1079) / (s sqrt(7/6)) = 0.3464 with 5 degrees of freedom.
    assert entry.mean == pytest.approx(1082.5)
    assert entry.scatter is not None
    assert entry.scatter.standard_deviation == pytest.approx(87.5**0.5)
    assert entry.p_value == pytest.approx(2.0 * stdtr(5, -3.5 / (87.5 * 7.0 / 6.0) ** 0.5))
    assert entry.like_a_run is True
    assert entry.within is True


def test_tolerance_and_scatter_are_two_questions() -> None:
    # A mean 40 off is outside 3 % of 1,079, but runs that scatter by 70 may well show it; and the reverse.
    far_and_wide = tuple(1119.0 + 30.0 * step for step in (-3, -2, -1, 1, 2, 3))
    (row,) = cell_rows(table_3(far_and_wide), CHRISTIANSEN.published.table("3"))
    entry = row.numbers["throughput_kilobytes_per_s"]
    assert (entry.like_a_run, entry.within) == (True, False)
    near_and_narrow = tuple(1090.0 + 0.5 * step for step in (-3, -2, -1, 1, 2, 3))
    (row,) = cell_rows(table_3(near_and_narrow), CHRISTIANSEN.published.table("3"))
    entry = row.numbers["throughput_kilobytes_per_s"]
    assert (entry.like_a_run, entry.within) == (False, True)


def test_a_row_as_a_whole_allows_for_how_many_numbers_it_has() -> None:
    (row,) = cell_rows(table_3(), CHRISTIANSEN.published.table("3"))
    throughput = row.numbers["throughput_kilobytes_per_s"]
    assert throughput.scatter is not None
    quantile = stdtrit(5, 1.0 - 0.03 / 2.0)
    p_3_percent = throughput.mean + quantile * throughput.scatter.standard_deviation * (7.0 / 6.0) ** 0.5
    one = replace(throughput, published=p_3_percent)
    assert one.like_a_run is False
    assert replace(row, numbers={"a": one}).like_a_run is False
    sure = replace(throughput, published=throughput.mean)
    assert replace(row, numbers={"a": one, "b": sure}).like_a_run is True


def test_too_few_replications_do_not_score_single_runs() -> None:
    (row,) = cell_rows(table_3(RUNS_KBPS[:5]), CHRISTIANSEN.published.table("3"))
    assert row.like_a_run is None
    assert "too few to score single runs (6 are needed)" in published.caption_of_runs([row])


def test_single_runs_are_printed_with_their_scatter_and_both_marks() -> None:
    (filled,) = (each for each in fill(table_3(loss=2.0)) if each.published.identifier == "3")
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(to_terminal(filled.table, title=filled.heading))
    text = console.export_text()
    for expected in (
        "table 3: ours and the paper",
        "1082±9",
        "1070–1095",
        "1079 ✓✓",
        "0.8 ✗✗",
        "20.2 ✓✓",
    ):
        assert expected in text
    assert "1079 ✓✓" in to_html(filled.table)
    (line,) = read(filled.table)
    assert float(line["throughput_kilobytes_per_s_run_deviation"]) == pytest.approx(87.5**0.5)
    assert float(line["throughput_kilobytes_per_s_run_minimum"]) == pytest.approx(1070.0)
    assert float(line["throughput_kilobytes_per_s_published_p"]) > 0.05
    assert line["loss_percent_within"] == "False"


def settings(medians_s: dict[str, float], *, replications: int = 6) -> Study:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        if name not in medians_s or load != 98.0:
            return None
        return synthetic_result(
            seed=seed, users=(0, 3332), times_s=exchange_times(seed, median_s=medians_s[name])
        )

    return synthetic_study(make, replications=replications, loads=(98.0,), name="christiansen2000")


def test_the_papers_best_setting_is_ranked_among_ours() -> None:
    study = settings({"red-5-90-w128-p20": 0.3, "red-30-90": 0.2, "red-5-15": 0.5})
    (row,) = read(best_settings(study, CHRISTIANSEN.published.table("4")))
    assert (row["cell"], row["criterion"]) == ("red-5-90-w128-p20", "best overall response")
    assert (row["place"], row["candidates"], row["best_cell"]) == ("2", "3", "red-30-90")
    assert row["verdict"] == "worse than our best"
    assert float(row["lower"]) > 0.0
    medians = [ResponseTimes.quantile(times, 0.5) for times in study.times("red-5-90-w128-p20", 98.0)]
    assert float(row["median_response_ms"]) == pytest.approx(1000.0 * sum(medians) / 6)
    (filled,) = (each for each in fill(study) if each.published.identifier == "4")
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(to_terminal(filled.table, title="t"))
    assert "1 worse than our best" in filled.table.caption
    assert "2/3" in console.export_text()
    assert "worse than our best, RED 30/90" in to_html(filled.table)
    (line,) = read(filled.table)
    assert (line["best_cell"], line["decided_by"]) == ("red-30-90", "restricted_mean_response_ms")


def test_a_setting_may_be_our_best_too_and_too_few_replications_do_not_tell() -> None:
    def verdict(study: Study) -> tuple[str, str]:
        (row,) = read(best_settings(study, CHRISTIANSEN.published.table("4")))
        return row["place"], row["verdict"]

    both = settings({"red-5-90-w128-p20": 0.2, "red-30-90": 0.3})
    assert verdict(both) == ("1", "our best too")
    assert verdict(settings({"red-5-90-w128-p20": 0.2})) == ("1", "no other setting was run")
    few = settings({"red-5-90-w128-p20": 0.3, "red-30-90": 0.2}, replications=3)
    assert verdict(few) == ("2", "too few replications")


def test_another_reading_of_a_row_is_an_ablation_and_stands_in_a_table_of_its_own() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        users = {"red-30-90": 3060, "red-30-90-frames": 2970, "red-30-90-clip": 3060}.get(name)
        if users is None or load != 90.0:
            return None
        model = {"model": "clip" if name == "red-30-90-clip" else "mah"}
        return synthetic_result(
            seed=seed, users=(0, users), times_s=exchange_times(seed), users_settings=model
        )

    study = synthetic_study(make, replications=6, loads=(90.0,), name="christiansen2000")
    assert [row["cell"] for row in read(ablations(study))] == [
        "RED 30/90, load in frames",
        "RED 30/90, think times clipped",
    ]
    tables = {each.published.identifier: [row.cell[0] for row in each.rows] for each in fill(study)}
    assert tables["3"] == ["red-30-90"]
    assert tables["3-other-readings"] == ["red-30-90-frames", "red-30-90-clip"]
    # The scorecard counts a number of the paper once, not again for each of its other readings.
    numbers = scorecard.scored(study, fill(study), outcomes=())
    assert [(each.name, each.kind) for each in numbers] == [("RED 30/90 at 90 %", scorecard.NUMBER)] * 8


def test_a_row_has_its_values_by_name_in_print_and_for_programs() -> None:
    columns = [named("who", "who"), named("share", "share", form=".1f", unit=" %"), named("why")]
    rows: list[dict[str, Any]] = [
        {"who": "a", "share": 12.345, "why": "b"},
        {"who": "c", "share": None, "why": None},
    ]
    table = Table.of(rows, columns)
    assert to_csv(table) == "who,share,why\na,12.345,b\nc,,\n"
    lines = [line.split() for line in as_plain_text(table, width=80).splitlines() if line.strip()]
    assert lines[0] == ["who", "share"]
    assert lines[-2:] == [["a", "12.3", "%"], ["c", "–"]]


def test_an_interval_in_another_unit_is_the_same_interval() -> None:
    assert Interval(0.5, 0.25, 1.0, 6).scaled(1000.0) == Interval(500.0, 250.0, 1000.0, 6)
    assert NotEnoughReplications(have=2, mean=0.5).scaled(1000.0).mean == 500.0
    assert NotEnoughReplications(have=2).scaled(1000.0).mean is None


def _power(item: int, place: int) -> TableCell:
    return number(item * 1000.0**place, ".1f")


@pytest.mark.parametrize("width", [30, 44, 80, 200])
def test_a_wide_table_is_cut_into_parts_that_a_terminal_has_room_for(width: int) -> None:
    columns: list[Column[int]] = [
        Column("point", lambda item: number(item, "d"), "point"),
        *(Column(f"c{place}", partial(_power, place=place), f"column {place}") for place in range(5)),
    ]
    table = Table.of([1, 2, 3], columns, title="above", caption="below")
    parts = parts_within(table, width)
    shown = [as_plain_text(part, width=width) for part in parts]
    assert not any("…" in each for each in shown)
    assert max(len(line.rstrip()) for each in shown for line in each.splitlines()) <= width
    # Each column once, in order; the first in every part.
    assert [column.name for part in parts for column in part.columns[1:]] == [
        f"c{place}" for place in range(5)
    ]
    assert {part.columns[0].name for part in parts} == {"point"}
    assert (parts[0].title, {part.caption for part in parts}) == ("above", {""})
    # As few parts as can be, tried in all ways of cutting: a column takes its longest text, two characters
    # stand between two columns, and two at the edges.
    widths = [max(len(column.title), *(len(row[at].lines[0].text) for row in table.rows))
              for at, column in enumerate(columns)]  # fmt: skip
    fits = [
        [sum(widths[at] + 2 for at in (0, *range(a, b))) + 2 <= width for b in range(1, 7)]
        for a in range(1, 6)
    ]
    least = min(
        len(cuts) + 1
        for count in range(5)
        for cuts in combinations(range(2, 6), count)
        if all(fits[a - 1][b - 1] for a, b in pairwise((1, *cuts, 6)))
    )
    assert len(parts) == least


def test_a_terminal_shows_of_whom_columns_are_above_their_heads() -> None:
    def column(group: str, title: str) -> Column[int]:
        return Column(title, lambda item: number(item, "d"), title, group=group, stacked=bool(group))

    table = Table.of([7], [column("", "point"), column("game-up (UDP)", "loss %"), column("", "seed")])
    lines = [line for line in as_plain_text(table, width=80).splitlines() if line.strip()]
    above, heads, _, row = (line.split() for line in lines)
    assert (above, heads, row) == (["game-up", "(UDP)"], ["point", "loss", "%", "seed"], ["7", "7", "7"])
    # "point" takes 5 columns, "game-up (UDP)" 13, "seed" 4; two are between them, and one at each edge.
    assert [len(parts_within(table, width)) for width in (28, 27)] == [1, 2]


def test_keys_are_called_by_as_little_as_tells_them_apart() -> None:
    assert endings(["users.right", "dumbbell.queue.max_p"]) == ["right", "max_p"]
    two = ["dumbbell.queue.limit_packets", "dumbbell.queue_right_to_left.limit_packets"]
    assert endings(two) == ["queue.limit_packets", "queue_right_to_left.limit_packets"]
    assert endings(["a", "b.a"]) == ["a", "b.a"]
