"""`aqmlab play`."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import overrides_option, scenario_argument
from aqmlab.scenario import Scenario
from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.files.toml_text import TomlText


@click.command
@scenario_argument
@overrides_option
@click.option(
    "--seconds",
    type=click.FloatRange(1.0, 3600.0),
    metavar="S",
    help="Simulated seconds of each run; by default what a core does in 0.6 s, from 10 to 300.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Where to listen on this machine; by default at a port that is free.",
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in the browser.")
def play(
    *, scenario_file: Path, overrides: dict[str, TomlText], seconds: float | None, port: int, browser: bool
) -> None:
    """See a queue breathe: a page with sliders, on this machine only.

    Rate, buffer, queue management and its main parameters, ECN and users are turned on the page; within a
    second the queue over time, the link's utilization, page load and response times stand beside those of the
    setting before. Every turn is a run of the same users. The page also makes the full comparison of a
    setting with the one before it, over eight seeds within a minute or so, and opens its report; and it shows
    the commands that give a setting its full length and set it against other queue management.

    The server listens on 127.0.0.1 alone and answers nobody without the token in the address. Ctrl-C ends it.

    \b
    Examples:
      aqmlab new home -o my-link.toml && aqmlab play my-link.toml
      aqmlab play my-link.toml --no-browser --port 8123
    """
    from aqmlab.play import PlayedLink, serve

    link = PlayedLink(Scenario.from_file(scenario_file, overrides=overrides), simulated_s=seconds)

    def ready(address: str) -> None:
        say(f"playing with {link.scenario.name}, {link.simulated_s:g} simulated seconds a run, at\n{address}")
        say("Ctrl-C ends it")
        if browser:
            webbrowser.open(address)

    serve(link, str(scenario_file), port=port, ready=ready)
