"""Seeds of runs: one reader for all that takes them.

A seed that is given twice counts once: it is one run, whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Self

from aqmlab.errors import RefusalError
from aqmlab.terminal.spelling import quoted, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED_MAX = 2**64 - 1
"""The largest seed."""
MOST_SEEDS = 1_000_000
"""The most seeds of one command or call."""

_LEGAL = (
    f'a list, "1-8" or "1,3,5-7": at most {MOST_SEEDS:,} whole numbers from 0 to 2^64 - 1, ranges ascending'
)


class Seeds(tuple[int, ...]):
    """Different seeds, in the order in which they were given."""

    __slots__ = ()

    @classmethod
    def of(
        cls,
        given: object,
        *,
        argument: str = "seeds",
        refusal: type[RefusalError] = RefusalError,
        may_be_empty: bool = False,
    ) -> Self:
        """Reads seeds; one that is given twice counts once."""

        def refused(why: str) -> RefusalError:
            return refusal(f"{argument}: {why}", place=argument, value=given, legal=_LEGAL)

        numbers = _in_text(given) if isinstance(given, str) else _in_list(given)
        if numbers is None:
            raise refused(f"{quoted(given)} is no list of seeds; legal: {_LEGAL}")
        seeds = cls(dict.fromkeys(numbers))
        if len(numbers) > MOST_SEEDS:
            raise refused(f"more than {MOST_SEEDS:,}")
        if not seeds and not may_be_empty:
            raise refused('one or more, such as range(1, 9) or "1-8"')
        return seeds

    def __str__(self) -> str:
        parts: list[list[int]] = []
        for seed in self:
            if parts and seed == parts[-1][-1] + 1:
                parts[-1][1:] = [seed]
            else:
                parts.append([seed])
        return ",".join("-".join(map(str, part)) for part in parts)


def given_seeds(name: str, given: object, refusal: type[RefusalError]) -> Seeds:
    """Seeds as a kind of argument (`aqmlab.arguments.checked`)."""
    return Seeds.of(given, argument=name, refusal=refusal)


def given_seeds_if_any(name: str, given: object, refusal: type[RefusalError]) -> Seeds:
    """The same, or none at all."""
    return Seeds.of(given, argument=name, refusal=refusal, may_be_empty=True)


def seed_of(given: object, *, argument: str = "seed") -> int:
    """One seed: a whole number of any kind, also NumPy's."""
    return RefusalError.whole(argument, given, 0, SEED_MAX)


def _in_list(given: object) -> Sequence[int] | None:
    """The seeds, one more than are legal at most; none where one is no seed."""
    if isinstance(given, bytes | bytearray | Mapping) or not isinstance(given, Iterable):
        return None
    try:
        seeds = [seed_of(each) for each in islice(given, MOST_SEEDS + 1)]
    except (RefusalError, TypeError):  # or it is an array without a dimension
        return None
    return sorted(seeds) if isinstance(given, set | frozenset) else seeds


def _in_text(text: str) -> Sequence[int] | None:
    seeds: list[int] = []
    for part in text.split(","):
        numbers = whole_numbers(part.strip())
        if not numbers or numbers[-1] > SEED_MAX:
            return None
        seeds += islice(numbers, MOST_SEEDS + 1 - len(seeds))
    return seeds
