"""A scheme through the scenarios and metrics of RFC 7928, beside others.

Read in this order: `guidelines` (what is run for each section), `network` (the parts of its scenarios),
`variations` (what a scheme becomes in a case), `metrics` (of one run), `ellipse` (over runs), `measuring`
(the runs), `evaluation` (what they found), `summary` and `page` (how it is shown).
"""

from aqmlab.evaluation.ellipse import Ellipse
from aqmlab.evaluation.evaluation import Evaluation, Figure, NotRun, Trial
from aqmlab.evaluation.guideline import Case, Guideline
from aqmlab.evaluation.guidelines import GUIDELINES, chosen
from aqmlab.evaluation.measuring import BESIDE, SEEDS, evaluate
from aqmlab.evaluation.metrics import Metric, metrics_of

__all__ = [
    "BESIDE",
    "GUIDELINES",
    "SEEDS",
    "Case",
    "Ellipse",
    "Evaluation",
    "Figure",
    "Guideline",
    "Metric",
    "NotRun",
    "Trial",
    "chosen",
    "evaluate",
    "metrics_of",
]
