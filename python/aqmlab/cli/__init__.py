"""The command line: `aqmlab run`, `compare`, `sweep`, `tune`, `reproduce`, `scheme`, `list` and so on.

Exit codes: 0 done; 1 a fault of aqmlab or of the machine; 2 wrong input, with one message; 130 Ctrl-C,
143 SIGTERM, 129 SIGHUP, 141 nobody reads what it prints any more, as behind `| head`.
"""

from __future__ import annotations

import errno
import io
import os
import re
import select
import sys
import warnings
from contextlib import nullcontext, suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

import click

from aqmlab import __version__
from aqmlab._startup import interruption, leave_with, was_interrupted
from aqmlab.errors import AqmlabError, Cancelled, RunError, ScenarioError
from aqmlab.terminal.console import say
from aqmlab.terminal.spelling import unknown

if TYPE_CHECKING:
    from aqmlab.errors import Mistake

DONE, FAILED, MISTAKEN, UNREAD = 0, 1, 2, 141
_LONGEST_SHOWN = 200
_NO_COMMAND = re.compile(r"No such command '(.*)'\.")
# No disk takes such a name: too long, or of links that lead in a circle.
_NO_SUCH_NAME = {errno.ENAMETOOLONG, errno.ELOOP}


_SECTIONS = {
    "Your link": {"new": "new", "line": "line", "run": "run", "compare": "compare", "play": "play"},
    "Your link under load": dict.fromkeys(("bloat", "sqm", "rpm", "flent"), "under_load"),
    "Results": {
        "results": "results",
        "report": "report",
        "plot": "plot",
        "draw": "draw",
        "export": "export",
        "bundle": "bundle",
    },
    "Over Linux TCP": {"live": "live", "crossvalidate": "live", "doctor": "live"},
    "Settings and load": {"sweep": "sweep", "tune": "tune", "design": "design", "calibrate": "calibrate"},
    "Published studies": {"reproduce": "reproduce", "scorecard": "reproduce"},
    "Your own schemes and pages": {
        "scheme": "own",
        "evaluate": "evaluate",
        "controller": "own",
        "model": "own",
        "pages": "own",
    },
    "Reference": {"list": "catalogue", "explain": "catalogue", "schema": "catalogue"},
}
"""The commands under the headings of `aqmlab --help`, with the modules of this package that they are in."""
_HOMES = {name: home for section in _SECTIONS.values() for name, home in section.items()}


class Commands(click.Group):
    """Imports a command's module when the command is named: most need what the others do without."""

    def sections(self) -> dict[str, list[str]]:
        """The names of all commands, by heading."""
        return {heading: list(section) for heading, section in _SECTIONS.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All of them, in the order of the headings."""
        return list(_HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name."""
        if cmd_name not in _HOMES:
            return None
        module = import_module(f"{__name__}.{_HOMES[cmd_name]}")
        found = [each for each in vars(module).values() if isinstance(each, click.Command)]
        return next(each for each in found if each.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands under their headings, in one column over all of them."""
        longest = max(map(len, _HOMES))
        for heading, names in self.sections().items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (name.ljust(longest), command.get_short_help_str(formatter.width))
                        for name, command in found
                        if command is not None
                    ]
                )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="aqmlab")
def commands() -> None:
    """See what your router's queue does to calls, games and web pages.

    \b
    Try:
      aqmlab new home -o my-link.toml          a scenario to start from
      aqmlab compare my-link.toml --schemes drop-tail,pie,fq-codel
      aqmlab play                              a household to switch on and off
      aqmlab live my-link.toml                 over Linux TCP, in real time
      aqmlab sweep my-sweep.toml               many settings, on all cores
      aqmlab tune my-link.toml --scheme red    the queue's best parameters
      aqmlab reproduce le2003 --scale quick    a short version of the 2003 study

    Completion: eval "$(_AQMLAB_COMPLETE=bash_source aqmlab)" in ~/.bashrc; zsh_source in ~/.zshrc.
    """


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and leaves with its exit code."""
    code = _exit_code(arguments)
    unread = _leave_nothing_to_write()
    leave_with(UNREAD if unread and not was_interrupted() else code)


def _leave_nothing_to_write() -> bool:
    """Writes what is left, or drops it where nobody reads it: Python would fail on it, with code 120."""
    closed = False
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            closed = closed or isinstance(error, BrokenPipeError)
            if was_interrupted() or isinstance(error, BrokenPipeError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return closed


def _is_unread() -> bool:
    """Whether what we print on goes nowhere: its reader has closed the pipe."""
    poll = select.poll()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a stream without a descriptor is no pipe
            poll.register(stream.fileno(), 0)  # errors are told in any case
    return any(told & select.POLLERR for _, told in poll.poll(0))


def _exit_code(arguments: list[str] | None) -> int:
    warnings.showwarning = _show_warning
    try:
        _refuse_nul(sys.argv[1:] if arguments is None else arguments)
        # The code of a command that leaves by click's Exit; others return nothing.
        left = commands.main(args=arguments, prog_name="aqmlab", standalone_mode=False)
    except (AqmlabError, OSError, click.ClickException) as error:
        code, message = _told(error)
    except SystemExit:  # what click makes of a closed pipe, with a code of its own
        if _is_unread():
            return UNREAD
        raise
    except (click.Abort, KeyboardInterrupt):
        code, message = interruption()
    except Exception:
        if not was_interrupted():
            raise
        code, message = interruption()
    else:
        return DONE if left is None else int(left)
    if was_interrupted():  # and something else has made an error of its own of it
        code, message = interruption()
    with suppress(OSError) if was_interrupted() else nullcontext():  # the terminal may be gone
        say(message, err=True)
    return code


def _told(error: Exception) -> tuple[int, str]:
    """The exit code and the message."""
    if isinstance(error, click.ClickException):
        error = _with_commands(error)
        usage = io.StringIO()
        error.show(usage)
        return error.exit_code, usage.getvalue().rstrip("\n")
    if isinstance(error, OSError):
        return MISTAKEN if error.errno in _NO_SUCH_NAME else FAILED, f"aqmlab: {_of_system(error)}"
    message = error.lines(_with_option) if isinstance(error, ScenarioError) else str(error)
    return FAILED if isinstance(error, RunError | Cancelled) else MISTAKEN, f"aqmlab: {message}"


def _with_option(mistake: Mistake) -> Mistake:
    """A mistake in an override, with the option that gave it."""
    return replace(mistake, message=f"in --set {mistake.message}") if mistake.overrides else mistake


def _with_commands(error: click.ClickException) -> click.ClickException:
    """The message on an unknown command with the legal ones, the nearest first."""
    context = getattr(error, "ctx", None)
    found = _NO_COMMAND.match(error.message)
    if found is None or context is None or not isinstance(context.command, click.Group):
        return error
    known = context.command.list_commands(context)
    return click.UsageError(f"command {found[1]}: {unknown(found[1], known)}", context)


def _of_system(error: OSError) -> str:
    if not error.strerror or error.filename is None:
        return str(error)
    name = str(error.filename)
    return f"{name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + '…'}: {error.strerror}"


def _refuse_nul(arguments: list[str]) -> None:
    if any("\x00" in word for word in arguments):
        raise click.UsageError("an argument contains a NUL character; no file, key or value may contain one")


def _show_warning(  # noqa: PLR0917  (the signature of warnings.showwarning)
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del filename, lineno, file, line
    # Warnings of NumPy and others (an empty mean, a deprecation) are for us to fix, not for users.
    if issubclass(category, UserWarning):
        say(f"aqmlab: warning: {message}", err=True)
