"""Responsiveness under working conditions: round trips per minute (RPM)."""

from aqmlab.study.responsiveness.algorithm import EDITION, Confidence, Outcome, class_of, evaluate
from aqmlab.study.responsiveness.measuring import Responsiveness, RoundTripsPerMinute, Way, measure, rpm

__all__ = [
    "EDITION",
    "Confidence",
    "Outcome",
    "Responsiveness",
    "RoundTripsPerMinute",
    "Way",
    "class_of",
    "evaluate",
    "measure",
    "rpm",
]
