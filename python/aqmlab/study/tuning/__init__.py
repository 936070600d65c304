"""Search: the settings of a queue that serve an objective best, told with their errors.

Every candidate is run with the same seeds, so candidates are compared in pairs. A candidate that is
significantly worse than the best one so far after a few seeds is not run with the rest (racing). The
figures of the winner, and of all that it is compared with, come from fresh seeds that the search never
used: the best of many is best partly by luck, and its search figures flatter it. All runs are in one store,
so a search that was killed goes on.
"""

from aqmlab.study.tuning.objectives import Objective
from aqmlab.study.tuning.outcome import Outcome
from aqmlab.study.tuning.running import Plan, tune
from aqmlab.study.tuning.search import search
from aqmlab.study.tuning.space import space_of

__all__ = ["Objective", "Outcome", "Plan", "search", "space_of", "tune"]
