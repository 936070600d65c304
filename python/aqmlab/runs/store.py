"""A store: one folder that keeps the result of every run under its content address.

Any number of processes may read and write it at once. A result appears whole, by a rename; who comes second
with the same run takes what is there. What is damaged or foreign is told apart and never used. Results can be
written once more as Parquet, for programs that read no Arrow.
"""

from __future__ import annotations

import contextlib
import enum
import re
import secrets
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.errors import FolderError, LayoutError, ResultError, StorageError
from aqmlab.files.folders import PARTIAL_PREFIX, finished_files, real_path
from aqmlab.result import Result, holds_remains, link_files, save_files, unlisted_files

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

_ADDRESS = re.compile(r"[0-9a-f]{40}")


class State(enum.Enum):
    """What is in a run's place.

    `FINISHED` is its result, sound; `MISSING` nothing; `DAMAGED` a result of ours that is not what was
    written; `FOREIGN` another run, or nothing of ours.
    """

    FINISHED = "finished"
    MISSING = "missing"
    DAMAGED = "damaged"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Found:
    """What is in a place.

    Attributes:
        place: The folder.
        state: What it holds.
        reason: Why it is damaged or foreign.
        result: The result, if it is sound; where `state` is foreign, that of another run.
    """

    place: Path
    state: State
    reason: str = ""
    result: Result | None = None


def is_address(name: str) -> bool:
    """Whether a folder of this name may be that of a run in a store."""
    return _ADDRESS.fullmatch(name) is not None


def inspect(place: Path, address: str) -> Found:
    """Looks at the place of the run with this content address, checking every byte."""
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return Found(place, State.MISSING)
    try:
        result = Result.load(place)
    except ResultError as error:
        return _unreadable(place, error)
    except OSError as error:
        return Found(place, State.DAMAGED, f"{place}: cannot be read: {error.strerror}")
    if (holds := result.run.get("content_address")) != address:
        reason = f"{place}: holds another run, {holds}"
        return Found(place, State.FOREIGN, reason, result)
    return Found(place, State.FINISHED, result=result)


def _unreadable(place: Path, error: ResultError) -> Found:
    if isinstance(error, LayoutError):
        return Found(place, State.FOREIGN, str(error))
    if holds_remains(place):
        return Found(place, State.DAMAGED, str(error))
    return Found(place, State.FOREIGN, f"{place}: is no result")


def finished_result(place: Path, address: str) -> Result | None:
    """The result of the run with this content address, if it is in its place and sound."""
    found = inspect(place, address)
    return found.result if found.state is State.FINISHED else None


def keep(result: Result, place: Path) -> Result:
    """Writes a result in its place, unless another process has put the same run there meanwhile."""
    return _kept(lambda: result.save(place), place, result.content_address)


def keep_files(files: Mapping[str, bytes], place: Path, address: str) -> Result:
    """The same with a result that comes as its files, from another machine."""
    return _kept(lambda: save_files(files, place), place, address)


def take_from(store: Path, place: Path, address: str) -> Result:
    """Puts the result of a run that is sound in the store in a place of its own as well."""
    return _kept(lambda: link_files(store / address, place, may_copy=True), place, address)


def give_to(store: Path, result: Result) -> None:
    """Puts a finished result in the store as well, where the disk lets both have the same files.

    The store saves work and holds nothing that is nowhere else: what cannot be put there is left out.
    """
    place = store / result.content_address
    if result.folder in {None, place} or inspect(place, result.content_address).state is State.FINISHED:
        return
    with contextlib.suppress(FolderError, StorageError, OSError):
        remove_damaged(place, result.content_address)
        link_files(result.folder, place, may_copy=False)


def _kept(save: Callable[[], Path], place: Path, address: str) -> Result:
    try:
        return Result.load(save())
    except (FolderError, StorageError):
        found = inspect(place, address)
        if found.state is State.FINISHED and found.result is not None:
            return found.result
        raise


def remove_damaged(place: Path, address: str) -> None:
    """Removes a damaged result, or an empty folder, but not what another process has put there meanwhile."""
    place = real_path(place)
    # What another process has finished stays in its place: it may be read at this moment.
    if not place.exists() or inspect(place, address).state is State.FINISHED:
        return
    aside = place.parent / f"{PARTIAL_PREFIX}{secrets.token_hex(8)}"
    with contextlib.suppress(FileNotFoundError):
        place.rename(aside)
        if inspect(aside, address).state is State.FINISHED:
            with contextlib.suppress(OSError):
                aside.rename(place)
    shutil.rmtree(aside, ignore_errors=True)


def others(store: Path, wanted: Collection[str]) -> Iterator[Found]:
    """What the store holds beside the runs with the wanted addresses; folders under way are passed over."""
    for place in sorted(store.iterdir()) if store.is_dir() else ():
        if place.name in wanted or place.name.startswith(PARTIAL_PREFIX):
            continue
        if is_address(place.name):
            yield inspect(place, place.name)
        else:
            yield Found(place, State.FOREIGN, f"{place}: is no result of this store")


def stray_files(found: Found) -> list[str]:
    """Messages about files in a finished run's folder that were not written with it."""
    if found.state is not State.FINISHED:
        return []
    return [
        f"{found.place / name}: was not written with the result; it is not used"
        for name in unlisted_files(found.place)
    ]


def save_as_parquet(folder: Path, output: Path) -> list[Path]:
    """Writes each result in a folder as Parquet into the same places below another folder."""
    if output.exists():
        raise FolderError(f"{output}: exists already; name another folder or remove this one")
    places = [file.parent for file in finished_files(folder, "**/run.json")]
    # A store beside results holds the same runs once more.
    places = [place for place in places if not is_address(place.name)] or places
    if not places:
        absent = "holds no result" if folder.is_dir() else "there is no such folder"
        raise ResultError(f"{folder}: {absent}; legal: a folder that aqmlab run or compare left")
    return [Result.load(place).save_parquet(output / place.relative_to(folder)) for place in places]
