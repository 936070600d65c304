"""Runs of a comparison that have ended, read while others are still under way.

The calling thread only waits for runs, so what it reads meanwhile nobody waits for afterwards.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError, UnknownLinkError
from aqmlab.statistics.catalogue import shown_of
from aqmlab.statistics.quantity import Measured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.statistics.recorded import Recorded


class EarlyReading:
    """The numbers of runs that have ended.

    Attributes:
        links: The judged links; none named: those that carry data.
        population: The population whose response times are meant; by default all together.
    """

    def __init__(self, links: Sequence[str] = (), *, population: str | None = None) -> None:
        """Takes the judged links, by default those that carry data, and whose times are meant."""
        self.links = links
        self.population = population
        self._read: dict[int, Measured] = {}  # by the identity of what each holds on to

    def read(self, result: Recorded) -> Measured:
        """Finds the numbers that are shown of a run. What it did not record, the comparison refuses."""
        run = self._read[id(result)] = Measured(result, self.links, population=self.population)
        with suppress(MissingDataError, UnknownLinkError):
            for quantity in shown_of(result, _names_of(run)):
                run.observation(quantity)
        return run

    def of(self, result: Recorded, links: Sequence[str]) -> Measured:
        """The run with these judged links: as it was read, or else unread."""
        run = self._read.get(id(result))
        if run is not None and _names_of(run) == list(links):
            return run
        return Measured(result, links, population=self.population)


def _names_of(run: Measured) -> list[str]:
    return [str(link["name"]) for link in run.links]
