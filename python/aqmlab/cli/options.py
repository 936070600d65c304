"""Options that several commands share, and how their values are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from aqmlab.runs import SEED_MAX
from aqmlab.scenario import TomlText
from aqmlab.terminal.spelling import quoted, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = TypeVar("Command", bound=Callable[..., Any])

_MOST_NUMBERS = 100_000


def read_numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Reads whole numbers and ranges of them, such as `1,3,5-7`; a number that stands twice counts once."""
    del context
    numbers: dict[int, None] = {}
    for part in text.split(",") if text else []:
        numbers.update(dict.fromkeys(_read_range(parameter, part.strip())))
        if len(numbers) > _MOST_NUMBERS:
            raise click.BadParameter(f"more than {_MOST_NUMBERS:,} numbers", param=parameter)
    return tuple(numbers)


def _read_range(parameter: click.Parameter, part: str) -> range:
    found = whole_numbers(part)
    if found is None:
        raise click.BadParameter(
            f"{quoted(part)} is not a whole number or a range such as 1-8", param=parameter
        )
    if not found or found[-1] > SEED_MAX or found.stop - found.start > _MOST_NUMBERS:
        raise click.BadParameter(
            f"{quoted(part)}: a range ascends, to 2^64 - 1 at most, over {_MOST_NUMBERS:,} numbers at most",
            param=parameter,
        )
    return found


def read_names(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Reads names separated by commas, such as `pi-24,rem-24`."""
    del context, parameter
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def read_overrides(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, TomlText]:
    """Reads assignments to dotted keys, such as `dumbbell.queue.q_ref_packets=240`."""
    del context
    overrides: dict[str, TomlText] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(
                f"{quoted(text)} is not of the form key=value, such as dumbbell.queue.ecn=true",
                param=parameter,
            )
        overrides[key.strip()] = TomlText(value.strip())
    return overrides


FOLDER = click.Path(path_type=Path, file_okay=False)
"""A folder that need not exist yet."""


def workers_option(command: Command) -> Command:
    """Adds `--workers`."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Runs at a time; by default one for each core. The results do not depend on it.",
    )(command)


def executor_option(command: Command, *, default: str = "local") -> Command:
    """Adds `--executor`; by default processes, for runs of which one may take a worker with it."""
    return click.option(
        "--executor",
        default=default,
        show_default=True,
        metavar="threads|local|dask|dask://HOST:PORT",
        help="What makes the runs: threads of this process, processes on this machine, a Dask cluster on "
        "this machine, or the Dask scheduler at an address. The results do not depend on it.",
    )(command)


def threads_option(command: Command) -> Command:
    """Adds `--executor` where few runs are made, by default by threads of this process."""
    return executor_option(command, default="threads")


def links_option(command: Command) -> Command:
    """Adds `--links`."""
    return click.option(
        "--links",
        callback=read_names,
        metavar="NAME,...",
        help="Links whose throughput, loss and queue are judged; by default those that carry data.",
    )(command)


def demand_option(command: Command) -> Command:
    """Adds `--demand`."""
    return click.option(
        "--demand",
        callback=read_names,
        metavar="NAME,...",
        help="What is turned: users, flows, datagrams, or single ones: populations.NAME, flows.NAME, "
        "datagrams.NAME, users.left; by default all users, or all flows where there are none. Several keep "
        "the ratio of their sizes.",
    )(command)


def quiet_option(command: Command) -> Command:
    """Adds `--quiet`."""
    return click.option("--quiet", is_flag=True, help="No progress bar; print only where the results are.")(
        command
    )


def overrides_option(command: Command) -> Command:
    """Adds `--set`."""
    return click.option(
        "--set",
        "overrides",
        metavar="KEY=VALUE",
        multiple=True,
        callback=read_overrides,
        help="Replace a value of the scenario, by its dotted key; may be given several times.",
    )(command)
