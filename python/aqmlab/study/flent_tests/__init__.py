"""Tests that Flent defines, on a line: streams, and probes beside them."""

from aqmlab.study.flent_tests.definitions import TESTS
from aqmlab.study.flent_tests.measuring import FlentResults, Measured, QueueInTest, flent, measure

__all__ = [
    "TESTS",
    "FlentResults",
    "Measured",
    "QueueInTest",
    "flent",
    "measure",
]
