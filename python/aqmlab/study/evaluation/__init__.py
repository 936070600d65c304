"""A scheme through the scenarios and metrics of RFC 7928, beside others.

Read in this order: `guidelines` (what is run for each section), `network` (the parts of its scenarios),
`variations` (what a scheme becomes in a case), `metrics` (of one run), `ellipse` (over runs), `measuring`
(the runs), `evaluation` (what they found), `summary` (its main numbers).
"""

from aqmlab.study.evaluation.ellipse import Ellipse
from aqmlab.study.evaluation.evaluation import Evaluation, Figure, NotRun, Trial
from aqmlab.study.evaluation.guideline import Case, Guideline
from aqmlab.study.evaluation.guidelines import GUIDELINES, chosen
from aqmlab.study.evaluation.measuring import BESIDE, SEEDS, evaluate
from aqmlab.study.evaluation.metrics import Metric, metrics_of

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
