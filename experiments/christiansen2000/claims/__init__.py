"""The checks of Christiansen, Jeffay, Ott and Smith (SIGCOMM 2000) that no other paper needs, by theme."""

from aqmlab.experiments.christiansen2000.claims import generators, queues, settings, settling, table3

__all__ = ["generators", "queues", "settings", "settling", "table3"]
