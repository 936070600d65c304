"""The kernel's own queue disciplines: which of a scenario's queues this kernel can have, and why not others.

They are asked for in a network namespace of their own, with the parameters that a run would give them; it
ends with the question.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab import _core

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aqmlab.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Offer:
    """What the kernel has for the queue of a link.

    Attributes:
        link: The link's name.
        scheme: The scheme of its queue.
        words: The kernel's discipline with its parameters, as tc(8) takes them; none where it cannot express
            the scheme.
        below: Its classes, their queues and filters, a line each.
        problem: Why this queue cannot be the kernel's; empty if it can.
    """

    link: str
    scheme: str
    words: tuple[str, ...]
    below: tuple[str, ...]
    problem: str

    @property
    def lines(self) -> str:
        """All that tc(8) is told."""
        return "\n".join([" ".join(self.words), *self.below])


def offers(scenario: Scenario) -> list[Offer]:
    """What this kernel has for each queue that is recorded; tried, and not guessed."""
    if not hasattr(_core, "kernel_disciplines"):
        return [Offer("every link", "any scheme", (), (), "live runs need Linux")]
    return [
        Offer(
            own.link,
            own.scheme,
            tuple(own.words),
            tuple(own.below),
            own.refusal or _problem(own.words, own.below),
        )
        for own in _core.kernel_disciplines(scenario.core)
    ]


def in_words(found: Iterable[Offer]) -> str:
    """Of each queue what the kernel has for it, or why it has nothing."""
    said = {
        f"{offer.link}: {offer.problem}" if offer.problem else f"{offer.link}: {offer.lines}"
        for offer in found
    }
    return "; ".join(sorted(said))


def _problem(words: Sequence[str], below: Sequence[str]) -> str:
    namespace = ["--net"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--net"]
    command = ["unshare", *namespace, "tc", "-batch", "-"]
    lines = [
        f"qdisc add dev lo root handle 10: {' '.join(words)}",
        *(each.replace(" DEV ", " lo ", 1) for each in below),
    ]
    try:
        asked = subprocess.run(  # noqa: S603  (our own)
            command, check=False, capture_output=True, text=True, input="\n".join(lines) + "\n"
        )
    except OSError as error:
        return f"cannot query the kernel for {words[0]}: {error}"
    if asked.returncode == 0:
        return ""
    said = asked.stderr.strip().splitlines() or ["no reason was given"]
    if any("unknown" in line.lower() for line in said):
        names = dict.fromkeys(
            [words[0], *(each.partition(": ")[2].split()[0] for each in below if each.startswith("qdisc"))]
        )
        return f"this kernel lacks {' or '.join(names)}"
    return f"cannot query the kernel for {words[0]}: {said[0]}"
