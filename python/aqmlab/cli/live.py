"""`aqmlab live`, `aqmlab crossvalidate` and `aqmlab doctor`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab.cli.folders import RESULTS, new_folder
from aqmlab.cli.from_api import SCENARIO, OfFunction, from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import (
    FOLDER,
    captured_option,
    captured_ports,
    scheme_option,
    with_scheme,
)
from aqmlab.errors import ScenarioError
from aqmlab.files.folders import folder_name
from aqmlab.runs import SEED_MAX
from aqmlab.runs.user_mode.kernel import USER_MODE
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import console, say, shown, wrapped

if TYPE_CHECKING:
    from aqmlab.files.toml_text import TomlText
    from aqmlab.result import Result


_THIS_MACHINE = "this-machine"
_UNFINISHED = 124  # as of timeout(1)


_KERNEL = {
    "is_flag": False,
    "flag_value": _THIS_MACHINE,
    "type": click.Choice([_THIS_MACHINE, USER_MODE]),
    "default": None,
    "show_default": False,
}


class _OptionalKernel(OfFunction):
    """`--kernel` alone is this machine's kernel, also in front of the scenario."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = {_THIS_MACHINE, USER_MODE}
        own = args.index("--") if "--" in args else len(args)
        for place, word in enumerate(args[:own]):
            following = args[place + 1] if place + 1 < own else ""
            if word == "--kernel" and following not in named and Path(following).is_file():
                args[place] = f"--kernel={_THIS_MACHINE}"
        return super().parse_args(ctx, args)


@from_api(
    "live",
    after={
        "replay": "hosts",
        "pcap": "replay",
        "scheme": "kernel",
        "overrides": "scheme",
        "server": "serve",
        "output": "rtt_ms",
    },
    cls=_OptionalKernel,
    scenario=SCENARIO,
    seed={"type": click.IntRange(0, SEED_MAX), "metavar": "N"},
    output={"type": FOLDER, "metavar": "FOLDER"},
    kernel=_KERNEL,
    pcap=None,
    command=None,
    server={
        "callback": None,
        "metavar": "COMMAND",
        "help": "Run this server on the other side of the bottleneck; COMMAND reaches it at 10.128.0.1. "
        "Quote its arguments together.",
    },
    serve={"type": click.Path(path_type=Path, exists=True, file_okay=False), "metavar": "FOLDER"},
    rtt_ms={"type": float, "metavar": "MS"},
)
@captured_option
@scheme_option
@click.argument("command", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--quiet", is_flag=True, help="Print only the folder; with COMMAND, only its output.")
@numbers_options
def live(
    *,
    scenario: Path,
    seed: int,
    kernel: str | None,
    pcap: tuple[str, ...],
    scheme: str | None,
    overrides: dict[str, TomlText],
    command: tuple[str, ...],
    serve: Path | None,
    server: str | None,
    rtt_ms: float | None,
    output: Path | None,
    quiet: bool,
    **asked: Any,  # noqa: ANN401
) -> Numbers:
    """Run a scenario in real time over Linux TCP.

    Users, delays and queues are those of a simulation with the same seed. TCP is the kernel's, in private
    network namespaces that end with the run. Every result states whether its timing is valid or suspect, with
    reasons. `aqmlab doctor` lists the requirements.

    COMMAND runs behind the bottleneck in place of one user, with the others as background traffic. It starts
    with the measured window. If it still runs at the end, it is killed and the exit code is 124; otherwise
    the exit code is that of COMMAND. It can reach only its server.

    \b
    Examples:
      aqmlab live my-link.toml
      aqmlab live my-link.toml --hosts linux-cubic --set duration_s=30
      aqmlab live my-link.toml --scheme fq-codel --replay
      aqmlab live my-link.toml --backend af-packet --pcap up
      aqmlab live my-link.toml --kernel user-mode --hosts linux-bbr
      aqmlab live my-link.toml --serve site/ -- curl 10.128.0.1:8000/page.html
      aqmlab live my-link.toml --server 'iperf3 -s' -- iperf3 -c 10.128.0.1 -R
    """
    from aqmlab.presets.line import warn_of_assumed_rates

    line = Scenario.from_file(scenario, overrides=overrides)
    warn_of_assumed_rates(line)
    line = with_scheme(line, scheme)
    result = aqmlab.live(
        line,
        **asked,
        output=new_folder(output or RESULTS / folder_name(line.name) / f"live-{seed}"),
        seed=seed,
        pcap=captured_ports(pcap, lambda _: None),
        kernel=kernel if kernel == USER_MODE else kernel is not None,
        command=command,
        server=_server(command, serve, server, rtt_ms),
        serve=serve,
        rtt_ms=rtt_ms,
        progress=not quiet and not command,
    )
    if not quiet:
        _print(result)
    elif not command:
        say(str(result.folder))
    audit = result.live or {}
    facts = {"folder": result.folder, "timing": audit.get("verdict"), "warnings": result.warnings}
    return Numbers(result.to_arrow, lambda: facts, _exit_code(audit["program"]) if command else 0)


def _server(
    command: tuple[str, ...], serve: Path | None, server: str | None, rtt_ms: float | None
) -> tuple[str, ...]:
    """The words of --server, unless the options do not go together."""
    if not command and (serve, server, rtt_ms) != (None, None, None):
        raise click.UsageError("--serve, --server and --rtt-ms need a COMMAND after --")
    if serve is not None and server is not None:
        raise click.UsageError("--serve and --server exclude each other")
    try:
        return tuple(shlex.split(server or ""))
    except ValueError as error:
        raise click.UsageError(f"--server: {error}") from None


def _exit_code(program: dict[str, Any]) -> int:
    found = program["exit_code"]
    if found is None:
        say("aqmlab: the command was still running when the run ended, and was killed", err=True)
    return _UNFINISHED if found is None else int(found)


def _print(result: Result) -> None:
    from aqmlab.show.tables import printed
    from aqmlab.show.tables.printed import Warned
    from aqmlab.show.tables.render import to_terminal
    from aqmlab.show.tables.results import result_tables
    from aqmlab.show.words import live

    screen = console()
    audit = result.live or {}
    for table in result_tables(result):
        screen.print(to_terminal(table))
    judged, *details = live.timing(audit)
    screen.print(shown(judged, "green" if audit["verdict"] == "valid" else "yellow"))
    for line in details:
        screen.print(wrapped(line, screen.width))
    printed.on(screen, map(Warned, result.warnings))
    if (program := audit.get("program")) is not None:
        screen.print(shown(live.end_of_program(program)), soft_wrap=True)
        if (ended := live.end_of_server(program)) is not None:
            screen.print(shown(ended, "yellow"))
        for line in live.packets_of_program(program):
            screen.print(shown(line))
    screen.print(shown(f"kept in {result.folder}"), soft_wrap=True)


@from_api("crossvalidate", scenario=SCENARIO, kernel={"names": ["--kernel/--no-kernel"], "default": None})
@numbers_options
def crossvalidate(**asked: Any) -> Numbers:  # noqa: ANN401
    """Compare live runs of a scenario with simulated ones.

    Users, delays and queues are the same for each seed, so differences come from TCP, or from the machine if
    the timing is suspect. If the kernel has the schemes of all queues, a third run uses its queue
    disciplines. Finished runs in the folder are reused.

    \b
    Examples:
      aqmlab crossvalidate my-link.toml
      aqmlab crossvalidate my-link.toml --seeds 1-3 --hosts linux-reno
      aqmlab crossvalidate my-link.toml --kernel
    """
    from aqmlab.show.objects.crossvalidation import printed as parts_of
    from aqmlab.show.tables import printed

    try:
        found = aqmlab.crossvalidate(**asked, progress=True)
    except ScenarioError as error:
        if error.place != "kernel":
            raise
        raise ScenarioError(f"--{error}") from None
    screen = console()
    printed.on(screen, parts_of(found))
    screen.print(shown(f"kept in {found.folder}"), soft_wrap=True)
    return Numbers.of(found, folder=str(found.folder))


@click.command
def doctor() -> None:
    """Check whether this machine can run `aqmlab live`.

    It prints how to fix what is missing.

    \b
    Examples:
      aqmlab doctor
    """
    from aqmlab.runs.live.requirements import needs

    screen = console()
    missing = 0
    for need in needs():
        missing += need.needed and not need.found
        screen.print(shown(str(need), "" if need.found else "yellow"), soft_wrap=True)
    if missing:
        raise click.exceptions.Exit(1)
