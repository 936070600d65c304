"""The checks of Le, Aikat, Jeffay and Smith (SIGCOMM 2003) that no other paper needs, by theme."""

from aqmlab.experiments.le2003.claims import mechanisms, responses, scatter, table, tails, traffic

__all__ = ["mechanisms", "responses", "scatter", "table", "tails", "traffic"]
