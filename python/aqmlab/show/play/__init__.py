"""An interactive page on this machine: each change of a setting runs a simulation of about a second.

`knobs` says what of a scenario can be turned, `played` makes a scenario of what was turned and runs it,
`household` does so of a home's line and who is there; `measured` takes from a result what the page draws,
`page` has the page, `server` serves it to this machine alone. The page is that of `make browser` too, whose
engine stands in the place of `server.js`.
"""

from aqmlab.show.play.household import AtHome, PlayedHome, is_home
from aqmlab.show.play.knobs import Knob, Turned
from aqmlab.show.play.played import PlayedLink
from aqmlab.show.play.server import serve

__all__ = ["AtHome", "Knob", "PlayedHome", "PlayedLink", "Turned", "is_home", "serve"]
