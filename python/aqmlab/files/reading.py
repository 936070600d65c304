"""Files that a user names: read whole, and refused with the file's name whatever is wrong with them.

A file may be missing, a folder, a device that never ends, too large, in another encoding, broken, nested
deeper than any reader follows, or hold a number of five thousand digits. Each is the user's to mend and is
told in one message; what the file then means is for its own module to check.
"""

from __future__ import annotations

import csv
import io
import json
import stat
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab.files.recognised import IN_JSON, what_it_is
from aqmlab.terminal.spelling import counted, plain

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.resources.abc import Traversable

    from aqmlab.errors import RefusalError

LARGEST_BYTES = 64 << 20
"""More than any file that a person writes; a scenario of a megabyte is a large one."""

_PART_BYTES = 1 << 16


def read_text(file: str | Path | Traversable, refusal: type[RefusalError]) -> str:
    """The text of a file."""
    name = plain(str(file))
    data = read_bytes(file, refusal)
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        what = what_it_is(name, data)
        wrong = f"not UTF-8 text (byte {error.start})" if what is None else f"this is {what}"
        raise refusal(f"{name}: {wrong}", place=name) from None


def read_bytes(
    file: str | Path | Traversable, refusal: type[RefusalError], *, most_bytes: int = LARGEST_BYTES
) -> bytes:
    """The content of a file, up to so many bytes."""
    name = plain(str(file))
    try:
        return _bytes(Path(file), most_bytes) if isinstance(file, str | Path) else file.read_bytes()
    except FileNotFoundError:
        raise refusal(f"{name}: there is no such file", place=name) from None
    except OSError as error:
        raise refusal(f"{name}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a name that no file can have, such as one with a NUL in it
        raise refusal(f"{name}: cannot be read: {error}") from None


def read_toml(file: str | Path | Traversable, refusal: type[RefusalError]) -> dict[str, Any]:
    """The document in a TOML file."""
    return parse_toml(read_text(file, refusal), plain(str(file)), refusal)


def parse_toml(text: str, source: str, refusal: type[RefusalError]) -> dict[str, Any]:
    """The document in TOML text."""
    document: dict[str, Any] = _parsed(tomllib.loads, text, "TOML", source, refusal)
    return document


def read_json(file: str | Path, refusal: type[RefusalError]) -> dict[str, Any]:
    """The object in a JSON file. A byte order mark before it is ignored (RFC 8259, 8.1)."""
    return parse_json(read_text(file, refusal).removeprefix("\ufeff"), plain(str(file)), refusal)


def parse_json(text: str, source: str, refusal: type[RefusalError]) -> dict[str, Any]:
    """The object in JSON text."""
    document = _parsed(json.loads, text, "JSON", source, refusal)
    if not isinstance(document, dict):
        raise refusal(f"{source}: contains no JSON object")
    return document


def read_table(file: str | Path | Traversable, refusal: type[RefusalError]) -> list[dict[str, str]]:
    """The rows of a CSV file, by the heads of its columns."""
    name = plain(str(file))
    try:
        head, *rows = list(csv.reader(io.StringIO(read_text(file, refusal)), strict=True)) or [[]]
    except csv.Error as error:
        raise refusal(f"{name}: {error}") from None
    if not all(head) or not head or len(set(head)) < len(head):
        raise refusal(f"{name}:1: the first line must name all columns, with different names")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(head):
            raise refusal(
                f"{name}:{number}: {counted(len(row), 'cell')} under {counted(len(head), 'column')}"
            )
    return [dict(zip(head, row, strict=True)) for row in rows]


def _parsed(
    parse: Callable[[str], Any], text: str, form: str, source: str, refusal: type[RefusalError]
) -> Any:  # noqa: ANN401
    try:
        return parse(text)
    except RecursionError:
        raise refusal(f"{source}: nested too deeply") from None
    except ValueError as error:  # what the parsers raise, and Python itself for a number of too many digits
        what = what_it_is(source, text.encode(errors="replace"), expected=IN_JSON if form == "JSON" else ())
        wrong = plain(str(error)) if what is None else f"this is {what}"
        raise refusal(f"{source}: not {form}: {wrong}") from None


def _bytes(file: Path, most_bytes: int) -> bytes:
    kind = file.stat().st_mode
    if not stat.S_ISREG(kind):
        what = "a folder" if stat.S_ISDIR(kind) else "a pipe or a device"
        raise OSError(0, f"{what}, not a file")
    data = bytearray()
    with file.open("rb") as handle:
        while part := handle.read(_PART_BYTES):
            data += part
            if len(data) > most_bytes:
                raise OSError(0, f"larger than {most_bytes >> 20} MiB")
    return bytes(data)
