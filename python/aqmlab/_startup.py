"""Ctrl-C from the first import on: one line and code 130, never a traceback.

While the packages of others are imported nothing of ours runs that could catch an interruption, and some of
them turn it into an error of their own (NumPy into an `ImportError`). So the command notes that it was
interrupted, and whatever ends it after that is told as an interruption. Where the package is imported by
another program, that program's own handling stays as it is.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType, TracebackType

INTERRUPTED = 130
INTERRUPTION = "aqmlab: interrupted; what had finished is kept, and the same command goes on from there"

_heard: list[int] = []


def was_interrupted() -> bool:
    """Whether this process is the command and has heard Ctrl-C."""
    return bool(_heard)


def _note(number: int, _: FrameType | None) -> NoReturn:
    _heard.append(number)
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
        sys.stderr.write(f"{INTERRUPTION}\n")
        sys.stderr.flush()
        os._exit(INTERRUPTED)

    sys.excepthook = hook
    # A job in the background has it ignored, and keeps it so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)


if _is_command():
    _tell_interruptions()
