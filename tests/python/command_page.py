"""The reference of the command line, `docs/reference/command-line.md`, made of click's own help.

Run as a program it writes the page.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli import commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"
_HEAD = """# The command line

Options may stand before or after arguments. `--help` of a command prints this and more examples;
`aqmlab --version` prints the version. [Exit codes and errors](errors.md).

"""

_COMMON = """

## Options of several commands

| option | meaning |
| --- | --- |
"""
_EXAMPLES = 3
"""Examples of a command on the page; its help has all."""
_SEVERAL = 2
"""Commands that share an option word for word, from which on its meaning stands once."""


def page() -> str:
    """The page as it should be."""
    found = every_command()
    common = _shared(Counter(row for _, context in found for row in _rows(context)))
    entries = "".join(_entry(*each, common) for each in found)
    return _HEAD + "\n".join(_overview(found)) + _COMMON + "\n".join(common.values()) + "\n" + entries


def _shared(every: Counter[str]) -> dict[str, str]:
    """The options of several commands, by their text without defaults: of one name the most frequent."""
    counts: Counter[str] = Counter()
    rows: dict[str, str] = {}
    for row, count in every.most_common():
        counts[_without_default(row)] += count
        rows.setdefault(_without_default(row), row)
    by_name: dict[str, str] = {}
    for text, count in counts.most_common():
        if count >= _SEVERAL:
            by_name.setdefault(_name(text), text)
    return {text: rows[text] for text in map(_without_default, every) if text in by_name.values()}


def _without_default(row: str) -> str:
    return row.replace(_default(row), "") if _default(row) else row


def _default(row: str) -> str:
    """The default of an option as its row says it, if that is all that the row says in brackets."""
    found = re.search(r" \[default: [^;\]]*\](?= \|$)", row)
    return found[0] if found else ""


def _overview(found: list[tuple[str, click.Context]]) -> Iterator[str]:
    """Links to the commands, under the headings of `aqmlab --help`."""
    for heading, names in commands.sections().items():
        links = [
            f"[`{path.removeprefix('aqmlab ')}`](#{_anchor(path)})"
            for path, _ in found
            if path.split()[1] in names
        ]
        yield f"- **{heading}**: {', '.join(links)}"


def every_command() -> list[tuple[str, click.Context]]:
    """All commands, also those of groups, with what is typed to call them."""
    return list(_commands(click.Context(commands, info_name="aqmlab")))


def _commands(group: click.Context) -> Iterator[tuple[str, click.Context]]:
    """The commands below a group, groups before their own, with what is typed to call them."""
    assert isinstance(group.command, click.Group)
    for name in group.command.list_commands(group):
        command = group.command.get_command(group, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=group)
        yield context.command_path, context
        if isinstance(command, click.Group):
            yield from _commands(context)


def _anchor(path: str) -> str:
    return path.replace(" ", "-")


def _text(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "").replace("\f", "")


def _differing(row: str, common: Mapping[str, str]) -> str:
    """A default that is not the one of most commands."""
    return "" if row in common.values() else _default(row)


def _entry(path: str, context: click.Context, common: Mapping[str, str]) -> str:
    command = context.command
    pieces = " ".join(command.collect_usage_pieces(context))
    parts = [f"## {path}", *_paragraphs(_text(command))]
    if isinstance(command, click.Group):
        # Its commands have examples of their own.
        parts = [part for part in parts if not part.startswith("<!-- example")]
    else:
        parts.insert(1, f"`{path} {pieces}`".replace(" `", "`"))
    rows = _rows(context)
    own = [row for row in rows if _without_default(row) not in common]
    if own:
        parts.append("\n".join(["| option | meaning |", "| --- | --- |", *own]))
    shared = [f"`{_name(row)}`{_differing(row, common)}" for row in rows if row not in own]
    if shared:
        parts.append(f"[Shared options](#options-of-several-commands): {', '.join(shared)}.")
    return "\n" + "\n\n".join(parts) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; those whose lines click keeps become lists or blocks."""
    for paragraph in text.split("\n\n"):
        kept = paragraph.startswith("\b\n")
        lines = paragraph.removeprefix("\b\n").splitlines()
        if not kept:
            yield _linked(" ".join(line.strip() for line in lines))
        elif len(lines) > 1 and lines[0].endswith(":") and lines[1].startswith(" "):
            yield f"<!-- example: shown -->\n```text\n{_block(_first(lines[1:]))}\n```"
        else:
            yield f"<!-- example: shown -->\n```text\n{_block(lines)}\n```"


def _first(lines: list[str]) -> list[str]:
    """The first examples, with the lines that go on."""
    ends = [number for number, line in enumerate(lines, 1) if not line.endswith("\\")]
    return lines[: ends[:_EXAMPLES][-1]]


def _block(lines: list[str]) -> str:
    return inspect.cleandoc("\n".join(lines))


def _rows(context: click.Context) -> list[str]:
    found = (_row(each, context) for each in context.command.get_params(context))
    return [row for row in found if row is not None]


def _name(row: str) -> str:
    """The option of a row, as it is typed, without its value."""
    return row.removeprefix("| `").partition("` |")[0].split()[0].rstrip(",")


def _row(parameter: click.Parameter, context: click.Context) -> str | None:
    """An option with its meaning, default and range, as click words them; arguments are in the usage line."""
    record = parameter.get_help_record(context)
    if record is None or not isinstance(parameter, click.Option) or "--help" in parameter.opts:
        return None
    names, meaning = (part.replace("|", "\\|") for part in record)
    return f"| `{names}` | {_linked(' '.join(meaning.split()))} |"


def _linked(text: str) -> str:
    """A text whose pages are links, and whose angle brackets are no markup."""
    return re.sub(r"docs/(\S+?\.md)", _link, text.replace("<", "\\<"))


def _link(found: re.Match[str]) -> str:
    target = os.path.relpath(PAGE.parents[1] / found[1], PAGE.parent)
    return f"[{Path(target).name}]({target})"


if __name__ == "__main__":
    sys.path.insert(0, str(PAGE.parents[2] / "python"))
    PAGE.write_text(page(), encoding="utf-8")
