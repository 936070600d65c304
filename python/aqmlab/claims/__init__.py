"""Published claims as functions of stored results.

A claim is checked by a function that takes a study and answers with parts: statements that hold, do not
hold, or cannot be judged, each with its effect, interval and reason. `evaluate` makes one outcome per
published claim. Later studies add a folder and the rows of their `published_claims.csv`.
"""

from aqmlab.claims import christiansen2000, le2003  # registers their claims
from aqmlab.claims.outcome import Outcome, Part, Verdict
from aqmlab.claims.registry import evaluate, registered

__all__ = ["Outcome", "Part", "Verdict", "christiansen2000", "evaluate", "le2003", "registered"]
