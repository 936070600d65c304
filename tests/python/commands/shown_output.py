"""What pages show of what commands printed and drew: read, compared with what is printed now, written again.

A block `example: shown; by: COMMAND` is all that the command prints. A comment `picture: FILE; of: REPORT`
says that FILE is the first screen of a report. Its words are kept in the picture: browsers differ in pixels.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from documented import ROOT, blocks

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

UPDATES = os.environ.get("AQMLAB_UPDATE_SHOWN") == "1"
"""Whether what is shown is written again instead of compared (`make shown`)."""

_WORDS = "shown words"
_WIDTH, _HEIGHT = 920, 900
_PICTURE = re.compile(r"<!-- picture: (\S+); of: (\S+) -->")


@dataclass(frozen=True)
class Shown:
    """A block that shows what a command prints."""

    page: str
    line: int
    command: str
    text: str

    def __str__(self) -> str:
        """What a test of it is called."""
        return f"{self.page}:{self.line} {self.command}"


@dataclass(frozen=True)
class Picture:
    """A picture of a report's first screen: both files as the page names them."""

    page: str
    file: str
    report: str


def shown(page: str) -> list[Shown]:
    """The blocks of a page that show what a command prints."""
    return [
        Shown(page, block.line, block.settings["by"], block.text)
        for block in blocks(ROOT / page)
        if "by" in block.settings
    ]


def pictures(page: str) -> list[Picture]:
    """The pictures of a page that are of reports."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Picture(page, file, report) for file, report in _PICTURE.findall(text)]


def as_shown(printed: str) -> str:
    """What a command printed, without the spaces that fill its lines."""
    return "\n".join(line.rstrip() for line in printed.strip("\n").splitlines()) + "\n"


def write_block(block: Shown, printed: str, root: Path = ROOT) -> None:
    """Puts what was printed in place of what is shown."""
    page = root / block.page
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    # Blocks above may have become longer or shorter since the page was read.
    end = next(number for number, line in enumerate(lines) if f"by: {block.command} -->" in line) + 2
    length = lines[end:].index("```\n")
    page.write_text("".join([*lines[:end], as_shown(printed), *lines[end + length :]]), encoding="utf-8")


class _FirstScreen(HTMLParser):
    """The words of a page's header, those of its figure too."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside |= tag == "header"
        if self._inside:
            self.words += [value for name, value in attrs if name == "aria-label" and value]

    def handle_endtag(self, tag: str) -> None:
        self._inside &= tag != "header"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.words += data.split()


def words_of(report: Path) -> str:
    """The words of a report's first screen."""
    page = _FirstScreen()
    page.feed(re.sub(r"<(style|script).*?</\1>", "", report.read_text(encoding="utf-8"), flags=re.DOTALL))
    return " ".join(page.words)


def words_in(picture: Path) -> str:
    """The words that a picture was taken with; empty if it has none."""
    with Image.open(picture) as image:
        return str(image.info.get(_WORDS, ""))


def take(browser: Browser, report: Path, picture: Path) -> None:
    """Takes a picture of a report's first screen, and puts its words into it."""
    page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme="light")
    page.goto(report.absolute().as_uri())
    page.screenshot(path=picture)
    page.close()
    words = PngInfo()
    words.add_itxt(_WORDS, words_of(report))
    with Image.open(picture) as image:
        image.convert("P", palette=Image.Palette.ADAPTIVE).save(picture, pnginfo=words, optimize=True)
