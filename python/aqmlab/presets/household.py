"""The household of the preset `home` on a line of one's own: its rates, and what is usual for its technology.

Users, backup and download stay those of the preset; the call is one that the slower direction can carry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab import presets
from aqmlab.errors import RefusalError

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST_MBPS, MOST_MBPS = 0.5, 5_000.0
"""The rates of a line, either way: a phone call and a game have room on the slowest, computers are faster."""
_LEAST_BUFFER_BYTES = 20 * 1_500
_COMPUTERS_MBPS, _FAST_COMPUTERS_MBPS = 1_000.0, 10_000.0


@dataclass(frozen=True)
class Framing:
    """What a line adds to packets.

    Attributes:
        payload_share: Bytes of packets and their overhead per byte at the rate that is given.
        overhead_bytes: Bytes of each packet beside its own.
        minimum_frame_bytes: The shortest frame.
        comments: Where this comes from.
    """

    payload_share: float = 1.0
    overhead_bytes: int = 0
    minimum_frame_bytes: int = 0
    comments: tuple[str, ...] = (
        "Speeds of such lines are sold and measured above their own frames: none are added.",
    )


@dataclass(frozen=True)
class Variation:
    """How the rates of a line vary (the medium `varying_rate`), each direction by itself.

    Attributes:
        coefficient_of_variation: Standard deviation of a rate over its mean.
        correlation_time_s: Time after which its autocorrelation has fallen to 1/e.
        comments: Where this comes from.
    """

    coefficient_of_variation: float
    correlation_time_s: float
    comments: tuple[str, ...]

    def keys(self) -> list[str]:
        """The lines of both directions."""
        numbers = (
            f"coefficient_of_variation = {self.coefficient_of_variation}, "
            f"correlation_time_s = {self.correlation_time_s}"
        )
        directions = ("medium", "medium_right_to_left")
        return [
            *(f"# {comment}" for comment in self.comments),
            *(f"{key} = {{ varying_rate = {{ {numbers} }} }}" for key in directions),
        ]


@dataclass(frozen=True)
class Technology:
    """A kind of access line.

    Attributes:
        title: What a household on it is on.
        rates_mbps: Rates down and up where none are given.
        delay: One-way delay in milliseconds, and where it comes from.
        buffer_down: How much waits down, in milliseconds, and where it comes from.
        buffer_up: The same up.
        framing: What the line adds to packets.
        variation: How its rates vary, where they do.
    """

    title: str
    rates_mbps: tuple[float, float]
    delay: tuple[float, str]
    buffer_down: tuple[float, str]
    buffer_up: tuple[float, str]
    framing: Framing = Framing()
    variation: Variation | None = None


_PTM = Framing(
    64 / 65,
    30,
    68,
    (
        "The rates are of the line, as the modem shows them. PTM leaves 64 of 65 bytes to packets, each with",
        "30 bytes of PPPoE (assumed), Ethernet and PTM (ITU-T G.992.3 annex N; tc-cake(8): pppoe-ptm).",
    ),
)
_ATM = Framing(
    48 / 53,
    64,
    96,
    (
        "The rates are of the line, as the modem shows them. ATM leaves 48 of the 53 bytes of a cell to",
        "packets, each with 40 bytes of PPPoE (assumed), Ethernet and AAL5 (tc-cake(8): pppoe-llcsnap).",
        "The rest of a packet's last cell stays empty: on average 24 bytes, counted with every packet here.",
        "Two cells at least.",
    ),
)
TECHNOLOGIES: Mapping[str, Technology] = {
    "cable": Technology(
        "cable",
        (100.0, 10.0),
        (5.0, "assumed; with 10 ms at least behind it 20 ms to a near server"),
        (100.0, "assumed"),
        (250.0, "assumed, as cable modems without queue management hold (White et al., NCTA 2011: or more)"),
    ),
    "vdsl": Technology(
        "VDSL2",
        (50.0, 10.0),
        (6.0, "assumed"),
        (130.0, "assumed"),
        (260.0, "assumed"),
        _PTM,
    ),
    "adsl": Technology(
        "ADSL2+",
        (16.0, 1.0),
        (20.0, "interleaving; with 10 ms at least behind it FCC's 49 ms of DSL"),
        (130.0, "assumed"),
        (640.0, "uplink queues of DSL above 600 ms were common (Dischinger et al., IMC 2007)"),
        _ATM,
    ),
    "fibre": Technology(
        "fibre",
        (300.0, 150.0),
        (1.0, "assumed: light and splitter, 2 ms a round trip"),
        (100.0, "assumed"),
        (100.0, "assumed"),
    ),
    "lte": Technology(
        "LTE with rates that vary",
        (30.0, 8.0),
        (20.0, "with 10 ms at least behind it Ofcom's 53 ms of 4G in 2014"),
        (1000.0, "assumed: buffers that loss never empties (Jiang et al., CellNet 2012)"),
        (1000.0, "assumed: the same"),
        variation=Variation(
            0.3,
            5.0,
            (
                "Rates vary at random around these means: a new one every 100 ms, each direction by itself.",
                "Traces of moving users have a coefficient of variation of 0.6 and a correlation time of 5 s",
                "(medians of nine; Winstein et al., NSDI 2013). Half of that variation is assumed at home.",
            ),
        ),
    ),
}
"""Technologies by name; sources and certainty are in `docs/reference/presets.md`."""


def household(down_mbps: float | None = None, up_mbps: float | None = None, technology: str = "cable") -> str:
    """The text of the scenario.

    Args:
        down_mbps: Rate down in Mbit/s, 0.5 to 5,000; by default one that is usual for the technology.
        up_mbps: Rate up, in the same range.
        technology: One of `TECHNOLOGIES`.

    Raises:
        RefusalError: A rate or the technology is not legal; its `place` is the argument.
    """
    if technology not in TECHNOLOGIES:
        raise RefusalError.not_among("technology", technology, TECHNOLOGIES)
    kind = TECHNOLOGIES[technology]
    given = {"down_mbps": down_mbps, "up_mbps": up_mbps}
    for place, rate_mbps in given.items():
        if rate_mbps is not None and not LEAST_MBPS <= rate_mbps <= MOST_MBPS:
            raise refuse_rate(place, rate_mbps)
    rates = tuple(
        usual if rate is None else float(rate)
        for rate, usual in zip(given.values(), kind.rates_mbps, strict=True)
    )
    (before, _, rest), (down, up) = presets.text("home").partition("[dumbbell]\n"), rates
    after = rest[rest.index("# Others to try") :]
    first, _, before = before.partition("\n")
    users = first.partition(": ")[2]
    heading = f"# A household on {kind.title}, {down:g} Mbit/s down and {up:g} up: {users}"
    whose = ["as given" if rate is not None else "assumed" for rate in given.values()]
    line = _line(kind, rates, (whose[0], whose[1]))
    return f"{heading}\n{before}[dumbbell]\n{line}{_with_call(after, min(rates))}"


def refuse_rate(place: str, rate_mbps: float) -> RefusalError:
    """The refusal of a rate that no such line has."""
    legal = f"{LEAST_MBPS:g} to {MOST_MBPS:g} Mbit/s"
    said = f"{place}: {rate_mbps:g} is out of range; legal: {legal}"
    return RefusalError(said, place=place, value=rate_mbps, legal=legal)


def _line(kind: Technology, rates: tuple[float, ...], whose: tuple[str, str]) -> str:
    share = kind.framing.payload_share
    of_line = "" if share == 1.0 else " of the line"
    keys = [
        _key("rate_mbps", rates[0] * share, f"down: {rates[0]:g} Mbit/s{of_line}, {whose[0]}"),
        _key("rate_right_to_left_mbps", rates[1] * share, f"up: {rates[1]:g} Mbit/s{of_line}, {whose[1]}"),
        _key("delay_ms", kind.delay[0], f"one way: {kind.delay[1]}"),
        _key(
            "interface_rate_mbps",
            _COMPUTERS_MBPS if 2 * max(rates) <= _COMPUTERS_MBPS else _FAST_COMPUTERS_MBPS,
            "of computers and servers",
        ),
        *(kind.variation.keys() if kind.variation else ()),
        *(f"# {comment}" for comment in kind.framing.comments),
        f"layer2_overhead_bytes = {kind.framing.overhead_bytes}",
        f"layer2_minimum_frame_bytes = {kind.framing.minimum_frame_bytes}",
        "layer2_gap_bytes = 0",
        *_queue("queue", "down", rates[0] * share, kind.buffer_down),
        *_queue("queue_right_to_left", "up", rates[1] * share, kind.buffer_up),
    ]
    return "".join(f"{each}\n" for each in keys)


def _key(name: str, value: float, comment: str) -> str:
    return f"{f'{name} = {round(value, 4)}':39} # {comment}"


def _queue(key: str, way: str, rate_mbps: float, buffer: tuple[float, str]) -> list[str]:
    milliseconds, source = buffer
    limit = round(rate_mbps * 1e6 / 8 * milliseconds / 1e3)
    least = "; 20 full packets at least" if limit < _LEAST_BUFFER_BYTES else ""
    return [
        f"# {milliseconds:g} ms at the rate {way}: {source}{least}.",
        f'{key} = {{ scheme = "drop-tail", limit_bytes = {max(limit, _LEAST_BUFFER_BYTES)} }}',
    ]


_VIDEO = "# A video call, 1.5 Mbit/s each way.", "packet_bytes = 1200\nrate_mbps = 1.5"
_CALLS = {
    4.5: _VIDEO,
    1.5: (
        "# A video call, 0.5 Mbit/s each way: a third of the slower direction carries no more.",
        "packet_bytes = 1200\nrate_mbps = 0.5",
    ),
    0.0: (
        "# A phone call (G.711): a third of the slower direction carries no video.",
        "packet_bytes = 200\nrate_mbps = 0.08",
    ),
}
"""From which rate of the slower direction on, which call: it takes a third of it at most."""


def _with_call(text: str, slower_mbps: float) -> str:
    call = next(each for rate, each in _CALLS.items() if slower_mbps >= rate)
    for of_preset, own in zip(_VIDEO, call, strict=True):
        text = text.replace(of_preset, own)
    return text
