# ruff: noqa: E501, PLR0911
"""Values that files hold by mistake, and a writer that spells any of them as TOML."""

from __future__ import annotations

import json
from typing import Any

NUMBERS: tuple[int | float, ...] = (
    0, 1, -1, 2, 3, 0.5, 1.5, -0.0, 1e-9, 1e-300, 5e-324, 1e9, 1e300, 255, 256, 65_535, 65_536, 1_000_000,
    1_000_001, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63),
    10**30, 10**400, float("inf"), float("-inf"), float("nan"), True, False,
)  # fmt: skip
TEXTS = (
    "", " ", "x", "0", "1", "nan", "true", "[/x]", "[bold]a", "[link=http://x]y", "\x1b[31mred", "\x07", "\x9b31m",
    "$x^", "$\\frac", "a\nb", "a\tb", "\u202eabc", "\ufeff", "é" * 200, "n" * 300, "a/b", "..", ".", "~", "-", "--help",
    "'", '"', "\\", "{0}", "%s", "<script>alert(1)</script>", "{{ 7 * 7 }}", "nul\x00in it", "𝕏", "a-b", "a,b",
    "1-8", "8-1", "1-", "1,1", "9" * 5000, "1-99999999", "²", "١", "1_000", "1e3", "dumbbell.queue", "a..b", ".a",
)  # fmt: skip
DEEP = 3000


def toml_text(document: dict[str, Any]) -> str:
    """The document as TOML, whatever it holds: each key of the top on a line, everything below it inline."""
    return "".join(f"{_key(key)} = {toml_value(value)}\n" for key, value in document.items())


def toml_value(value: object) -> str:
    """A value as TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value:d}" if abs(value) < 10**600 else "9" * 5000
        case float():
            return repr(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
        case list():
            return f"[{', '.join(map(toml_value, value))}]"
        case dict():
            return f"{{ {', '.join(f'{_key(key)} = {toml_value(each)}' for key, each in value.items())} }}"
        case _:
            return '"nothing"'


def _key(key: str) -> str:
    return toml_value(key)
