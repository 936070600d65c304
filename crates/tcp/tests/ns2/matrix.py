"""Draws conversations at random and records what ns-2 makes of them: writes matrix.txt, which ../ns2_matrix.rs reads.

    python3 matrix.py [conversations]

Needs ns 2.35 (made with Debian's 2.35+dfsg). The draw is seeded: the same conversations come out again.

A conversation is two lines. The first holds its settings: number, initial window, window in packets, round trip in
ms, minimum timeout in ms, limited transmit, packets per acknowledgement (2: TCPSink/DelAck, 100 ms), ECN, packets
written, packets written later and when (s), and then the packets to drop, to mark and the acknowledgements to drop,
counted as they are offered to the link. The sender's clock of 10 ms, which ns-2 starts at random, has the same phase in
all of them, since the seed is the same: 5.559006 ms, found by narrowing down the round trip that is measured as one
tick more. The second holds what the sender sent: for each instant in ms the packets, a
run of numbers as first-last, with a ! behind those that say that the window was reduced.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
END_S = 100


def positions(draw: random.Random, most: int, until: int, first: int) -> list[int]:
    """Some places in the sequence of packets: single ones, and runs such as a full queue makes."""
    places: set[int] = set()
    for _ in range(draw.randint(0, most)):
        start = draw.randint(first, until)
        length = draw.choice((1, 1, 1, 2, 3, 5, 8))
        places.update(range(start, start + length))
    return sorted(places)


def conversation(number: int) -> dict[str, object]:
    """The settings of one conversation."""
    draw = random.Random(number)
    packets = draw.choice((1, 2, 3, 5, 10, 20, 40, 80, 120))
    ecn = draw.random() < 0.45
    # A SYN of every tenth conversation may be lost.
    first = 0 if draw.random() < 0.1 else 1
    drops = positions(draw, draw.choice((0, 1, 2, 4)), packets + 5, first)
    marks = positions(draw, draw.choice((1, 3, 6, 12)), packets + 5, 1) if ecn else []
    if ecn and draw.random() < 0.3:
        # A queue that marks nearly everything, for as long as it lasts.
        share = draw.choice((0.2, 0.5, 0.9, 1.0))
        marks = [place for place in range(1, 2 * packets + 20) if draw.random() < share]
    ack_drops = positions(draw, draw.choice((0, 0, 2, 4)), packets + 5, first)
    every = draw.choice((1, 1, 2))
    later = draw.random() < 0.3 and 0 not in drops and 0 not in ack_drops
    return {
        "initial": draw.choice((1, 2, 2, 3, 4, 10)),
        "window": draw.choice((1, 2, 3, 4, 6, 8, 12, 20, 20, 50)),
        # An acknowledgement that waited makes a round trip of its own: whole ticks keep it apart from the clock.
        "rtt_ms": draw.choice((30, 90, 170, 200, 410)) if every == 2 else round(draw.uniform(20, 400), 3),
        "minimum_rto_ms": draw.choice((200, 200, 1000)),
        "limited": int(draw.random() < 0.8),
        "every": every,
        "ecn": int(ecn),
        "packets": packets,
        "more": draw.choice((1, 5, 30)) if later else 0,
        "at": round(draw.uniform(0.5, 20.0), 3) if later else 0,
        "drops": drops,
        "marks": marks,
        "ack_drops": ack_drops,
    }


def recorded(settings: dict[str, object]) -> list[tuple[str, int, bool]]:
    """What the sender sent, as ns-2 prints it."""
    values = {**settings, "end_s": END_S}
    order = "initial window rtt_ms minimum_rto_ms limited every ecn packets more at end_s drops marks ack_drops"
    words = [
        " ".join(map(str, value)) if isinstance(value, list) else str(value)
        for value in (values[name] for name in order.split())
    ]
    command = ["ns", str(FOLDER / "matrix.tcl"), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
        raw = Path(f"/tmp/ns2-matrix-{process.pid}.raw")
    raw.unlink(missing_ok=True)
    if process.returncode != 0:
        raise SystemExit(f"ns failed: {command}")
    rows = [line.split() for line in lines]
    return [(row[0], int(row[1]), len(row) > 2) for row in rows]


def compact(rows: list[tuple[str, int, bool]]) -> str:
    """Instants in ms, runs of packets."""
    runs: list[list[object]] = []
    for at, number, reduced in rows:
        instant = f"{round(float(at) * 1e3, 1):g}"
        last = runs[-1] if runs else None
        if last and last[0] == instant and last[2] == number - 1 and last[3] == reduced:
            last[2] = number
        else:
            runs.append([instant, number, number, reduced])
    words: list[str] = []
    previous = ""
    for instant, first, last_number, reduced in runs:
        span = f"{first}" if first == last_number else f"{first}-{last_number}"
        span += "!" if reduced else ""
        words.append(span if instant == previous else f"{instant}:{span}")
        previous = str(instant)
    return " ".join(words)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    chosen = [conversation(number) for number in range(1, count + 1)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        traces = list(pool.map(recorded, chosen))
    with (FOLDER / "matrix.txt").open("w", encoding="utf-8") as stream:
        for number, (settings, rows) in enumerate(zip(chosen, traces, strict=True), 1):
            words = [
                "{" + " ".join(map(str, value)) + "}" if isinstance(value, list) else str(value)
                for value in settings.values()
            ]
            stream.write(f"{number} {' '.join(words)}\n{compact(rows)}\n")


if __name__ == "__main__":
    main()
