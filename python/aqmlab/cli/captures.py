"""`--pcap` of the commands that run scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aqmlab.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable

captured_option = click.option(
    "--pcap",
    multiple=True,
    metavar="PORT",
    help="Write all packets that pass this port to PORT.pcapng in the result's folder, for "
    "Wireshark and tshark. A port is a monitored link with a queue, such as left-to-right, or up of a line. "
    "Repeat the option for more ports. Files are as large as the traffic: use it for short "
    "runs.",
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
