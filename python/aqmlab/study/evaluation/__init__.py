"""A scheme through the scenarios of RFC 7928, or a congestion controller through those of RFC 9743.

Read in this order: `guideline` (what a guideline is), `scheme_guidelines` and `controller_guidelines` (what
is run for each section; the longer ones are in `controller_sections`), `network` and `controller_cases` (the
parts of scenarios), `variations` (what a scheme becomes in a case), `schemes` and `controllers` (how either
takes its place in a case), `metrics` (of one run), `harm` (of what others have alone and beside a
controller), `ellipse` (over runs), `measuring` (the runs), `evaluation` (what they found), `judgement` (a
controller against the standard of a case), `summary` (the main numbers).
"""

from aqmlab.study.evaluation.controllers import CONTROLLERS
from aqmlab.study.evaluation.ellipse import Ellipse
from aqmlab.study.evaluation.evaluation import ALONE, Evaluation, Figure, NotRun, Trial
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
