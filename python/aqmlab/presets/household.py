"""The preset `home`: a household on a line of one's own, each person with a device.

Provider, modem and router are told apart. A meeting whose picture adapts and a television are on as far as
the line carries them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.errors import RefusalError
from aqmlab.load.queue_place import PLACES, SHAPED_SHARE, place_named
from aqmlab.presets import HOUSEHOLD, TECHNOLOGIES
from aqmlab.scenario import Scenario
from aqmlab.terminal.spelling import nearest, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEAST_MBPS, MOST_MBPS = 0.5, 5_000.0
"""The rates of a line, either way: a phone call and a game have room on the slowest, computers are faster."""
_MEETING_FROM_MBPS, _TELEVISION_FROM_MBPS = 1.5, 5.0
"""From these rates on, of the slower direction and of the way down, there are a meeting and a television."""

_HEAD = (
    f"# {HOUSEHOLD}\n"
    """\
# Every key: docs/reference/scenario/line.md; where the numbers come from, and how sure they are:
# docs/reference/presets.md.
name = "home"
duration_s = 120.0
warm_up_s = 15.0
cool_down_s = 25.0

# {in_words}
[line]
# What is usual of it: framing "{framing}", {delay:g} ms of delay one way, and drop-tail queues of
# {buffers}. Each can be said here.
technology = "{technology}"
down_mbps = {down:<20g}    # {counted}
up_mbps = {up:<22g}    # the same
{queues}
[[devices]]
name = "laptop"
kind = "laptop"

[[devices]]
name = "phone"
kind = "phone"

[[devices]]
name = "console"
kind = "console"

[[devices]]
name = "computer"
kind = "computer"

# Two people who read: a click some seconds after each page.
[[populations]]
name = "readers"
browsers = "computer"
servers = "internet"
count = 2
model = {{ model = "pages", think_time_median_seconds = 4.0 }}   # half of the thinking takes less than 4 s
profile = "linux6-cubic"                  # computers and servers of today: docs/reference/tcp.md
minimum_delay_ms = {{ low = 10, high = 60 }}   # assumed: from the line's far end to servers and back

# A backup that fills the way up, and a download that fills the way down.
[[flows]]
name = "backup"
count = 1
direction = "up"
device = "laptop"
base_rtt_ms = 20.0
profile = "linux6-cubic"

{downloads}
# A phone call (G.711).
[[datagrams]]
name = "call-up"
count = 1
direction = "up"
device = "phone"
packet_bytes = 200
rate_mbps = 0.08

[[datagrams]]
name = "call-down"
count = 1
direction = "down"
device = "phone"
packet_bytes = 200
rate_mbps = 0.08

# A game: what the player does, 30 times a second, and what becomes of it.
[[datagrams]]
name = "game-up"
count = 1
direction = "up"
device = "console"
packet_bytes = 128
rate_mbps = 0.031

[[datagrams]]
name = "game-down"
count = 1
direction = "down"
device = "console"
packet_bytes = 150
rate_mbps = 0.1
"""
)

_OTHERS_TO_TRY = """\
# Others to try: aqmlab compare FILE --schemes drop-tail,pie,fq-codel; their parameters: aqmlab explain pie.
# What your own router can do in front of a plain modem: aqmlab sqm FILE.
"""

_DOWNLOAD = """\
[[flows]]
name = "{name}"
count = 1
direction = "down"
device = "computer"
base_rtt_ms = 20.0
profile = "linux6-cubic"
"""
BBR, CUBIC = "bbr", "cubic"
DOWNLOADS = {
    CUBIC: "",
    "reno": 'host = { congestion = "reno" }',
    BBR: 'host = { congestion = "bbr-linux-v3" }   # Google\'s servers; others with BBR: "bbr-linux-v1"',
    "bbr-linux-v1": 'host = { congestion = "bbr-linux-v1" }',
    "bbr-linux-v3": 'host = { congestion = "bbr-linux-v3" }',
}
"""How servers send what is downloaded: a line of the flow."""

_MEETING = """
# A meeting whose picture adapts to what the line carries, as browsers make it.
[[datagrams]]
name = "meeting-up"
count = 1
direction = "up"
device = "laptop"
packet_bytes = 1200
adaptive_video = {{ maximum_mbps = {most:g} }}

[[datagrams]]
name = "meeting-down"
count = 1
direction = "down"
device = "laptop"
packet_bytes = 1200
adaptive_video = {{ maximum_mbps = {most:g} }}
"""

_TELEVISION = """
# Somebody who watches: the bit rate of each segment adapts to the buffer (BOLA).
[[devices]]
name = "television"
kind = "television"

[[populations]]
name = "television"
browsers = "television"
servers = "internet"
count = 1
model = { model = "video-streaming" }
profile = "linux6-cubic"
minimum_delay_ms = { low = 10, high = 60 }
"""


def household(
    down_mbps: float | None = None,
    up_mbps: float | None = None,
    technology: str = "cable",
    *,
    queue_in: str = "line",
    downloads: Sequence[str] = (CUBIC,),
) -> str:
    """The text of the scenario."""
    if technology not in TECHNOLOGIES:
        raise RefusalError.not_among("technology", technology, TECHNOLOGIES)
    place_named(queue_in)
    for name, value in (("down_mbps", down_mbps), ("up_mbps", up_mbps)):
        if value is not None and not LEAST_MBPS <= value <= MOST_MBPS:
            raise _refused_rate(name, value)
    scenario = usual_line(technology)
    usual: Mapping[str, Any] = scenario.resolved["line"]
    own = (usual["down_mbps"], usual["up_mbps"])
    down, up = (
        mine if given is None else float(given) for given, mine in zip((down_mbps, up_mbps), own, strict=True)
    )
    slower, counted = min(down, up), "as the modem shows it" if technology in ("vdsl", "adsl") else "as sold"
    text = _HEAD.format(
        technology=technology,
        down=down,
        up=up,
        counted=counted,
        framing=usual["framing"],
        delay=usual["delay_ms"],
        buffers=_buffers_in_words(scenario),
        in_words=f"The queues that act stand {PLACES[queue_in].in_words}.",
        queues=_queues(queue_in),
        downloads=_downloads(downloads),
    )
    if slower >= _MEETING_FROM_MBPS:
        text += _MEETING.format(most=min(2.5, round(slower / 2, 1)))
    if down >= _TELEVISION_FROM_MBPS:
        text += _TELEVISION
    return text


def _refused_rate(place: str, rate_mbps: float) -> RefusalError:
    legal = f"{LEAST_MBPS:g} to {MOST_MBPS:g} Mbit/s"
    said = f"{place}: {rate_mbps:g} is out of range; legal: {legal}"
    return RefusalError(said, place=place, value=rate_mbps, legal=legal)


def usual_line(technology: str) -> Scenario:
    """A line of which nothing is said but its technology."""
    flow = {"count": 1, "direction": "down"}
    asked = {"name": technology, "duration_s": 1.0, "line": {"technology": technology}, "flows": [flow]}
    return Scenario.of(asked)


def _buffers_in_words(scenario: Scenario) -> str:
    """What waits at most on either way, in the time that it takes at the line's rate."""
    buffers = scenario.core.buffers()
    down, up = (round((buffers[link].wait_s or 0.0) * 100) * 10 for link in ("down", "up"))
    return f"{down} ms at the provider's, {up} in the modem"


def _downloads(senders: Sequence[str]) -> str:
    """A download for each sender; a single one has no number."""
    texts = []
    for place, sender in enumerate(senders, start=1):
        if sender not in DOWNLOADS:
            known = ", ".join(DOWNLOADS)
            raise RefusalError(
                f'downloads: "{shortened(sender)}" is unknown; legal: {known}{nearest(sender, [*DOWNLOADS])}',
                place="downloads",
                value=sender,
                legal=known,
            )
        name = "download" if len(senders) == 1 else f"download-{place}"
        texts.append(_DOWNLOAD.format(name=name) + (f"{DOWNLOADS[sender]}\n" if DOWNLOADS[sender] else ""))
    return "\n".join(texts)


def _queues(queue_in: str) -> str:
    if queue_in == "router":
        return (
            f"shaped_share_down = {SHAPED_SHARE}                # the router holds the line below its rate,\n"
            f"shaped_share_up = {SHAPED_SHARE}                  # so that its own queues act\n"
            'router_queue_down = { scheme = "cake", isolation = "dual_destination" }\n'
            'router_queue_up = { scheme = "cake", isolation = "dual_source" }\n'
        )
    if queue_in == "router-unshaped":
        return 'router_queue_down = { scheme = "fq-codel" }\nrouter_queue_up = { scheme = "fq-codel" }\n'
    queue = '{ scheme = "pie", limit_packets = 1000 }'
    return {
        "modem": f"modem_queue = {queue}\n",
        "provider": f"provider_queue = {queue}\n",
        "line": _OTHERS_TO_TRY,
    }.get(queue_in, "")
