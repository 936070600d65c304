"""How many random cases a property test tries, and which: others under `make fuzz`."""

from __future__ import annotations

import os


def cases(count: int) -> range:
    """The seeds of so many cases.

    `AQMLAB_PROPERTY_ROUNDS` multiplies their number and `AQMLAB_PROPERTY_SEED` names the first; by default
    one round from 0.
    """
    first = int(os.environ.get("AQMLAB_PROPERTY_SEED", "0"))
    return range(first, first + count * int(os.environ.get("AQMLAB_PROPERTY_ROUNDS", "1")))
