"""Locks on folders and their entries on the disk, where the system has them.

POSIX opens a folder as a file, which can be locked and forced to the disk. Windows does not: there a
temporary folder counts as abandoned a day after it was last written to, and the disk writes entries when it
does.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

try:
    import fcntl
except ImportError:
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

ABANDONED_AFTER_S = 24 * 3600.0
"""So long after the last entry was made in it a folder is abandoned, where there are no locks."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder; waits for it, and it dies with the process."""
    if not HAS_LOCKS:
        yield
        return
    with _opened(folder) as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def of_abandoned(folder: Path) -> Iterator[bool]:
    """Whether nobody holds the lock of a folder, which is held meanwhile."""
    if not HAS_LOCKS:
        yield time.time() - folder.stat().st_mtime > ABANDONED_AFTER_S
        return
    with _opened(folder) as handle:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True


def force_entries_to_disk(folder: Path) -> None:
    """Forces the names in a folder to the disk, where a folder can be opened."""
    if HAS_LOCKS:
        with _opened(folder) as handle:
            os.fsync(handle)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)
