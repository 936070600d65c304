"""Where a calibration is kept, so that none is replaced by another."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from aqmlab._core import version
from aqmlab.errors import CalibrationError
from aqmlab.files.own_folders import Holds, own_folder
from aqmlab.load.calibration import CALIBRATION, Calibration

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def calibration_folder(wanted: Path, asked: Mapping[str, Any]) -> Path:
    """The wanted folder, or one beside it if it holds another calibration, which a warning tells."""
    folder, why = own_folder(wanted, lambda each: _held_calibration(each, asked))
    if why:
        warnings.warn(f"{wanted} holds {why}: this one goes to {folder}", stacklevel=3)
    return folder


def _held_calibration(folder: Path, asked: Mapping[str, Any]) -> Holds | str:
    if not (folder / CALIBRATION).exists():
        return Holds.NOTHING
    try:
        held = Calibration.load(folder / CALIBRATION)
    except CalibrationError:
        return "a calibration that cannot be read"
    if held.version != version() or held.asked is None:
        return f"a calibration made by version {held.version}"
    for key, says in _CALIBRATIONS_DIFFER.items():
        if held.asked[key] != asked[key]:
            of = held.asked[key]
            return f"a calibration {says.format(', '.join(map(str, of)) if isinstance(of, list) else of)}"
    return Holds.THE_SAME


_CALIBRATIONS_DIFFER = {
    "scenario": "of another scenario",
    "demand": "of {}",
    "links": "judged by other links",
    "sizes": "of sizes {}",
    "seeds": "of seeds {}",
}
"""What calibrations are asked for, and what is said where that differs."""
