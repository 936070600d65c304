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
    type=click.FloatRange(1, 3600),
    metavar="S",
    help="Simulated seconds per run; by default as many as one core simulates in 0.6 s, from 10 to 300.",
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
    help="Whose queues are turned, of a [line]: router (which shapes the line), router-unshaped, modem, "
    "provider or line.",
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
    scenario_file: Path,
    overrides: dict[str, TomlText],
    seconds: float | None,
    port: int,
    queue_in: str | None,
    shaped_share: float | None,
    browser: bool,
) -> None:
    """Interactive page: change the link, see the page loads.

    The page has controls for the rate, buffer, queue discipline and its main parameters, ECN and the number
    of users. After a change it shows, within about a second, the queue over time, the link's utilization,
    and page load and response times next to those of the previous setting. All runs have the same users. The
    page can run the full comparison of two settings (eight seeds, about a minute) and open its report. It
    prints the commands that run a setting at full length and compare it with other schemes.

    The server listens only on 127.0.0.1 and requires the token in the address. Ctrl-C stops it.

    \b
    Examples:
      aqmlab new home -o my-link.toml && aqmlab play my-link.toml
      aqmlab play my-link.toml --no-browser --port 8123
      aqmlab play my-link.toml --queue-in router
    """
    from aqmlab.presets.assumed_rates import warn_of_assumed_rates
    from aqmlab.show.play import PlayedLink, serve

    scenario = Scenario.from_file(scenario_file, overrides=overrides)
    warn_of_assumed_rates(scenario)
    links, settings = _place(scenario, queue_in, shaped_share)
    link = PlayedLink(
        scenario.with_overrides(settings),
        queues=links,
        settings={**overrides, **settings},
        simulated_s=seconds,
    )

    def ready(address: str) -> None:
        say(f"playing with {link.scenario.name}, {link.simulated_s:g} simulated seconds per run:\n{address}")
        say("Ctrl-C to quit")
        if browser:
            webbrowser.open(address)

    serve(link, str(scenario_file), port=port, ready=ready)


def _place(
    scenario: Scenario, queue_in: str | None, shaped_share: float | None
) -> tuple[tuple[str, ...], dict[str, float]]:
    """The links whose queues are turned, and what makes a router shape in front of them.

    Raises:
        click.UsageError: There is no such place on this line.
    """
    from aqmlab.load.queue_place import ROUTER_LINKS, own_links, place_named

    if queue_in is None:
        if shaped_share is not None:
            raise click.UsageError("--shaped-share is of a router; legal: together with --queue-in router")
        return (), {}
    place = place_named(queue_in)
    place.require_share(shaped_share)
    if not scenario.resolved.get("line"):
        raise click.UsageError("--queue-in is of a [line], which aqmlab new home writes")
    if not place.shaped and set(own_links(scenario)) & set(ROUTER_LINKS):
        raise click.UsageError(
            "--queue-in: the router of this file shapes; legal: --queue-in router, or a file without "
            "shaped_share_down and shaped_share_up"
        )
    return place.links, place.settings(scenario, shaped_share)
