"""Linux's spelling of queue disciplines, that of tc(8), "traffic control".

`cake bandwidth 18Mbit nat dual-dsthost`, and whole lines of `tc`, are read into schemes and their
parameters. Each word is an entry of a table (`disciplines.py`), with the parameter that it is here or why
there is none.
"""

from aqmlab.traffic_control.disciplines import DISCIPLINES, REFUSED
from aqmlab.traffic_control.reading import HTB_IN_WORDS, is_linux, read
from aqmlab.traffic_control.sqm import is_sqm, queues_of_sqm
from aqmlab.traffic_control.words import Discipline, Word

__all__ = [
    "DISCIPLINES",
    "HTB_IN_WORDS",
    "REFUSED",
    "Discipline",
    "Word",
    "is_linux",
    "is_sqm",
    "queues_of_sqm",
    "read",
]
