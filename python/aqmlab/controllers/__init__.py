"""Congestion controllers of one's own: a class of Python is told what happens, and keeps a window.

>>> from aqmlab.controllers import Controller, parameter
>>> class Aimd(Controller):
...     '''Adds `increase` segments a round trip, and takes `decrease` of the window at a loss.'''
...
...     increase: float = parameter(1.0, "Segments a round trip.", above=0, most=100)
...     decrease: float = parameter(0.5, "Share that a loss leaves.", above=0, below=1)
...
...     def grow(self, acknowledged):
...         if self.window < self.threshold:
...             self.window = min(self.threshold, self.window + acknowledged.delivered)
...         else:
...             self.window += self.increase * acknowledged.delivered / self.window
...
...     def window_after_loss(self):
...         return self.decrease * self.window

A scenario names file and class, `host = { congestion = "my_aimd.py:Aimd" }`. See
`docs/how-to/own-controller.md`.
"""

from aqmlab._core import Coins
from aqmlab.classes.parameters import IllegalParameter, parameter
from aqmlab.controllers.controller import Controller, Host
from aqmlab.controllers.facts import (
    Acknowledged,
    DeliveryRate,
    Loss,
    LostSegment,
    Marks,
    Opening,
    RoundTrip,
    Sent,
    Timeout,
)

__all__ = [
    "Acknowledged",
    "Coins",
    "Controller",
    "DeliveryRate",
    "Host",
    "IllegalParameter",
    "Loss",
    "LostSegment",
    "Marks",
    "Opening",
    "RoundTrip",
    "Sent",
    "Timeout",
    "parameter",
]
