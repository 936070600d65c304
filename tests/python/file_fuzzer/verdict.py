# ruff: noqa: BLE001, N818
"""What a case came to: fine, or a finding."""

from __future__ import annotations

import contextlib
import io
import re
import traceback
from typing import TYPE_CHECKING

from aqmlab import cli
from file_fuzzer.stand_in import ENOUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST_MESSAGE = 20_000
NOTHING_THERE = "so there is nothing to export"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Finding(AssertionError):
    """What must not happen has happened; the message says what."""


def command(arguments: Sequence[str], *, place: str = "") -> int:
    """Runs `aqmlab` in this process; its exit code, if it succeeded or refused as it should.

    Args:
        arguments: Of the command.
        place: What a refusal has to name.

    Raises:
        Finding: A traceback, a code that blames the machine, or a message that says too little or too much.
    """
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli._exit_code(list(arguments))
    except BaseException as error:
        raise Finding(f"{_shown(arguments)}\n{_told(error)}") from None
    judge(code, out.getvalue(), err.getvalue(), place=place, what=_shown(arguments))
    return code


def judge(code: int, out: str, err: str, *, place: str, what: str) -> None:
    """Whether this is how a command may end."""
    if ENOUGH in err:
        return
    if code not in {0, 2}:
        raise Finding(f"{what}: code {code}\n{err}")
    for name, text in (("output", out), ("message", err)):
        if _CONTROL.search(_TERMINAL.sub("", text) if name == "output" else text):
            raise Finding(f"{what}: control characters in the {name}: {text!r:.2000}")
    if code == 0:
        return
    message = err.strip()
    if not message or "Traceback" in message or len(message) > LONGEST_MESSAGE:
        raise Finding(f"{what}: a message of {len(message)} characters: {message[:500]}")
    if place not in message and NOTHING_THERE not in message:
        raise Finding(f"{what}: the message does not name {place}: {message[:2000]}")


def answer(call: Callable[[], object], *refusals: type[Exception], place: str = "") -> object:
    """Calls a function of the library; its answer, or none if it refused with one of its errors.

    Raises:
        Finding: It raised anything else, or a message without the place.
    """
    try:
        return call()
    except refusals as error:
        message = str(error)
        if place not in message or len(message) > LONGEST_MESSAGE or _CONTROL.search(message):
            raise Finding(f"{type(error).__name__}: {message[:2000]!r} (has to name {place})") from None
        return None
    except BaseException as error:
        raise Finding(_told(error)) from None


def _told(error: BaseException) -> str:
    lines = "".join(traceback.format_exception(error))
    return lines if len(lines) < 6000 else f"{lines[:1500]}\n...\n{lines[-2500:]}"


def _shown(arguments: Sequence[str]) -> str:
    return ascii(list(arguments))[:1000]
