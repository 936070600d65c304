"""`aqmlab bloat`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aqmlab.cli.line_options import line_options, read_line, schemes_option
from aqmlab.cli.live_option import live_name, live_option, over_linux
from aqmlab.cli.options import execution_options, seeds_option, table_option
from aqmlab.terminal.console import console, say, shown, wrapped

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.files.toml_text import TomlText
    from aqmlab.presets.line import Line
    from aqmlab.runs.executors import Executor
    from aqmlab.study.bloat import QueueUnderLoad
    from aqmlab.tables.model import Table


@click.command
@line_options
@schemes_option("fq-codel,cake,pie,dualpi2")
@seeds_option(default="1-3", help="Random seeds; delays are means over them.")
@table_option("Also write every delay (50, 95 and 99 %, each way), loss and rate of each phase.")
@live_option("10 s for each queue, phase and seed")
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
    live: bool,
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
    from dataclasses import replace

    from aqmlab.study.bloat import measure
    from aqmlab.tables.stored import save

    line = read_line(scenario_file, (down_mbps, up_mbps), round_trip_ms, overrides)
    simulated = measure(line, schemes, seeds=seeds, executor=executor, progress=not quiet)
    found = list(simulated)
    if live:
        of_linux = over_linux(lambda run: measure(line, schemes, seeds=seeds, run=run), progress=not quiet)
        found += [replace(row, name=live_name(row.name)) for row in of_linux]
    table = _table(found, line)
    if output is not None:
        say(f"written: {save(table, output)}")
    if output is None or not quiet:
        _show(found, simulated, line, table)


def _table(found: list[QueueUnderLoad], line: Line) -> Table:
    from aqmlab.show.tables.bloat import bloat_table
    from aqmlab.study.bloat.grade import thresholds, thresholds_of_losses

    caption = (
        "ms: the median round trip of a probe, and what downloads, uploads or both add; lost: of the probes, "
        "idle or under either load, in the worse way; grade by the mean of download and upload: "
        f"{thresholds()} (DSLReports); {thresholds_of_losses()} (ITU-T G.1010)"
    )
    return bloat_table(found, title=f"the line: {line.in_words()}", caption=caption)


def _show(found: list[QueueUnderLoad], simulated: list[QueueUnderLoad], line: Line, table: Table) -> None:
    from aqmlab.show.tables.render import to_terminal
    from aqmlab.show.words.bloat import added_in_words, not_filled_in_words
    from aqmlab.study.bloat.setting import setting_of

    screen = console(minimum_columns=80)
    if not simulated[0].not_filled:
        screen.print(wrapped(added_in_words(simulated), screen.width))
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
