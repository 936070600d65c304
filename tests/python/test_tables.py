import csv
import io

import pytest
from rich.console import Console

from aqmlab.statistics import Interval, NotEnoughReplications
from aqmlab.study import Study
from aqmlab.tables import ablation_rows, ablations_to_csv, caption, cell_rows, to_csv, to_html, to_rich
from aqmlab.tables.cells import Entry, published_rows
from synthetic_results import SyntheticResult, exchange_times, synthetic_result, synthetic_study

SECONDS = 120.0
NINETY_MINUTES = 5400.0


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
    for entry in row.entries.values():
        assert entry.difference == pytest.approx(0.0, abs=1e-3)
    assert row.by_link["throughput_mbps"] == pytest.approx({"left-to-right": 87.3, "right-to-left": 91.3})


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
    assert row.entries[quantity].within is within
    assert row.within is within


def test_from_six_replications_on_there_are_intervals() -> None:
    (row,) = cell_rows(pi_24_at_98(replications=6))
    assert isinstance(row.entries["loss_percent"].ours, Interval)
    (row,) = cell_rows(pi_24_at_98(replications=5))
    assert isinstance(row.entries["loss_percent"].ours, NotEnoughReplications)
    assert row.within is True
    assert "too few for intervals" in caption([row])


def test_what_was_not_published_is_neither_inside_nor_outside() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        return synthetic_result(seed=seed) if name == "red-24" and load == 90.0 else None

    (row,) = cell_rows(synthetic_study(make))
    assert row.within is None
    assert published_rows([row]) == []


def test_the_csv_holds_ours_the_papers_and_both_directions() -> None:
    (line,) = csv.DictReader(io.StringIO(to_csv(cell_rows(pi_24_at_98(loss=4.9)))))
    assert line["cell"] == "pi-24"
    assert float(line["loss_percent"]) == pytest.approx(4.9)
    assert float(line["loss_percent_published"]) == 3.9
    assert float(line["loss_percent_difference"]) == pytest.approx(1.0)
    assert line["loss_percent_within"] == "False"
    assert line["realised_load_percent"] == ""
    assert float(line["throughput_mbps_left-to-right"]) == pytest.approx(87.3)


def test_the_table_for_people_shows_ours_beside_the_papers() -> None:
    rows = cell_rows(pi_24_at_98(mbps=95.0))
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(to_rich(rows, title="Table 2"))
    text = console.export_text()
    assert "PI 24" in text
    assert "95.0±0.0" in text
    assert "+5.7" in text
    assert "0 of 1 cells within tolerance" in text
    assert 'class="outside">+5.7' in to_html(rows)


def test_html_shows_names_as_they_are() -> None:
    (row,) = cell_rows(pi_24_at_98())
    hostile = type(row)(**{**row.__dict__, "label": "<script>"})
    assert "<script>" not in to_html([hostile])


def test_an_empty_table_is_still_a_table() -> None:
    assert to_csv([]).count("\n") == 1
    assert "0 of 0 cells" in caption([])


def test_an_entry_without_a_published_value_has_no_difference() -> None:
    entry = Entry(NotEnoughReplications(have=2, mean=1.0), None, None)
    assert entry.difference is None
    assert entry.within is None


def test_an_ablation_is_compared_with_what_it_changes() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        timeouts = {"ared-24": 0.2, "ared-24-bytes": 0.05}.get(name)
        if timeouts is None or load != 98.0:
            return None
        return synthetic_result(seed=seed, times_s=exchange_times(seed, timeouts=timeouts))

    (row,) = ablation_rows(synthetic_study(make))
    assert (row.label, row.against) == ("ARED 24, byte mode", "ARED 24")
    assert row.verdict == "better"
    assert isinstance(row.restricted_mean_ms, Interval)
    # 15 % of exchanges lose a second, as far as they end within two.
    assert row.restricted_mean_ms.mean == pytest.approx(-150.0, abs=15.0)
    (line,) = csv.DictReader(io.StringIO(ablations_to_csv([row])))
    assert line["verdict"] == "better"
