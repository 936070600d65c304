"""Tests that Flent defines, on a line: streams, and probes beside them."""

from aqmlab.study.flent_tests.definitions import TESTS
from aqmlab.study.flent_tests.measuring import Measured, QueueInTest, measure
from aqmlab.study.flent_tests.running import FlentResults, flent

__all__ = [
    "TESTS",
    "FlentResults",
    "Measured",
    "QueueInTest",
    "flent",
    "measure",
]
