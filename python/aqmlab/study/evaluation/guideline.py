"""What one section of the guidelines is: the cases that are run for it, or why none is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aqmlab.study.evaluation.network import DATA
from aqmlab.study.evaluation.variations import as_asked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.study.evaluation.variations import Variation


@dataclass(frozen=True)
class Case:
    """A scenario of a section.

    Attributes:
        name: What tells it from the section's other cases; empty if there is one alone.
        document: The scenario, with drop-tail at every link.
        links: The links that delay, loss and goodput are of.
        placed: The links that get the scheme; by default the same.
        variation: What a scheme becomes in this case.
        beside: Whether the schemes beside the evaluated one are run too.
        phases: Stretches of the run in seconds that are measured by themselves, by name.
        headlines: Metrics that the summary shows beside delay and goodput, with what it calls them.
        ratio: Two groups of flows, the second of whose goodputs is given over the first's.
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


@dataclass(frozen=True)
class Guideline:
    """A section of RFC 7928 that asks for an experiment.

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
