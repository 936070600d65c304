"""CAKE's tins and its filter of acknowledgements, asked of a kernel: user-mode Linux.

    python -m tests.crosscheck.cake            asks, and writes crates/aqm/tests/kernel/cake, which `cargo test` compares with ours

UML names a user-mode Linux, by default the one that `make uml-kernel` built, else that of Debian's packages user-mode-linux and kmod. No privileges are needed; it takes two minutes. The status is 3 if there
is no such kernel.
"""

from __future__ import annotations

import datetime
import random
import sys
from typing import TYPE_CHECKING

from .measurement import FOLDER
from .user_mode_linux import asked, nothing_to_ask

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWERS = FOLDER.parents[1] / "crates" / "aqm" / "tests" / "kernel" / "cake"
FILTERS = ("ack-filter", "ack-filter-aggressive")
CASES, SEGMENTS = 60, 24
FLAGS = {"ece": 0.12, "cwr": 0.08, "psh": 0.04, "ae": 0.04, "fin": 0.02, "data": 0.05}
"""How often segments have them; `data` is a payload."""
KINDS = ("CODEPOINTS", "SETTINGS", "SHARES", "INGRESS", "FILTER")
MISSING = 3
_MSS = 1_460


def cases() -> list[str]:
    """Segments of two connections in one queue, as `uml/cake.py` reads them."""
    dice = random.Random(1)
    return [
        " ".join([FILTERS[number % len(FILTERS)], *_segments(dice, dice.random() < 0.7)])
        for number in range(CASES)
    ]


def _segments(dice: random.Random, stamped: bool) -> Iterator[str]:
    """Numbers that mostly grow, some of them across the wrap; blocks, duplicates, flags, clocks that go back."""
    ports = (1001, 1002)
    number = dict.fromkeys(ports, dice.choice([10_000, 2**32 - 20_000]))
    clock = dict.fromkeys(ports, 100)
    for _ in range(SEGMENTS):
        port = ports[dice.random() < 0.15]
        grows = dice.choice([0, 0, 1, 1, 1, 2, 2, -1])
        number[port] = (number[port] + grows * _MSS) % 2**32
        words = [str(port), f"ack:{number[port]}"]
        if stamped and dice.random() < 0.95:
            clock[port] += dice.choice([0, 0, 0, 1, 1, 1, 2, -2])
            words.append(f"ts:{clock[port]}/{clock[port] - 50}")
        if dice.random() < 0.35:
            words += _blocks(dice, number[port])
        words += [flag for flag, share in FLAGS.items() if dice.random() < share]
        yield ";".join(words)


def _blocks(dice: random.Random, number: int) -> Iterator[str]:
    for hole in range(dice.randint(1, 3)):
        is_duplicate = dice.random() < 0.08
        begin = (number + _MSS * (-1 if is_duplicate else 2 * hole + dice.randint(1, 2))) % 2**32
        yield f"sack:{begin}-{(begin + _MSS * dice.randint(1, 2)) % 2**32}"


def answers(wanted: list[str], release: str, lines: list[str]) -> str:
    """As it is stored: each case of the filter in front of what arrived."""
    today = datetime.datetime.now(tz=datetime.UTC).date()
    stored = [f"# What CAKE of Linux {release} does, {today}: written by python -m tests.crosscheck.cake."]
    filtered = [line.split(" ", 2)[2] for line in lines if line.startswith("FILTER ")]
    if len(filtered) < len(wanted):
        raise SystemExit(f"the kernel answered {len(filtered)} of {len(wanted)} cases")
    stored += [line for line in lines if not line.startswith("FILTER ")]
    stored += [f"FILTER {case} | {arrived}" for case, arrived in zip(wanted, filtered, strict=True)]
    return "".join(f"{line}\n" for line in stored)


def main() -> int:
    """Asks, and writes what came."""
    if missing := nothing_to_ask():
        print(missing)
        return MISSING
    wanted = cases()
    ANSWERS.parent.mkdir(exist_ok=True)
    ANSWERS.write_text(answers(wanted, *asked("cake.py", wanted, KINDS)), encoding="utf-8")
    print(f"{ANSWERS}: cargo test -p aqmlab-aqm --test cake compares")
    return 0


if __name__ == "__main__":
    sys.exit(main())
