"""Folders that are complete or absent, whatever interrupts the writing.

A folder is written beside its place under a name that starts with `PARTIAL_PREFIX`, forced to the disk, and
renamed in one step. Errors and Ctrl-C remove the temporary folder; one left behind by `kill -9` or a power
cut is removed by the next writer. The writer holds a lock on it, which dies with the process: that tells a
temporary folder in use from an abandoned one.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aqmlab.errors import FolderError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PARTIAL_PREFIX = ".aqmlab-partial-"

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def complete_or_absent(folder: Path) -> Iterator[Path]:
    """Yields an empty folder to fill; when the block ends without error it becomes `folder`.

    Raises:
        FolderError: `folder` exists already or cannot be made.
        StorageError: The disk is full or failed while the block was writing.
    """
    require_writable(folder)
    if folder.exists():
        raise FolderError(f"{folder}: exists already; name another folder or remove this one")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(folder.parent)
        with _locked_temporary(folder.parent) as temporary:
            yield temporary
            _force_to_disk(temporary)
            temporary.rename(folder)
            _force_directory_to_disk(folder.parent)
    except OSError as error:
        raise _storage_error(folder, error) from error


def require_writable(folder: Path) -> None:
    """Checks, before hours of work, that `folder` could be made; leaves nothing behind.

    Raises:
        FolderError: It could not; the message names the ancestor that forbids it.
    """
    ancestor = folder.absolute().parent
    while not ancestor.exists() and ancestor != ancestor.parent:
        ancestor = ancestor.parent
    if not ancestor.is_dir():
        raise FolderError(f"{folder}: cannot be made, because {ancestor} is a file")
    try:
        probe = _make_temporary(ancestor)
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise _storage_error(folder, error) from error
        raise FolderError(f"{folder}: cannot write in {ancestor}: {error.strerror}") from error
    # Another writer may have taken it for abandoned, which serves as well.
    with contextlib.suppress(FileNotFoundError):
        probe.rmdir()


def remove_abandoned(parent: Path) -> None:
    """Removes the temporary folders in `parent` whose writers no longer live."""
    for leftover in parent.glob(PARTIAL_PREFIX + "*"):
        with contextlib.suppress(OSError):
            lock = os.open(leftover, os.O_RDONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(leftover)
            finally:
                os.close(lock)


@contextmanager
def _locked_temporary(parent: Path) -> Iterator[Path]:
    temporary, lock = _make_locked(parent)
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        os.close(lock)


def _make_locked(parent: Path) -> tuple[Path, int]:
    """Makes a temporary folder and locks it; again, if another writer took it for abandoned in between."""
    while True:
        temporary = _make_temporary(parent)
        try:
            lock = os.open(temporary, os.O_RDONLY)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if temporary.exists():
            return temporary, lock
        os.close(lock)


def _make_temporary(parent: Path) -> Path:
    # Not `tempfile.mkdtemp`: its folders are closed to others, and this one becomes the result.
    temporary = parent / f"{PARTIAL_PREFIX}{secrets.token_hex(8)}"
    temporary.mkdir()
    return temporary


def _force_to_disk(folder: Path) -> None:
    for file in folder.iterdir():
        with file.open("rb") as handle:
            os.fsync(handle.fileno())
    _force_directory_to_disk(folder)


def _force_directory_to_disk(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _storage_error(folder: Path, error: OSError) -> StorageError:
    if error.errno in _NO_SPACE:
        reason = f"no space left ({error.strerror or error}); free some, or name a folder on another disk"
    else:
        reason = error.strerror or str(error)
    return StorageError(f"{folder}: the result was not kept: {reason}")
