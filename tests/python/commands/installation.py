"""An installed aqmlab, called as its users call it: lines of shell, each a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 1800.0
"""Longer than any command that is shown may take on two busy cores."""


@dataclass(frozen=True)
class Installation:
    """An environment with the command in it.

    Attributes:
        programs: The folder of the environment's programs.
    """

    programs: Path

    def run(self, line: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Runs a line of shell to its end."""
        return subprocess.run(
            _shell(line),
            cwd=folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )

    def start(self, line: str, folder: Path) -> subprocess.Popen[str]:
        """Starts a line of shell whose command ends by Ctrl-C only, in a process group of its own."""
        return subprocess.Popen(
            _shell(line),
            cwd=folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def python(self, program: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Runs a program of Python to its end."""
        (folder / "program.py").write_text(program, encoding="utf-8")
        return self.run("python program.py", folder)

    def has(self, program: str) -> bool:
        """Whether a program can be called."""
        return shutil.which(program, path=self._environment()["PATH"]) is not None

    def _environment(self) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))
        }
        path = os.pathsep.join([str(self.programs), *_outside_of_environments()])
        # A page that is opened for the reader opens nowhere; figures are drawn without a display.
        return {**kept, "PATH": path, "BROWSER": "true", "COLUMNS": "80", "NO_COLOR": "1"}


def interrupt(process: subprocess.Popen[str]) -> int:
    """Presses Ctrl-C; the exit code."""
    os.killpg(process.pid, signal.SIGINT)
    return process.wait(timeout=60.0)


def _shell(line: str) -> list[str]:
    return ["bash", "-euo", "pipefail", "-c", line]


def _outside_of_environments() -> list[str]:
    own = str(Path(sys.executable).parent)
    return [folder for folder in os.environ["PATH"].split(os.pathsep) if folder and folder != own]
