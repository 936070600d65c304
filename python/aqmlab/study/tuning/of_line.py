"""The objective of the line itself: how responsive it is while downloads and uploads fill it (RPM)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.presets.line import LINES, Line
from aqmlab.study.responsiveness import Way
from aqmlab.study.responsiveness.measuring import MOST_S, felt, scenario_of

if TYPE_CHECKING:
    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.statistics.run_summary import Figures

RPM = "rpm"
UNIT = "ms a round trip"
"""The cost: 60,000 over the round trips a minute."""
FIGURE = "rpm"
_MS_PER_MINUTE = 60_000.0
_WORST_MS = 1e3 * MOST_S
"""Where nothing returned in the whole test."""


def is_line(scenario: Scenario) -> bool:
    """Whether it has a line of which responsiveness can be measured."""
    return any(scenario.resolved.get(table) for table in LINES)


def loaded(scenario: Scenario) -> Scenario:
    """The test of `aqmlab rpm` with both ways full, on the line of a scenario with its queues."""
    return scenario_of(Line.of_scenario(scenario), Way.BOTH)


def figures_of(result: Result, scenario: Scenario) -> Figures:
    """Round trips a minute in the test of a scenario's line."""
    return {FIGURE: felt(result, Line.of_scenario(scenario), Way.BOTH).outcome.rpm}


def cost_ms(figures: Figures) -> float:
    """What a round trip takes, by the round trips a minute."""
    rpm = float(figures[FIGURE] or 0.0)
    return min(_MS_PER_MINUTE / rpm, _WORST_MS) if rpm else _WORST_MS
