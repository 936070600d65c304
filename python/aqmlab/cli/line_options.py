"""The options that say which line a test of delay under load is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import overrides_option, read_schemes

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.files.toml_text import TomlText
    from aqmlab.presets.line import Line

_MBPS = click.FloatRange(min=0, min_open=True)
_ROUND_TRIP_MS = 20.0


def line_options(command: Callable[..., None]) -> Callable[..., None]:
    """The scenario of the line, or its rates, with its round trip: as `read_line` takes them."""
    options = (
        click.argument(
            "scenario_file",
            metavar="[LINE.toml]",
            required=False,
            type=click.Path(path_type=Path, dir_okay=False),
        ),
        click.option(
            "--down", "down_mbps", type=_MBPS, metavar="MBPS", help="The line's rate down, in Mbit/s."
        ),
        click.option("--up", "up_mbps", type=_MBPS, metavar="MBPS", help="Its rate up, in Mbit/s."),
        click.option(
            "--rtt-ms",
            "round_trip_ms",
            type=click.FloatRange(min=0, min_open=True),
            metavar="MS",
            help="Round trip of the downloads and uploads on the idle line; by default 20 ms, or 10 ms more "
            "than the delays of the scenario.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return overrides_option(command)


def schemes_option(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The queue disciplines that are put in the place of the line's own."""
    return click.option(
        "--schemes",
        callback=read_schemes,
        default=default,
        show_default=True,
        metavar="NAME[:KEY=VALUE...],...",
        help="Queue disciplines to put at both ends of the line, beside the line as it is.",
    )


def read_line(
    file: Path | None,
    rates: tuple[float | None, float | None],
    round_trip_ms: float | None,
    overrides: dict[str, TomlText],
) -> Line:
    """The line that these options name.

    Raises:
        click.UsageError: It is named twice, or not at all.
        RefusalError: The scenario is no line, or the line is too slow.
    """
    from aqmlab.presets.line import Line
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
    return Line.of_rates(down, up, round_trip_ms=_ROUND_TRIP_MS if round_trip_ms is None else round_trip_ms)
