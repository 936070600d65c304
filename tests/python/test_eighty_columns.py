"""Every table of every command in a terminal of 80 columns: no line is longer, no number nor word is cut."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab.cli.results import _table as table_of_results
from aqmlab.comparison.kept import kept_in
from aqmlab.papers.cost import Cost, costs_table
from aqmlab.show.objects import bloat, evaluation, flent_tests, responsiveness, search, sqm
from aqmlab.show.objects.crossvalidation import crossvalidation_table
from aqmlab.show.objects.sweep import results_table, sweep_table
from aqmlab.show.tables import comparison
from aqmlab.show.tables.render import as_plain_text
from aqmlab.show.tables.results import result_tables
from aqmlab.show.tables.verdict import bare_table
from aqmlab.study.crossvalidation import compared
from aqmlab.study.sweeps import status
from aqmlab.tables.model import Medium, Table
from commands.shown_commands import help_texts
from small import aqmlab_process, aqmlab_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS = 80
LONG = "conversation-with-grandparents"
HOME = f"""
name = "a household with a rather long name, on a line of its own"
duration_s = 12.0
warm_up_s = 2.0
cool_down_s = 2.0

[dumbbell]
rate_mbps = 12.0
rate_right_to_left_mbps = 2.0
queue = {{ scheme = "drop-tail", limit_packets = 60 }}

[[populations]]
name = "everybody-who-reads-in-the-kitchen"
browsers = "browsers-right"
servers = "servers-left"
count = 2
model = {{ model = "pages", think_time_median_seconds = 2.0 }}
profile = "linux6-cubic"
minimum_delay_ms = {{ low = 10, high = 20 }}

[[flows]]
name = "backup-of-the-photographs"
count = 2
direction = "right-to-left"

[[flows]]
name = "update-of-the-console"
count = 1
bytes = 100_000
direction = "left-to-right"
start_s = 3.0

[[datagrams]]
name = "{LONG}-up"
count = 1
direction = "right-to-left"
packet_bytes = 200
rate_mbps = 0.08

[[datagrams]]
name = "{LONG}-down"
count = 1
direction = "left-to-right"
packet_bytes = 200
rate_mbps = 0.08

[[datagrams]]
name = "game-of-the-neighbours-down"
count = 1
direction = "left-to-right"
packet_bytes = 100
rate_mbps = 0.05

[[datagrams]]
name = "meeting-of-the-whole-department"
count = 1
direction = "right-to-left"
packet_bytes = 1000
adaptive_video = {{}}
"""
SIX = [
    "drop-tail",
    "codel:target_ms=20:interval_ms=200",
    "fq_codel limit 1001 target 14ms",
    "red:min_th_packets=20:max_th_packets=60",
    "dualpi2",
    "cake",
]
LINE: dict[str, Any] = {"down_mbps": 20, "up_mbps": 2, "schemes": SIX[1:], "seeds": "1"}


@pytest.fixture(scope="module", name="scenario")
def of_long_names() -> aqmlab.Scenario:
    return aqmlab.Scenario.from_toml(HOME)


@pytest.fixture(scope="module", name="found")
def of_six_queues(scenario: aqmlab.Scenario) -> aqmlab.Comparison:
    return aqmlab.compare(scenario, schemes=SIX, seeds="1-2")


def in_80_columns(table: Table) -> list[str]:
    return as_plain_text(table, width=COLUMNS).splitlines()


def require_whole(table: Table) -> None:
    """No line is longer than the terminal; every number and every word of a cell stands in one line."""
    lines = in_80_columns(table)
    assert max(map(len, lines)) <= COLUMNS
    assert "…" not in "".join(lines)
    printed = {word for line in lines for word in line.split()}
    part = table.shown_in(Medium.TERMINAL)
    for row in part.rows:
        for cell in row:
            texts = [cell.short] if cell.short is not None else [line.text for line in cell.lines]
            for word in (word for text in texts for word in text.split()):
                assert word in printed, word
    for column in part.columns:
        # A scheme is broken between its parameters.
        for word in column.terminal_head[1].replace(":", ": ").split():
            assert any(word in each for each in printed), word


def of_runs(found: aqmlab.Comparison) -> Iterator[Table]:
    result = found.results[found.baseline][0]
    yield from result_tables(result)
    yield bare_table(found)
    yield comparison.brief_table(found)
    yield comparison.comparison_table(found)


def test_runs_and_comparisons(found: aqmlab.Comparison) -> None:
    tables = list(of_runs(found))
    assert len(tables) >= 8
    for table in tables:
        require_whole(table)


def test_cross_validation(found: aqmlab.Comparison) -> None:
    runs = [*found.results.values()]
    require_whole(crossvalidation_table([*compared(runs[0], runs[1], runs[2])], title="a title"))


def rpm(**line: Any) -> aqmlab.RoundTripsPerMinute:  # noqa: ANN401
    return aqmlab.rpm(**{**line, "down_mbps": 3, "up_mbps": 1})


def rrul(**line: Any) -> aqmlab.FlentResults:  # noqa: ANN401
    return aqmlab.flent("rrul", **line, length_s=1)


@pytest.mark.parametrize("made", [aqmlab.bloat, rpm, rrul])
def test_tests_of_a_line(made: Any) -> None:  # noqa: ANN401
    found = made(**LINE)
    shows = {"Bufferbloat": bloat, "RoundTripsPerMinute": responsiveness, "FlentResults": flent_tests}
    parts: list[Any] = list(shows[type(found).__name__].printed(found))
    tables = [part for part in parts if isinstance(part, Table)]
    assert tables
    for table in tables:
        require_whole(table)


def test_what_to_set_in_a_router(scenario: aqmlab.Scenario) -> None:
    found = aqmlab.sqm(scenario, seeds="1", shares=[0.95])
    require_whole(sqm.table_of(found))


def test_sweeps(scenario: aqmlab.Scenario, tmp_path: Path) -> None:
    keys: dict[str, list[float]] = {
        "dumbbell.queue.limit_packets": [20, 60],
        "dumbbell.rate_right_to_left_mbps": [1.5, 2.25],
    }
    swept = aqmlab.sweep(scenario, grid=keys, store=tmp_path)
    require_whole(results_table(swept.sweep, swept.runs))
    require_whole(sweep_table(status(swept.sweep, tmp_path)))


def test_searches(scenario: aqmlab.Scenario, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    found = aqmlab.tune(
        scenario, scheme="pie", trials=2, seeds=[1], fresh_seeds=[2, 3], store=tmp_path, objective="mos"
    )
    require_whole(search.candidates_table(found, found.shown))


def test_evaluations() -> None:
    found = aqmlab.evaluate(
        "codel:target_ms=20:interval_ms=200", schemes=SIX[2:], only=["8.2.2"], seeds="1-6"
    )
    for table in evaluation.tables_of(found):
        require_whole(table)


def test_lists_of_results_and_costs(scenario: aqmlab.Scenario, tmp_path: Path) -> None:
    short = {"duration_s": 5.0, "warm_up_s": 1.0, "cool_down_s": 1.0}
    aqmlab.compare(scenario, schemes=SIX[:2], seeds="1", overrides=short, output=tmp_path / "one")
    lines = in_80_columns(table_of_results(kept_in(tmp_path)))
    assert max(map(len, lines)) <= COLUMNS
    prices = [Cost("standard-with-a-long-name", 12_345, 1e8, 1e7)]
    require_whole(costs_table(prices, study="christiansen2000", chosen="standard", workers=128))


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
def test_every_number_stands_once_in_any_terminal(columns: int, found: aqmlab.Comparison) -> None:
    table = comparison.brief_table(found)
    printed = re.findall(r"\S*\d\S*", as_plain_text(table, width=columns))
    for row in table.rows:
        for cell in row[2:]:  # beside the name and the baseline, which stand in each part
            for number in re.findall(r"\S*\d\S*", cell.short or ""):
                assert number in printed


def lines_over_80_columns(*arguments: str) -> list[str]:
    """What `aqmlab` prints with arguments that does not fit a terminal."""
    return [line for line in aqmlab_run(*arguments).stdout.splitlines() if len(line) > COLUMNS]


def test_every_help_fits_with_its_examples() -> None:
    long = {
        name: over for name in help_texts() if (over := lines_over_80_columns(*name.split()[1:], "--help"))
    }
    assert long == {}


@pytest.mark.parametrize("name", ["pie", "cake", "sfg", "linux6-cubic", "prague", "pages", "cloud_game"])
def test_what_is_explained_fits(name: str) -> None:
    # In a process of its own: lists of legal schemes have those that other tests have loaded into this one.
    done = aqmlab_process("explain", name)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if len(line) > COLUMNS] == []


def test_words_of_linux_fit_and_stand_in_their_column() -> None:
    assert lines_over_80_columns("explain", "cake", "--linux") == []
    assert lines_over_80_columns("explain", "fq", "--linux") == []
    shown = aqmlab_run("explain", "sfq", "--linux").stdout
    assert "of a flow beyond depth the packet that\n                           arrives is dropped" in shown
