"""What a number of one run is: its name, its unit, what of the run it is of, how it is computed and printed.

A quantity is called with a finished run and returns the number. What several quantities of one run need,
its judged links and its response times, is found once by a `Measured`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.statistics.distribution import ResponseTimes, response_times
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.pages import FollowedPages, Pages, page_load_times
from aqmlab.statistics.recorded import judged_links

if TYPE_CHECKING:
    from aqmlab.statistics.recorded import Recorded

Link: TypeAlias = Mapping[str, Any]
"""The summary of a monitored link, as `run.json` has it."""


class Scope(StrEnum):
    """What of a run a quantity is of: its judged links, what its users experienced, or the run as a whole."""

    LINKS = "links"
    USERS = "users"
    RUN = "run"


class Measured:
    """A finished run with the links and the users that are judged.

    Attributes:
        result: The run.
    """

    def __init__(self, result: Recorded, links: Sequence[str] = (), *, population: str | None = None) -> None:
        """Takes a run, the judged links (by default those that carry data), and whose times are meant."""
        self.result = result
        self._links = links
        self._population = population
        self._pages: dict[Pages, ResponseTimes] = {}
        self._observations: dict[str, Observation] = {}

    @cached_property
    def links(self) -> list[Link]:
        """The judged links."""
        return judged_links(self.result, self._links)

    @cached_property
    def times(self) -> ResponseTimes:
        """The response times of all users, or of the population."""
        return response_times(self.result, population=self._population)

    def page_load_times(self, pages: Pages) -> ResponseTimes:
        """The page load times of all users, or of the population."""
        if pages not in self._pages:
            self._pages[pages] = (
                self.followed_pages.times()
                if pages is Pages.FOLLOWED
                else page_load_times(self.result, pages, population=self._population)
            )
        return self._pages[pages]

    @cached_property
    def followed_pages(self) -> FollowedPages:
        """The pages of all users, or of the population, that were waited for in the measured window."""
        return FollowedPages.of(self.result, population=self._population)

    def observation(self, quantity: Quantity) -> Observation:
        """What the run says of a quantity, found once."""
        if quantity.name not in self._observations:
            self._observations[quantity.name] = quantity.observed(self)
        return self._observations[quantity.name]


@dataclass(frozen=True, repr=False)
class Quantity(ABC):
    """A number of one run.

    Attributes:
        name: What files and columns call it; its unit is part of the name.
        unit: The unit, empty for a plain ratio or count.
        title: What tables on paper call it.
        short: What tables in the terminal call it.
        digits: Digits after the point in print.
        definition: What is counted, over which denominator: the sentence of the reference.
        denominator: What a share or a loss is a share of; empty where it is none.
        on_logarithms: Whether means and intervals over runs are of its logarithm, as of times: the level is
            then a geometric mean, the tested difference a ratio.
        worst: The bad end of its scale, for where something should have come and nothing did; not a number
            where neither end is bad.
    """

    name: str
    unit: str
    title: str
    short: str
    digits: int
    definition: str = field(default="", kw_only=True)
    denominator: str = field(default="", kw_only=True)
    on_logarithms: bool = field(default=False, kw_only=True)
    worst: float = field(default=math.nan, kw_only=True)

    scope: ClassVar[Scope]

    @property
    def base(self) -> str:
        """The name without what of the run it is of: `loss_percent` of `loss_percent/flows.bulk`."""
        return self.name.partition("/")[0]

    @abstractmethod
    def of(self, run: Measured) -> float:
        """The number of a run.

        Raises:
            MissingDataError: The run did not record what it is computed from.
        """

    def observed(self, run: Measured) -> Observation:
        """What a run says of the number: itself, a bound, or nothing (`aqmlab.statistics.observation`)."""
        try:
            value = self.of(run)
        except MissingDataError:
            return Observation.nothing()
        if math.isnan(value):
            return Observation.nothing()
        return Observation.exact(value) if math.isfinite(value) else Observation.at_least(self.at_least(run))

    def observed_in(self, result: Recorded, links: Sequence[str] = ()) -> Observation:
        """What a finished run says of the number, over the judged links where it is of links."""
        return self.observed(Measured(result, links))

    def at_least(self, run: Measured) -> float:  # noqa: ARG002 (most quantities are never infinite)
        """What an infinite number of a run at least is; minus infinity where nothing is known."""
        return -math.inf

    def __call__(self, result: Recorded, links: Sequence[str] = ()) -> float:
        """The number of a run, over the judged links where it is of links."""
        return self.of(Measured(result, links))

    def __repr__(self) -> str:
        return f"Quantity({self.name!r}, {self.unit!r})"

    def shown(self, value: float, *, sign: str = "") -> str:
        """A value as tables print it."""
        return f"{value:{sign}.{self.digits}f}"


@dataclass(frozen=True, repr=False)
class OfLinks(Quantity):
    """A number of the judged links together: of one link it is that link's own."""

    compute: Callable[[Sequence[Link]], float]  # the number of some links
    scope = Scope.LINKS

    def of(self, run: Measured) -> float:
        """The number of the judged links together."""
        return self.compute(run.links)

    def of_link(self, link: Link) -> float:
        """The number of one link."""
        return self.compute([link])

    def by_link(self, result: Recorded, links: Sequence[str] = ()) -> dict[str, float]:
        """The number of each judged link."""
        return {link["name"]: self.of_link(link) for link in judged_links(result, links)}


@dataclass(frozen=True, repr=False)
class OfUsers(Quantity):
    """A number of the response times of all users."""

    # the number of a distribution in which at least one exchange ended
    compute: Callable[[ResponseTimes], float]
    scope = Scope.USERS

    def of(self, run: Measured) -> float:
        """The number of the run's response times."""
        if run.times.ended == 0:
            raise TooLittleDataError("no exchange ended in the measured window")
        return self.compute(run.times)

    def at_least(self, run: Measured) -> float:
        """The longest time that was seen: what failed takes longer than all that completed."""
        return run.times.least_quantile(1.0)


@dataclass(frozen=True, repr=False)
class OfPages(Quantity):
    """A number of the page load times of all users.

    Attributes:
        compute: The number of a distribution of at least one page.
        pages: Of which pages.
        share: Of a quantile, from 0 to 1: within the number this share of the pages is loaded; of another
            number not a number.
    """

    compute: Callable[[ResponseTimes], float]
    pages: Pages
    share: float = field(default=math.nan, kw_only=True)
    scope = Scope.USERS

    def of(self, run: Measured) -> float:
        """The number of the run's pages."""
        times = run.page_load_times(self.pages)
        if times.ended == 0:
            raise TooLittleDataError(f"no page {_HAPPENED[self.pages]} in the measured window")
        return self.compute(times)

    def at_least(self, run: Measured) -> float:
        """The number of what each page was seen to take."""
        times = run.page_load_times(self.pages)
        return -math.inf if times.seen is None else self.compute(times.seen)


_HAPPENED = {Pages.COMPLETED: "ended", Pages.FOLLOWED: "was waited for"}


@dataclass(frozen=True, repr=False)
class OfRun(Quantity):
    """A number of the run as a whole."""

    compute: Callable[[Recorded], float]  # the number of a run
    # what a run says of it where that may be a bound; by default what `compute` says
    observe: Callable[[Recorded], Observation] | None = field(default=None, kw_only=True)
    scope = Scope.RUN

    def of(self, run: Measured) -> float:
        """The number of the run."""
        return self.compute(run.result)

    def observed(self, run: Measured) -> Observation:
        """What the run says of the number."""
        if self.observe is None:
            return super().observed(run)
        try:
            return self.observe(run.result)
        except MissingDataError:
            return Observation.nothing()


OfPart: TypeAlias = Callable[[str], OfRun]
"""The quantity of a part of the traffic, by its name: `flows.bulk`."""


def of_part(
    name: str,
    unit: str,
    title: str,
    short: str,
    digits: int,
    **about: Any,  # noqa: ANN401 (as `OfRun` has them)
) -> Callable[[Callable[[Recorded, str], float]], OfPart]:
    """Makes the quantity of a part of the traffic of what computes it; {} in the title is the part."""

    def made(number: Callable[[Recorded, str], float]) -> OfPart:
        def of(part: str) -> OfRun:
            def value(result: Recorded) -> float:
                return number(result, part)

            return OfRun(f"{name}/{part}", unit, title.format(part), short, digits, value, **about)

        return of

    return made


def observed_of_part(
    name: str,
    unit: str,
    title: str,
    short: str,
    digits: int,
    *,
    nothing: str = "{} sent nothing in the measured window",
    **about: Any,  # noqa: ANN401 (as `OfRun` has them)
) -> Callable[[Callable[[Recorded, str], Observation]], OfPart]:
    """The same of what may be a bound; as a plain number it says why there is nothing."""

    def made(observe: Callable[[Recorded, str], Observation]) -> OfPart:
        def plain(result: Recorded, part: str) -> float:
            found = observe(result, part)
            if not found.is_known:
                raise TooLittleDataError(nothing.format(part))
            return found.plain

        def of(part: str) -> OfRun:
            def observed(result: Recorded) -> Observation:
                return observe(result, part)

            return replace(of_number(part), observe=observed)

        of_number = of_part(name, unit, title, short, digits, **about)(plain)
        return of

    return made
