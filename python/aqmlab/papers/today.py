"""A study with hosts of today in the place of its own, and what its claims come to then.

The network, the users and their pages stay; the TCP of every host becomes a profile such as "linux6-cubic",
without the study's settings of hosts but for ECN, which is negotiated where the study has it. Configurations
of the group `today` (queues that came after the paper) run beside the paper's. The same cells run with the
study's own hosts, with the same seeds, and each statement is put to both.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import ExperimentError
from aqmlab.papers.claims import Finding
from aqmlab.papers.published import NOT_KEPT
from aqmlab.tables.model import Column, Table, in_csv, text
from aqmlab.terminal.spelling import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from aqmlab.papers.claims import Outcome, Part
    from aqmlab.papers.documents import Overrides
    from aqmlab.papers.experiment import Experiment
    from aqmlab.papers.study import Study

FILE = "today.csv"
GROUP = "today"
_WITH_HOSTS = ("users", "populations", "flows")
_HOST = re.compile(r"(?:users|populations\.\d+|flows\.\d+)\.(?:profile|host\.(?P<key>\w+))")
_OFF, _ON = "off", "on"


class Becomes(StrEnum):
    """What becomes of a statement with hosts of today."""

    STILL_HOLDS = "still holds"
    NO_LONGER = "no longer holds"
    ONLY_TODAY = "holds only today"
    NEITHER = "holds with neither"
    INDEPENDENT = "independent of hosts"
    UNDECIDED = "undecided"


_BECOMES = {
    (Finding.HOLDS, Finding.HOLDS): Becomes.STILL_HOLDS,
    (Finding.HOLDS, Finding.DIFFERS): Becomes.NO_LONGER,
    (Finding.DIFFERS, Finding.HOLDS): Becomes.ONLY_TODAY,
    (Finding.DIFFERS, Finding.DIFFERS): Becomes.NEITHER,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement of a claim, as found with the study's hosts and with those of today.

    Attributes:
        claim: The claim.
        then: The statement with the study's own hosts.
        now: The same with hosts of today.
        independent: Whether no run can change it.
    """

    claim: Outcome
    then: Part
    now: Part
    independent: bool = False

    @property
    def name(self) -> str:
        """The claim and the place of the statement in it, such as L04.2."""
        return f"{self.claim.identifier}.{self.now.number}"

    @property
    def becomes(self) -> Becomes:
        """What becomes of it: undecided unless the runs decide it with both."""
        if self.independent:
            return Becomes.INDEPENDENT
        return _BECOMES.get((self.then.finding, self.now.finding), Becomes.UNDECIDED)


@dataclass(frozen=True, slots=True)
class OtherHosts:
    """The hosts that a study was run with in the place of its own.

    Attributes:
        profile: Their profile, such as "linux6-cubic".
        statements: Each statement of the paper, with these hosts and with the study's own.
    """

    profile: str
    statements: Sequence[Asked]

    def kept(self, study: Study) -> Table:
        """The statements for programs; each row has what was run, for files kept without the runs."""
        ran = {
            "experiment": study.experiment.name,
            "scale": study.scale.name,
            "loads_percent": " ".join(f"{load:g}" for load in study.loads_percent),
            "hosts": self.profile,
            "version": study.version,
            "seeds": " ".join(map(str, study.seeds)),
        }
        return table_of(self.statements, self.profile, ran)


def by_its_runs(experiment: Experiment) -> Experiment:
    """The study without what was kept of longer runs of it, and without causes of differences."""
    return replace(
        experiment,
        published=replace(
            experiment.published,
            tables=tuple(replace(each, at_length=NOT_KEPT) for each in experiment.published.tables),
        ),
        differences=(),
    )


def with_hosts(experiment: Experiment, profile: str) -> Experiment:
    """The study with this profile in the place of all hosts, and with its queues of today.

    What was kept and proven is of the study's own hosts, and is left out.
    """
    known = _core.profile_names()
    if profile not in known:
        message = (
            f"hosts: unknown profile {quoted(profile)}; legal: {', '.join(known)}{nearest(profile, known)}"
        )
        raise ExperimentError(message, place="hosts", value=profile, legal=", ".join(known))
    hosts = dict(_hosts(tomllib.loads(experiment.scenario_toml), profile))
    own = [name for name, each in experiment.configurations.items() if each.group == GROUP]
    return replace(
        by_its_runs(experiment),
        hosts=profile,
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


def asked(
    then: Sequence[Outcome],
    now: Sequence[Outcome],
    independent: Collection[tuple[str, Part]] = frozenset(),
) -> list[Asked]:
    """Each statement of each claim, with the study's own hosts and with those of today."""
    return [
        Asked(today, *parts, independent=(today.identifier, parts[1]) in independent)
        for own, today in zip(then, now, strict=True)
        for parts in zip(own.parts, today.parts, strict=True)
    ]


def table_of(statements: Sequence[Asked], profile: str, ran: Mapping[str, str] | None = None) -> Table:
    """Every statement, with what was found for programs, and what was run in columns of their own."""
    counts = Counter(each.becomes for each in statements)
    columns: list[Column[Asked]] = [
        Column("statement", lambda each: text(each.name), "statement", heads_row=True),
        in_csv("claim", lambda each: each.claim.identifier),
        in_csv("where", lambda each: each.claim.where),
        Column("says", lambda each: text(each.now.statement), "what it says", words=True),
        Column("becomes", lambda each: text(str(each.becomes)), f"with {profile}", words=True),
        *_found("then", lambda each: each.then),
        *_found("now", lambda each: each.now),
        *(in_csv(name, lambda _, value=value: value) for name, value in (ran or {}).items()),  # type: ignore[misc]
    ]
    return Table.of(
        list(statements),
        columns,
        title=f"The paper's statements with {profile} hosts",
        caption=", ".join(f"{each}: {counts[each]}" for each in Becomes if counts[each])
        + "; undecided: with the study's hosts or with these, a cell was not run, or the runs are too few"
        + (f"; {Becomes.INDEPENDENT}: no run can change it" if counts[Becomes.INDEPENDENT] else ""),
    )


def printed(statements: Sequence[Asked], profile: str) -> Table:
    """The table for people: what is undecided, or no matter of hosts, is only counted."""
    counted = (Becomes.UNDECIDED, Becomes.INDEPENDENT)
    decided = [each for each in statements if each.becomes not in counted]
    return replace(table_of(decided, profile), caption=table_of(statements, profile).caption)


def _found(when: str, part: Callable[[Asked], Part]) -> Iterator[Column[Asked]]:
    """What was found for programs: the finding, how clearly, and the numbers."""
    yield in_csv(f"finding_{when}", lambda each: str(part(each).finding))
    yield in_csv(f"strength_{when}", lambda each: part(each).answer.strength)
    for place, name in enumerate(("effect", "lower", "upper")):
        yield in_csv(f"{name}_{when}", lambda each, place=place: part(each).answer.bounds[place])  # type: ignore[misc]
    yield in_csv(f"evidence_{when}", lambda each: part(each).evidence)
