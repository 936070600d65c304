"""Tables of files as dataclasses: what is read, and what is refused with its place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from aqmlab.errors import ExperimentError
from aqmlab.files.records import ABSENT, NOT_EMPTY, Count, read_as


@dataclass(frozen=True)
class Inner:
    count: Count
    said: str = "nothing"


@dataclass(frozen=True)
class Outer:
    name: str
    kind: Literal["one", "two"]
    parts: Annotated[tuple[Inner, ...], NOT_EMPTY]
    by_name: Mapping[str, float] = field(default_factory=dict)
    inner: Inner | None = None
    flag: bool = False
    other: Any = None
    place: str = field(default="", metadata={ABSENT: True})


LEAST: dict[str, Any] = {"name": "a", "kind": "one", "parts": [{"count": 3}]}


def read(document: object) -> Outer:
    return read_as(Outer, document, "file", ExperimentError)


def test_a_record_holds_what_its_table_says_and_defaults_for_the_rest() -> None:
    assert read(LEAST) == Outer("a", "one", (Inner(3),))
    more = {"by_name": {"x": 1, "y": 0.5}, "inner": {"count": 1, "said": "b"}, "flag": True, "other": [1]}
    expected = Outer("a", "one", (Inner(3),), {"x": 1, "y": 0.5}, Inner(1, "b"), flag=True, other=[1])
    assert read({**LEAST, **more}) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nam": "a"}, 'file.nam: unknown; did you mean "name"? (legal: name, kind, parts, by_name, inner, '),
        ({"place": "here"}, "file.place: unknown"),
        ({"name": 3}, "file.name: a text, not 3"),
        ({"kind": "three"}, 'file.kind: "one" or "two", not \'three\''),
        ({"parts": []}, "file.parts: a list of at least 1, not []"),
        ({"parts": {}}, "file.parts: a list of at least 1, not {}"),
        ({"parts": [{"count": 3}, {}]}, "file.parts[2]: count is missing"),
        ({"parts": [{"count": 0}]}, "file.parts[1].count: a whole number from 1, not 0"),
        ({"parts": [{"count": True}]}, "file.parts[1].count: a whole number from 1, not True"),
        ({"by_name": {"x.y": "1"}}, "file.by_name.\"x.y\": a number, not '1'"),
        ({"by_name": {"x": float("nan")}}, "file.by_name.x: a number, not nan"),
        ({"inner": None}, "file.inner: a table, not None"),
        ({"flag": 1}, "file.flag: true or false, not 1"),
    ],
)
def test_what_a_table_must_not_say_is_refused_with_its_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ExperimentError) as refused:
        read({**LEAST, **change})
    assert str(refused.value).startswith(message)


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ExperimentError, match=r"^file: parts is missing$"):
        read({"name": "a", "kind": "one"})
