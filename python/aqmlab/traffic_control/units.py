"""Arguments of tc(8): rates, times, sizes, counts and shares.

Units are those of `tc`'s own parser, read there (iproute2 7, `lib/utils_math.c` and `lib/utils.c`): case
does not count, and a bare number is in bits per second, microseconds or bytes. In rates, `bps` is bytes per
second; in sizes, `k` is 1024, also before `bit`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBER_AND_SUFFIX = re.compile(
    r"([0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?)([a-z%/]*)", re.ASCII | re.IGNORECASE
)
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_BINARY_PREFIXES = {"ki": 2.0**10, "mi": 2.0**20, "gi": 2.0**30, "ti": 2.0**40}
_BITS = {
    "": 1.0,
    **{f"{prefix}bit": scale for prefix, scale in {**_PREFIXES, **_BINARY_PREFIXES}.items()},
    **{f"{prefix}bps": 8 * scale for prefix, scale in {**_PREFIXES, **_BINARY_PREFIXES}.items()},
}
_MICROSECONDS = {
    "": 1.0,
    **dict.fromkeys(("us", "usec", "usecs"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs"), 1e3),
    **dict.fromkeys(("s", "sec", "secs"), 1e6),
}
_BYTES = {
    "": 1.0,
    "b": 1.0,
    **dict.fromkeys(("k", "kb"), 2.0**10),
    **dict.fromkeys(("m", "mb"), 2.0**20),
    **dict.fromkeys(("g", "gb"), 2.0**30),
    "kbit": 2.0**10 / 8,
    "mbit": 2.0**20 / 8,
    "gbit": 2.0**30 / 8,
}
_MEANT = {
    f"{prefix}{ending}": f"{prefix.upper() if prefix != 'k' else prefix}bit"
    for prefix in ("k", "m", "g")
    for ending in ("", "b", "b/s", "bits", "bit/s", "bits/s", "bit/sec")
}
"""Rates as people write them, and as `tc` does."""
_LARGEST = 2**32 - 1
_MOST_MASK_BITS = 16


@dataclass(frozen=True)
class Unit:
    """What a word's argument is.

    Attributes:
        name: As manual pages print it.
        legal: What is legal, with an example.
        read: Reads an argument; none if it is not legal.
        meant: The nearest legal argument of one that is not; empty if none is near.
        beside: What is to be said of a legal argument that is easily mistaken; empty if nothing.
    """

    name: str
    legal: str
    read: Callable[[str], Any]
    meant: Callable[[str], str] = lambda _: ""
    beside: Callable[[str], str] = lambda _: ""


def _split(said: str) -> tuple[float, str] | None:
    """A number and its suffix in small letters."""
    found = _NUMBER_AND_SUFFIX.fullmatch(said)
    return None if found is None else (float(found[1]), found[2].lower())


def _scaled(suffixes: dict[str, float]) -> Callable[[str], float | None]:
    def read(said: str) -> float | None:
        number, suffix = _split(said) or (math.nan, "")
        value = number * suffixes.get(suffix, math.nan)
        return value if math.isfinite(value) else None

    return read


def _whole(suffixes: dict[str, float], least: int = 0) -> Callable[[str], int | None]:
    scaled = _scaled(suffixes)

    def read(said: str) -> int | None:
        value = scaled(said)
        return int(value) if value is not None and least <= value <= _LARGEST else None

    return read


_rate = _scaled(_BITS)


def _meant_rate(said: str) -> str:
    number, suffix = _split(said) or (0.0, "")
    return f"{number:g}{_MEANT[suffix]}" if suffix in _MEANT else ""


def _beside_rate(said: str) -> str:
    number, suffix = _split(said) or (0.0, "")
    bits = _rate(said) or 0.0
    if suffix.endswith("bps"):
        return f"{said} is bytes per second in tc: {bits / 1e6:g} Mbit/s"
    if not suffix and number:
        return f"{said} without a unit is bits per second in tc: {bits / 1e6:g} Mbit/s"
    return ""


def _count(said: str) -> int | None:
    """A whole number; `tc qdisc show` prints packets with a p."""
    digits = re.fullmatch(r"(?:0x([0-9a-f]{1,8})|([0-9]{1,10})p?)", said, re.ASCII | re.IGNORECASE)
    if digits is None:
        return None
    number = int(digits[1], 16) if digits[1] else int(digits[2])
    return number if number <= _LARGEST else None


def _mask(said: str) -> int | None:
    """A mask of hashes that sorts in at most 65,536 queues."""
    number = _count(said)
    return number if number is not None and number.bit_count() <= _MOST_MASK_BITS else None


def _bytes_from(least: int, most: int) -> Callable[[str], int | None]:
    def read(said: str) -> int | None:
        found = re.fullmatch(r"[+-]?[0-9]{1,5}", said, re.ASCII)
        number = int(said) if found else None
        return number if number is not None and least <= number <= most else None

    return read


def _plain(said: str) -> float | None:
    number, suffix = _split(said) or (math.nan, "")
    return number if not suffix and math.isfinite(number) else None


def _probability(said: str) -> float | None:
    number = _plain(said)
    return number if number is not None and number <= 1.0 else None


def _percent(said: str) -> float | None:
    number, suffix = _split(said) or (math.nan, "")
    return number if suffix in {"", "%"} and number <= 100.0 else None


RATE = Unit("RATE", "a rate such as 18Mbit or 9500kbit", _rate, _meant_rate, _beside_rate)
TIME = Unit("TIME", "a time such as 5ms or 300us", _scaled(_MICROSECONDS))
SECONDS = Unit("SECONDS", "whole seconds such as 10", _whole({"": 1.0, "s": 1.0, "sec": 1.0}))
MILLISECONDS = Unit("MILLISECONDS", "whole milliseconds such as 600000", _whole({"": 1.0, "ms": 1.0}))
SIZE = Unit("BYTES", "a size such as 1514, 32k or 4Mb", _whole(_BYTES))
PACKETS = Unit("PACKETS", "a whole number of packets such as 1000", _count)
NUMBER = Unit("NUMBER", "a whole number such as 1024", _count)
MASK = Unit("MASK", "a whole number with at most 16 bits set, such as 1023 (1 to 65536 flows)", _mask)
GAIN = Unit("GAIN", "a number such as 0.16", _plain)
PROBABILITY = Unit("PROBABILITY", "a number from 0 to 1 such as 0.02", _probability)
PERCENT = Unit("PERCENT", "per cent from 0 to 100 such as 10%", _percent)
OVERHEAD = Unit("BYTES", "whole bytes from -64 to 256 such as 44", _bytes_from(-64, 256))
LEAST_FRAME = Unit("BYTES", "whole bytes from 0 to 256 such as 84", _bytes_from(0, 256))
TEXT = Unit("VALUE", "a value", str)
