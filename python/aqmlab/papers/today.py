"""A study with hosts of today in the place of its own, and what its claims come to then.

The network, the users and their pages stay; the TCP of every host becomes a profile such as "linux6-cubic",
without the study's settings of hosts but for ECN, which is negotiated where the study has it. Configurations
of the group `today` (queues that came after the paper) run beside the paper's. Each statement is asked again,
with the numbers that decided it before.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from aqmlab.papers.claims import Finding
from aqmlab.papers.published import AtLength
from aqmlab.tables.model import Column, Table, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.papers.claims import Outcome, Part
    from aqmlab.papers.documents import Overrides
    from aqmlab.papers.experiment import Experiment

FILE = "today.csv"
GROUP = "today"
_WITH_HOSTS = ("users", "populations", "flows")
_HOST = re.compile(r"(?:users|populations\.\d+|flows\.\d+)\.(?:profile|host\.(?P<key>\w+))")
_OFF, _ON = "off", "on"


class Today(StrEnum):
    """What becomes of a statement with hosts of today."""

    STILL_HOLDS = "still holds"
    NO_LONGER = "no longer"
    NOT_ASKED = "not asked"


_OF_FINDING = {Finding.HOLDS: Today.STILL_HOLDS, Finding.DIFFERS: Today.NO_LONGER}


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement of a claim, with what becomes of it."""

    claim: Outcome
    part: Part

    @property
    def name(self) -> str:
        """The claim and the place of the statement in it, such as L04.2."""
        return f"{self.claim.identifier}.{self.part.number}"

    @property
    def today(self) -> Today:
        """What becomes of it."""
        return _OF_FINDING.get(self.part.finding, Today.NOT_ASKED)


def with_hosts(experiment: Experiment, profile: str) -> Experiment:
    """The study with this profile in the place of all hosts, and with its queues of today."""
    hosts = dict(_hosts(tomllib.loads(experiment.scenario_toml), profile))
    own = [name for name, each in experiment.configurations.items() if each.group == GROUP]
    return replace(
        experiment,
        configurations={
            name: replace(each, overrides=_without_hosts(each.overrides))
            for name, each in experiment.configurations.items()
        },
        scales={
            name: replace(
                scale,
                overrides={**_without_hosts(scale.overrides), **hosts},
                cells=tuple(dict.fromkeys([*scale.cells, *own])),
            )
            for name, scale in experiment.scales.items()
        },
        # What was kept and proven is of the study's own hosts.
        published=replace(
            experiment.published,
            tables=tuple(replace(each, at_length=AtLength()) for each in experiment.published.tables),
        ),
        differences=(),
    )


def _hosts(scenario: Mapping[str, Any], profile: str) -> Iterator[tuple[str, Any]]:
    """The settings that put a profile in the place of the hosts of every group of a scenario."""
    for kind in _WITH_HOSTS:
        entries = scenario.get(kind, [])
        for place, entry in enumerate(entries if isinstance(entries, list) else [entries]):
            key = f"{kind}.{place}" if isinstance(entries, list) else kind
            ecn = entry.get("host", {}).get("ecn", _OFF)
            yield f"{key}.profile", profile
            yield f"{key}.host", {"ecn": _ON} if ecn != _OFF else {}


def _without_hosts(overrides: Overrides) -> dict[str, Any]:
    """Settings of a cell without those of hosts; whatever its kind of ECN was, it is negotiated or not."""
    kept = {}
    for key, value in overrides.items():
        found = _HOST.fullmatch(key)
        if found is None:
            kept[key] = value
        elif found["key"] == "ecn":
            kept[key] = value if value == _OFF else _ON
    return kept


def asked(outcomes: Sequence[Outcome]) -> list[Asked]:
    """Each statement of each claim, with what becomes of it."""
    return [Asked(outcome, part) for outcome in outcomes for part in outcome.parts]


def table_of(statements: Sequence[Asked], profile: str) -> Table:
    """All of it for programs, and what was asked for people."""
    counts = Counter(each.today for each in statements)
    columns: list[Column[Asked]] = [
        Column("statement", lambda each: text(each.name), "statement", heads_row=True),
        in_csv("claim", lambda each: each.claim.identifier),
        in_csv("where", lambda each: each.claim.where),
        Column("says", lambda each: text(each.part.statement), "what it says", words=True),
        Column("today", lambda each: text(str(each.today)), f"with {profile}", words=True),
        in_csv("strength", lambda each: each.part.answer.strength),
        in_csv("effect", lambda each: each.part.answer.bounds[0]),
        in_csv("lower", lambda each: each.part.answer.bounds[1]),
        in_csv("upper", lambda each: each.part.answer.bounds[2]),
        in_csv("evidence", lambda each: each.part.evidence),
    ]
    told = ", ".join(f"{counts[each]} {each}" for each in Today)
    return Table.of(
        list(statements),
        columns,
        title=f"The paper's statements with {profile} hosts",
        caption=f"{told}; no longer: these runs exclude it, whether or not it holds with the study's own "
        "hosts; not asked: not run, or the runs cannot judge",
    )
