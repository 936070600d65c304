"""What a traffic model is, for those who write one: pages, objects, think times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aqmlab._core import Draws


class Object(NamedTuple):
    """An object of a page.

    Attributes:
        response_bytes: Bytes of the response, 1 to 1e9.
        request_bytes: Bytes of the request, 1 to 65,535.
        host: Which host of the page, 0 to 5,000; hosts are placed on servers at random, page by page.
        wave: When the browser knows it: objects of a wave are requested when the wave before is complete. The
            root is wave 0, alone; the others 1 to 255.
    """

    response_bytes: int
    request_bytes: int = 500
    host: int = 0
    wave: int = 1


class Page(NamedTuple):
    """A page, and the pause behind it.

    Attributes:
        objects: The root, then the other objects; at most 5,000.
        think_s: Seconds from the end of the page to the beginning of the user's next one, 0.001 to 1e6.
    """

    objects: Iterable[Object]
    think_s: float


class TrafficModel:
    """Decides what pages consist of and how long users think; the browser, TLS and servers are aqmlab's.

    `page` is required. One instance serves all users of a run, in any order, so `page` must be a function of
    its arguments: draw random numbers only from `draws`, and keep nothing in the instance.
    """

    _is_started: bool = False

    def check(self) -> None:
        """Raises `IllegalParameter` where parameters contradict each other; ranges are checked before."""

    def start(self) -> None:
        """Called once the parameters are set: prepare what all pages need here."""

    def page(self, number: int, draws: Draws) -> Page:
        """A user's page with this number, counted from 0."""
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401
        """Refuses to keep anything between pages."""
        if self._is_started:
            raise AttributeError(f"self.{name} is set after start: a model keeps nothing between pages")
        super().__setattr__(name, value)


METHODS = ("check", "start", "page")
"""The methods that are called."""
