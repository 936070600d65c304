"""Studies with hosts of today: what is replaced, and what becomes of each statement."""

from __future__ import annotations

import csv
import io
import tomllib
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from aqmlab.cli import commands
from aqmlab.errors import ExperimentError
from aqmlab.papers import experiments, reproduction, shipped, today
from aqmlab.papers.claims import Answer, Finding, Outcome, Part, decided_without_runs
from aqmlab.papers.claims.outcome import combine
from aqmlab.papers.reproduction import base_scenario, cell_scenario
from aqmlab.papers.study import Study
from aqmlab.runs import Execution
from aqmlab.runs.executors import Threads
from aqmlab.show.papers import figures
from aqmlab.tables import to_csv
from today_page import PAGE, claims_table, kept, page, statements_table

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.scenario import Scenario


def hosts(scenario: Scenario) -> list[tuple[str, str]]:
    """The profile and the kind of ECN of every group of hosts that a scenario has."""
    document = tomllib.loads(scenario.as_toml())
    groups = [document.get(kind, []) for kind in ("users", "populations", "flows")]
    entries = [each for group in groups for each in (group if isinstance(group, list) else [group])]
    return [(each["profile"], str(each.get("host", {}).get("ecn", "off"))) for each in entries]


@pytest.mark.parametrize("name", experiments.names())
def test_every_cell_of_every_study_runs_with_hosts_of_today(name: str) -> None:
    study = today.with_hosts(experiments.load(name), "linux6-cubic")
    base = base_scenario(study, next(iter(study.scales.values())))
    for configuration in study.configurations.values():
        found = hosts(cell_scenario(base, configuration))
        assert found, configuration.name
        assert {profile for profile, _ in found} == {"linux6-cubic"}, configuration.name


def test_ecn_is_negotiated_where_the_study_has_it() -> None:
    study = today.with_hosts(experiments.load("le2003"), "linux6-cubic")
    base = base_scenario(study, study.scale("quick"))
    assert hosts(cell_scenario(base, study.configuration("pi-24"))) == [("linux6-cubic", "off")]
    assert hosts(cell_scenario(base, study.configuration("pi-24-ecn"))) == [("linux6-cubic", "on")]


def test_pages_of_today_take_the_place_of_the_studys_with_either_hosts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sizes: list[int] = []

    def matched(*_: object, size_at_100_percent: int, **__: object) -> dict[tuple[float, int], object]:
        sizes.append(size_at_100_percent)
        return {}

    monkeypatch.setattr(reproduction, "match_loads", matched)
    for study in (experiments.load("le2003"), today.with_hosts(experiments.load("le2003"), "linux6-cubic")):
        pages, quick = study.scale("pages"), study.scale("quick")
        for scale, model in ((pages, "pages"), (quick, "unc")):
            base = base_scenario(study, scale)
            assert tomllib.loads(base.as_toml())["users"]["model"]["model"] == model
            reproduction._match(study, scale, base, Execution(Threads(1), store=tmp_path, progress=False))
    assert sizes == [130, 9520] * 2, "where matching begins"


@pytest.mark.parametrize("name", experiments.names())
def test_queues_of_today_run_beside_the_papers(name: str) -> None:
    study = experiments.load(name)
    own = {name for name, each in study.configurations.items() if each.group == "today"}
    assert any("cake" in each for each in own)
    assert any("fq-codel" in each for each in {*own, *study.scale("quick").cells})
    assert own.isdisjoint(study.scale("quick").cells)
    found = today.with_hosts(study, "linux6-cubic")
    assert own <= set(found.scale("quick").cells)
    assert not found.differences, "reasons are of the study's own hosts"
    assert found.drawn_line is None, "and so is the published line of the load"
    assert study.drawn_line == study.published.line
    assert not any(each.at_length.values for each in found.published.tables), "and so are runs at length"


HOLDS, DIFFERS, TOO_FEW = (
    Answer(True, "0.1", 0.1, 2.0),
    Answer(False, "0.2", 0.2, 3.0),
    Answer(None, "too few"),
)
NOT_RUN = Part("s", Finding.NOT_RUN, Answer(None, "not run"))
CASES = [
    (Part.of("s", HOLDS), Part.of("s", HOLDS), "still holds"),
    (Part.of("s", HOLDS), Part.of("s", DIFFERS), "no longer holds"),
    (Part.of("s", DIFFERS), Part.of("s", HOLDS), "holds only today"),
    (Part.of("s", DIFFERS), Part.of("s", DIFFERS), "holds with neither"),
    (Part.of("s", HOLDS), Part.of("s", TOO_FEW), "undecided"),
    (Part.of("s", TOO_FEW), Part.of("s", DIFFERS), "undecided"),
    (NOT_RUN, Part.of("s", HOLDS), "undecided"),
    (Part.of("s", DIFFERS), NOT_RUN, "undecided"),
]


def claim(parts: list[Part]) -> Outcome:
    numbered = tuple(replace(part, number=number) for number, part in enumerate(parts, start=1))
    verdict, reason = combine(numbered)
    return Outcome("L01", "s1", "claim", verdict, reason, numbered)


def test_a_statement_is_put_to_the_studys_hosts_and_to_those_of_today() -> None:
    then, now = claim([each for each, _, _ in CASES]), claim([each for _, each, _ in CASES])
    found = today.asked([then], [now])
    assert [(each.name, str(each.becomes)) for each in found] == [
        (f"L01.{number}", becomes) for number, (_, _, becomes) in enumerate(CASES, start=1)
    ]
    table = today.table_of(found, "linux6-cubic")
    assert table.caption.startswith(
        "still holds: 1, no longer holds: 1, holds only today: 1, holds with neither: 1, undecided: 4; "
    )
    assert len(today.printed(found, "linux6-cubic").rows) == 4, "what is undecided is only counted"
    second = next(islice(csv.DictReader(io.StringIO(to_csv(table))), 1, None))
    assert (second["becomes"], second["finding_then"], second["finding_now"]) == (
        "no longer holds",
        "holds",
        "differs",
    )
    assert [float(second[name]) for name in ("effect_then", "effect_now", "strength_now")] == [0.1, 0.2, 3.0]


def test_a_statement_that_no_run_can_change_is_independent_of_hosts() -> None:
    parts = [Part.of("a formula", HOLDS), Part.of("runs", HOLDS)]
    then, now = claim(parts), claim(parts)
    found = today.asked([then], [now], {("L01", now.parts[0])})
    assert [str(each.becomes) for each in found] == ["independent of hosts", "still holds"]
    table = today.table_of(found, "linux6-cubic")
    assert table.caption.startswith("still holds: 1, independent of hosts: 1; ")
    assert [row[0].value for row in today.printed(found, "linux6-cubic").rows] == ["L01.2"]


def test_an_unknown_profile_is_refused_once() -> None:
    with pytest.raises(ExperimentError) as refused:
        today.with_hosts(experiments.load("multicl"), "linux6-cubik")
    assert str(refused.value).startswith("hosts: unknown profile 'linux6-cubik'; legal: bsd228, ")
    assert str(refused.value).endswith('did you mean "linux6-cubic"?')
    assert (refused.value.place, refused.value.value) == ("hosts", "linux6-cubik")


@pytest.mark.parametrize("name", experiments.names())
def test_only_analytic_functions_are_decided_without_runs(name: str) -> None:
    study = experiments.load(name)
    found = decided_without_runs(Study(study, study.scale("quick"), cells={}))
    # The file of claims says what each was measured as.
    text = shipped.root().joinpath(name, "claims.toml").read_text(encoding="utf-8")
    analytic = [each for each in tomllib.loads(text)["claims"] if each["measured_as"] == "analytic function"]
    assert {(identifier, part.statement) for identifier, part in found} == {
        (each["id"], statement["says"]) for each in analytic for statement in each["statements"]
    }
    assert len(found) == (8 if name == "sfa" else 0)  # four of equation 1, three of equation 3, one of 5


def test_the_page_of_every_claim_is_that_of_the_kept_files() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python tests/python/today_page.py writes it anew"


def test_the_counts_of_what_still_holds_are_those_of_the_kept_files() -> None:
    told = PAGE.with_name("today.md").read_text(encoding="utf-8")
    for table in (statements_table(kept()), claims_table(kept())):
        assert table in told


def test_queues_of_today_are_drawn_only_where_they_ran() -> None:
    study = experiments.load("multicl")
    own = Study(study, study.scale("quick"), cells={("dt-dt-dt", 100.0): [], ("rem-rem-rem", 100.0): []})
    (figure,) = [each for each in study.figures if each.id == "today"]
    assert not figures._worth_drawing(own, figure, [*own.cells])
    both = replace(own, cells={**own.cells, ("cake-cake-cake", 100.0): []})
    assert figures._worth_drawing(both, figure, [*both.cells])


def test_an_unknown_profile_is_refused() -> None:
    done = CliRunner().invoke(commands, ["reproduce", "le2003", "--hosts", "linux7"])
    assert done.exit_code == 2
    assert "linux7" in done.output
