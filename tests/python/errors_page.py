"""The reference of errors and exit codes, `docs/reference/errors.md`, made of the classes: a program."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import cli, errors
from aqmlab.cli.live import _UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"
_HEAD = f"""# Errors and exit codes

Generated from the error classes and the command line.

## Exit codes

| code | meaning |
| --- | --- |
| {cli.DONE} | done |
| {cli.FAILED} | a fault of aqmlab or of the machine: a failed run, a full disk; `doctor`: not ready |
| {cli.MISTAKEN} | wrong input, with one message; `scheme check`: a check failed |
| 130, 143, 129 | interrupted by Ctrl-C, SIGTERM, SIGHUP; the message says whether the same command resumes |
| 141 | nobody reads what is printed any more, as behind `head`; results are written before |
| its own | of `aqmlab live ... -- COMMAND`; {_UNFINISHED} if the command ran longer than the run |

Messages go to standard error. A message for wrong input names the place (file and line, or option), what is
wrong, the legal values and the nearest legal name. All errors of a scenario of one kind are reported
[together](scenario.md#when-something-is-wrong).

## Errors in Python

All are in `aqmlab.errors`. *Exit code* is that of a command that ends with the error.

| error | meaning | is a | exit code |
| --- | --- | --- | --- |
"""


def page() -> str:
    """The page as it should be."""
    return _HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for name in errors.__all__:
        found = getattr(errors, name)
        if not (inspect.isclass(found) and issubclass(found, Exception)):
            continue
        says = " ".join(inspect.cleandoc(found.__doc__ or "").partition("\n\n")[0].split())
        bases = ", ".join(f"`{base.__name__}`" for base in found.__bases__)
        yield f"| `{name}` | {says} | {bases} | {_exit_code(found)} |"


def _exit_code(error: type[Exception]) -> str:
    if issubclass(error, (errors.RunError, OSError)):
        return str(cli.FAILED)
    return "130, 143, 129" if issubclass(error, errors.Cancelled) else str(cli.MISTAKEN)


if __name__ == "__main__":
    sys.path.insert(0, str(PAGE.parents[2] / "python"))
    PAGE.write_text(page(), encoding="utf-8")
