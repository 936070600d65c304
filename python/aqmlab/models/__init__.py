"""Traffic models of one's own: a class of Python decides what pages consist of, and how long users think.

>>> from aqmlab.models import Object, Page, TrafficModel, parameter
>>> class News(TrafficModel):
...     '''A front page with pictures.'''
...
...     pictures: int = parameter(20, "Pictures of a page.", least=0, most=1000)
...
...     def page(self, number, draws):
...         pictures = [Object(int(draws.exponential(40_000)) + 1, host=1) for _ in range(self.pictures)]
...         return Page([Object(30_000), *pictures], think_s=0.001 + draws.exponential(20.0))

A scenario names file and class, `model = { model = "my_pages.py:News" }`. See
`docs/how-to/own-traffic-model.md`.
"""

from aqmlab._core import Draws
from aqmlab.classes.parameters import IllegalParameter, parameter
from aqmlab.models.model import Object, Page, TrafficModel

__all__ = ["Draws", "IllegalParameter", "Object", "Page", "TrafficModel", "parameter"]
