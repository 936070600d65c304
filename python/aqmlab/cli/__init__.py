"""The command line: `aqmlab run`, `sweep`, `tune`, `calibrate`, `reproduce`, `list`, `explain`, `schema`.

Exit codes: 0 done; 1 our fault, or the machine's; 2 the user's mistake, told in one message; 130 Ctrl-C.
"""

from __future__ import annotations

import sys
import warnings
from typing import TextIO

import click

from aqmlab import __version__
from aqmlab.cli.calibrate import calibrate
from aqmlab.cli.catalogue import explain, list_names, schema
from aqmlab.cli.reproduce import reproduce
from aqmlab.cli.run import run
from aqmlab.cli.sweep import sweep
from aqmlab.cli.tune import tune
from aqmlab.errors import (
    ExecutorError,
    FolderError,
    ResultError,
    RunError,
    ScenarioError,
    SweepError,
    TuneError,
)

DONE, FAILED, MISTAKEN, INTERRUPTED = 0, 1, 2, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="aqmlab")
def commands() -> None:
    """What does this queue management do to the people browsing the web through this link?

    \b
    Try:
      aqmlab reproduce le2003 --scale quick    a short version of the 2003 study, with a report
      aqmlab list                              schemes, host profiles, traffic models, experiments
      aqmlab explain pi                        what a scheme does, and its parameters
      aqmlab run my-link.toml                  run a scenario of your own
      aqmlab sweep my-sweep.toml               run it at many points, on all cores or on a cluster
      aqmlab tune my-link.toml --scheme red    search for the queue's best settings
    """


for command in (run, sweep, tune, calibrate, reproduce, list_names, explain, schema):
    commands.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and leaves with its exit code."""
    sys.exit(_exit_code(arguments))


def _exit_code(arguments: list[str] | None) -> int:
    warnings.showwarning = _show_warning
    try:
        commands.main(args=arguments, prog_name="aqmlab", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (ScenarioError, SweepError, TuneError, ExecutorError, FolderError, ResultError) as error:
        return _fail(str(error), MISTAKEN)
    except (RunError, OSError) as error:
        return _fail(str(error), FAILED)
    except (click.Abort, KeyboardInterrupt):
        return _fail(
            "interrupted; what had finished is kept, and the same command goes on from there", INTERRUPTED
        )
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    return DONE


def _fail(message: str, code: int) -> int:
    click.echo(f"aqmlab: {message}", err=True)
    return code


def _show_warning(  # noqa: PLR0917  (the signature of warnings.showwarning)
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del category, filename, lineno, file, line
    click.echo(f"aqmlab: warning: {message}", err=True)
