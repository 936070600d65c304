"""What a scenario looks like in a notebook: the picture of the network that `aqmlab draw` makes."""

from __future__ import annotations

import html

from aqmlab import shown
from aqmlab.scenario import Scenario
from aqmlab.show.figures.network import draw_network


@shown.html.register(Scenario)
def _html(scenario: Scenario) -> str:
    drawn = draw_network(scenario.resolved)
    caption = html.escape(f"{drawn.caption} Simulated time: {scenario.duration_s:g} s.")
    return f"{drawn.svg}\n<p><small>{caption}</small></p>\n"
