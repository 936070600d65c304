"""What can go wrong, by whose doing.

`ScenarioError` and `FolderError` are the user's to mend, `RunError` and `StorageError` are not. Every message
names the place and what would be accepted there, so that it can be shown as it is.
"""

from aqmlab._core import Cancelled, RunError, ScenarioError

__all__ = [
    "Cancelled",
    "FolderError",
    "ResultError",
    "RunError",
    "ScenarioError",
    "StorageError",
    "TableError",
]


class FolderError(ValueError):
    """The folder that was named cannot be written to, or already holds something else."""


class ResultError(ValueError):
    """The folder holds no result, or one that is not what was once written there."""


class StorageError(OSError):
    """A result could not be written to the end: the disk is full, or failed."""


class TableError(KeyError):
    """The run did not keep this table; the message says how to keep it."""

    def __str__(self) -> str:
        return str(self.args[0])
