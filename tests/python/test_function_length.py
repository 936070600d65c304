"""Functions of Python stay short enough to be seen whole; `tools/tidy` holds those of Rust to the same."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
CEILING = 70
"""Lines from `def` to the end without the docstring; 40 are wanted."""
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def too_long(source: str) -> dict[str, int]:
    """The functions with more lines than the ceiling, and how many they have."""
    functions = [each for each in ast.walk(ast.parse(source)) if isinstance(each, FUNCTION)]
    lengths = {f"{each.name}, line {each.lineno}": _lines(each) for each in functions}
    return {name: lines for name, lines in lengths.items() if lines > CEILING}


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = function.body[0]
    documentation = 0
    if ast.get_docstring(function) is not None:
        documentation = (first.end_lineno or first.lineno) + 1 - first.lineno
    return (function.end_lineno or function.lineno) + 1 - function.lineno - documentation


def test_every_function_can_be_seen_whole() -> None:
    found = {
        str(file.relative_to(ROOT)): long
        for folder in ("python", "tests", "tools", "examples")
        for file in sorted((ROOT / folder).rglob("*.py"))
        if (long := too_long(file.read_text(encoding="utf-8")))
    }
    assert found == {}, "give a step of it a name and a function"


def test_a_line_more_is_found_and_a_docstring_is_not_counted() -> None:
    def function(steps: int) -> str:
        body = '"""One.\n\nTwo.\n"""\n' + "step()\n" * steps
        return "async def f():\n" + textwrap.indent(body, "    ")

    assert too_long(function(CEILING - 1)) == {}
    assert too_long(function(CEILING)) == {"f, line 1": CEILING + 1}
