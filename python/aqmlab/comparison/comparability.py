"""What two configurations may differ in to be compared: the schema says what each key of a scenario decides.

A difference of two means is put down to the queue. So who browses, what else sends, and what is measured have
to be the same on both sides; a network or hosts that differ are told beside the figures; what a run keeps and
what it is called do not matter. Files are judged by what is in them, wherever a key names one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

from aqmlab import _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Decides(StrEnum):
    """What a key decides, and how a comparison treats a difference in it.

    The names are those of the schema.
    """

    USERS = "who browses and what else sends"
    """Refused, unless other users are compared on purpose."""
    MEASURE = "what is measured"
    """Refused."""
    QUEUE = "the queue"
    """What is compared."""
    NETWORK = "the network"
    """Told."""
    HOSTS = "the hosts"
    """Reported: hosts negotiate features of a queue, such as ECN."""
    NOTHING = "nothing of what is compared"
    """Names, what a run keeps, and the uncongested twin, which is another run."""
    UNKNOWN = "unknown"
    """Refused: this version has no such key."""


@cache
def decided_by(key: str) -> Decides:
    """What a dotted key of a resolved scenario decides.

    The schema says it beside the key (`x-decides`), or beside a table or list in which the key is.
    """
    nodes, decides = _alternatives([_schema()]), None
    for part in key.split("."):
        nodes = _alternatives(_named(nodes, part))
        decides = next((each[_DECIDES] for each in nodes if _DECIDES in each), decides)
    return Decides.UNKNOWN if decides is None else Decides[decides.upper()]


_DECIDES = "x-decides"


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(_core.json_schema())
    return schema


def _alternatives(nodes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Parts of the schema with all that they refer to and choose between."""
    found = list(nodes)
    for node in found:  # which grows meanwhile
        if "$ref" in node:
            found.append(_schema()["$defs"][str(node["$ref"]).rpartition("/")[2]])
        found += [*node.get("anyOf", ()), *node.get("oneOf", ())]
    return found


def _named(nodes: Sequence[Mapping[str, Any]], part: str) -> list[Mapping[str, Any]]:
    """What a key, or a place of a list, stands for in parts of the schema."""
    if part.isdecimal():
        found = [node.get("items") for node in nodes]
    else:
        found = [node.get("properties", {}).get(part, node.get("additionalProperties")) for node in nodes]
    return [each for each in found if isinstance(each, dict)]


MOST_TOLD = 6
"""Of more differences than these the others are counted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A key that two scenarios do not share."""

    key: str  # its dotted name
    before: str  # what the first has there, in words
    after: str  # what the other has there

    @property
    def decides(self) -> Decides:
        """What the key decides."""
        return decided_by(self.key)

    def __str__(self) -> str:
        return f"{self.key} {self.after} instead of {self.before}"


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """The keys in which two resolved scenarios differ, in the order of the first.

    Of two schemes the names alone are told, as their parameters mean nothing to each other. Names,
    descriptions and what a run keeps are left out.
    """
    if before == after:
        return []
    left, right = (dict(_leaves("", each, _texts(each))) for each in (before, after))
    keys = [key for key in {**left, **right} if left.get(key) != right.get(key)]
    other_schemes = {key.removesuffix(".scheme") for key in keys if key.endswith(".scheme")}
    return [
        Difference(key, *_in_words(left.get(key), right.get(key)))
        for key in keys
        if decided_by(key) is not Decides.NOTHING and not _is_of_another_scheme(key, other_schemes)
    ]


def _is_of_another_scheme(key: str, other_schemes: set[str]) -> bool:
    """Whether the key is a parameter of a queue that has another scheme, in a table within its table too."""
    table = key.removesuffix(".scheme")
    while "." in table:
        table = table.rpartition(".")[0]
        if table in other_schemes:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Text:
    """What a file holds that a key names; the same text under another name is the same."""

    name: str = field(compare=False)
    text: object


def _texts(scenario: Mapping[str, Any]) -> Mapping[str, object]:
    texts = scenario.get("files")
    return texts if isinstance(texts, dict) else {}


def _leaves(prefix: str, value: object, files: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Values by dotted key; nothing of what is absent, and of files their texts."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if prefix or key != "files":
                yield from _leaves(f"{prefix}.{key}" if prefix else key, inner, files)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _leaves(f"{prefix}.{place}", inner, files)
    elif isinstance(value, str) and value in files:
        yield prefix, _Text(value, files[value])
    elif isinstance(value, str) and value.rpartition(":")[0] in files:  # a scheme: my_red.py:MyRed
        yield prefix, (value, files[value.rpartition(":")[0]])
    elif value is not None:
        yield prefix, value


def listed(found: Sequence[Difference]) -> str:
    """Differences in one line."""
    more = f"; and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return "; ".join(map(str, found[:MOST_TOLD])) + more


def _in_words(before: object, after: object) -> tuple[str, str]:
    left, right = _word(before), _word(after)
    return (left, right) if left != right else (left, f"another {right}")


def _word(value: object) -> str:
    if isinstance(value, _Text):
        return value.name
    if isinstance(value, tuple):
        return str(value[0])
    if isinstance(value, bool):
        return str(value).lower()
    return "absent" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
