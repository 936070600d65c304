"""Warnings of runs, once for each configuration instead of once for each seed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.errors import ScenarioError
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.scenario import core_of
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_NUMBER = re.compile(r"(?<![\w.-])\d(?:[\d.,]*\d)?(?![\w-])")
"""A number, and none of the digits in a name such as `hop-2`."""


def warnings_in_words(runs: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """Each warning once, after the names of the configurations that it is about."""
    about: dict[str, list[Alike]] = {}
    for name, of_runs in runs.items():
        for alike in _alike(name, of_runs):
            about.setdefault(alike.key, []).append(alike)
    return [_in_words(each, several=len(runs) > 1) for each in about.values()]


def warnings_of_scenario(scenario: Mapping[str, Any], *, besides: Collection[str] = ()) -> list[str]:
    """What holds of a resolved scenario before any run; nothing if its files cannot be read any more."""
    try:
        found = core_of(scenario).warnings()
    except ScenarioError:
        return []
    return [each.text for each in found if each.queue_of not in besides]


@dataclass(frozen=True)
class Alike:
    """Warnings of one configuration that say the same, one of a run."""

    configuration: str
    texts: Sequence[str]  # the warnings
    runs: int  # how many runs there are

    @property
    def has_other_numbers(self) -> bool:
        """Whether some run has other numbers than the first."""
        return len(set(self.texts)) > 1

    @property
    def key(self) -> str:
        """Warnings of other configurations with this key are merged with it."""
        return without_numbers(self.texts[0]) if self.has_other_numbers else self.texts[0]


def without_numbers(text: str) -> str:
    """A warning with a mark in place of each number."""
    return _NUMBER.sub("#", text)


def _alike(name: str, of_runs: Sequence[Sequence[str]]) -> list[Alike]:
    texts: dict[str, list[str]] = {}
    for warnings in of_runs:
        for text in dict.fromkeys(warnings):
            texts.setdefault(without_numbers(text), []).append(text)
    return [Alike(name, each, len(of_runs)) for each in texts.values()]


def _in_words(found: Sequence[Alike], *, several: bool) -> str:
    """The warning of the first, with the names of all, and in how many of their runs it stands."""
    times, runs = sum(len(each.texts) for each in found), sum(each.runs for each in found)
    where = [f"in {times} of {counted(runs, 'run')}"] if times < runs else []
    where += ["numbers of the first run"] if any(each.has_other_numbers for each in found) else []
    text = f"{found[0].texts[0]} ({'; '.join(where)})" if where else found[0].texts[0]
    names = ", ".join(each.configuration for each in found)
    if not several or text.startswith(f"{names} at "):
        return text
    return f"{', '.join(spelt(each.configuration) for each in found)}: {text}"
