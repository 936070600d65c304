"""Small sweeps for the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aqmlab
from aqmlab.study import sweeps
from small import BULK, WEB

if TYPE_CHECKING:
    from pathlib import Path

SWEEP = """
name = "limits"
scenario = "bulk.toml"
replications = 3

[grid]
"dumbbell.queue.limit_packets" = [20, 40]
"flows" = [[{ count = 1, direction = "left-to-right" }], [{ count = 3, direction = "left-to-right" }]]
"""


def write(folder: Path, text: str = SWEEP, *, duration_s: float = 3.0) -> Path:
    """A sweep file with its scenario."""
    (folder / "bulk.toml").write_text(BULK.replace("duration_s = 3.0", f"duration_s = {duration_s}"))
    (folder / "web.toml").write_text(WEB.replace("20.0", "8.0"))
    file = folder / "sweep.toml"
    file.write_text(text)
    return file


def reference(file: Path, store: Path) -> Path:
    """The store of a sweep that nothing interrupted, made on threads of this process."""
    aqmlab.run_many(sweeps.read(file).jobs(), store=store, progress=False)
    return store


def finished(store: Path) -> int:
    """Results that stand in a store."""
    return len([place for place in store.glob("*") if len(place.name) == 40])
