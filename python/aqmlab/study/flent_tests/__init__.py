"""Tests that Flent defines, on a line: streams, and probes beside them."""

from aqmlab.study.flent_tests.definitions import TESTS, FlentTest, Probe, Stream
from aqmlab.study.flent_tests.measuring import Measured, measure

__all__ = ["TESTS", "FlentTest", "Measured", "Probe", "Stream", "measure"]
