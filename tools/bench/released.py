"""The program of the last release: the commit that `release.txt` names, built from its own sources."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import programs

NAMED = Path(__file__).with_name("release.txt")
FOLDER = programs.ROOT / "target" / "pairs"


def commit() -> str:
    """The commit."""
    return NAMED.read_text(encoding="utf-8").strip()


def build() -> Path:
    """Its benchmark of packets: built once for each compiler, with the flags and the compiler of the day."""
    kept = FOLDER / f"packets-{commit()}-{programs.compiler().replace(' ', '-')}"
    if not kept.is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        sources = FOLDER / f"sources-{commit()}"
        _unpack(sources)
        built = programs.build(("packets",), target=FOLDER / f"build-{commit()}", sources=sources)
        partial = kept.with_suffix(".partial")
        shutil.copy(built["packets"], partial)
        partial.rename(kept)
    return kept


def _unpack(sources: Path) -> None:
    packed = subprocess.run(
        ["git", "archive", commit()],
        cwd=programs.ROOT,
        capture_output=True,
        check=False,
    )
    if packed.returncode:
        said = packed.stderr.decode(errors="replace").strip()
        raise SystemExit(f"{NAMED.name} names {commit()}, which is not here ({said}); git fetch --unshallow")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(sources, filter="data")
