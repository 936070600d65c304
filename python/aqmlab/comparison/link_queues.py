"""The queues that were compared: their buffers in words, and default parameters meant for another link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import ScenarioError
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.load.queue_place import LINE_LINKS
from aqmlab.scenario import at_key, core_of
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FULL_PACKET_BYTES = 1_500
_PI_OF_2001 = {"a": 1.822e-5, "b": 1.816e-5}
_PI_LINK_MBPS, _PI_FLOWS, _PI_RTT_MS, _PI_Q_REF, _PI_PACKET_BYTES = 15.0, 60, 246, 200, 500
"""What Hollot, Misra, Towsley and Gong (INFOCOM 2001) designed PI's default gains for."""
_NEAR = 1.25
"""Within this factor of that rate the gains suit a link."""
_RED_OF_1993 = {"min_th_packets": 5.0, "max_th_packets": 15.0}
"""Floyd and Jacobson, Random Early Detection Gateways, 1993."""


@dataclass(frozen=True)
class LinkQueue:
    """The queue in front of a link that was judged.

    Attributes:
        link: The name of the link.
        rate_mbps: Its rate in Mbit/s; where it varies, the mean.
        table: The queue's table of the resolved scenario.
        in_force: Values of parameters that follow from the link.
        wait_s: How long packets wait in seconds when the buffer is full; none where the scheme keeps waiting
            times at a target and the limit only guards memory.
        usual_packets: A usual buffer at this rate.
    """

    link: str
    rate_mbps: float
    table: Mapping[str, Any]
    in_force: Mapping[str, float]
    wait_s: float | None
    usual_packets: int

    @property
    def scheme(self) -> str:
        """The name of its scheme."""
        return str(self.table["scheme"])

    @property
    def limits(self) -> tuple[int | None, int | None]:
        """Limits in packets and in bytes."""
        return self.table.get("limit_packets"), self.table.get("limit_bytes")

    @property
    def packets(self) -> int:
        """Full-size packets that the buffer takes."""
        packets, of_bytes = self.limits
        in_packets = [packets, None if of_bytes is None else of_bytes // FULL_PACKET_BYTES]
        return min(each for each in in_packets if each is not None)

    def buffer_in_words(self) -> str:
        """Such as `84-packet buffer, 100 ms at 10 Mbit/s`."""
        packets, of_bytes = self.limits
        sizes = [f"{packets:,}-packet"] if packets is not None else []
        sizes += [f"{of_bytes:,}-byte"] if of_bytes is not None else []
        wait = self.wait_s or 0.0
        time = f"{wait:.2g} s" if wait >= 0.995 else f"{float(f'{wait * 1e3:.2g}'):g} ms"
        return f"{' and '.join(sizes)} buffer, {time} at {self.rate_mbps:g} Mbit/s"


def queues_of(scenario: Mapping[str, Any], links: Sequence[str]) -> list[LinkQueue]:
    """The queues in front of these links; none of a scheme in a file that cannot be read any more."""
    try:
        core = core_of(scenario)
    except ScenarioError:
        return []
    buffers = core.buffers()
    monitored = {each.name: each for each in core.monitored_links()}
    return [
        LinkQueue(
            link,
            monitored[link].rate_mbps,
            at_key(scenario, monitored[link].queue_key),
            core.parameters_in_force(link),
            buffers[link].wait_s,
            buffers[link].usual_packets,
        )
        for link in links
    ]


def buffers_in_words(queues: Mapping[str, Sequence[LinkQueue]]) -> list[str]:
    """The buffer of each configuration in which people wait: where these differ, or one is the usual one."""
    felt = {name: [each for each in of_one if each.wait_s is not None] for name, of_one in queues.items()}
    felt = {name: of_one for name, of_one in felt.items() if of_one}
    differ = len({tuple(each.limits for each in of_one) for of_one in felt.values()}) > 1
    is_usual = any(each.limits == (each.usual_packets, None) for of_one in felt.values() for each in of_one)
    if not differ and not is_usual:
        return []
    return [
        f"{spelt(name)}: {'; '.join(_at_link(each, of_one) for each in of_one)}."
        for name, of_one in felt.items()
    ]


def _at_link(queue: LinkQueue, beside: Sequence[LinkQueue]) -> str:
    words = queue.buffer_in_words()
    return f"{words} ({queue.link})" if len(beside) > 1 or queue.link in LINE_LINKS else words


def default_cautions(queues: Mapping[str, Sequence[LinkQueue]]) -> list[str]:
    """Of each configuration the default parameters that suit another link, and what suits this one."""
    return [
        f"{spelt(name)} {caution}"
        for name, of_one in queues.items()
        for caution in dict.fromkeys(text for each in of_one for text in _cautions_of(each))
    ]


def _cautions_of(queue: LinkQueue) -> Iterator[str]:
    if queue.scheme in {"red", "choke", "red-pd"}:
        yield from _of_red(queue)
    elif queue.scheme == "pi":
        yield from _of_pi(queue)


def _of_red(queue: LinkQueue) -> Iterator[str]:
    """RED's thresholds of 1993, where the buffer has room for larger ones.

    max_th is three times min_th (Floyd 1997), and drops become certain at twice max_th (gentle RED, Floyd
    2000): there the buffer is full.
    """
    least = queue.packets // 6
    are_default = all(queue.in_force.get(key) == value for key, value in _RED_OF_1993.items())
    if not are_default or queue.table["measure"] != "packets" or least <= _RED_OF_1993["min_th_packets"]:
        return
    yield (
        f"runs with its default thresholds of 1993 (5 and 15 packets); the buffer at {queue.link} takes "
        f"{counted(queue.packets, 'packet')}: compare "
        f"{queue.scheme}:min_th_packets={least}:max_th_packets={3 * least}, or ared"
    )


def _of_pi(queue: LinkQueue) -> Iterator[str]:
    """PI's gains of 2001, away from the rate that they were designed for."""
    table = queue.table
    ratio = queue.rate_mbps / _PI_LINK_MBPS
    if table["gains"].get("fixed") != _PI_OF_2001 or 1.0 / _NEAR <= ratio <= _NEAR:
        return
    yield (
        f"runs with its default gains of 2001, designed for {_PI_LINK_MBPS:g} Mbit/s, {_PI_FLOWS} flows and "
        f"{_PI_RTT_MS} ms, at {queue.rate_mbps:g} Mbit/s: compare {_designed_pi(queue)}, with your own flows "
        "and round trip (aqmlab design pi)"
    )


def _designed_pi(queue: LinkQueue) -> str:
    """PI with gains by its authors' rule for this link, and a reference of a quarter of the buffer.

    That share is the one of their example: 200 of 800 packets. A reference that was given stays. Slow links
    have room for fewer flows than their 60.
    """
    packets_per_second = queue.rate_mbps * 1e6 / (8 * queue.table["mean_packet_bytes"])
    rtt_s, hertz = _PI_RTT_MS / 1e3, queue.table["sampling_hz"]
    flows = _PI_FLOWS
    while flows > 1 and _core.pi_designed_gains(flows, rtt_s, packets_per_second, hertz) is None:
        flows -= 1
    words = f"pi:gains.designed.flows={flows}:gains.designed.rtt_ms={_PI_RTT_MS}"
    if queue.table["q_ref_packets"] == _PI_Q_REF:
        words += f":q_ref_packets={max(1, queue.packets // 4)}"
    return words
