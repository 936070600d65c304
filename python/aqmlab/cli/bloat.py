"""`aqmlab bloat`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import execution_options, overrides_option, read_schemes, seeds_option
from aqmlab.terminal.console import console, say, shown, wrapped

if TYPE_CHECKING:
    from aqmlab.bloat import Line, QueueUnderLoad
    from aqmlab.files.toml_text import TomlText
    from aqmlab.runs.executors import Executor
    from aqmlab.tables.model import Table

_MBPS = click.FloatRange(min=0, min_open=True)


@click.command
@click.argument(
    "scenario_file", metavar="[LINE.toml]", required=False, type=click.Path(path_type=Path, dir_okay=False)
)
@click.option("--down", "down_mbps", type=_MBPS, metavar="MBPS", help="The line's rate down, in Mbit/s.")
@click.option("--up", "up_mbps", type=_MBPS, metavar="MBPS", help="Its rate up, in Mbit/s.")
@click.option(
    "--rtt-ms",
    "round_trip_ms",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MS",
    help="Round trip of the downloads and uploads on the idle line; by default 20 ms, or 10 ms more than the "
    "delays of the scenario.",
)
@click.option(
    "--schemes",
    callback=read_schemes,
    default="fq-codel,cake,pie,dualpi2",
    show_default=True,
    metavar="NAME[:KEY=VALUE...],...",
    help="Queue disciplines to put at both ends of the line, beside the line as it is.",
)
@seeds_option(default="1-3", help="Random seeds; delays are means over them.")
@overrides_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.csv|.parquet",
    help="Also write every delay (50, 95 and 99 %, each way), loss and rate of each phase.",
)
@execution_options("threads")
def bloat(
    *,
    scenario_file: Path | None,
    down_mbps: float | None,
    up_mbps: float | None,
    round_trip_ms: float | None,
    schemes: tuple[str, ...],
    seeds: tuple[int, ...],
    overrides: dict[str, TomlText],
    output: Path | None,
    executor: Executor,
    quiet: bool,
) -> None:
    """Show how much a full line delays everybody.

    Probes of 64 bytes cross the line 50 times a second each way, while it is idle, while four downloads fill
    it, four uploads, and both (CUBIC, Linux 6). It prints the round trip on the idle line, what each load
    adds to it (medians), and a grade, for the line as it is and with other queue disciplines at both ends.

    The line is the [dumbbell] of a scenario, whose users and flows are left out (down is left to right), or
    --down and --up, with buffers as in modems without queue management: 100 ms down and 250 ms up.

    \b
    Examples:
      aqmlab bloat --down 100 --up 10
      aqmlab bloat my-link.toml --schemes fq-codel,cake --output delays.csv
    """
    from aqmlab.bloat import measure
    from aqmlab.tables.render import require_form, save

    if output is not None:
        require_form(output)
    line = _line(scenario_file, (down_mbps, up_mbps), round_trip_ms, overrides)
    found = measure(line, schemes, seeds=seeds, executor=executor, progress=not quiet)
    table = _table(found, line)
    if output is not None:
        say(f"written: {save(table, output)}")
    if output is None or not quiet:
        _show(found, line, table)


def _line(
    file: Path | None,
    rates: tuple[float | None, float | None],
    round_trip_ms: float | None,
    overrides: dict[str, TomlText],
) -> Line:
    from aqmlab.bloat import Line
    from aqmlab.scenario import Scenario

    down, up = rates
    if file is not None:
        if down is not None or up is not None:
            raise click.UsageError("--down and --up are of a line without a file; legal: these, or the file")
        return Line.of_scenario(Scenario.from_file(file, overrides=overrides), round_trip_ms=round_trip_ms)
    if down is None or up is None:
        raise click.UsageError("which line? legal: --down MBPS --up MBPS, or a scenario with a [dumbbell]")
    if overrides:
        raise click.UsageError("--set replaces values of a scenario, and there is none")
    return Line.of_rates(down, up, round_trip_ms=20.0 if round_trip_ms is None else round_trip_ms)


def _table(found: list[QueueUnderLoad], line: Line) -> Table:
    from aqmlab.bloat.grade import thresholds
    from aqmlab.tables.bloat import bloat_table

    caption = (
        "ms: the median round trip of a probe, and what downloads, uploads or both add; grade by the mean of "
        f"download and upload: {thresholds()} (DSLReports)"
    )
    return bloat_table(found, title=f"the line: {line.in_words()}", caption=caption)


def _show(found: list[QueueUnderLoad], line: Line, table: Table) -> None:
    from aqmlab.bloat.setting import setting_of
    from aqmlab.tables import to_terminal
    from aqmlab.words.bloat import added_in_words, not_filled_in_words

    screen = console(minimum_columns=80)
    if not found[0].not_filled:
        screen.print(wrapped(added_in_words(found), screen.width))
    screen.print(to_terminal(table))
    for sentence in not_filled_in_words(found):
        screen.print(wrapped(sentence, screen.width))
    settings = {row.name: setting_of(row.name, line.rates_mbps["up"]) for row in found}
    lines = [f"  {name}: {setting}" for name, setting in settings.items() if setting]
    if lines:
        screen.print(
            shown("on Linux, where DEV sends into the line; all but CAKE need DEV as slow as the line:")
        )
        screen.print(shown("\n".join(lines)), soft_wrap=True)
