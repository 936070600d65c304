"""`aqmlab play`."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab.cli.from_api import InUnit
from aqmlab.cli.options import overrides_option, scheme_option, with_scheme
from aqmlab.presets import TECHNOLOGIES
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from aqmlab.files.toml_text import TomlText
    from aqmlab.show.play.played import Played


@click.command
@click.argument(
    "scenario_file", metavar="[SCENARIO.toml]", type=click.Path(path_type=Path), required=False, default=None
)
@scheme_option
@click.option(
    "--down", "down_mbps", type=InUnit("mbps"), metavar="MBPS", help="Of the household: its rate down."
)
@click.option("--up", "up_mbps", type=InUnit("mbps"), metavar="MBPS", help="Of the household: its rate up.")
@click.option(
    "--technology",
    metavar="|".join(TECHNOLOGIES),
    help="Of the household: the kind of line; by default cable.",
)
@overrides_option
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3600),
    metavar="S",
    help="Simulated seconds per run; by default as many as one core simulates in 0.6 s, from 10 to 300; of a "
    "household 70, after a first look of 20.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port on 127.0.0.1; by default a free one.",
)
@click.option(
    "--queue-in",
    metavar="PLACE",
    help="Where the queue stands at first, of a [line]: router (which shapes the line; the default), "
    "router-unshaped, modem, provider or line.",
)
@click.option(
    "--shaped-share",
    type=float,
    metavar="SHARE",
    help="The share of the line's rate that the router leaves it; by default the file's, or 0.95.",
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in the browser.")
def play(
    *,
    scenario_file: Path | None,
    scheme: str | None,
    down_mbps: float | None,
    up_mbps: float | None,
    technology: str | None,
    overrides: dict[str, TomlText],
    seconds: float | None,
    port: int,
    queue_in: str | None,
    shaped_share: float | None,
    browser: bool,
) -> None:
    """Interactive page: switch people and queues, see the call.

    Without a scenario, or with one that has a [line], the page is a household: switches for who uses the line
    (backup, download, call, meeting, game, television, readers), its rates, the queue (as it is, PIE,
    FQ-CoDel, CAKE or another) and where it stands, how many read, upload and download, and faults; without a
    scenario also scenes and the kind of line. It draws the call's delay over a minute, down and up, and
    prints the verdict of aqmlab compare. Beside it stands the setting before, which can be kept and swapped,
    or the same setting with another queue. The page's address holds the setting.

    Any other scenario has controls for the rate, buffer, queue discipline and its main parameters, ECN and
    the number of users, and shows the queue over time, utilization, page load and response times.

    A change is answered within about a second; all runs have the same users. The page can run the full
    comparison of two settings (eight seeds, about a minute) and open its report, and prints the commands that
    run a setting at full length and compare it.

    The server listens only on 127.0.0.1 and requires the token in the address. Ctrl-C stops it.

    \b
    Examples:
      aqmlab play
      aqmlab play --down 50 --up 10 --technology vdsl
      aqmlab new home -o my-link.toml && aqmlab play my-link.toml
      aqmlab play my-link.toml --no-browser --port 8123
      aqmlab play my-link.toml --queue-in modem
      aqmlab play my-link.toml --queue-in router --scheme cake
    """
    from aqmlab.presets.line import AS_IT_IS, warn_of_assumed_rates
    from aqmlab.show.play import PlayedHome, PlayedLink, is_home, serve

    scenario = _scenario(scenario_file, overrides, down_mbps, up_mbps, technology)
    warn_of_assumed_rates(scenario)
    link: Played[Any]
    if is_home(scenario):
        link = PlayedHome(
            scenario,
            scheme=scheme or AS_IT_IS,
            queue_in=queue_in,
            shaped_share=shaped_share,
            simulated_s=seconds,
            technologies={} if scenario_file or overrides else _technologies(scenario),
        )
    elif queue_in is not None or shaped_share is not None:
        raise click.UsageError("--queue-in and --shaped-share are of a [line], which aqmlab new home writes")
    else:
        settings = _queues_of(scenario, scheme)
        link = PlayedLink(
            scenario.with_overrides(settings), settings={**overrides, **settings}, simulated_s=seconds
        )

    def ready(address: str) -> None:
        say(f"playing with {link.scenario.name}, {link.simulated_s:g} simulated seconds per run:\n{address}")
        say("Ctrl-C to quit")
        if browser:
            webbrowser.open(address)

    serve(link, str(scenario_file or f"{scenario.name}.toml"), port=port, ready=ready)


def _queues_of(scenario: Scenario, scheme: str | None) -> dict[str, Any]:
    """The tables of the queues under another queue discipline, by their dotted keys."""
    from aqmlab.load.queues import Queues

    if scheme is None:
        return {}
    made, queues = with_scheme(scenario, scheme), Queues.of(scenario)
    return dict(zip(queues.keys, map(dict, queues.tables(made)), strict=True))


def _technologies(own: Scenario) -> dict[str, Scenario]:
    """The household on each kind of line, at rates that are usual of it; its own at the rates it has."""
    found = {name: Scenario.from_toml(aqmlab.new("home", technology=name)) for name in TECHNOLOGIES}
    return {**found, str(own.resolved["line"]["technology"]): own}


def _scenario(
    file: Path | None,
    overrides: dict[str, TomlText],
    down_mbps: float | None,
    up_mbps: float | None,
    technology: str | None,
) -> Scenario:
    """The scenario of a file, or the household on a line of these rates."""
    line = {"down_mbps": down_mbps, "up_mbps": up_mbps, "technology": technology}
    if file is None:
        return Scenario.from_toml(aqmlab.new("home", **line), overrides=overrides)  # type: ignore[arg-type]
    if any(value is not None for value in line.values()):
        raise click.UsageError(
            "--down, --up and --technology are of the household without a file; legal: these, or the file"
        )
    return Scenario.from_file(file, overrides=overrides)
