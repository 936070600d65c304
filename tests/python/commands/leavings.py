"""Opens every file that a command left, as its readers would open it."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import math
import re
import subprocess
import tempfile
import tomllib
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pyarrow.parquet as pq
from PIL import Image
from pyarrow import feather

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Stamp = tuple[int, int]
Stamps = dict["Path", Stamp]

NO_NUMBER = re.compile(r"(?<![\w.-])(nan|NaN|inf|Infinity|None|undefined)(?![\w.-])")
"""What a reader sees where a number is missing and nobody noticed."""


def stamps(folder: Path) -> Stamps:
    """When each file below a folder was written, and how long it is."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}


def left_since(before: Mapping[Path, Stamp], folder: Path) -> list[Path]:
    """The files that are new or were written again."""
    return sorted(file for file, stamp in stamps(folder).items() if before.get(file) != stamp)


def check(file: Path) -> None:
    """Opens a file as what its name says.

    Raises:
        AssertionError: It is not that, or it is empty.
    """
    kind = "".join(file.suffixes[-2:]) if file.suffix == ".gz" else file.suffix or file.name
    assert kind in _KINDS, f"{file}: what is this file? Say in {__name__} how it is opened"
    assert file.stat().st_size > 0, f"{file} is empty"
    try:
        _KINDS[kind](file)
    except AssertionError as wrong:
        raise AssertionError(f"{file}: {wrong}") from wrong


def _csv(file: Path) -> None:
    head, *rows = csv.reader(file.read_text(encoding="utf-8").splitlines(), strict=True)
    assert rows, "no row"
    assert len(set(head)) == len(head), "two columns of one name"
    assert {len(row) for row in rows} == {len(head)}, "a row is longer or shorter than the head"
    fields = [field for row in rows for field in row]
    assert any(_is_number(field) for field in fields), "no number"
    wrong = sorted({field for field in fields if NO_NUMBER.fullmatch(field)})
    assert not wrong, f"holds {', '.join(wrong)}"


def _is_number(field: str) -> bool:
    try:
        return math.isfinite(float(field))
    except ValueError:
        return False


def _json(file: Path) -> None:
    document = json.loads(file.read_text(encoding="utf-8"), parse_constant=_refuse)
    assert document
    if file.name == "run.json":
        assert document["links"]
        broken = [law["name"] for law in document["invariants"] if not law["holds"]]
        assert not broken, broken


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def _parquet(file: Path) -> None:
    assert pq.read_table(file).num_columns, "no column"


def _arrow(file: Path) -> None:
    assert feather.read_table(file).num_columns, "no table"


class _Page(HTMLParser):
    """The words, tables and pictures of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.numbers = 0
        self.pictures = 0
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # A chart is drawn when the page is opened.
        is_chart = tag == "figure" and ("class", "chart") in attrs
        self.pictures += tag in {"svg", "img", "canvas"} or is_chart
        if tag in {"script", "style", "table", "svg", "main", "body", "html", "pre"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not {"script", "style", "pre"} & set(self.open):
            self.words.append(data)
            self.numbers += "table" in self.open and any(digit.isdigit() for digit in data)


def _html(file: Path) -> None:
    page = _Page()
    page.feed(file.read_text(encoding="utf-8"))
    page.close()
    assert not page.open, f"not closed: {', '.join(page.open)}"
    assert page.pictures, "no figure"
    assert page.numbers, "no number in any table"
    wrong = NO_NUMBER.search(" ".join(page.words))
    assert wrong is None, (
        f"holds {wrong[0]} in {wrong.string[max(0, wrong.start() - 60) : wrong.end() + 20]!r}"
    )


def _svg(file: Path) -> None:
    shapes = [each.tag.rsplit("}", 1)[-1] for each in ET.parse(file).iter()]  # noqa: S314  (our own figures)
    assert {"path", "line", "polyline", "rect"} & set(shapes), "nothing is drawn"


def _png(file: Path) -> None:
    with Image.open(file) as picture:
        shades = picture.convert("L").getextrema()
    assert shades[0] != shades[1], "one colour throughout"


def _pdf(file: Path) -> None:
    content = file.read_bytes()
    assert content.startswith(b"%PDF-"), "no PDF"
    assert b"%%EOF" in content[-32:], "no PDF, or cut off"


def _gzip(file: Path) -> None:
    with gzip.open(file, "rt", encoding="utf-8") as text:
        assert json.load(text)["results"], "no results"


def _pcap(file: Path) -> None:
    head = file.read_bytes()[:4]
    assert head in {b"\x4d\x3c\xb2\xa1", b"\xd4\xc3\xb2\xa1", b"\x0a\x0d\x0d\x0a"}, f"no capture: {head!r}"
    assert file.stat().st_size > 24 + 16, "no packet"


def _text(file: Path) -> None:
    assert file.read_text(encoding="utf-8").strip()


def _toml(file: Path) -> None:
    assert tomllib.loads(file.read_text(encoding="utf-8"))


def _library(file: Path) -> None:
    assert file.read_bytes().startswith(b"\x7fELF")


def _checksums(file: Path) -> None:
    for line in file.read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ", 1)
        assert hashlib.sha256((file.parent / name).read_bytes()).hexdigest() == digest, name


def _digests(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines, "no digest"
    for line in lines:
        assert re.fullmatch(r"[0-9a-f]{64}  \S.*", line), line


def _script(file: Path) -> None:
    checked = subprocess.run(["sh", "-n", str(file)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def _bibtex(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert re.match(r"@\w+\{", text), "no entry"
    assert text.count("{") == text.count("}"), "an entry is not closed"


def _zip(file: Path) -> None:
    with zipfile.ZipFile(file) as archive, tempfile.TemporaryDirectory() as folder:
        archive.extractall(folder)
        held = [each for each in Path(folder).rglob("*") if each.is_file()]
        assert held, "no file"
        for each in held:
            if "study" not in each.parts:  # what the study itself has: what is asked, and not what came out
                check(each)


_KINDS: dict[str, Callable[[Path], None]] = {
    ".csv": _csv,
    ".json": _json,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".html": _html,
    ".svg": _svg,
    ".png": _png,
    ".pdf": _pdf,
    ".flent.gz": _gzip,
    ".pcap": _pcap,
    ".pcapng": _pcap,
    ".md": _text,
    ".txt": _text,
    ".log": _text,
    ".py": _text,
    ".toml": _toml,
    ".so": _library,
    "SHA256SUMS": _checksums,
    ".sha256": _digests,
    ".sh": _script,
    ".bib": _bibtex,
    ".zip": _zip,
}
