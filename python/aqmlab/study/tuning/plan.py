"""How much is searched."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace

from aqmlab.errors import TuneError
from aqmlab.runs import SEED_MAX
from aqmlab.runs.budget import in_words
from aqmlab.terminal.spelling import counted

_SHOWN = 5
"""So many candidates, about, are run with fresh seeds: the winner, those on the front, the start."""


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

    @property
    def most_runs(self) -> int:
        """The runs of the search, if none is stopped early, and those of what is shown with fresh seeds."""
        return (self.trials + 1) * len(self.seeds) + _SHOWN * len(self.fresh_seeds)

    def within(self, seconds: float, each_s: float) -> Plan:
        """A plan with as many candidates as a time has room for; a warning tells of fewer."""
        around = self.most_runs - self.trials * len(self.seeds)
        most = min(0.9 * seconds / each_s, float(self.most_runs))
        trials = int((most - around) / len(self.seeds))
        if trials < 1:
            least_s = (around + len(self.seeds)) * each_s / 0.9
            legal = f"{in_words(max(least_s, 1.0))} or more, or fewer seeds and fresh seeds"
            raise TuneError(
                f"within {in_words(seconds)} there is no time for one candidate; legal: {legal}",
                place="within_s",
                value=seconds,
                legal=legal,
            )
        if trials < self.trials:
            told = f"{trials} of {counted(self.trials, 'candidate')}"
            warnings.warn(f"within {in_words(seconds)}: {told}", stacklevel=3)
        return replace(self, trials=min(trials, self.trials))

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
