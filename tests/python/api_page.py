"""The reference in `docs/reference/api.md`, below its guide, made of the docstrings: a program."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab.cli.from_api import arguments_in_words
from command_page import every_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
_COMMON = """
## Arguments of several functions

"""
_SEVERAL = 2
"""Functions that share an argument word for word, from which on its meaning stands once."""


def page() -> str:
    """The page as it should be."""
    guide, mark, _ = PAGE.read_text(encoding="utf-8").partition(_MARK)
    public = [
        (name, each, found)
        for name, (_, listed) in MODULES.items()
        for each, found in _public(importlib.import_module(name), listed)
    ]
    functions = [found for *_, found in public if not inspect.isclass(found)]
    every: Counter[tuple[str, str]] = Counter()
    for each in functions:
        options = _options(each)
        every.update(told for told in arguments_in_words(each).items() if told[0] not in options)
    by_name: dict[str, str] = {}
    for (name, says), count in every.most_common():
        if count >= _SEVERAL:
            by_name.setdefault(name, says)
    common = [told for told in every if by_name.get(told[0]) == told[1]]
    parts = [guide, mark, _COMMON, *(f"- `{name}`: {says}\n" for name, says in common)]
    for name, (says, _) in MODULES.items():
        parts.append(f"\n## {name}\n\n{says}\n")
        parts += [_entry(name, each, found, common) for at, each, found in public if at == name]
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


def _entry(module: str, name: str, found: Any, common: Sequence[tuple[str, str]]) -> str:  # noqa: ANN401
    prose = _prose(found)
    if inspect.isclass(found) and issubclass(found, BaseException):
        # What errors are is in errors.md; here stands what one has beside its message.
        return f"\n### `{module}.{name}`\n\n{prose}\n" if "**Attributes**" in prose else ""
    if not inspect.isclass(found):
        prose = _without_what_stands_elsewhere(prose, found, common)
        return f"\n### `{module}.{name}{_signature(found)}`\n\n{prose}\n"
    plain = all(each.default is each.empty for each in _parameters(found).values())
    listed = plain and all(f"- `{each}`: " in prose for each in _parameters(found))
    text = f"\n### `{module}.{name}{'' if listed else _signature(found)}`\n\n{prose}\n"
    text += "".join(f"\n- {line}" for line in _members(found))
    return text + ("\n" if _members(found) else "")


def _without_what_stands_elsewhere(prose: str, function: Any, common: Sequence[tuple[str, str]]) -> str:  # noqa: ANN401
    """The text of a function with links in place of arguments that several have, or a command's options."""
    told, options = arguments_in_words(function), _options(function)
    several = [name for name, says in told.items() if (name, says) in common]
    of_command = [name for name in options if name not in several]
    for name in (*several, *of_command):
        prose = re.sub(rf"(?m)^- `{name}`: .*\n?(?:  .*\n?)*", "", prose, count=1)
    links = []
    if of_command:
        path = options[of_command[0]]
        links.append(f"as the options of [`{path}`](command-line.md#{path.replace(' ', '-')})")
    if several:
        links.append("[as everywhere](#arguments-of-several-functions)")
    lines = [f"- others: {' or '.join(links)}"] if links else []
    before, heading, after = prose.partition("**Args**\n\n")
    own, blank, rest = after.partition("\n**")
    listed = "\n".join([*filter(None, [own.strip("\n")]), *lines])
    return before + heading + listed + (f"\n\n**{rest.lstrip()}" if blank else "") if lines else prose


def _options(function: Any) -> dict[str, str]:  # noqa: ANN401
    """The arguments that a command has as options, in the same words, with the command."""
    told = arguments_in_words(function)
    return {
        str(each.name): path
        for path, context in every_command()
        if getattr(aqmlab, getattr(context.command, "_function", ""), None) is function
        for each in context.command.params
        if isinstance(each, click.Option) and each.help == told.get(str(each.name))
    }


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


def _parameters(found: Any) -> dict[str, inspect.Parameter]:  # noqa: ANN401
    try:
        return dict(inspect.signature(found).parameters)
    except ValueError:
        return {}


def _signature(found: Any) -> str:  # noqa: ANN401
    """The parameters without their types, which the docstring tells better."""
    plain = [
        each.replace(annotation=inspect.Parameter.empty)
        for name, each in _parameters(found).items()
        if name not in {"self", "cls"} and not name.startswith("_")
    ]
    return str(inspect.Signature(plain))


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
