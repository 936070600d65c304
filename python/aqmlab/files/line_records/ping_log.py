"""What ping printed, with or without the times of `ping -D`.

Sources: ping(8) of iputils, BSD, macOS and BusyBox, and Windows' ping, whose words differ by language. Only
what all share is read: a number of milliseconds behind `=` or `<`, and a sequence number where there is one.
"""

from __future__ import annotations

import re

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.files.line_records.record import LineRecord, Probes
from aqmlab.files.recognised import ping_reply
from aqmlab.terminal.spelling import counted

_SEQUENCE = re.compile(r"\b(?:icmp_)?seq[= ](\d{1,5})\b")
_STAMP = re.compile(r"^\[(\d{9,}[.,]\d+)\] ?")
_IMPOSSIBLE = re.compile(r"[=<]\s?(-\d[\d.,]*|nan|inf)\s?ms", re.IGNORECASE)
_TOTAL = re.compile(r"\b(\d{1,9}) packets transmitted.*\btime (\d{1,12}) ?ms")
_WRAPS_AT = 1 << 16
_MOST_LOST, _MOST_OVERTAKEN = 1000, 100
"""No log has so many losses for an answer, or answers that overtook so many."""
_USUAL_INTERVAL_S = 1.0
_LEAST_ANSWERS = 5


def read_ping_log(name: str, text: str) -> LineRecord:
    """The round trips in it."""
    stamps, numbers, trips = _answers(name, text)
    answers = int(np.isfinite(trips).sum())
    if answers < _LEAST_ANSWERS:
        raise RefusalError(
            f"{name}: {counted(answers, 'answer')} of ping; legal: {_LEAST_ANSWERS} or more", place=name
        )
    places = np.arange(len(trips)) if None in numbers else _unwrapped(np.asarray(numbers, dtype=np.int64))
    steps = np.diff(places)
    if (steps < -_MOST_OVERTAKEN).any() or places[-1] - places[0] > _MOST_LOST * len(places):
        raise RefusalError(
            f"{name}: sequence numbers go back or jump: two logs in one file? legal: a file for each",
            place=name,
        )
    at_s, dated = _times(name, text, stamps, places)
    # In the order of the requests, without duplicates.
    places, first = np.unique(places, return_index=True)
    at_s, trips = at_s[first], [trips[each] for each in first]
    whole = np.full(int(places[-1] - places[0]) + 1, np.nan)
    whole[places - places[0]] = trips
    every_s = np.interp(np.arange(len(whole)), places - places[0], at_s)
    probes = Probes.of(every_s - (np.nan_to_num(whole) / 1e3 if dated else 0.0), whole)
    return LineRecord(name, "a ping log", probes, dated=dated, timed=dated)


def _answers(name: str, text: str) -> tuple[list[float], list[int | None], list[float]]:
    """Times, sequence numbers and round trips, line by line; a line of Windows without a time is a loss."""
    stamps: list[float] = []
    numbers: list[int | None] = []
    trips: list[float] = []
    for row, line in enumerate(text.splitlines(), 1):
        if impossible := _IMPOSSIBLE.search(line):
            raise RefusalError(
                f"{name}, line {row}: a round trip of {impossible[1]} ms; legal: 0 or more", place=name
            )
        stamp = _STAMP.match(line)
        said = line[stamp.end() :] if stamp else line
        sequence, reply = _SEQUENCE.search(said), ping_reply(said)
        if reply:
            trips.append(float(reply[1].replace(",", ".")))
            numbers.append(int(sequence[1]) if sequence else None)
            stamps += [float(stamp[1].replace(",", "."))] if stamp else []
        elif trips and sequence is None and numbers[-1] is None:
            if not said.strip():
                break  # the summary follows
            trips.append(float("nan"))
            numbers.append(None)
    return stamps, numbers, trips


def _unwrapped(numbers: np.ndarray) -> np.ndarray:
    """Sequence numbers of 16 bits, counted on."""
    steps = np.diff(numbers)
    found: np.ndarray = numbers + _WRAPS_AT * np.concatenate([[0], np.cumsum(steps < -_WRAPS_AT // 2)])
    return found


def _times(name: str, text: str, stamps: list[float], places: np.ndarray) -> tuple[np.ndarray, bool]:
    """When answers came, and whether that is a date; without dates by what ping says that all took."""
    if len(stamps) == len(places):
        back = np.diff(stamps) < -1.0
        if back.any():
            row = int(np.argmax(back)) + 1
            raise RefusalError(f"{name}: times go back behind answer {row}: was the clock set?", place=name)
        return np.maximum.accumulate(stamps), True
    total = _TOTAL.search(text)
    interval_s = int(total[2]) / 1e3 / max(int(total[1]) - 1, 1) if total else _USUAL_INTERVAL_S
    at_s: np.ndarray = (places - places[0]) * interval_s
    return at_s, False
