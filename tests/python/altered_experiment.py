"""A shipped experiment's folder with one change, to see what is said of it."""

from __future__ import annotations

import shutil
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def altered_experiment(name: str, folder: Path, old: str, new: str, *, file: str = "experiment.toml") -> Path:
    """A copy of the shipped experiment below `folder`, in whose file the first `old` became `new`."""
    copy = folder / name
    with resources.as_file(resources.files("aqmlab") / "experiments" / name) as shipped:
        shutil.copytree(shipped, copy)
    text = (copy / file).read_text(encoding="utf-8")
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy
