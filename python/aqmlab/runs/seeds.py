"""Seeds of runs."""

from aqmlab.errors import RefusalError
from aqmlab.terminal.spelling import quoted

SEED_MAX = 2**64 - 1
"""The largest seed."""


def require_seed(seed: object) -> None:
    """Refuses what is no seed.

    Raises:
        RefusalError: It is none.
    """
    if not isinstance(seed, int) or not 0 <= seed <= SEED_MAX:
        legal = "a whole number from 0 to 2^64 - 1"
        raise RefusalError(f"seed: {legal}, not {quoted(seed)}", place="seed", value=seed, legal=legal)
