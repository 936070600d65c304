"""Options that several commands share, and how their values are written."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from aqmlab.errors import ScenarioError
from aqmlab.files.toml_text import TomlText
from aqmlab.runs import SEED_MAX
from aqmlab.terminal.spelling import quoted, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.scenario import Scenario

Command = TypeVar("Command", bound="Callable[..., Any]")

_MOST_NUMBERS = 100_000


def read_numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Reads whole numbers and ranges of them, such as `1,3,5-7`; a number that stands twice counts once."""
    del context
    if text is not None and not text.strip():
        raise click.BadParameter("one number or more, such as 1-8", param=parameter)
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


def read_seeds(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Reads seeds such as `1,3,5-7`; one that stands twice counts once."""
    del context
    if text is None:
        return ()
    from aqmlab.errors import RefusalError
    from aqmlab.seeds import Seeds

    try:
        return Seeds.of(text)
    except RefusalError as error:
        raise click.BadParameter(str(error), param=parameter) from None


def read_names(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Reads names separated by commas, such as `pi-24,rem-24`."""
    del context, parameter
    names = tuple(name.strip() for name in (text or "").split(",") if name.strip())
    if text is not None and not names:
        raise click.BadParameter("names none; legal: one or more, separated by commas")
    return names


def read_schemes(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Reads schemes separated by commas, such as `pi,codel:target_ms=20`; commas in brackets do not count."""
    from aqmlab.load.parametrized_scheme import split_outside_brackets

    del context, parameter
    parts = split_outside_brackets(text or "", ",")
    schemes = tuple(part.strip() for part in parts if part.strip())
    if text is not None and not schemes:
        raise click.BadParameter("names none; legal: such as drop-tail,red")
    return schemes


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


_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def read_time(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Reads seconds, or a time with its unit: `30`, `30s`, `5min`, `1h`."""
    del context
    if text is None:
        return None
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(s|min|m|h|)\s*", text)
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not seconds > 0.0:
        raise click.BadParameter(
            f"{quoted(text)} is no time; legal: such as 30s, 5min or 1h", param=parameter
        )
    return seconds


FOLDER = click.Path(path_type=Path, file_okay=False)
"""A folder that need not exist yet."""
FILE = click.Path(path_type=Path, dir_okay=False)
"""A file that need not exist yet."""

REPORT = "report.html"
"""What the report is called in the folder that it is of."""


def output_option(metavar: str, meaning: str, *, required: bool = False) -> Callable[[Command], Command]:
    """`--output`: a folder where `metavar` is FOLDER, else a file."""
    kind = FOLDER if metavar == "FOLDER" else FILE
    return click.option("-o", "--output", type=kind, required=required, metavar=metavar, help=meaning)


results_argument = click.argument(
    "results", metavar="RESULT...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
scenario_argument = click.argument("scenario_file", metavar="SCENARIO.toml", type=click.Path(path_type=Path))
links_option = click.option(
    "--links",
    callback=read_names,
    metavar="NAME,...",
    help="Links for throughput, loss and queue; by default those that carry data.",
)
_OVERRIDES: dict[str, Any] = {
    "metavar": "KEY=VALUE",
    "multiple": True,
    "callback": read_overrides,
    "help": "Override a scenario value by its dotted key; repeatable.",
}
overrides_option = click.option("--set", "overrides", **_OVERRIDES)


scheme_option = click.option(
    "--scheme",
    metavar="NAME[:KEY=VALUE...]",
    help="Queue discipline at every queue, with its defaults and the buffers of the scenario, or as Linux "
    "spells it, such as 'fq_codel target 20ms'; by default the scenario's own.",
)


def with_scheme(scenario: Scenario, scheme: str | None, links: Sequence[str] = ()) -> Scenario:
    """The scenario under another queue discipline, which its name says; itself without one."""
    from aqmlab.load.parametrized_scheme import labels_of, warn_of_remarks
    from aqmlab.load.queues import Queues

    if scheme is None:
        return scenario
    warn_of_remarks([scheme])
    made = Queues.of(scenario, links).with_scheme(scenario, scheme)
    return made.with_overrides({"name": f"{scenario.name}, {labels_of([scheme])[scheme]}"})


def overrides() -> click.Option:
    """The same option, for commands that are made of functions."""
    return click.Option(["--set", "overrides"], **_OVERRIDES)


FORMS = (".svg", ".pdf", ".png")
"""Of figures."""


def require_ending(file: Path, legal: Sequence[str], option: str) -> None:
    """Checks that a figure can be written to a file of this name."""
    if file.suffix.lower() not in legal:
        raise click.BadParameter(f"{file}: legal endings: {', '.join(legal)}", param_hint=option)


def read_table_file(context: click.Context, parameter: click.Parameter, file: Path | None) -> Path | None:
    """Checks, before any work, that a table can be written there."""
    del context, parameter
    if file is not None:
        from aqmlab.tables.stored import require_form

        require_form(file)
    return file


def execution_options(default: str) -> Callable[[Command], Command]:
    """Adds `--executor`, `--workers` and `--quiet`; the command is given an executor, and `quiet`."""
    options = (
        click.option(
            "--executor",
            default=default,
            show_default=True,
            metavar="threads|local|dask|dask://HOST:PORT",
            help="Where runs are computed: threads of this process, processes on this machine (local), a "
            "Dask cluster on this machine, or the Dask scheduler at an address. The results are the "
            "same.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1),
            metavar="N",
            help="Parallel runs; by default one per core. The results are the same.",
        ),
        click.option("--quiet", is_flag=True, help="No progress bar; print only the path of the results."),
    )

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def with_executor(*, executor: str, workers: int | None, **others: Any) -> object:  # noqa: ANN401
            from aqmlab.runs.executors import executor_of

            return command(executor=executor_of(executor, workers=workers), **others)

        for option in reversed(options):
            option(with_executor)
        return cast("Command", with_executor)

    return add


captured_option = click.option(
    "--pcap",
    multiple=True,
    metavar="PORT",
    help="Write all packets of this port (a monitored link with a queue, such as left-to-right, or "
    "up of a line) to PORT.pcapng in the result's folder, for Wireshark; repeatable. Files "
    "are as large as the traffic.",
)


def captured_ports(pcap: tuple[str, ...], check: Callable[[list[str]], object]) -> tuple[str, ...]:
    """The ports whose packets are kept, each once; `check` raises `ScenarioError` where one cannot be."""
    from aqmlab.result import capture_name

    ports = tuple(dict.fromkeys(pcap))
    try:
        check(list(ports))
    except ScenarioError as error:
        raise click.UsageError(f"--pcap: {error}") from None
    if len({capture_name(port) for port in ports}) < len(ports):
        raise click.UsageError(
            "--pcap: files of these ports would have the same name; capture them in two runs"
        )
    return ports
