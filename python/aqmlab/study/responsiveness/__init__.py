"""Responsiveness under working conditions: round trips per minute (RPM)."""

from aqmlab.study.responsiveness.algorithm import EDITION, Confidence, Outcome, class_of, evaluate
from aqmlab.study.responsiveness.measuring import Responsiveness, Way, measure

__all__ = ["EDITION", "Confidence", "Outcome", "Responsiveness", "Way", "class_of", "evaluate", "measure"]
