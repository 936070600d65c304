"""Many files as one: a folder or a zip archive, the same bytes for the same files on any machine and day."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from aqmlab.errors import FolderError
from aqmlab.files.folders import complete_or_absent, require_new, require_writable, whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Content: TypeAlias = bytes | str | Path
"""What is in a file: bytes, text as UTF-8, or what another file has."""

CHECKSUMS = "SHA256SUMS"
"""Lists every other file with its digest, as `sha256sum --check` reads it."""
ZIP = ".zip"
_OTHER_ARCHIVES = (".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zst")
"""Endings that whoever gives them takes for an archive; a folder of such a name would surprise."""
_DATE = (1980, 1, 1, 0, 0, 0)
"""The first that a zip archive can have: its files are as old as the results, whose time nobody kept."""
_UNIX = 3
_MODE, _PROGRAM_MODE = 0o100644, 0o100755
_PROGRAM = ".sh"


def write_files(files: Mapping[str, Content], place: Path, name: str) -> Path:
    """Writes files with a list of their digests, whole or not at all."""
    _require_ending(place)
    listed = {**files, CHECKSUMS: checksums(files)}
    if place.suffix.lower() == ZIP:
        with whole_file(place) as partial:
            _write_archive(listed, partial, name)
    else:
        with complete_or_absent(place) as temporary:
            for path, content in listed.items():
                _write(content, temporary / path)
    return place


def require_place(place: Path) -> None:
    """Checks, before hours of work, that `write_files` could write there."""
    _require_ending(place)
    if place.suffix.lower() == ZIP:
        require_writable(place)
    else:
        require_new(place)


def _require_ending(place: Path) -> None:
    if place.suffix.lower() in _OTHER_ARCHIVES:
        raise FolderError(
            f"{place}: no archive of this kind; legal: a path that ends in {ZIP}, or a new folder"
        )


def checksums(files: Mapping[str, Content]) -> str:
    """Digests and paths, as sha256sum writes them."""
    return checksums_of((path, digest(content)) for path, content in files.items())


def checksums_of(digests: Iterable[tuple[str, str]]) -> str:
    """The same of paths with digests that are known."""
    return "".join(f"{found}  {path}\n" for path, found in sorted(digests))


def digest(content: Content) -> str:
    """The SHA-256 of a content, in hexadecimal digits."""
    if isinstance(content, Path):
        with content.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    return hashlib.sha256(_bytes(content)).hexdigest()


def _bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _write(content: Content, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Path):
        shutil.copyfile(content, file)
    else:
        file.write_bytes(_bytes(content))
    if file.suffix == _PROGRAM:
        file.chmod(_PROGRAM_MODE & 0o777)


def _write_archive(files: Mapping[str, Content], place: Path, name: str) -> None:
    # Stored, not compressed: what a compressor makes differs from one of its versions to the next, and tables
    # are compressed already.
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{name}/{path}", _DATE)
            entry.create_system = _UNIX
            entry.external_attr = (_PROGRAM_MODE if path.endswith(_PROGRAM) else _MODE) << 16
            if isinstance(content, Path):
                entry.file_size = content.stat().st_size
                with content.open("rb") as source, archive.open(entry, "w") as target:
                    shutil.copyfileobj(source, target)
            else:
                archive.writestr(entry, _bytes(content))
