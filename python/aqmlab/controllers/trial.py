"""A congestion controller tried outside of any scenario: what every controller owes, on random facts.

Facts are random, in any order in which a sender may tell them; the numbers of a case are the same every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.controllers.loading import Loaded, is_library, load, loaded_library
from aqmlab.controllers.random_sender import LAWS, LAWS_OF_RENO, LEGAL, WORKS, IllegalAnswer, RandomSender
from aqmlab.errors import ScenarioError
from aqmlab.files.own_names import require_object

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = 200
"""How many cases are tried."""
_FACTS = 200
"""How many facts a case has."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A law that a controller breaks.

    Attributes:
        law: The law, with its source.
        case: The number of the case, which is the same every time.
        wrong: What happened.
    """

    law: str
    case: int
    wrong: str

    def __str__(self) -> str:
        return f"fails: {self.law}\n  case {self.case}: {self.wrong}"


def laws_of(name: str, *, folder: str | Path = ".") -> tuple[str, ...]:
    """The laws that a controller is held to."""
    return LAWS if _loaded(name, folder).hears_each_loss else LAWS + LAWS_OF_RENO


def check(name: str, *, folder: str | Path = ".", cases: int = CASES) -> list[Broken]:
    """Tells a controller random facts, with its defaults, and answers with the laws that it breaks."""
    loaded = _loaded(name, folder)
    found: dict[str, Broken] = {}
    for case in range(cases):
        for law, wrong in _broken_in(loaded, case):
            found.setdefault(law, Broken(law, case, wrong))
    return [*found.values()]


def _loaded(name: str, folder: str | Path) -> Loaded:
    require_object(name)
    if is_library(name):
        return loaded_library(name, folder)
    file, _, own = name.rpartition(":")
    if not file.endswith(".py") or not own:
        raise ScenarioError(f"controller {name}: not in a file; legal: FILE.py:CLASS or LIBRARY.so:SYMBOL")
    _core.controller_schema(Path(folder).absolute(), name)  # refuses what no scenario takes
    loaded = load(file, own, (Path(folder) / file).read_text(encoding="utf-8"))
    if refusal := _refusal_of_defaults(loaded):
        raise ScenarioError(f"{name}: {refusal}")
    return loaded


def _refusal_of_defaults(loaded: Loaded) -> str:
    """What a scenario would say of the defaults, which the ranges hold; empty where they are legal."""
    try:
        refused = loaded.refusal_of(loaded.defaults_json)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a stranger's code)
        fails = loaded.described(error, error.__traceback__)
        return f"one whose check fails ({fails}) is not legal; legal: one whose `check` works"
    if refused is None:
        return ""
    key, wrong, legal = refused
    of = " = " if key in loaded.parameters else ": "
    return f"{key}{of}{wrong}; legal: {legal}"


def _broken_in(loaded: Loaded, case: int) -> Iterator[tuple[str, str]]:
    """The laws that a case breaks; it ends with the first method that fails, or that no run goes on after."""
    try:
        sender = RandomSender(loaded, case)
        for _ in range(_FACTS):
            yield from sender.go_on()
    except IllegalAnswer as answer:
        yield LEGAL, str(answer)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a stranger's code)
        yield WORKS, loaded.described(error, error.__traceback__)
