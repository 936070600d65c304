"""How objects show themselves without knowing how they look: they ask here, and `aqmlab.show` answers.

An object that is printed, stands in a notebook or is written as a report belongs to a floor below what
people see, and imports nothing of it. `aqmlab` says which module answers for which class (`answered_by`);
that module is loaded when an object of the class is first shown, and registers what it makes.
"""

from __future__ import annotations

from functools import singledispatch
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.axes import Axes

_answering: dict[str, str] = {}


def answered_by(modules: Mapping[str, str]) -> None:
    """Says which module registers what objects of a class look like, by the name of the class."""
    _answering.update(modules)


class Shown:
    """What shows itself, printed and in notebooks."""

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return html(self)


@singledispatch
def text(shown: object) -> str:
    """What `print` shows."""
    answer: str = _answer(text, shown)(shown)
    return answer


@singledispatch
def html(shown: object) -> str:
    """What a notebook shows."""
    answer: str = _answer(html, shown)(shown)
    return answer


@singledispatch
def sentences(shown: object) -> list[str]:
    """What it says to people."""
    answer: list[str] = _answer(sentences, shown)(shown)
    return answer


@singledispatch
def facts(shown: object) -> dict[str, Any]:
    """What there is to say of it beside its numbers, as plain data: grades, a verdict, what to type."""
    _load(shown)
    answer = facts.dispatch(type(shown))
    # Most have nothing but numbers.
    return {} if answer is facts.dispatch(object) else answer(shown)


@singledispatch
def details(shown: object) -> str:
    """Every number, as text."""
    answer: str = _answer(details, shown)(shown)
    return answer


@singledispatch
def report(shown: object, *, title: str = "") -> str:
    """Its report, one HTML page that needs no network."""
    answer: str = _answer(report, shown)(shown, title=title)
    return answer


@singledispatch
def plot(shown: object, axes: Axes | None = None) -> Axes:
    """Draws it with Matplotlib, into `axes` or new ones."""
    answer: Axes = _answer(plot, shown)(shown, axes)
    return answer


@singledispatch
def save(shown: object, folder: Path) -> dict[str, Path]:
    """Writes it to a folder, figures and all; the files by name."""
    answer: dict[str, Path] = _answer(save, shown)(shown, folder)
    return answer


def _answer(question: Any, shown: object) -> Any:  # noqa: ANN401 (a generic function and what it finds)
    """What was registered for the class of an object, by the module that answers for it."""
    _load(shown)
    answer = question.dispatch(type(shown))
    if answer is question.dispatch(object):
        raise TypeError(f"nothing says what {type(shown).__name__} looks like")
    return answer


def prepare(kind: type) -> None:
    """Loads what objects of a class will be shown with, while there is time: what answers, and what draws.

    For the calling thread: another one that imports could get in the way of Ctrl-C.
    """
    answering = import_module(_answering[kind.__name__])
    for module in getattr(answering, "DRAWN_BY", ()):
        import_module(module)


def _load(shown: object) -> None:
    """Loads the module that answers for the class of an object."""
    for kind in type(shown).__mro__:
        if kind.__name__ in _answering:
            import_module(_answering[kind.__name__])
            break
