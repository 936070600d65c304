"""A scheme through the scenarios of RFC 7928, or a congestion controller through those of RFC 9743.

Read in this order: `guideline` (what a guideline is), `schemes` and `controller_guidelines` (what is run for
each section; the longer ones are in `controller_sections`), `network` and `controller_cases` (the parts of
scenarios), `variations` (what a scheme becomes in a case), `controllers` (how a controller takes its place in
a case), `metrics` (of one run), `harm` (what others lose beside a controller, and whether that is too much),
`measuring` (the runs), `evaluation` (what they found), `summary` (the main numbers).
"""

from aqmlab.study.evaluation.controllers import CONTROLLERS
from aqmlab.study.evaluation.evaluation import ALONE, Ellipse, Evaluation, Figure, NotRun, Trial
from aqmlab.study.evaluation.guideline import Case, Guideline
from aqmlab.study.evaluation.measuring import evaluate, method_of
from aqmlab.study.evaluation.metrics import metrics_of
from aqmlab.study.evaluation.schemes import SCHEMES

__all__ = [
    "ALONE",
    "CONTROLLERS",
    "SCHEMES",
    "Case",
    "Ellipse",
    "Evaluation",
    "Figure",
    "Guideline",
    "NotRun",
    "Trial",
    "evaluate",
    "method_of",
    "metrics_of",
]
