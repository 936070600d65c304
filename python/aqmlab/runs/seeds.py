"""Seeds of runs."""

from aqmlab.terminal.spelling import quoted

SEED_MAX = 2**64 - 1
"""The largest seed."""


def require_seed(seed: object) -> None:
    """Raises ValueError unless it is a seed."""
    if not isinstance(seed, int) or not 0 <= seed <= SEED_MAX:
        raise ValueError(f"seed: a whole number from 0 to 2^64 - 1, not {quoted(seed)}")
