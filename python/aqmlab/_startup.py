"""Ctrl-C, SIGTERM and SIGHUP from the first import on: one line and code 128 + signal, never a traceback.

A closed terminal, a logout or a shutdown ends the command as Ctrl-C does: what is under way is stopped and
tidied up, what had finished is kept.

While the packages of others are imported nothing of ours runs that could catch an interruption, and some of
them turn it into an error of their own (NumPy into an `ImportError`). So the command notes that it was
interrupted, and whatever ends it after that is told as an interruption. Where the package is imported by
another program, that program's own handling stays as it is.

Python itself ends by SIGINT, whatever code it is left with, where an interruption once ended a text that a
library ran (`PyRun_String`), such as one that was being imported. So the command leaves by its own
code, after all that tidies up at the end.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
"""The signals that interrupt the command, where the system has them."""

_heard: list[int] = []
_codes: list[int] = []
_keeps: list[bool] = [True]


def was_interrupted() -> bool:
    """Whether this process is the command and was asked to end."""
    return bool(_heard)


def end_if_interrupted() -> None:
    """Raises KeyboardInterrupt once more if this process is the command and was asked to end.

    A package that is imported at that moment may have swallowed it. Whoever waits for long asks here.
    """
    if _heard:
        raise KeyboardInterrupt


def keep_nothing() -> None:
    """Says that the command stores no run before it ends: an interrupted one begins anew."""
    _keeps[0] = False


def interruption() -> tuple[int, str]:
    """The exit code and the message of a command that was asked to end: those of the first signal."""
    number = _heard[0] if _heard else signal.SIGINT
    by = "" if number == signal.SIGINT else f" by {signal.Signals(number).name}"
    kept = "finished runs are kept, and the same command resumes" if _keeps[0] else "no run is kept"
    return 128 + number, f"aqmlab: interrupted{by}; {kept}"


def leave_with(code: int) -> NoReturn:
    """Ends the command with this exit code, whatever interrupted it."""
    _codes.append(code)
    sys.exit(code)


def _leave() -> None:
    if not (_heard and _codes):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever read it may be gone
            stream.flush()
    os._exit(_codes[0])


def _note(number: int, _: FrameType | None) -> None:
    # A closed terminal may tell it twice, by the shell and by the kernel: what cleans up goes on.
    again = bool(_heard) and number != signal.SIGINT
    _heard.append(number)
    if not again:
        raise KeyboardInterrupt


def _is_command() -> bool:
    """Whether this process is the command: the script `aqmlab`, or `python -m aqmlab`.

    Processes that `multiprocessing` starts have the command's arguments, and end as their parent sees fit.
    """
    spawning = sys.modules.get("multiprocessing.process")
    if spawning is not None and spawning.parent_process() is not None:
        return False
    if sys.argv[:1] == ["-m"]:  # what stands there while the package of a module to be run is imported
        return "aqmlab" in sys.orig_argv
    return bool(sys.argv) and PurePath(sys.argv[0]).name == "aqmlab"


def _tell_interruptions() -> None:
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not _heard:
            before(kind, error, trace)
            return
        code, message = interruption()
        with suppress(OSError):  # the terminal may be gone
            sys.stderr.write(f"{message}\n")
            sys.stderr.flush()
        os._exit(code)

    sys.excepthook = hook
    # A job in the background has Ctrl-C ignored, one of nohup(1) SIGHUP, and keeps it so.
    for name in _ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(number, _note)


if _is_command():
    atexit.register(_leave)  # the first of all, so that it comes after them
    _tell_interruptions()
