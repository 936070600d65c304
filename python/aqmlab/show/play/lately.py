"""The runs that the page asked for lately: shown again without another run, and looked at in pairs."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import asdict
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from aqmlab.result import Result
    from aqmlab.show.play.knobs import Setting

_KEPT, _KEPT_BYTES, _ALWAYS_KEPT = 32, 64e6, 4
"""Runs that are kept with their answers: fewer of large ones, but both runs of two sides."""


class PlayedRun(NamedTuple):
    """A run and what the page was told of it, as JSON."""

    answer: str
    result: Result


class PlayedLately:
    """The settings that were played lately, for all threads."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, PlayedRun] = OrderedDict()
        self._lock = Lock()

    def of(self, setting: Setting, *, quick: bool) -> PlayedRun | None:
        """The whole run of a setting; or, if that will do, its first look."""
        with self._lock:
            for length in ("whole", "quick") if quick else ("whole",):
                if (found := self._runs.get(name := f"{length} {asdict(setting)!r}")) is not None:
                    self._runs.move_to_end(name)
                    return found
        return None

    def keep(self, setting: Setting, run: PlayedRun, *, quick: bool) -> None:
        """Keeps a run, and lets go of those that were looked at longest ago."""
        with self._lock:
            self._runs[f"{'quick' if quick else 'whole'} {asdict(setting)!r}"] = run
            held = [
                sum(table.nbytes for table in each.result.tables.values()) for each in self._runs.values()
            ]
            while len(held) > _KEPT or (len(held) > _ALWAYS_KEPT and sum(held) > _KEPT_BYTES):
                self._runs.popitem(last=False)
                held.pop(0)
