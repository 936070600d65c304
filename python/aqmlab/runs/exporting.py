"""Results as Parquet, for programs that read no Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import FolderError, ResultError
from aqmlab.files.folders import finished_files
from aqmlab.result import Result
from aqmlab.runs.store import is_address

if TYPE_CHECKING:
    from pathlib import Path


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
