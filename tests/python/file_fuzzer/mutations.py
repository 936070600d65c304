# ruff: noqa: E501
"""Damage: of bytes, of the tree that a file holds, of the rows of a table."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from file_fuzzer.values import DEEP, NUMBERS, TEXTS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

_TOKENS = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b"=", b"[", b"]", b"[[", b"]]", b"{", b"}",
    b'"', b"'''", b'"""', b",", b".", b"#", b"\\", b"\\u0000", b"\x1b[2J", b"nan", b"inf", b"-", b"1e999", b"0x10",
    b"9" * 5000, b"1979-05-27", b"07:32:00", b"true", b"null", b"\xc3", b"\xed\xa0\x80", b" " * 1000,
)  # fmt: skip


def bytes_damaged(chance: random.Random, data: bytes) -> bytes:
    """One to four slips in a file: bits flipped, parts lost, doubled, swapped, strange ones put in."""
    content = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.randrange(len(content) + 1)
        until = min(len(content), at + chance.choice((1, 1, 2, 8, 64, 1000)))
        match chance.randrange(8):
            case 0 if content:
                content[min(at, len(content) - 1)] ^= 1 << chance.randrange(8)
            case 1:
                del content[at:until]
            case 2:
                content[at:at] = content[at:until]
            case 3:
                del content[at:]
            case 4 | 5:
                content[at:at] = chance.choice(_TOKENS)
            case 6:
                content[at:until] = chance.choice(_TOKENS)
            case _:
                content = bytearray(_lines_damaged(chance, bytes(content)))
    return bytes(content)


def _lines_damaged(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(3):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            lines.insert(other, lines[one])
        case _:
            del lines[one]
    return b"".join(lines)


def tree_damaged(chance: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """One to three wrong values, keys or shapes in a parsed file."""
    document = copy.deepcopy(document)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = list(_places(document))
        if not places:
            break
        holder, key = chance.choice(places)
        chance.choice(_SLIPS)(chance, holder, key)
    return document


def _places(part: object) -> Iterator[tuple[Any, Any]]:
    """Every value below a node, as what holds it and its key there."""
    if isinstance(part, dict):
        pairs: Any = list(part.items())
    elif isinstance(part, list):
        pairs = list(enumerate(part))
    else:
        return
    for key, value in pairs:
        yield part, key
        yield from _places(value)


def _another_number(chance: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    holder[key] = chance.choice(NUMBERS)


def _another_text(chance: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    holder[key] = chance.choice(TEXTS)


def _another_scale(chance: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        holder[key] *= chance.choice((-1, 0.001, 0.5, 2, 1000, 10**7))


def _another_kind(chance: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    holder[key] = chance.choice(
        ([], {}, [holder[key]], {"a": holder[key]}, f"{holder[key]}", [[]], [{}], None)
    )


def _deep(chance: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    value: object = 1
    for _ in range(chance.choice((5, 60, 150, DEEP // 20))):
        value = [value] if chance.random() < 0.5 else {"a": value}
    holder[key] = value


def _lost(_: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    del holder[key]


def _doubled(chance: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    if isinstance(holder, list):
        holder.extend([copy.deepcopy(holder[key])] * chance.choice((1, 1, 300)))
    else:
        holder[f"{key}{chance.choice(('', ' ', '2', '.a', chance.choice(TEXTS)[:300]))}"] = copy.deepcopy(
            holder[key]
        )


def _renamed(chance: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    if isinstance(holder, dict):
        value = holder.pop(key)
        holder[chance.choice((key[:-1], key.upper(), f"{key}.{key}", chance.choice(TEXTS)))] = value


def _swapped(chance: random.Random, holder: Any, key: Any) -> None:  # noqa: ANN401
    other = chance.choice(list(holder) if isinstance(holder, dict) else list(range(len(holder))))
    holder[key], holder[other] = holder[other], holder[key]


_SLIPS: tuple[Callable[[random.Random, Any, Any], None], ...] = (
    _another_number, _another_number, _another_number, _another_text, _another_text, _another_scale, _another_kind,
    _another_kind, _deep, _lost, _doubled, _renamed, _swapped,
)  # fmt: skip


def rows_damaged(chance: random.Random, text: str) -> str:
    """Cells, columns and rows of a table of text separated by commas, changed or lost."""
    rows = [line.split(",") for line in text.splitlines()] or [[""]]
    for _ in range(chance.choice((1, 1, 2))):
        row = chance.choice(rows)
        at = chance.randrange(len(row)) if row else 0
        match chance.randrange(6):
            case 0 | 1 if row:
                row[at] = str(chance.choice(NUMBERS + TEXTS[:40]))[:400]
            case 2 if row:
                del row[at]
            case 3:
                row.insert(at, chance.choice(TEXTS[:40]))
            case 4:
                rows.append(list(row))
            case _ if len(rows) > 1:
                del rows[chance.randrange(len(rows))]
            case _:
                pass
    return "\n".join(",".join(row) for row in rows) + "\n"
