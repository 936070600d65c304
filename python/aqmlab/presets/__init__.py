"""Starter scenarios: common access lines and the links of two studies, each a commented file beside this one.

The household is written for a line of one's own (`household.py`). Where its numbers and those of the others
come from, and how sure they are, stands in `docs/reference/presets.md`.
"""

from __future__ import annotations

from importlib.resources import files

HOME = "home"
"""The preset whose line can be one's own."""
TECHNOLOGIES = ("cable", "vdsl", "adsl", "fibre", "lte", "5g", "starlink")
"""The lines that this one is on; what is usual of each: `docs/reference/scenario/line.md`."""
_USES = "pages, calls, a game, a backup, a download"
HOUSEHOLD = f"A household on {{technology}}, {{down:g}} Mbit/s down and {{up:g}} up: {_USES}"
"""The first line of the household's file, of whatever line it is on."""
_ENDING = ".toml"


def names() -> list[str]:
    """The presets, in alphabetical order."""
    found = (file.name for file in files(__name__).iterdir())
    return sorted([HOME, *(name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING))])


def text(name: str) -> str:
    """The whole file of a preset, which is one of `names()`."""
    if name == HOME:
        from aqmlab.presets.household import household  # noqa: PLC0415 (which stands on scenarios)

        return household()
    return files(__name__).joinpath(f"{name}{_ENDING}").read_text(encoding="utf-8")


def summary(name: str) -> str:
    """What a preset is, in one line: the first one of its file."""
    if name == HOME:
        return HOUSEHOLD.format(technology=TECHNOLOGIES[0], down=100.0, up=10.0)
    return text(name).partition("\n")[0].removeprefix("# ")
