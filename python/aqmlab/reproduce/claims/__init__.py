"""Published claims as functions of stored results.

A claim stands in its experiment's `claims.toml` with its criterion: the numbers that decide it. The
function that checks it lies beside that file, in `experiments/<paper>/claims/`; it takes a study and the
criterion and answers with parts: statements that hold, do not hold, or cannot be judged, each with its
effect, interval and reason. Statements that several papers make are here: `curves` of response times,
`numbers` of runs. `evaluate` makes one outcome per published claim.
"""

from aqmlab.reproduce.claims.outcome import Outcome, Part, Verdict
from aqmlab.reproduce.claims.registry import claims_of, evaluate, registered

__all__ = ["Outcome", "Part", "Verdict", "claims_of", "evaluate", "registered"]
