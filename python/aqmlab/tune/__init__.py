"""Search: the settings of a queue that serve an objective best, told with their errors.

Every candidate is run with the same seeds, so candidates are compared in pairs. A candidate that is
significantly worse than the best one so far after a few seeds is not run with the rest (racing). The
figures of the winner, and of all that it is compared with, come from fresh seeds that the search never
used: the best of many is best partly by luck, and its search figures flatter it. All runs are in one store,
so a search that was killed goes on.
"""

from typing import TYPE_CHECKING

from aqmlab.tune.objectives import Objective
from aqmlab.tune.outcome import Outcome
from aqmlab.tune.plan import Plan
from aqmlab.tune.space import Space, space_of

if TYPE_CHECKING:
    from aqmlab.tune.search import tune

__all__ = ["Objective", "Outcome", "Plan", "Space", "space_of", "tune"]


def __getattr__(name: str) -> object:
    """Imports the search when it is asked for: it alone needs Optuna; `aqmlab play` needs the ranges alone."""
    if name != "tune":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from aqmlab.tune.search import tune  # noqa: PLC0415 (see above)

    return tune
