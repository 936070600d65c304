"""The claims of a paper from an experiment's `claims.toml`: sentences with their testable statements.

A statement names its check with the cells `a` and `b`, as in `check = ["better", "pi-24", "pi-240"]`, and the
load of both, or of each; every other key is given to the check. It stands for many where it has `each`: lists
of values, of which every combination is put in the place of `{name}`. In words `{a}` and `{b}` are what the
cells are called in print, `{margin}` is a number that decides, and `{margin%}` the same in per cent. A number
may be one of the words that the paper uses for it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_toml
from aqmlab.files.records import read_as
from aqmlab.files.shape import distinct
from aqmlab.papers.documents import Claims, Statement
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

    from aqmlab.papers.documents import Claim, Configuration

_PLACEHOLDER = re.compile(r"\{(\w+)(%?)\}")
_CELLS = ("a", "b")
_OWN = {"says", "check", "load", "each"}
"""Keys of a statement that its check is not given."""


def read_claims(file: Traversable, configurations: Mapping[str, Configuration]) -> tuple[Claim, ...]:
    """Reads the claims of an experiment with these configurations.

    Raises:
        ExperimentError: The file is no list of claims, or a statement names what there is not.
    """
    document = read_as(Claims, read_toml(file, ExperimentError), file.name, ExperimentError)
    distinct([claim.identifier for claim in document.claims], f"{file.name}.claims", ExperimentError)
    return tuple(
        replace(
            claim,
            statements=tuple(
                statement
                for number, entry in enumerate(claim.entries, start=1)
                for statement in _expanded(entry, claim.identifier, number, document.words, configurations)
            ),
        )
        for claim in document.claims
    )


def _expanded(
    entry: Mapping[str, Any],
    claim: str,
    number: int,
    words: Mapping[str, float],
    configurations: Mapping[str, Configuration],
) -> Iterator[Statement]:
    """The statements that an entry stands for, one for every combination of the values of `each`."""
    place = f"claim {claim}: statements[{number}]"
    each = entry.get("each", {})
    for combination in product(*each.values()):
        chosen = dict(zip(each, combination, strict=True))
        given = {}
        for key in entry.keys() - _OWN:
            value = _filled(entry[key], chosen, f"{place}.{key}")
            given[key] = words.get(value, value) if isinstance(value, str) else value
        check, *names = (str(_filled(name, chosen, f"{place}.check")) for name in entry["check"])
        for name in names:
            if name not in configurations:
                raise ExperimentError.unknown(f"{place}.check", name, configurations)
        loads = _loads(entry.get("load", chosen.get("load")), len(names), place)
        labels = dict(zip(_CELLS, (configurations[name].label for name in names), strict=False))
        shown = {**chosen, **given, **labels, **dict(zip(("load", "load_b"), loads, strict=False))}
        cells = dict(zip(_CELLS, zip(names, loads, strict=True), strict=False))
        says = str(_filled(entry["says"], shown, f"{place}.says"))
        yield Statement(number, place, says, check, {**cells, **given})


def _loads(given: object, cells: int, place: str) -> list[float]:
    """The load of each cell that a check looks at, in per cent: its own, or the one that all share."""
    loads: list[Any] = given if isinstance(given, list) else [given] * cells
    legal = all(isinstance(load, int | float) and not isinstance(load, bool) for load in loads)
    if not legal or len(loads) != cells or cells > len(_CELLS):
        raise ExperimentError(
            f"{place}: {cells} cells at the load {quoted(given)}; legal: {len(_CELLS)} cells at most, and a "
            "load in per cent for all or for each"
        )
    return [float(load) for load in loads]


def _filled(text: Any, values: Mapping[str, Any], place: str) -> Any:  # noqa: ANN401
    """A text with values filled in, or the value that it names; other things are unchanged."""
    if not isinstance(text, str):
        return text

    def value(name: str) -> Any:  # noqa: ANN401
        if name not in values:
            raise ExperimentError.unknown(f"{place}: {{{name}}}", name, values)
        return values[name]

    def written(found: re.Match[str]) -> str:
        known = value(found[1])
        if isinstance(known, bool) or not isinstance(known, int | float):
            return str(known)
        return f"{100.0 * known:g}" if found[2] else f"{known:g}"

    whole = _PLACEHOLDER.fullmatch(text)
    return value(whole[1]) if whole else _PLACEHOLDER.sub(written, text)
