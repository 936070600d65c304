"""`aqmlab bloat`: delay under load against closed forms, a second computation, and bad input."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import aqmlab
from aqmlab import Scenario
from aqmlab.errors import RefusalError
from aqmlab.presets.line import Line
from aqmlab.show.objects.bloat import (
    added_in_words,
    bloat_table,
    collapsed_in_words,
    not_filled_in_words,
    table_of,
)
from aqmlab.shown import facts
from aqmlab.study.bloat import (
    GRADES,
    LOADED,
    Bufferbloat,
    Grade,
    Loaded,
    Phase,
    QueueUnderLoad,
    grade_of,
    line_under,
    measure,
    thresholds,
)
from aqmlab.tables.stored import to_csv
from documented import ROOT
from naive_quantities import delay_ms_of_row
from small import HOME_ON_A_DUMBBELL, aqmlab_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab.runs import Job

PARKING_LOT = ROOT / "examples/parking_lot.toml"
_DOWN, _UP, _DELAY_MS = 20.0, 4.0, 5.0
_PROBE_BITS = 64 * 8
VALID = {"verdict": "valid", "reasons": []}


@pytest.fixture(scope="module", name="found")
def a_line_with_two_queues() -> dict[str, QueueUnderLoad]:
    return {row.name: row for row in measure(Line.of_rates(_DOWN, _UP), ["fq-codel"], seeds=[1, 2])}


def test_an_idle_line_takes_its_delay_and_what_it_takes_to_send_a_probe(
    found: dict[str, QueueUnderLoad],
) -> None:
    for row in found.values():
        idle = row.phases[Phase.IDLE]
        for way, rate_mbps in (("down", _DOWN), ("up", _UP)):
            own_ms = _DELAY_MS + 1e3 * _PROBE_BITS / (rate_mbps * 1e6)
            assert idle.delay_ms[way][50] == pytest.approx(own_ms, abs=0.0003), (row.name, way)
        assert idle.lost_percent == {"down": 0.0, "up": 0.0}


def test_uploads_fill_a_buffer_without_management_and_leave_the_other_way_alone(
    found: dict[str, QueueUnderLoad],
) -> None:
    """CUBIC leaves 0.7 of what it had when the buffer of 250 ms ran over, round trip included."""
    loaded = found["as it is"].phases[Phase.UPLOAD]
    least_ms = 0.7 * (250.0 + 20.0) - 20.0 - 10.0
    assert least_ms < found["as it is"].added_ms(Phase.UPLOAD) < 250.0
    assert loaded.delay_ms["down"][99] < _DELAY_MS + 0.5
    # 1,448 of 1,500 bytes are data; probes take 25.6 kbit/s.
    assert loaded.goodput_mbps["up"] == pytest.approx((_UP - 0.0256) * 1448 / 1500, rel=0.02)


def test_a_queue_for_each_flow_hardly_delays_probes(found: dict[str, QueueUnderLoad]) -> None:
    """A probe waits for the packet that is being sent and one of each of four flows."""
    bound_ms = {Phase.DOWNLOAD: 5 * 12_000 / (_DOWN * 1e3), Phase.UPLOAD: 5 * 12_000 / (_UP * 1e3)}
    for phase, most in bound_ms.items():
        assert 0.0 < found["fq-codel"].added_ms(phase) < most, phase
    grades = {name: row.grade.name for name, row in found.items() if row.grade}
    assert grades == {"as it is": "D", "fq-codel": "A+"}, "the worst of the three"
    under = {phase: grade.name for phase in LOADED if (grade := found["as it is"].grade_under(phase))}
    assert under == {Phase.DOWNLOAD: "C", Phase.UPLOAD: "D", Phase.BOTH: "D"}


def test_flows_measure_what_their_own_packets_and_acknowledgements_wait(
    found: dict[str, QueueUnderLoad],
) -> None:
    """With one queue they wait as long as probes do; with one for each, in their own."""
    own = found["as it is"]
    for phase, way, rate_mbps, buffer_ms in (
        (Phase.DOWNLOAD, "down", _DOWN, 100.0),
        (Phase.UPLOAD, "up", _UP, 250.0),
    ):
        # A full packet takes longer to send than a probe, and is acknowledged together with the next one.
        packets_ms = 2 * 12_000 / (rate_mbps * 1e3)
        in_flow_ms = own.phases[phase].in_flow_added_ms[way]
        assert own.added_ms(phase) < in_flow_ms < buffer_ms + packets_ms, phase
    apart = found["fq-codel"]
    assert apart.phases[Phase.UPLOAD].in_flow_added_ms["up"] > 4 * apart.added_ms(Phase.UPLOAD)
    assert apart.numbers()["both_in_flow_added_down_ms"] == apart.phases[Phase.BOTH].in_flow_added_ms["down"]


def test_downloads_that_wait_for_their_acknowledgements_behind_uploads_are_told() -> None:
    """940 and 15 Mbit/s: the way up alone holds back what fills the way down."""
    [row] = measure(Line.of_rates(940.0, 15.0), [], seeds=[1])
    alone, beside = (row.phases[each].goodput_mbps["down"] for each in (Phase.DOWNLOAD, Phase.BOTH))
    assert beside < 0.2 * alone
    assert row.phases[Phase.BOTH].in_flow_added_ms["down"] > 0.7 * (250.0 + 20.0) - 20.0
    assert row.grade
    assert row.grade.name == "D"
    [said] = collapsed_in_words([row])
    assert said.startswith("While uploads run, downloads fall from ")
    assert said.endswith(" Mbit/s as it is.")


def test_every_delay_is_that_of_the_tables_of_the_runs(found: dict[str, QueueUnderLoad]) -> None:
    line = Line.of_rates(_DOWN, _UP)
    for phase in (Phase.UPLOAD, Phase.BOTH):
        tables = [
            aqmlab.run(line_under(line, phase), seed=seed).tables["datagrams"].to_pylist() for seed in (1, 2)
        ]
        for way in ("down", "up"):
            rows = [row for table in tables for row in table if row["group"] == way]
            for share in (50, 95, 99):
                naive = float(np.mean([delay_ms_of_row(row, share) for row in rows]))
                assert found["as it is"].phases[phase].delay_ms[way][share] == pytest.approx(naive)


def test_a_line_that_was_not_full_has_no_grade_and_says_so() -> None:
    def loaded(delay_ms: float, busy_percent: float, *ways: str) -> Loaded:
        busy = dict.fromkeys(("down", "up"), busy_percent)
        nothing = dict.fromkeys(busy, 0.0)
        return Loaded({"down": {50: delay_ms}, "up": {50: 5.0}}, nothing, dict.fromkeys(ways, 1.0), busy)

    phases = {
        Phase.IDLE: loaded(5.0, 0.1),
        Phase.DOWNLOAD: loaded(7.0, 43.21, "down"),
        Phase.UPLOAD: loaded(5.0, 99.0, "up"),
        Phase.BOTH: loaded(5.0, 99.0, "down", "up"),
    }
    row = QueueUnderLoad("as it is", phases)
    assert (row.not_filled, row.grade) == ([Phase.DOWNLOAD], None)
    assert [row.grade_under(phase) for phase in LOADED] == [None, Grade("A+", 5.0), Grade("A+", 5.0)]
    assert not_filled_in_words([row]) == [
        "No grade as it is: downloads kept the line busy only 43.2 % of the time."
    ]
    nearly = QueueUnderLoad("as it is", {**phases, Phase.DOWNLOAD: loaded(7.0, 89.9, "down")})
    assert nearly.not_filled == [Phase.DOWNLOAD], "90 % is full, less is not"
    full = QueueUnderLoad("as it is", {**phases, Phase.DOWNLOAD: loaded(12.0, 90.0, "down")})
    assert full.grade == Grade("A", 30.0), "the worst of 7, 0 and 0 ms"
    assert not_filled_in_words([full]) == []


def test_single_seeds_with_other_grades_are_told_beside_that_of_the_means() -> None:
    """20 and 80 ms are A and C, their mean 50 ms is B."""

    def felt(delay_ms: float, *ways: str) -> Loaded:
        nothing, busy = (dict.fromkeys(("down", "up"), each) for each in (0.0, 99.0))
        gets = dict.fromkeys(ways, 1.0)
        return Loaded(
            {"down": {50: delay_ms}, "up": {50: 5.0}}, nothing, gets, busy, dict.fromkeys(ways, 9.0)
        )

    def seed(uploads_add_ms: float) -> dict[Phase, Loaded]:
        return {
            Phase.IDLE: felt(5.0),
            Phase.DOWNLOAD: felt(6.0, "down"),
            Phase.UPLOAD: felt(5.0 + uploads_add_ms, "up"),
            Phase.BOTH: felt(6.0, "down", "up"),
        }

    by_seed = {1: seed(20.0), 2: seed(80.0)}
    means = {phase: Loaded.mean_of([each[phase] for each in by_seed.values()]) for phase in Phase}
    own = QueueUnderLoad("as it is", means, by_seed)
    assert [grade.name for grade in own.grades_of_seeds()] == ["A", "C"]
    assert [grade.name for grade in own.grades_of_seeds(Phase.DOWNLOAD)] == ["A+"]
    shown = Bufferbloat(Line.of_rates(_DOWN, _UP), (own,))
    [row] = table_of(shown).rows
    assert [cell.lines[0].text for cell in (*row[1:6], row[9])] == [
        "10.0",
        "1.0 A+",
        "50.0 B*",
        "1.0 A+",
        "0.0",
        "B (A to C)",
    ]
    assert "single seeds have other grades" in table_of(shown).caption
    assert facts(shown)["grades"]["as it is"]["of_seeds"]["upload"] == ["A", "C"]
    [told] = csv.DictReader(io.StringIO(to_csv(table_of(shown))))
    assert (told["grade"], told["grades_of_seeds"], told["download_grades_of_seeds"]) == ("B", "A C", "A+")
    alike = Bufferbloat(shown.line, (QueueUnderLoad("as it is", by_seed[1], {1: by_seed[1], 2: by_seed[1]}),))
    assert table_of(alike).rows[0][9].lines[0].text == "A"
    assert "seeds" not in table_of(alike).caption


def test_of_both_loads_one_has_to_fill_the_line() -> None:
    """That uploads keep downloads from filling the line is what is asked about."""
    held_back = Loaded({}, {}, {"down": 5.0, "up": 1.0}, {"down": 12.0, "up": 99.0})
    assert held_back.filled
    assert not Loaded({}, {}, {"down": 5.0}, {"down": 12.0, "up": 99.0}).filled


@pytest.mark.parametrize(("lost", "grade"), [(0.01, None), (0.5, "F"), (1.0, "F")])
def test_flows_that_are_kept_from_filling_a_line_leave_no_grade_but_the_worst(
    lost: float, grade: str | None
) -> None:
    """Packets are lost before the queue: no window grows. Beyond 3 % nobody asks if the line was full."""
    open_line = Line.of_rates(10 * _DOWN, _UP)
    lossy = Line({"dumbbell": {**open_line.network["dumbbell"], "loss_probability": lost}})
    [row] = measure(lossy, [], seeds=[1])
    assert Phase.DOWNLOAD in row.not_filled
    assert row.lost_percent == pytest.approx(100.0 * lost, abs=1.5 if lost < 0.1 else 8.0)
    assert (row.grade and row.grade.name) == grade
    if lost == 1.0:
        assert row.phases[Phase.IDLE].delay_ms["down"][50] == math.inf
    assert bool(not_filled_in_words([row])) is (grade is None)


@pytest.mark.parametrize(
    ("lost_percent", "grades"),
    [(0.0, ["A+", "B", "F"]), (1.0, ["A+", "B", "F"]), (1.1, ["C", "C", "F"]), (3.0, ["C", "C", "F"]),
     (3.1, ["F", "F", "F"]), (100.0, ["F", "F", "F"])],
)  # fmt: skip
def test_losses_bound_a_grade_by_g1010(lost_percent: float, grades: list[str]) -> None:
    """Table I.1: 1 % for a video call, 3 % for a telephone call. 2, 40 and 500 ms are added."""
    assert [grade_of(added_ms, lost_percent).name for added_ms in (2.0, 40.0, 500.0)] == grades
    assert grade_of(math.inf).name == "F"


def test_a_line_of_which_half_is_lost_says_so_and_no_number() -> None:
    def felt(delay_ms: float, lost_percent: float) -> Loaded:
        ways = ("down", "up")
        delays = {way: {50: delay_ms} for way in ways}
        return Loaded(
            delays, dict.fromkeys(ways, lost_percent), dict.fromkeys(ways, 1.0), dict.fromkeys(ways, 99.0)
        )

    def queue(name: str, lost_percent: float, delay_ms: float) -> QueueUnderLoad:
        idle = felt(5.0, 0.0)
        loaded = {phase: felt(delay_ms, lost_percent) for phase in (Phase.DOWNLOAD, Phase.UPLOAD, Phase.BOTH)}
        return QueueUnderLoad(name, {Phase.IDLE: idle, **loaded})

    good, dead = queue("good", 0.5, 6.0), queue("dead", 60.0, math.inf)
    assert [row.grade and row.grade.name for row in (good, dead)] == ["A+", "F"]
    assert dead.added_ms(Phase.UPLOAD) == math.inf
    assert added_in_words([good, dead]).endswith("; half of them lost with dead.")
    assert added_in_words([dead, good]) == "At least half of the round trips on this line are lost."
    table = bloat_table([good, dead], title="", caption="")
    assert [cell.lines[0].text for cell in table.rows[1][2:5]] == ["lost F "] * 3
    printed = to_csv(table)
    assert [row.split(",")[:6] for row in printed.splitlines()[1:]] == [
        ["good", "10.0", "2.0", "2.0", "2.0", "0.5"],
        ["dead", "10.0", "", "", "", "60.0"],
    ]


def test_a_twentieth_of_lost_probes_is_told_and_graded() -> None:
    """FQ-CoDel hardly delays probes; the line loses 5 % of them before it."""
    open_line = Line.of_rates(_DOWN, _UP)
    lossy = Line({"dumbbell": {**open_line.network["dumbbell"], "loss_probability": 0.05}})
    [_, row] = measure(lossy, ["fq-codel"], seeds=[1])
    assert 3.0 < row.lost_percent < 9.0
    assert row.grade is GRADES[-1]


def test_long_round_trips_have_time_to_fill_the_line() -> None:
    satellite = line_under(Line.of_rates(20.0, 4.0, round_trip_ms=600.0), Phase.BOTH).resolved
    assert (satellite["warm_up_s"], satellite["duration_s"]) == (12.0, 24.0)
    near = line_under(Line.of_rates(20.0, 4.0), Phase.BOTH).resolved
    assert (near["warm_up_s"], near["duration_s"]) == (4.0, 10.0)


def test_the_rate_of_a_trace_is_its_mean_and_its_file_comes_along(tmp_path: Path) -> None:
    # An opportunity of 1,504 bytes every 4 ms: 3.008 Mbit/s, which the scenario's rate has to be near.
    (tmp_path / "line.trace").write_text("4\n8\n12\n")
    scenario = Scenario.from_toml(
        'name = "trace"\nduration_s = 20.0\n[dumbbell]\nrate_mbps = 3.0\nrate_trace_file = "line.trace"\n'
        'queue = { scheme = "drop-tail", limit_packets = 50 }\n'
        '[[flows]]\ncount = 1\ndirection = "left-to-right"\n',
        folder=tmp_path,
    )
    (tmp_path / "line.trace").unlink()
    line = Line.of_scenario(scenario)
    assert line.rates_mbps == {"down": 3.0, "up": 3.0}
    [row] = measure(line, [], seeds=[1])
    assert row.phases[Phase.DOWNLOAD].filled


@pytest.mark.parametrize(
    ("added_ms", "grade"),
    [(0.0, "A+"), (4.9, "A+"), (5.0, "A"), (29.9, "A"), (30.0, "B"), (60.0, "C"), (200.0, "D"), (400.0, "F")],
)
def test_grades_are_those_of_dslreports(added_ms: float, grade: str) -> None:
    assert grade_of(added_ms).name == grade


def test_the_thresholds_are_printed_and_there_is_no_e() -> None:
    assert [grade.name for grade in GRADES] == ["A+", "A", "B", "C", "D", "F"]
    assert thresholds() == (
        "A+ below 5 ms, A below 30 ms, B below 60 ms, C below 200 ms, D below 400 ms, F from 400 ms"
    )


def test_programs_read_every_delay(found: dict[str, QueueUnderLoad]) -> None:
    table = bloat_table(list(found.values()), title="", caption="")
    rows = list(csv.DictReader(io.StringIO(to_csv(table))))
    assert [row["queue"] for row in rows] == ["as it is", "fq-codel"]
    loaded = found["fq-codel"].phases[Phase.BOTH]
    assert float(rows[1]["both_delay_up_p95_ms"]) == loaded.delay_ms["up"][95]
    assert float(rows[1]["both_goodput_down_mbps"]) == loaded.goodput_mbps["down"]


def test_a_router_that_shapes_fills_what_it_lets_through_and_probes_are_no_load() -> None:
    """At half of the rate of a slow ADSL line, where 50 probes a second would take a quarter."""
    line = Line.of_rates(8.0, 0.5, technology="adsl").with_queues_in("router", 0.5)
    # Three cells of 53 bytes: a twentieth of 250 kbit/s.
    assert line.probe_interval_s == pytest.approx(8 * 159 / (0.05 * 250e3))
    _, row = measure(line, ["fq-codel"], seeds=[1])
    assert row.not_filled == []
    assert row.lost_percent < 3.0


def test_a_queue_that_shapes_by_itself_is_judged_by_its_own_rate() -> None:
    line = Line.of_rates(20.0, 20.0).with_queues_in("router")
    _, row = measure(line, ["cake bandwidth 16Mbit besteffort nat"], seeds=[1])
    assert row.not_filled == []
    assert row.grade is GRADES[0]


def test_what_is_printed_is_said_of_the_box_that_it_is_of() -> None:
    asked: dict[str, Any] = {"down_mbps": 20.0, "up_mbps": 2.0, "schemes": ["cake"], "seeds": "1"}
    at_line, router, unshaped = (
        str(aqmlab.bloat(**asked, **place))
        for place in (dict[str, Any](), {"queue_in": "router"}, {"queue_in": "router-unshaped"})
    )
    assert "are in the modem (up) and at the provider (down)." in " ".join(at_line.split())
    assert "aqmlab sqm" in at_line
    assert "tc qdisc" not in at_line + unshaped
    assert "dev WAN root cake bandwidth 1900kbit besteffort triple-isolate nat noatm overhead 0" in router


def test_a_better_queue_in_a_router_that_does_not_shape_changes_nothing() -> None:
    line = Line.of_rates(20.0, 2.0).with_queues_in("router-unshaped")
    own, cake = measure(line, ["cake"], seeds=[1])
    assert cake.added_ms(Phase.UPLOAD) == pytest.approx(own.added_ms(Phase.UPLOAD), rel=0.02)
    shaped = measure(line.with_queues_in("router"), ["cake"], seeds=[1])[1]
    assert shaped.added_ms(Phase.UPLOAD) < 0.1 * own.added_ms(Phase.UPLOAD)
    assert shaped.grade_under(Phase.UPLOAD) is GRADES[0]
    assert not shaped.not_filled


def test_a_line_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusalError, match="up_mbps: a number above 0, not 0") as refused:
        Line.of_rates(10.0, 0.0)
    assert (refused.value.place, refused.value.value) == ("up_mbps", 0.0)
    asked = {
        (
            "--down",
            "10",
        ): "give the line: --down 100 --up 10, or a scenario file with a [line] or [dumbbell]",
        (str(PARKING_LOT),): "a line is a [line] or a [dumbbell], and this is [parking_lot]",
        (
            "--down",
            "10",
            "--up",
            "1",
            "--output",
            "delays.txt",
        ): "delays.txt: a table ends in .parquet or .csv",
        ("--down", "10", "--up", "1", "--schemes", "fq-coddel"): 'did you mean "fq-codel"?',
        (
            "--down",
            "10",
            "--up",
            "0.02",
        ): "the line has 0.02 Mbit/s up, which probes would fill; legal: 0.256 Mbit",
        ("--down", "1e9", "--up", "1"): "dumbbell.rate_mbps: 1000000000 is out of range",
    }
    for words, said in asked.items():
        done = aqmlab_run("bloat", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert said in done.stderr, words
    assert list(tmp_path.iterdir()) == []


def test_a_line_of_a_scenario_keeps_its_queues_and_leaves_out_who_uses_it(tmp_path: Path) -> None:
    (tmp_path / "home.toml").write_text(HOME_ON_A_DUMBBELL)
    scenario = Scenario.from_file(tmp_path / "home.toml")
    line = Line.of_scenario(scenario)
    assert (line.rates_mbps, line.round_trip_ms) == ({"down": 100.0, "up": 10.0}, 20.0)
    made = line_under(line, Phase.BOTH).resolved
    assert made["dumbbell"] == scenario.resolved["dumbbell"]
    assert [flows["name"] for flows in made["flows"]] == ["download", "upload"]
    assert [group["name"] for group in made["datagrams"]] == ["down", "up"]


def test_live_rows_stand_below_the_simulated_ones_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With simulations in the place of live runs: the same numbers, called live, and suspect ones told."""
    asked: list[str] = []

    def in_turn(jobs: Sequence[Job], *, progress: bool = False) -> list[aqmlab.Result]:
        asked.extend(job.scenario.name for job in jobs)
        audit = {"verdict": "suspect", "reasons": ["late"]}
        runs = aqmlab.run_many(list(jobs), progress=progress)
        return [run.with_live(audit if place == 1 else VALID) for place, run in enumerate(runs)]

    monkeypatch.setattr("aqmlab.runs.live.running.run_live_in_turn", in_turn)
    line = ("--down", "4", "--up", "1", "--schemes", "fq-codel", "--seeds", "1")
    done = aqmlab_run("bloat", *line, "--live", "--output", "x.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert asked == [f"line-{phase}" for _ in range(2) for phase in Phase]
    assert "timing suspect in 1 of 8 live runs; the last: late" in done.stderr + done.stdout
    rows = list(csv.DictReader(io.StringIO((tmp_path / "x.csv").read_text(encoding="utf-8"))))
    assert [row.pop("queue") for row in rows] == [
        "as it is",
        "fq-codel",
        "as it is (live)",
        "fq-codel (live)",
    ]
    assert rows[2:] == rows[:2]
