"""The user's own program behind the bottleneck, and its server on the other side."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from aqmlab.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence

SERVER_ADDRESS = "10.128.0.1"
"""Where the server of a program is reached from behind the bottleneck."""
FILE_SERVER_PORT = 8000
"""The port of the built-in server of files."""

_FILE_SERVER = Path(__file__).with_name("file_server.py")


@dataclass(frozen=True, slots=True)
class Program:
    """A command to be run behind the bottleneck of a live run.

    It begins with the measured window, stands where the first user stands (without users: where the sender
    of the first flow does), and is ended with the run if it has not ended before.

    Attributes:
        command: The command and its arguments.
        server: A command for the other side of the bottleneck, reached at `SERVER_ADDRESS`; it runs from
            before the start to the end of the run. None if empty.
        rtt_ms: Round trip of the command's packets without queues and transmissions, in milliseconds; none
            for 40 ms, or what the links alone take if that is more.
    """

    command: tuple[str, ...]
    server: tuple[str, ...] = ()
    rtt_ms: float | None = None

    @classmethod
    def of(
        cls,
        command: Sequence[str],
        *,
        server: Sequence[str] = (),
        serve: str | Path | None = None,
        rtt_ms: float | None = None,
    ) -> Self | None:
        """The program of these settings; none without a command."""
        if not command:
            if server or serve is not None or rtt_ms is not None:
                raise ScenarioError("server, serve and rtt_ms need a command", place="command")
            return None
        if server and serve is not None:
            raise ScenarioError("server and serve exclude each other", place="serve")
        if serve is not None and not Path(serve).is_dir():
            raise ScenarioError(f"serve: {serve}: there is no such folder", place="serve", value=str(serve))
        answering = tuple(server) if serve is None else file_server(Path(serve))
        if rtt_ms is not None:
            rtt_ms = ScenarioError.between("rtt_ms", rtt_ms, 0.0, _LONGEST_MS)
        return cls(tuple(command), answering, rtt_ms)

    def __post_init__(self) -> None:
        if not self.command:
            raise ScenarioError("a program needs a command")
        for words in (self.command, self.server):
            if words and shutil.which(words[0]) is None:
                raise ScenarioError(f"command not found: {words[0]!r}", place="command", value=words[0])


_LONGEST_MS = 60_000.0


def file_server(folder: Path) -> tuple[str, ...]:
    """The command of a server that serves the files of a folder over HTTP, at `FILE_SERVER_PORT`."""
    return (sys.executable, "-I", str(_FILE_SERVER), str(FILE_SERVER_PORT), str(folder.absolute()))
