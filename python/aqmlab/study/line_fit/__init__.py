"""One's own line, fitted to what other programs have measured of it."""

from aqmlab.study.line_fit.running import FittedLine, line_from

__all__ = ["FittedLine", "line_from"]
