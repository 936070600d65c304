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
        problem: Why this queue cannot be the kernel's; empty if it can.
    """

    link: str
    scheme: str
    words: tuple[str, ...]
    problem: str


def offers(scenario: Scenario) -> list[Offer]:
    """What this kernel has for each queue that is recorded; tried, and not guessed."""
    if not hasattr(_core, "kernel_disciplines"):
        return [Offer("every link", "any scheme", (), "live runs need Linux")]
    return [
        Offer(own.link, own.scheme, tuple(own.words), own.refusal or _problem(own.words))
        for own in _core.kernel_disciplines(scenario.core)
    ]


def in_words(found: Iterable[Offer]) -> str:
    """Of each queue what the kernel has for it, or why it has nothing."""
    said = {
        f"{offer.link}: {offer.problem}" if offer.problem else f"{offer.link}: {' '.join(offer.words)}"
        for offer in found
    }
    return "; ".join(sorted(said))


def _problem(words: Sequence[str]) -> str:
    namespace = ["--net"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--net"]
    command = ["unshare", *namespace, "tc", "qdisc", "add", "dev", "lo", "root", *words]
    try:
        asked = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  (our own)
    except OSError as error:
        return f"cannot query the kernel for {words[0]}: {error}"
    if asked.returncode == 0:
        return ""
    said = asked.stderr.strip().splitlines() or ["no reason was given"]
    if any("unknown" in line.lower() for line in said):
        return f"this kernel lacks {words[0]}"
    return f"cannot query the kernel for {words[0]}: {said[0]}"
