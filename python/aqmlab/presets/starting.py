"""`aqmlab.new`: a scenario to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments, presets, shown
from aqmlab.errors import FolderError, RefusalError
from aqmlab.files.folders import write_whole
from aqmlab.presets import HOME
from aqmlab.presets.household import CUBIC, household
from aqmlab.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence


class Preset(str):
    """The text of a scenario to start from, with comments: what `Scenario.of` and all that runs one takes."""

    __slots__ = ()

    @property
    def scenario(self) -> Scenario:
        """The scenario."""
        return Scenario.of(str(self))

    @arguments.checked(FolderError, file=arguments.path)
    def save(self, file: str | Path) -> Path:
        """Writes the text to a new file.

        Raises:
            FolderError: The file exists, or cannot be written.
        """
        if Path(file).exists():
            raise FolderError(f"{file}: exists already; choose another file or remove this one")
        return write_whole(Path(file), self)

    def _repr_html_(self) -> str:
        """What notebooks show: the picture of the network that `aqmlab draw` makes."""
        return shown.html(self.scenario)


@arguments.checked(
    RefusalError,
    preset=arguments.text,
    output=arguments.optional(arguments.path),
    down_mbps=arguments.optional(arguments.number),
    up_mbps=arguments.optional(arguments.number),
    downloads=arguments.texts("['cubic', 'bbr']"),
)
def new(
    preset: str,
    *,
    output: str | Path | None = None,
    down_mbps: float | None = None,
    up_mbps: float | None = None,
    technology: str | None = None,
    queue_in: str | None = None,
    downloads: Sequence[str] = (),
) -> Preset:
    """A scenario to start from: a household, a building on a shared access line, or the link of a study.

    Args:
        preset: Its name; `aqmlab new --list` and `aqmlab.presets.names()` list them.
        output: Output file, which must not exist; by default the preset is printed.
        down_mbps: Of home: its rate down, in Mbit/s; by default one that is usual for the technology.
        up_mbps: Of home: its rate up.
        technology: Of home: the kind of line, which has buffers, delay and framing of its own; by default
            cable.
        queue_in: Of home: whose queues act: router (which shapes the line), router-unshaped, modem, provider
            or line (modem and provider); by default line, with plain queues.
        downloads: Of home: the congestion control of each download, cubic, reno, bbr-linux-v1 or bbr-linux-v3
            (bbr is the last), such as bbr,cubic for two; by default one download with cubic.

    Returns:
        The text of the scenario, which `run`, `compare` and all others take as it is.

    Raises:
        RefusalError: There is no such preset or technology, a rate is out of range, or the preset has a line
            of its own.
        FolderError: The file exists, or cannot be written.
    """
    if preset not in presets.names():
        raise RefusalError.unknown("preset", preset, presets.names())
    line = {
        "down_mbps": down_mbps,
        "up_mbps": up_mbps,
        "technology": technology,
        "queue_in": queue_in,
        "downloads": tuple(downloads) or None,
    }
    for name, value in line.items():
        if value is not None and preset != HOME:
            raise RefusalError(
                f"{name}: {preset} has a line of its own; legal: with {HOME}",
                place=name,
                value=value,
                legal=HOME,
            )
    if preset == HOME:
        text = household(
            down_mbps,
            up_mbps,
            technology or "cable",
            queue_in=queue_in or "line",
            downloads=downloads or (CUBIC,),
        )
    else:
        text = presets.text(preset)
    made = Preset(text)
    if output is not None:
        made.save(output)
    return made
