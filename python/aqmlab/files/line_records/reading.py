"""Files of other programs as records of a line, each recognised by its content."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, Any

from aqmlab.errors import RefusalError
from aqmlab.files.flent_file import read_flent
from aqmlab.files.line_records.packet_capture import read_captures
from aqmlab.files.line_records.ping_log import read_ping_log
from aqmlab.files.line_records.speed_tests import read_crusader, read_iperf3, read_waveform
from aqmlab.files.reading import LARGEST_BYTES, parse_json, read_bytes
from aqmlab.files.recognised import as_text, measurement_kind, what_it_is
from aqmlab.terminal.spelling import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from aqmlab.files.line_records.record import LineRecord

LEGAL = (
    "a data file of Flent, a result of crusader (crusader export), the CSV of Waveform's test, a log of "
    "ping, iperf3 --json, a packet capture"
)
_LARGEST_CAPTURE_BYTES = 512 << 20
_OF_JSON: dict[str, Callable[[str, dict[str, Any]], LineRecord]] = {
    "flent": read_flent,
    "crusader": read_crusader,
    "iperf3": read_iperf3,
}
_OF_TEXT: dict[str, Callable[[str, str], LineRecord]] = {"ping": read_ping_log, "waveform": read_waveform}


def read_line_records(files: Iterable[str | Path]) -> list[LineRecord]:
    """What is in the files; captures are read together, for a direction may have a file of its own."""
    captures: list[tuple[str, bytes]] = []
    records = []
    for file in files:
        name = plain(str(file))
        content = _unpacked(name, read_bytes(file, RefusalError, most_bytes=_LARGEST_CAPTURE_BYTES))
        kind = measurement_kind(name, content)
        if kind != "capture" and len(content) > LARGEST_BYTES:
            raise RefusalError(f"{name}: larger than {LARGEST_BYTES >> 20} MiB", place=name)
        if not content.strip():
            raise RefusalError(f"{name}: is empty", place=name, legal=LEGAL)
        if kind == "capture":
            captures.append((name, content))
        elif kind in _OF_TEXT:
            records.append(_OF_TEXT[kind](name, as_text(content)))
        elif kind in _OF_JSON:
            records.append(_OF_JSON[kind](name, parse_json(as_text(content), name, RefusalError)))
        elif kind == "crusader-raw":
            raise RefusalError(
                f"{name}: crusader's own file; crusader export {name} makes JSON of it", place=name
            )
        else:
            what = what_it_is(name, content) or "not recognised"
            raise RefusalError(f"{name}: is {what}; legal: {LEGAL}", place=name, legal=LEGAL)
    return [*records, *([read_captures(captures)] if captures else [])]


def _unpacked(name: str, content: bytes) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as packed:
            unpacked = packed.read(_LARGEST_CAPTURE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RefusalError(f"{name}: damaged, gzip cannot unpack it: {error}", place=name) from None
    if len(unpacked) > _LARGEST_CAPTURE_BYTES:
        raise RefusalError(f"{name}: larger than {_LARGEST_CAPTURE_BYTES >> 20} MiB unpacked", place=name)
    return unpacked
