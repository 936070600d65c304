"""The experiments that are shipped, by name: what is known without reading one."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def root() -> Traversable:
    """The folder of all experiments."""
    return resources.files("aqmlab") / "experiments"


def names() -> list[str]:
    """The experiments that are shipped."""
    return sorted(entry.name for entry in root().iterdir() if entry.joinpath("experiment.toml").is_file())


def title(name: str) -> str:
    """What an experiment's file calls it."""
    file = root() / name / "experiment.toml"
    return str(tomllib.loads(file.read_text(encoding="utf-8"))["title"])
