"""Additive increase, multiplicative decrease with any two numbers, as a controller of one's own.

Source: Chiu, Jain, "Analysis of the increase and decrease algorithms for congestion avoidance in computer
networks", Computer Networks and ISDN Systems 17, 1989; in the terms of RFC 9438 section 4.3.
"""

from aqmlab.controllers import Controller, parameter


class Aimd(Controller):
    """Adds `increase_segments` a round trip, and keeps `left_share` of the window at a loss or mark."""

    increase_segments: float = parameter(1.0, "Segments a round trip without a loss.", above=0, most=1)
    left_share: float = parameter(0.5, "Share of the window that a loss leaves.", above=0, below=1)

    def grow(self, acknowledged):
        if self.window < self.threshold:
            self.window = min(self.threshold, self.window + acknowledged.delivered)
        else:
            self.window += self.increase_segments * acknowledged.delivered / self.window

    def window_after_loss(self):
        return self.left_share * self.window
