"""The fenced blocks of the pages, and how each is tried (`docs/explanation/testing.md`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]

KINDS = {"scenario", "sweep", "file", "scheme", "claim", "run", "parse", "shown"}
_MARK = re.compile(r"<!-- example: (.*?) -->", re.DOTALL)
_INLINE = re.compile(r"`(aqmlab [^`]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: The page, from the root.
        line: The line of its fence, counted from 1.
        language: What stands behind the fence.
        text: What is in it.
        kind: What the comment above it says that it is; empty without one.
        name: The file that the comment gives it as, if any.
        settings: What else the comment says, by name.
    """

    page: str
    line: int
    language: str
    text: str
    kind: str = ""
    name: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """Every page with blocks that a reader might try."""
    others = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "tests/crosscheck/ns2/README.md",
        ROOT / "tools/bench/README.md",
        ROOT / "crates/web/data/README.md",
    ]
    return [
        *others,
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "python/aqmlab/experiments").rglob("*.md")),
    ]


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    fences = [number for number, line in enumerate(lines) if line.startswith("```")]
    if len(fences) % 2:
        raise AssertionError(f"{page}: a block without an end")
    found = []
    for opening, closing in zip(fences[::2], fences[1::2], strict=True):
        kind, name, settings = _mark(lines[:opening])
        found.append(
            Block(
                page=str(page.relative_to(ROOT) if page.is_relative_to(ROOT) else page),
                line=opening + 1,
                language=lines[opening].removeprefix("```"),
                text="\n".join(lines[opening + 1 : closing]) + "\n",
                kind=kind,
                name=name,
                settings=settings,
            )
        )
    return found


def _mark(above: list[str]) -> tuple[str, str, dict[str, str]]:
    """What the comment directly above a fence says."""
    if not above or not above[-1].endswith("-->"):
        return "", "", {}
    start = max(number for number, line in enumerate(above) if line.startswith("<!--"))
    mark = _MARK.fullmatch("\n".join(above[start:]))
    if mark is None:
        return "", "", {}
    first, *others = (part.strip() for part in mark[1].split(";"))
    kind, _, name = first.partition(" ")
    return (
        kind,
        name,
        {key.strip(): value.strip() for key, _, value in (each.partition(":") for each in others)},
    )


def inline_commands(page: Path) -> list[str]:
    """Commands of ours in the prose of a page."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [" ".join(command.split()) for command in _INLINE.findall(prose)]
