"""What a congestion controller is, in words."""

from __future__ import annotations

from aqmlab.load.controllers import controller_sources

_WHAT_IT_DOES = {
    "reno": "Adds a segment to its window for each round trip and halves it at a loss or mark.",
    "reno-abc": "Reno that counts what an acknowledgement covers, two segments at most, so that no burst "
    "follows few acknowledgements.",
    "cubic": "Grows its window by a cubic function of the time since the last loss, around the window at "
    "which that happened, and takes 0.7 of it at a loss or mark. The usual sender of servers and devices.",
    "dctcp": "Reno whose window shrinks by half of the share of its packets that were marked: for networks "
    "that mark early. Brings accurate ECN and sends ECT(1).",
    "prague": "Shrinks its window by half of the share of its packets that were marked, grows alike whatever "
    "the round trip, and paces. The sender for the low-latency queue of DualPI2; brings accurate ECN and "
    "sends ECT(1).",
    "ledbat": "Leaves the link to others: grows while the queue takes less than 100 ms and shrinks beyond. "
    "For updates and backups.",
    "bbr-linux-v1": "Sends at the rate at which data arrive, keeps about as much in the network as the path "
    "holds, and searches for a higher rate every eight round trips. A loss does not slow it down.",
    "bbr-linux-v3": "Sends at the rate at which data arrive, keeps about as much in the network as the path "
    "holds, searches for a higher rate every 2 to 3 s, and sends less where more than 2 % is lost.",
    "bbr-draft-2026-08": "As bbr-linux-v3; a drain ends after three rounds, and marks count as losses.",
}
"""A controller that is not here has its source alone."""


def controller_in_words(name: str) -> str:
    """What a controller does, its source, and what it is used with.

    Args:
        name: As scenarios name it.
    """
    source = controller_sources()[name]
    told = " ".join(["Congestion controller.", *filter(None, [_WHAT_IT_DOES.get(name)]), f"Source: {source}"])
    other = "reno" if name == "cubic" else "cubic"
    used = [
        f'  host = {{ congestion = "{name}" }}',
        "      with a linux6 profile, in [[flows]], [users] and [[populations]]",
        f"  aqmlab evaluate {name}",
        "      the card of RFC 9743: harm to others, over buffers, round trips and queues",
        f"  aqmlab compare SCENARIO.toml --senders {other},{name}",
        "      alone and beside others, in each queue",
    ]
    return "\n".join(
        [name, "", told, "", "Uses:", *used, "", "Rules and evidence: docs/reference/tcp.md.", ""]
    )
