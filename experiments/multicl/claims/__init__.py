"""The checks of this study that no other paper needs, by theme."""

from aqmlab.experiments.multicl.claims import responses, traffic

__all__ = ["responses", "traffic"]
