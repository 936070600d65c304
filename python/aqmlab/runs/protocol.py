"""What a process that orders runs and its workers tell each other: lines of JSON, over pipes or a socket.

A worker is sent an order (`Job.order`; what a live run needs beside it is in `live`) and sends `version` when
it is ready, `simulated_s` while it runs, and how the run ended: `kept`, or why not: `failed`, `refused` (the
scenario), `not_kept` (the folder or the disk). When its input closes, because all is done or the parent died,
it stops within a fraction of a second and leaves nothing unfinished behind.

Nothing here imports Arrow or NumPy: a live run enters its namespaces before they start threads.
"""

from __future__ import annotations

import json
import os
import select
import threading
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import Cancelled, FolderError, RunError, ScenarioError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_POLL_S = 0.1
_READ_BYTES = 1 << 16
_KINDS: dict[type[Exception], str] = {
    FolderError: "not_kept",
    StorageError: "not_kept",
    ScenarioError: "refused",
    Cancelled: "failed",
    RunError: "failed",
}


class SilenceError(RunError):
    """A process has closed its line without saying how its run ended."""


class Channel:
    """One end of the line, without a buffer that would hide whether the other end has closed."""

    def __init__(self, reading: int, writing: int) -> None:
        """Takes the descriptors to read from and to write to, which may be the same."""
        self._reading = reading
        self._writing = writing
        self._received = b""

    def send(self, message: Mapping[str, Any]) -> None:
        """Sends a message."""
        left = json.dumps(message).encode() + b"\n"
        while left:
            left = left[os.write(self._writing, left) :]

    def receive(self) -> list[dict[str, Any]] | None:
        """Waits for the other end, and returns its complete messages; none if it has closed."""
        if b"\n" not in self._received and self._read():
            return None
        *lines, self._received = self._received.split(b"\n")
        return [json.loads(line) for line in lines]

    def closed(self) -> bool:
        """Whether the other end has closed; what it has sent is kept for the next call of `receive`."""
        readable, _, _ = select.select([self._reading], [], [], 0.0)
        return bool(readable) and self._read()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while (messages := self.receive()) is not None:
            yield from messages

    def _read(self) -> bool:
        """Reads what there is; whether that is the end."""
        try:
            data = os.read(self._reading, _READ_BYTES)
        except ConnectionError:  # it died before it had read everything
            data = b""
        self._received += data
        return not data


def outcome_of(make: Callable[[], str]) -> dict[str, str]:
    """Makes a run and returns the message about its end; `make` says what was kept."""
    try:
        return {"kept": make()}
    except tuple(_KINDS) as error:
        return failure(error)


def failure(error: Exception) -> dict[str, str]:
    """The message about a run that could not be made."""
    return {next(kind for known, kind in _KINDS.items() if isinstance(error, known)): str(error)}


def attend(
    channel: Channel,
    perform: Callable[[], dict[str, str]],
    *,
    name: str,
    simulated_s: Callable[[], float],
    stop: Callable[[], None],
) -> None:
    """Makes a run on a thread beside this one, tells how far it is, and at last how it ended."""
    outcome: list[dict[str, str]] = []
    thread = threading.Thread(target=lambda: outcome.append(perform()), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_POLL_S)
            if channel.closed():
                raise ConnectionResetError
            channel.send({"simulated_s": simulated_s()})
        # Without an outcome the thread has raised an error that `perform` does not know, and printed it.
        channel.send(outcome[0] if outcome else {"failed": f"{name}: the worker failed; its output is above"})
    except ConnectionError:
        stop()
        thread.join()
        raise SystemExit from None


def require_version(version: str) -> None:
    """Checks that a worker is of this version."""
    if version != _core.version():
        raise RunError(f"a worker is of version {version}, this is {_core.version()}: reinstall")
