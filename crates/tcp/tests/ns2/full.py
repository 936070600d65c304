"""Draws conversations at random and records what ns-2's two-way agent makes of them: writes full.txt, which
../ns2_full.rs reads.

    python3 full.py [conversations]

Needs ns 2.35 (made with Debian's 2.35+dfsg). The draw is seeded: the same conversations come out again.

A conversation is two lines. The first holds its settings: when it begins (s), initial window, window in segments, round
trip in ms, first and minimum timeout in ms, whether Nagle is off, segments per acknowledgement, ECN, the exchanges as
pause (s), request and response (bytes), whether the server closes with the last response, and then the packets of the
client to drop and to mark, and those of the server, counted as they are offered to the link. The clocks of 10 ms, which
ns-2 starts at random, have the same phases in all of them, since the seed is the same: the fourth and fifth number of its
generator, 0.8812267 ms (server) and 4.4117338 ms (client). The second holds what both sent: for each instant in ms since
the beginning the packets, as client or server, flags (S: SYN, F: FIN, N: ECN-capable, E: echo, W: window reduced), first
byte and bytes, and what is acknowledged.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LASTS_S = 150
FIN, SYN, ECE, CWR = 0x01, 0x02, 0x40, 0x80


def positions(draw: random.Random, most: int, until: int, first: int) -> list[int]:
    """Some places in the sequence of packets: single ones, and runs such as a full queue makes."""
    places: set[int] = set()
    for _ in range(draw.randint(0, most)):
        start = draw.randint(first, until)
        length = draw.choice((1, 1, 1, 2, 3, 5))
        places.update(range(start, start + length))
    return sorted(places)


def size(draw: random.Random, longest: int) -> int:
    """Bytes of a request or response; none ends in a segment of one byte (see foutput.rs)."""
    least = draw.choice((2, 1460, 3000, 15_000))
    drawn = draw.choice((draw.randint(2, max(least, 3)), 1460 * draw.randint(1, 12)))
    drawn = min(drawn, longest)
    return drawn + 1 if drawn % 1460 == 1 else drawn


def conversation(number: int) -> dict[str, object]:
    """The settings of one conversation."""
    draw = random.Random(number)
    ecn = draw.random() < 0.5
    count = draw.choice((1, 1, 2, 3))
    exchanges = []
    for place in range(count):
        pause = 0 if place == 0 else draw.choice((0.0, 0.01, 0.3, 2.0, 8.0)) + round(draw.uniform(0, 0.01), 4)
        long = draw.random() < 0.25
        response = draw.randint(30_000, 90_000) if long else size(draw, 20_000)
        exchanges.append((pause, size(draw, 4_000), response + (response % 1460 == 1)))
    packets = 6 + sum(response for _, _, response in exchanges) // 1460
    first = 0 if draw.random() < 0.2 else 2
    drops = positions(draw, draw.choice((0, 0, 1, 3)), packets, first)
    reply_drops = positions(draw, draw.choice((0, 1, 2, 4)), packets, min(first, 1))
    marks = positions(draw, 2, packets, 2) if ecn else []
    reply_marks = positions(draw, draw.choice((1, 3, 6, 12)), packets, 1) if ecn else []
    if ecn and draw.random() < 0.3:
        share = draw.choice((0.2, 0.5, 0.9, 1.0))
        reply_marks = [place for place in range(1, 2 * packets) if draw.random() < share]
    return {
        "start_s": round(draw.uniform(0, 1), 4),
        "initial": draw.choice((1, 2, 2, 2, 3, 4)),
        "window": draw.choice((2, 3, 4, 8, 12, 30, 30, 30)),
        "rtt_ms": round(draw.uniform(10, 400), 3),
        "first_rto_ms": draw.choice((3000, 6000)),
        "minimum_rto_ms": draw.choice((200, 1000)),
        "nodelay": int(draw.random() < 0.3),
        "every": draw.choice((1, 1, 2)),
        "ecn": int(ecn),
        "exchanges": exchanges,
        "closes": int(draw.random() < 0.7),
        "drops": drops,
        "marks": marks,
        "reply_drops": reply_drops,
        "reply_marks": reply_marks,
    }


def words_of(settings: dict[str, object]) -> list[str]:
    """The settings as words; a list is one word."""
    words = []
    for value in settings.values():
        if isinstance(value, list):
            words.append(
                " ".join(" ".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in value)
            )
        else:
            words.append(str(value))
    return words


def recorded(settings: dict[str, object]) -> list[tuple[float, str]]:
    """What both sent, as ns-2 prints it."""
    start_s = float(str(settings["start_s"]))
    end_s = start_s + LASTS_S
    words = words_of(settings)
    names = list(settings)
    exchanges = settings["exchanges"]
    assert isinstance(exchanges, list)
    words[names.index("exchanges")] = " ".join("{" + " ".join(map(str, each)) + "}" for each in exchanges)
    words.insert(names.index("exchanges"), str(end_s))
    command = ["ns", str(FOLDER / "full.tcl"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"ns failed: {command}\n{done.stderr}")
    return [packet(line.split(), start_s) for line in done.stdout.splitlines()]


def packet(words: list[str], start_s: float) -> tuple[float, str]:
    """The instant in ms since the beginning, and the packet."""
    at, node, sequence, payload, acknowledged, flags, own = words
    tcp = int(flags, 16)
    marks = "".join(
        letter
        for letter, there in (
            ("S", tcp & SYN),
            ("F", tcp & FIN),
            ("N", own[6] == "N"),
            ("E", own[0] == "C"),
            ("W", own[3] == "A"),
        )
        if there
    )
    text = f"{'cs'[int(node)]}{marks}{sequence}+{payload}a{max(int(acknowledged), 0)}"
    return round((float(at) - start_s) * 1e3, 1), text


def compact(rows: list[tuple[float, str]]) -> str:
    """Each instant once."""
    words: list[str] = []
    previous: float | None = None
    for instant, text in rows:
        words.append(text if instant == previous else f"{instant:.1f}".removesuffix(".0") + ":" + text)
        previous = instant
    return " ".join(words)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    chosen = [conversation(number) for number in range(1, count + 1)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        traces = list(pool.map(recorded, chosen))
    with (FOLDER / "full.txt").open("w", encoding="utf-8") as stream:
        for settings, rows in zip(chosen, traces, strict=True):
            values = list(settings.values())
            words = words_of(settings)
            braced = [
                "{" + word + "}" if isinstance(value, list) else word
                for word, value in zip(words, values, strict=True)
            ]
            stream.write(" ".join(braced) + "\n" + compact(rows) + "\n")


if __name__ == "__main__":
    main()
