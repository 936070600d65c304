"""Schemes of one's own: a class of Python decides about the packets of a queue.

>>> from aqmlab.schemes import Scheme, Verdict, parameter
>>> class Threshold(Scheme):
...     '''Signals to every arrival that finds too many packets waiting.'''
...
...     threshold_packets: int = parameter(20, "Packets from which on arrivals are signalled.", least=1)
...
...     def on_arrival(self, now_ns, packet, queue, coins):
...         return Verdict.SIGNAL_EARLY if queue.packets >= self.threshold_packets else Verdict.PASS

A scenario names file and class, `scheme = "my_scheme.py:Threshold"`; See `docs/how-to/own-scheme.md`.
"""

from aqmlab.schemes.scheme import IllegalParameter, Port, Scheme, Verdict, parameter
from aqmlab.schemes.trial import Finding, check, cost_ns

__all__ = ["Finding", "IllegalParameter", "Port", "Scheme", "Verdict", "check", "cost_ns", "parameter"]
