"""The experiments that come with the package: one folder each, data only."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_SETTINGS = "experiment.toml"


def experiments() -> dict[str, Traversable]:
    """The folders of the experiments, by name."""
    root = resources.files("aqmlab") / "experiments"
    found = {folder.name: folder for folder in root.iterdir() if (folder / _SETTINGS).is_file()}
    return dict(sorted(found.items()))
