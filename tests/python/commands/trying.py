"""One command as a user gives it, and everything that has to hold of its end."""

from __future__ import annotations

import re
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from commands.installation import interrupt
from commands.leavings import NO_NUMBER, check, left_since, stamps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commands.installation import Installation

_REMEDY = re.compile(r"pip install 'aqmlab\[(\w+)\]'")
_NEEDS_AN_EXTRA = {"tune": "aqmlab tune ", "dask": "--executor dask"}
"""The extras, and what the lines hold that may ask for them."""

_FOREIGN = ("flent", "iperf3", "curl")
"""Programs of others in lines that are shown; without one the line is skipped."""

LIVE = ("aqmlab live ", "aqmlab crossvalidate ")


def of_studies(line: str) -> bool:
    """Whether a line makes, or reads, what published studies take minutes for."""
    return "aqmlab reproduce" in line or "aqmlab scorecard" in line


@dataclass(frozen=True)
class Trial:
    """Where commands are tried.

    Attributes:
        bare: An installation without extras.
        complete: One with all of them.
        errors_of_page: What a browser says of a page.
        live: Why this machine can make no live run; empty if it can.
    """

    bare: Installation
    complete: Installation
    errors_of_page: Callable[[Path], list[str]]
    live: str

    def try_line(self, line: str, folder: Path) -> str:
        """Runs a line to its end and opens what it left; what it printed.

        Raises:
            AssertionError: It failed, printed what is no number, or left what is no file of its kind.
        """
        if self.live and line.startswith(LIVE):
            pytest.skip(self.live)
        for program in _FOREIGN:
            if re.search(rf"\b{program} ", line) and not self.bare.has(program):
                pytest.skip(f"{program} is not installed")
        before = stamps(folder)
        printed = self._play(line, folder) if re.search(r"aqmlab play\b", line) else self._run(line, folder)
        wrong = NO_NUMBER.search(printed)
        assert wrong is None, f"{line}: prints {wrong[0]}:\n{printed}"
        self._open(left_since(before, folder))
        return printed

    def try_python(self, program: str, folder: Path) -> None:
        """Runs a program to its end and opens what it left."""
        before = stamps(folder)
        done = self.bare.python(program, folder)
        assert done.returncode == 0, done.stderr
        self._open(left_since(before, folder))

    def _run(self, line: str, folder: Path) -> str:
        done = self.bare.run(line, folder)
        missing = _REMEDY.search(done.stderr) if done.returncode == 2 else None
        if missing is not None:
            assert _NEEDS_AN_EXTRA[missing[1]] in line, f"{line}: asks for the extra {missing[1]}"
            done = self.complete.run(line, folder)
        assert done.returncode == 0, f"{line}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, f"{line}:\n{done.stderr}"
        return done.stdout

    def _play(self, line: str, folder: Path) -> str:
        with self.bare.start(line, folder) as server:
            assert server.stdout is not None
            printed = []
            for text in server.stdout:
                printed.append(text)
                if text.startswith("http://"):
                    break
            else:
                raise AssertionError(f"{line}: gives no address\n{''.join(printed)}")
            with urllib.request.urlopen(printed[-1].strip(), timeout=60.0) as page:  # noqa: S310 (http, as read)
                assert b"aqmlab play" in page.read()
            assert interrupt(server) == 0, f"{line}: Ctrl-C does not end it well"
            return "".join(printed) + server.stdout.read()

    def _open(self, files: list[Path]) -> None:
        for file in files:
            check(file)
            if file.suffix == ".html":
                errors = self.errors_of_page(file)
                assert not errors, f"{file}: {errors}"
