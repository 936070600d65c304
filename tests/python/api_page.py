"""The reference in `docs/reference/api.md`, below its guide, made of the docstrings: a program."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aqmlab

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"
MODULES = {
    "aqmlab": ("Scenarios, runs, comparisons, sweeps and searches.", ()),
    "aqmlab.comparison": (
        "Configurations compared with a baseline, seed by seed.",
        ("Change", "Level", "Values", "CurveDifference", "configurations"),
    ),
    "aqmlab.inference": (
        "Means over seeds, and differences, with their intervals.",
        ("Interval", "NotEnoughReplications"),
    ),
    "aqmlab.statistics.pages": ("Page load times of one run as a distribution.", ()),
    "aqmlab.statistics.distribution": ("Response times of one run as a distribution.", ()),
    "aqmlab.statistics.call_sound": ("What a call sounds like at the other end.", ()),
    "aqmlab.statistics.classes": ("Goodput and fairness by class of traffic.", ()),
}
"""The modules with what the page says of them, and the names that it lists; by default all public ones."""
_MARK = "<!-- reference: generated -->\n"


def page() -> str:
    """The page as it should be."""
    guide, mark, _ = PAGE.read_text(encoding="utf-8").partition(_MARK)
    parts = [guide, mark]
    for name, (says, listed) in MODULES.items():
        module = importlib.import_module(name)
        parts.append(f"\n## {name}\n\n{says}\n")
        parts += [_entry(name, each, found) for each, found in _public(module, listed)]
    return "".join(parts)


def _public(module: Any, listed: tuple[str, ...]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    names = (
        listed
        or getattr(module, "__all__", None)
        or [
            name
            for name, found in vars(module).items()
            if not name.startswith("_") and getattr(found, "__module__", "") == module.__name__
        ]
    )
    for name in names:
        found = getattr(module, name)
        told = module is not aqmlab and getattr(aqmlab, name, None) is found
        if not told and (inspect.isclass(found) or inspect.isfunction(found)):
            yield name, found


def _entry(module: str, name: str, found: Any) -> str:  # noqa: ANN401
    if inspect.isclass(found) and issubclass(found, BaseException):
        return f"\n### `{module}.{name}`\n\n{_prose(found)}\n"
    text = f"\n### `{module}.{name}{_signature(found)}`\n\n{_prose(found)}\n"
    if inspect.isclass(found):
        text += "".join(f"\n- {line}" for line in _members(found))
        text += "\n" if _members(found) else ""
    return text


def _members(found: type) -> list[str]:
    lines = []
    for name, member in vars(found).items():
        if name.startswith("_"):
            continue
        called = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        got = member.fget if isinstance(member, property) else getattr(member, "func", None)
        if got is not None and got.__doc__:
            lines.append(f"`{name}`: {_first(got.__doc__)}")
        elif inspect.isfunction(called) and called.__doc__:
            lines.append(f"`{name}{_signature(called)}`: {_first(called.__doc__)}")
    return lines


def _signature(found: Any) -> str:  # noqa: ANN401
    """The parameters without their types, which the docstring tells better."""
    try:
        signature = inspect.signature(found)
    except ValueError:
        return "()"
    plain = [
        each.replace(annotation=inspect.Parameter.empty)
        for name, each in signature.parameters.items()
        if name not in {"self", "cls"} and not name.startswith("_")
    ]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def _prose(found: Any) -> str:  # noqa: ANN401
    """The docstring, with its sections as lists."""
    lines = []
    said, _, _ = inspect.cleandoc(found.__doc__ or "").partition("\n>>> ")
    for line in said.splitlines():
        if re.fullmatch(r"(Args|Attributes|Returns|Raises|Yields):", line):
            lines += ["", f"**{line[:-1]}**", ""]
        elif re.match(r"    \S", line) and ":" in line and lines and _in_section(lines):
            key, _, says = line.strip().partition(":")
            lines.append(f"- `{key}`:{says}" if re.fullmatch(r"[\w, ]+", key) else f"- {line.strip()}")
        elif line.startswith("    "):
            lines.append(f"  {line.strip()}")
        else:
            lines.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _in_section(lines: list[str]) -> bool:
    return any(line.startswith("**") for line in lines)


def _first(text: str) -> str:
    """The first paragraph in one line."""
    return " ".join(inspect.cleandoc(text).partition("\n\n")[0].split())


if __name__ == "__main__":
    sys.path.insert(0, str(PAGE.parents[2] / "python"))
    PAGE.write_text(page(), encoding="utf-8")
