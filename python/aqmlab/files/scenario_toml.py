"""A scenario as TOML text, so that what was found or resolved runs again as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.scenario import toml_key, toml_value

if TYPE_CHECKING:
    from collections.abc import Mapping


def to_toml(document: Mapping[str, Any]) -> str:
    """The document as TOML: plain keys first, then tables, then repeated tables; what is null is left out."""
    present = {key: value for key, value in document.items() if value is not None}
    tables = {key: value for key, value in present.items() if isinstance(value, dict)}
    repeated = {key: value for key, value in present.items() if _is_repeated(value)}
    plain = {key: value for key, value in present.items() if key not in tables and key not in repeated}
    parts = [_lines(plain)]
    parts += [f"[{toml_key(key)}]\n{_lines(table)}" for key, table in tables.items()]
    parts += [f"[[{toml_key(key)}]]\n{_lines(table)}" for key, each in repeated.items() for table in each]
    return "\n".join(parts)


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(
        f"{toml_key(key)} = {toml_value(_without_null(value))}\n"
        for key, value in table.items()
        if value is not None
    )


def _is_repeated(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _without_null(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_null(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_null(inner) for inner in value]
    return value
