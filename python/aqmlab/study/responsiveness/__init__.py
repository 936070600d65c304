"""Responsiveness under working conditions: round trips per minute (RPM)."""

from aqmlab.study.responsiveness.algorithm import EDITION, Confidence, Outcome, class_of, evaluate
from aqmlab.study.responsiveness.measuring import Responsiveness, Way, measure
from aqmlab.study.responsiveness.running import RoundTripsPerMinute, rpm

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
