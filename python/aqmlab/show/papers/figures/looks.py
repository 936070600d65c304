"""How the lines of a study's cells look: hue by scheme, pattern by queue length, a darker shade with ECN."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from aqmlab.show.figures.looks import BLACK, GREY, MARKERS, SCHEMES, SEQUENCE, Line, darker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.papers.study import Cell
    from aqmlab.show.figures.looks import Pattern

QUEUE_PATTERNS: Mapping[str, Pattern] = {"24": "-", "240": "--", "2400": ":", "120": "-."}
"""Of a study's configurations: the queue in packets."""
ECN_MARKERS = {"o": "o", "s": "P", "^": "v", "D": "X", "<": ">"}
"""With ECN instead of the scheme's marker."""


def line_of(configuration: str) -> Line:
    """The look of a study's configuration, from its name: scheme, queue, and perhaps `ecn`.

    The hue is the scheme's, darker with ECN; the pattern is the queue.
    """
    if configuration == "uncongested":
        return Line(BLACK, "-")
    found = re.match(r"(?P<scheme>[a-z-]+?)-(?P<queue>\d+)(?P<rest>.*)", configuration)
    if found is None or found["scheme"] not in SCHEMES:
        return Line(GREY, "-")
    look = SCHEMES[found["scheme"]]
    pattern = QUEUE_PATTERNS.get(found["queue"], "-")
    if "ecn" not in found["rest"]:
        return Line(look.colour, pattern, look.marker)
    return Line(darker(look.colour), pattern, ECN_MARKERS.get(look.marker, look.marker))


def looks_of(cells: Sequence[Cell]) -> list[Line]:
    """One look per line; where several loads meet in a figure, colour tells the loads apart."""
    loads = sorted({load for _, load in cells})
    if len(loads) == 1:
        looks = [line_of(configuration) for configuration, _ in cells]
    else:
        looks = [
            replace(
                line_of(configuration),
                colour=SEQUENCE[loads.index(load) % len(SEQUENCE)],
                marker=MARKERS[loads.index(load) % len(MARKERS)],
            )
            for configuration, load in cells
        ]
    return looks if len(set(looks)) == len(looks) else _told_apart(cells)


def _told_apart(cells: Sequence[Cell]) -> list[Line]:
    """Looks by place in the figure, for settings of one scheme, which its colour does not tell apart."""
    others = [cell for cell in cells if cell[0] != "uncongested"]
    patterns = ("-", "--", "-.", ":")
    by_place = {
        cell: Line(
            SEQUENCE[place % len(SEQUENCE)],
            patterns[place // len(SEQUENCE) % len(patterns)],
            MARKERS[place % len(MARKERS)],
        )
        for place, cell in enumerate(others)
    }
    return [by_place.get(cell, line_of(cell[0])) for cell in cells]
