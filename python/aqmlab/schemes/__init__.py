"""Schemes, schedulers and guards of one's own: a class of Python decides about the packets of a port.

>>> from aqmlab.schemes import Scheme, Verdict, parameter
>>> class Threshold(Scheme):
...     '''Signals to every arrival that finds too many packets waiting.'''
...
...     threshold_packets: int = parameter(20, "Packets from which on arrivals are signalled.", least=1)
...
...     def on_arrival(self, now_ns, packet, queue, coins):
...         return Verdict.SIGNAL_EARLY if queue.packets >= self.threshold_packets else Verdict.PASS

A scenario names file and class, `scheme = "my_scheme.py:Threshold"`. A `Scheduler` sorts packets into several
queues and says which sends next, and when; a `Guard` stands in front of any scheme. See
`docs/how-to/own-scheme.md`.
"""

from aqmlab._core import Behind, Coins, Header, Packet, Queue, Queues
from aqmlab.classes.parameters import IllegalParameter, parameter
from aqmlab.schemes.guard import Guard
from aqmlab.schemes.scheduler import At, Scheduler, Victim
from aqmlab.schemes.scheme import Port, Scheme, Verdict
from aqmlab.schemes.trial import Finding, check, cost_ns

__all__ = [
    "At",
    "Behind",
    "Coins",
    "Finding",
    "Guard",
    "Header",
    "IllegalParameter",
    "Packet",
    "Port",
    "Queue",
    "Queues",
    "Scheduler",
    "Scheme",
    "Verdict",
    "Victim",
    "check",
    "cost_ns",
    "parameter",
]
