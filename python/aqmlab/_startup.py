"""Ctrl-C, a closed terminal or `kill`, from the first import on: one line and 128 plus the signal's number.

SIGINT, SIGHUP and SIGTERM end a command in the same way: runs under way are stopped, finished ones are kept.
While the packages of others are imported nothing of ours runs that could catch an interruption, and some of
them turn it into an error of their own (NumPy into an `ImportError`). So the command notes that it was
interrupted, and whatever ends it after that is told as an interruption. Where the package is imported by
another program, that program's own handling stays as it is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType, TracebackType

INTERRUPTION = "aqmlab: interrupted; what had finished is kept, and the same command goes on from there"

_heard: list[int] = []


def was_interrupted() -> bool:
    """Whether this process is the command and has heard Ctrl-C."""
    return bool(_heard)


def exit_code() -> int:
    """The code of an interrupted command, as shells have it: 130 after Ctrl-C."""
    return 128 + (_heard[0] if _heard else signal.SIGINT)


def _note(number: int, _: FrameType | None) -> None:
    # A closed terminal may tell it twice, by the shell and by the kernel: what cleans up goes on.
    again = bool(_heard) and number != signal.SIGINT
    _heard.append(number)
    if not again:
        raise KeyboardInterrupt


def _is_command() -> bool:
    """Whether this process is the command: the script `aqmlab`, or `python -m aqmlab`."""
    if sys.argv[:1] == ["-m"]:  # what stands there while the package of a module to be run is imported
        return "aqmlab" in sys.orig_argv
    return bool(sys.argv) and PurePath(sys.argv[0]).name == "aqmlab"


def _tell_interruptions() -> None:
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not _heard:
            before(kind, error, trace)
            return
        with contextlib.suppress(OSError):  # where the terminal has gone
            sys.stderr.write(f"{INTERRUPTION}\n")
            sys.stderr.flush()
        os._exit(exit_code())

    sys.excepthook = hook
    # A job in the background has SIGINT ignored, one under nohup SIGHUP, and keeps it so.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) in {signal.default_int_handler, signal.SIG_DFL}:
            signal.signal(number, _note)


if _is_command():
    _tell_interruptions()
