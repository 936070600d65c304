"""What can go wrong, by whose doing.

`RunError` and `StorageError` are not the user's to mend, the others are. Every message names the place and
what would be accepted there, so that it can be shown as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab._core import Cancelled, RunError, ScenarioError
from aqmlab.terminal.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CalibrationError",
    "Cancelled",
    "DemandError",
    "ExecutorError",
    "ExperimentError",
    "FolderError",
    "LayoutError",
    "NotEnoughMemoryError",
    "RefusalError",
    "ResultError",
    "RunError",
    "RunsFailed",
    "ScenarioError",
    "StorageError",
    "SweepError",
    "TableError",
    "TuneError",
]


class RefusalError(ValueError):
    """What a user wrote or named is refused; its message quotes it, with nothing that steers a terminal."""

    def __init__(self, message: str) -> None:
        super().__init__(plain(message))


class FolderError(RefusalError):
    """The folder cannot be written, or already contains something else."""


class NotEnoughMemoryError(RefusalError):
    """A run needs more memory than is free; the message names both."""


class ResultError(RefusalError):
    """The folder contains no result, or a damaged one."""


class LayoutError(ResultError):
    """The folder holds a result of another version of the layout: neither readable here nor damaged."""


class StorageError(OSError):
    """A result could not be written completely: the disk is full or failed."""


class TableError(KeyError):
    """The run did not record this table; the message explains how to record it."""

    def __str__(self) -> str:
        return str(self.args[0])


class SweepError(RefusalError):
    """A sweep is refused: the message names the place in its file and what is legal there."""


class TuneError(RefusalError):
    """A search is refused: the message names the option or the range and what is legal there."""


class DemandError(RefusalError):
    """A demand or link is not in the scenario; the message lists the legal ones."""


class CalibrationError(RefusalError):
    """No line can be fitted or read, or a load is out of reach of the line or of the users."""


class ExperimentError(RefusalError):
    """An experiment, scale, cell or load that does not exist, or a folder that contradicts itself."""


class ExecutorError(RefusalError):
    """The executor that was named cannot be used: not installed, out of reach, or of another version."""


class RunsFailed(RunError):  # noqa: N818  (it says how it ended, like `Cancelled`)
    """Some runs failed; the others were made and are kept.

    Attributes:
        failures: What went wrong, by content address.
    """

    def __init__(self, failures: Mapping[str, str], *, runs: int) -> None:
        self.failures = dict(failures)
        reasons = "".join(f"\n  {reason}" for reason in self.failures.values())
        failed = "the run" if runs == 1 else f"{len(self.failures)} of {runs:,} runs"
        kept = "" if runs == len(self.failures) else ", the others are kept"
        super().__init__(f"{failed} failed{kept}:{reasons}")
