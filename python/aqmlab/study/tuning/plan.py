"""How much is searched."""

from __future__ import annotations

from dataclasses import dataclass, field

from aqmlab.errors import TuneError
from aqmlab.runs import SEED_MAX


@dataclass(frozen=True)
class Plan:
    """How much is searched, and with which random numbers.

    Attributes:
        trials: Candidates that the optimiser proposes.
        seeds: The seeds that candidates are compared on.
        fresh_seeds: The seeds that the figures come from; none of them is a search seed.
        budget_runs: No candidate is proposed once so many runs were asked for; none: no limit.
        batch: Candidates that are proposed together. The search depends on it, never on workers.
        optimiser_seed: Seed of the optimiser.
    """

    trials: int = 40
    seeds: tuple[int, ...] = (1, 2, 3, 4)
    fresh_seeds: tuple[int, ...] = field(default=())
    budget_runs: int | None = None
    batch: int = 4
    optimiser_seed: int = 1

    def __post_init__(self) -> None:
        for name in ("trials", "budget_runs", "batch"):
            given = getattr(self, name)
            if given is not None or name != "budget_runs":
                object.__setattr__(self, name, TuneError.whole(name, given, 1))
        TuneError.whole("optimiser_seed", self.optimiser_seed, 0, 2**32 - 1)
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise TuneError("seeds: at least one, and each once", place="seeds", value=self.seeds)
        if not self.fresh_seeds:
            after, count = max(self.seeds) + 1, max(8, len(self.seeds))
            if after + count > SEED_MAX + 1:
                raise TuneError(
                    f"seeds: no {count} fresh seeds are left after {max(self.seeds)}: give fresh ones",
                    place="seeds",
                    value=max(self.seeds),
                )
            object.__setattr__(self, "fresh_seeds", tuple(range(after, after + count)))
        if shared := set(self.seeds) & set(self.fresh_seeds):
            raise TuneError(
                f"fresh seeds: {min(shared)} is a search seed; a fresh seed is one the search never saw",
                place="fresh_seeds",
                value=min(shared),
            )
