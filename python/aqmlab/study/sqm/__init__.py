"""What to set in the router in front of a line."""

from aqmlab.study.sqm.running import RouterAdvice, sqm

__all__ = ["RouterAdvice", "sqm"]
