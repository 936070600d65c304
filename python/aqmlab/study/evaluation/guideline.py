"""What a guideline for evaluations is: its sections, the cases that are run for each, or why none is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aqmlab.errors import RefusalError
from aqmlab.study.evaluation.network import DATA
from aqmlab.study.evaluation.variations import as_asked
from aqmlab.terminal.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aqmlab.study.evaluation.evaluation import NotRun, Trial
    from aqmlab.study.evaluation.metrics import OfRun
    from aqmlab.study.evaluation.variations import Variation


@dataclass(frozen=True)
class Case:
    """A scenario of a section.

    Attributes:
        name: What tells it from the section's other cases; empty if there is one alone.
        document: The scenario. Of schemes with drop-tail at every link; of controllers with `SUBJECT` in the
            place of the evaluated one.
        links: The links that delay, loss and goodput are of.
        placed: The links that get the scheme; by default the same.
        variation: What a scheme becomes in this case.
        beside: Whether what stands beside the evaluated one is run too.
        phases: Stretches of the run in seconds that are measured by themselves, by name.
        headlines: Metrics that the summary shows, with what it calls them; of schemes beside delay and
            goodput.
        ratio: Two groups of flows, the second of whose goodputs is given over the first's.
        harmed: Metrics of others, to which the harm is given that the controller does, with what the summary
            calls it.
        standard: The controller beside the evaluated one whose numbers are the standard of this case.
        counted: Metrics that only this case has.
    """

    name: str
    document: Mapping[str, Any]
    links: tuple[str, ...] = (DATA,)
    placed: tuple[str, ...] = ()
    variation: Variation = as_asked
    beside: bool = True
    phases: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    headlines: Mapping[str, str] = field(default_factory=dict)
    ratio: tuple[str, str] | None = None
    harmed: Mapping[str, str] = field(default_factory=dict)
    standard: str = ""
    counted: tuple[OfRun, ...] = ()


@dataclass(frozen=True)
class Guideline:
    """A section of a guideline that asks for an experiment.

    Attributes:
        section: Its number.
        name: What it is about, in a word or three.
        asks: What it asks, in a sentence.
        cases: What is run for it.
        not_run: Why nothing is; empty if something is.
    """

    section: str
    name: str
    asks: str
    cases: tuple[Case, ...] = ()
    not_run: str = ""

    def title(self, case: Case) -> str:
        """What tables call one of its cases."""
        if case.name.startswith(self.name):
            return case.name
        return f"{self.name}, {case.name}" if case.name else self.name


@dataclass(frozen=True)
class Method:
    """A guideline and what is evaluated by it: queue disciplines, or congestion controllers.

    Attributes:
        document: What it is called: `RFC 7928`.
        kind: What is evaluated, in the singular; the column of tables for programs.
        guidelines: Its sections.
        beside: Who stands beside the evaluated one by default.
        line: The network of most cases, in words.
        require_legal: Refuses a subject before anything is run.
        trials: What a case of a section is with a subject: trials, or why there is none.
        spelt: A subject as people write it.
        shown: What the summary shows of every case, with what it calls it.
    """

    document: str
    kind: str
    guidelines: tuple[Guideline, ...]
    beside: tuple[str, ...]
    line: str
    require_legal: Callable[[Sequence[str]], None]
    trials: Callable[[Guideline, Case, str], Iterator[Trial | NotRun]]
    spelt: Callable[[str], str]
    shown: Mapping[str, str]

    def chosen(self, sections: Sequence[str]) -> list[Guideline]:
        """The guidelines of these sections: `8.2` chooses all below it, and none given chooses all."""
        legal = [each.section for each in self.guidelines]
        for section in sections:
            if not any(_within(each, section) for each in legal):
                raise RefusalError(
                    f"section {section}: {self.document} asks for nothing there; legal: {', '.join(legal)}"
                    f"{nearest(section, legal)}",
                    place="only",
                    value=section,
                    legal=", ".join(legal),
                )
        return [
            each
            for each in self.guidelines
            if not sections or any(_within(each.section, wanted) for wanted in sections)
        ]


def _within(section: str, wanted: str) -> bool:
    return section == wanted or section.startswith(f"{wanted}.")
