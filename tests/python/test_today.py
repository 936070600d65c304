"""Studies with hosts of today: what is replaced, and what becomes of each statement."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from aqmlab.cli import commands
from aqmlab.papers import experiments, today
from aqmlab.papers.claims import Answer, Finding, Outcome, Part
from aqmlab.papers.claims.outcome import combine
from aqmlab.papers.reproduction import base_scenario, cell_scenario

if TYPE_CHECKING:
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


def test_queues_of_today_run_beside_the_papers() -> None:
    study = experiments.load("le2003")
    own = {name for name, each in study.configurations.items() if each.group == "today"}
    assert own == {"fq-codel", "fq-codel-ecn", "cake"}
    assert own.isdisjoint(study.scale("quick").cells)
    found = today.with_hosts(study, "linux6-cubic")
    assert own <= set(found.scale("quick").cells)
    assert not found.differences, "reasons are of the study's own hosts"
    assert not any(each.at_length.values for each in found.published.tables), "and so are runs at length"


def test_a_statement_holds_still_or_no_longer_or_was_not_asked() -> None:
    parts = [
        Part.of("a", Answer(True, "0.1")),
        Part.of("b", Answer(False, "0.2"), 2),
        Part.of("c", Answer(None, "too few"), 3),
        Part("d", Finding.NOT_RUN, Answer(None, "not run"), 4),
    ]
    verdict, reason = combine(tuple(parts))
    found = today.asked([Outcome("L01", "s1", "claim", verdict, reason, tuple(parts))])
    assert [(each.name, str(each.today)) for each in found] == [
        ("L01.1", "still holds"),
        ("L01.2", "no longer"),
        ("L01.3", "not asked"),
        ("L01.4", "not asked"),
    ]
    assert "1 still holds, 1 no longer, 2 not asked" in today.table_of(found, "linux6-cubic").caption


def test_an_unknown_profile_is_refused() -> None:
    done = CliRunner().invoke(commands, ["reproduce", "le2003", "--hosts", "linux7"])
    assert done.exit_code == 2
    assert "linux7" in done.output
