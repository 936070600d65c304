"""Folders that are complete or absent, whatever interrupts the writing.

A folder is written beside its place under a name that starts with `PARTIAL_PREFIX`, forced to the disk, and
renamed in one step. Errors and Ctrl-C remove the temporary folder; one left behind by `kill -9` or a power
cut is removed by the next writer. The writer holds a lock on it (`locks`), which dies with the process: that
tells a temporary folder in use from an abandoned one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import shutil
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab.errors import FolderError, StorageError
from aqmlab.files import locks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PARTIAL_PREFIX = ".aqmlab-partial-"

_LONGEST_NAME = 100
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def folder_name(name: str) -> str:
    """A name as the name of a folder: letters, digits, `.`, `_` and `-`, and no longer than a disk takes.

    A long one is cut, and ends in a digest of the whole. Different names may still share a folder, such as
    "a b" and "a-b": what is in it belongs to one of them, and who comes second is refused.
    """
    legal = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "scenario"
    if len(legal) <= _LONGEST_NAME:
        return legal
    return f"{legal[:_LONGEST_NAME]}-{_digest(name)}"


def folder_names(names: Iterable[str]) -> dict[str, str]:
    """Names as those of folders beside each other: those that would share one end in a digest."""
    places = {name: folder_name(name) for name in names}
    # Letters that differ in their case alone share a folder on some disks.
    shared = Counter(place.lower() for place in places.values())
    return {
        name: place if shared[place.lower()] == 1 else f"{place}-{_digest(name)}"
        for name, place in places.items()
    }


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def require_new(folder: Path) -> None:
    """Refuses a folder that exists, or that cannot be made, before the work that fills it."""
    require_writable(folder)
    if folder.exists():
        raise FolderError(f"{folder}: exists already; name another folder or remove this one")


@contextmanager
def complete_or_absent(folder: Path) -> Iterator[Path]:
    """Yields an empty folder to fill; when the block ends without error it becomes `folder`."""
    require_new(folder)
    place = real_path(folder)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(place.parent)
        with _locked_temporary(place.parent) as temporary:
            yield temporary
            _force_to_disk(temporary)
            temporary.rename(place)
            locks.force_entries_to_disk(place.parent)
    except OSError as error:
        raise _storage_error(folder, error) from error


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """Yields a name to write to; when the block ends without error, what was written becomes `file`.

    Until then `file` is what it was before, and an error or Ctrl-C leaves it so.
    """
    place = real_path(file)
    partial = place.with_name(f"{PARTIAL_PREFIX}{secrets.token_hex(8)}{place.suffix}")
    _require_folders_above(place, file)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        with partial.open("rb") as handle:
            os.fsync(handle.fileno())
        partial.replace(place)
    except OSError as error:
        raise _storage_error(file, error, what="the file was not written") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def write_whole(file: Path, content: str | bytes) -> Path:
    """Writes a file whole: a reader never finds half of it."""
    with whole_file(file) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def real_path(path: Path) -> Path:
    """What a path leads to, whatever of it is a link; what it leads to need not exist."""
    return Path(os.path.realpath(path))


def _require_folders_above(place: Path, named: Path) -> None:
    above = next((each for each in place.parents if each.exists()), place.parent)
    if above.exists() and not above.is_dir():
        raise FolderError(f"{named}: cannot be written, because {above} is a file; legal: a name in a folder")


def require_writable(folder: Path) -> None:
    """Checks, before hours of work, that `folder` could be made; leaves nothing behind."""
    ancestor = real_path(folder).parent
    try:
        while not ancestor.exists() and ancestor != ancestor.parent:
            ancestor = ancestor.parent
        if not ancestor.is_dir():
            raise FolderError(f"{folder}: cannot be created, because {ancestor} is a file")
        # Without a name, where the system has that: whatever ends the process leaves nothing behind.
        with tempfile.TemporaryFile(dir=ancestor, prefix=PARTIAL_PREFIX):
            pass
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise _storage_error(folder, error) from error
        raise FolderError(f"{folder}: cannot write in {ancestor}: {error.strerror}") from error


def finished_files(folder: Path, pattern: str) -> list[Path]:
    """Files that match a pattern below a folder, in order, without those in unfinished folders."""
    return [
        file
        for file in sorted(folder.glob(pattern))
        if not any(part.startswith(PARTIAL_PREFIX) for part in file.relative_to(folder).parts)
    ]


def remove_abandoned(parent: Path) -> None:
    """Removes the temporary folders in `parent` whose writers no longer live."""
    for leftover in parent.glob(PARTIAL_PREFIX + "*"):
        with contextlib.suppress(OSError), locks.of_abandoned(leftover) as abandoned:
            if abandoned:
                shutil.rmtree(leftover)


@contextmanager
def _locked_temporary(parent: Path) -> Iterator[Path]:
    """A temporary folder and its lock; again, if another writer took it for abandoned in between."""
    while True:
        # Not `tempfile.mkdtemp`: its folders are closed to others, and this one becomes the result.
        temporary = parent / f"{PARTIAL_PREFIX}{secrets.token_hex(8)}"
        try:  # first, because an interruption may come as soon as the folder is there
            temporary.mkdir()
            with contextlib.ExitStack() as lock:
                with contextlib.suppress(FileNotFoundError):
                    lock.enter_context(locks.held(temporary))
                if temporary.exists():
                    yield temporary
                    return
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _force_to_disk(folder: Path) -> None:
    for each in folder.rglob("*"):
        if each.is_dir():
            locks.force_entries_to_disk(each)
            continue
        with each.open("rb") as handle:
            os.fsync(handle.fileno())
    locks.force_entries_to_disk(folder)


def _storage_error(folder: Path, error: OSError, *, what: str = "the result was not kept") -> StorageError:
    if error.errno in _NO_SPACE:
        reason = f"no space left ({error.strerror or error}); free some, or name a folder on another disk"
    else:
        reason = error.strerror or str(error)
    return StorageError(f"{folder}: {what}: {reason}")
