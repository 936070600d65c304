"""What is sought, as a cost per run: smaller is better.

Of people it is the call, the game or the meeting that is worst off, or whoever suffers most. Several groups
of a kind, as both ways of a call, count by the worse one. Where nothing of a group arrives its number is the
bad end of its scale; of a delay that is the measured window. Of the line itself it is how responsive the line
is while downloads and uploads fill it (RPM).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aqmlab.errors import TuneError
from aqmlab.load.demand import USERS, parts_of
from aqmlab.presets.line import LINES, Line
from aqmlab.statistics.datagrams import (
    delay_ms_of,
    delay_variation_ms_of,
    goodput_kbps_of_datagrams,
    loss_percent_of_datagrams,
)
from aqmlab.statistics.experience import (
    CALL,
    CLOUD_GAME,
    GAME,
    KINDS,
    VIDEO_CALL,
    WORST_BADNESS,
    experience,
    kind_of,
)
from aqmlab.statistics.pages import Pages
from aqmlab.statistics.quantities import PAGE_QUANTILES, RESTRICTED_TO_S, page_quantile_s
from aqmlab.statistics.recorded import measured_window_s
from aqmlab.statistics.run_summary import restricted_mean_name
from aqmlab.statistics.video_call import call_frame_delay_ms_of, call_frozen_percent_of
from aqmlab.statistics.voice import voice_mos_of
from aqmlab.study.responsiveness import Way
from aqmlab.study.responsiveness.measuring import MOST_S, felt, scenario_of
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.statistics.experience import Kind
    from aqmlab.statistics.quantity import OfRun
    from aqmlab.statistics.recorded import Recorded
    from aqmlab.statistics.run_summary import Figures

BEST_MOS = 4.5
"""The best mean opinion score of the E-model: what a call falls short of it by is a cost."""


@dataclass(frozen=True)
class OfPeople:
    """A number of the groups of one kind, or how bad it is for whoever suffers most.

    Attributes:
        kinds: Whose number it is.
        of: The number of a group; none where all criteria decide.
        unit: Of its cost.
        worst: The bad end of its scale; none of a delay, which the window bounds.
    """

    kinds: tuple[Kind, ...]
    of: Callable[[str], OfRun] | None
    unit: str
    worst: float | None = None

    @property
    def figure(self) -> str:
        """What tables call the cost."""
        if self.of is None:
            return "badness_of_the_worst_off"
        return f"worst_{self.kinds[0].name.replace(' ', '_')}_{self.of('datagrams.NAME').base}"

    def groups_in(self, resolved: Mapping[str, Any]) -> dict[str, Kind]:
        """The groups of a scenario that it is of."""
        kinds = {str(group["name"]): kind_of(group) for group in resolved.get("datagrams", ())}
        return {name: kind for name, kind in kinds.items() if kind in self.kinds}

    def cost(self, result: Recorded) -> float | None:
        """The cost of a run, of the group that is worst off; none where nothing is known of any."""
        costs = [
            self._badness(result, name, kind) if self.of is None else self._number(result, name, self.of)
            for name, kind in self.groups_in(result.run["scenario"]).items()
        ]
        return max((cost for cost in costs if not math.isnan(cost)), default=None)

    def _badness(self, result: Recorded, name: str, kind: Kind) -> float:
        felt = experience(name, kind, lambda quantity: quantity.observed_in(result))
        return math.nan if felt is None else min(felt.badness, WORST_BADNESS)

    def _number(self, result: Recorded, name: str, of: Callable[[str], OfRun]) -> float:
        part = f"datagrams.{name}"
        is_score = of is voice_mos_of
        worst = 1e3 * measured_window_s(result) if self.worst is None else self.worst
        seen = of(part).observed_in(result)
        number = seen.upper if is_score else seen.lower
        if goodput_kbps_of_datagrams(part).observed_in(result).upper == 0.0:
            number = worst
        return BEST_MOS - number if is_score else min(number, worst)


_MOS = OfPeople((CALL,), voice_mos_of, f"MOS below {BEST_MOS:g}", worst=1.0)
OF_PEOPLE: Mapping[str, OfPeople] = {
    "call-delay-p95": OfPeople((CALL,), delay_ms_of(95), "ms"),
    "call-loss": OfPeople((CALL,), loss_percent_of_datagrams, "%", worst=100.0),
    "mos": _MOS,
    "game-delay-p95": OfPeople((GAME,), delay_ms_of(95), "ms"),
    "game-jitter": OfPeople((GAME,), delay_variation_ms_of, "ms"),
    "game-loss": OfPeople((GAME,), loss_percent_of_datagrams, "%", worst=100.0),
    "meeting-delay-p95": OfPeople((VIDEO_CALL,), call_frame_delay_ms_of(95), "ms"),
    "meeting-frozen": OfPeople((VIDEO_CALL,), call_frozen_percent_of, "%", worst=100.0),
    "cloud-game-delay-p95": OfPeople((CLOUD_GAME,), call_frame_delay_ms_of(95), "ms"),
    "worst-off": OfPeople(tuple(KINDS.values()), None, "badness"),
}
"""What is sought for people, by the name of the objective."""


RPM = "rpm"
_RPM_UNIT = "ms a round trip"
"""The cost: 60,000 over the round trips a minute."""
RPM_FIGURE = "rpm"
_MS_PER_MINUTE = 60_000.0
_WORST_MS = 1e3 * MOST_S
"""Where nothing returned in the whole test."""


def _has_line(scenario: Scenario) -> bool:
    """Whether it has a line of which responsiveness can be measured."""
    return any(scenario.resolved.get(table) for table in LINES)


def _rpm_test_of(scenario: Scenario) -> Scenario:
    """The test of `aqmlab rpm` with both ways full, on the line of a scenario with its queues."""
    return scenario_of(Line.of_scenario(scenario), Way.BOTH)


def _rpm_figures_of(result: Result, scenario: Scenario) -> Figures:
    """Round trips a minute in the test of a scenario's line."""
    return {RPM_FIGURE: felt(result, Line.of_scenario(scenario), Way.BOTH).outcome.rpm}


def _rpm_cost_ms(figures: Figures) -> float:
    """What a round trip takes, by the round trips a minute."""
    rpm = float(figures[RPM_FIGURE] or 0.0)
    return min(_MS_PER_MINUTE / rpm, _WORST_MS) if rpm else _WORST_MS


RESPONSE, UTILIZATION, LOSS = "best-response-times", "highest-utilization", "lowest-drop-rate"
WEIGHTED = "weighted"
PAGES = {f"page-load-p{100 * share:g}": page_quantile_s(share, Pages.FOLLOWED) for share in PAGE_QUANTILES}
PAGES["page"] = PAGES["page-load-p50"]
"""Quantiles of the page load time by the name of the objective."""
NAMES = (RESPONSE, UTILIZATION, LOSS, WEIGHTED, *PAGES, *OF_PEOPLE, RPM)
WEIGHTS = ("response", "idle", "loss")


@dataclass(frozen=True)
class Objective:
    """What is sought.

    `best-response-times` is the restricted mean response time, min(t, limit) with 2 s by default: it counts
    every request, and none for more than the limit, so a handful of huge responses do not decide.
    `highest-utilization` is the share of the time in which the link transmits, `lowest-drop-rate` the share
    of arrivals discarded. `weighted` adds the restricted mean in seconds, the idle share and the loss ratio
    (both from 0 to 1), each times its weight: a weight says how many seconds of mean response time an idle
    or lossy link is worth. `page-load-p50` to `page-load-p99` are quantiles of the page load time, of
    pages that were waited for in the measured window; where fewer of them ended, the length of the window
    stands for them; `page` is `page-load-p50`. Those of `OF_PEOPLE` are of calls, games and meetings. `rpm`
    leaves out all users, and measures the line under load.

    Attributes:
        name: One of `NAMES`.
        restricted_to_s: The limit of the restricted mean, in seconds.
        weights: For `weighted`: by `response`, `idle` and `loss`.
    """

    name: str = RESPONSE
    restricted_to_s: float = RESTRICTED_TO_S
    weights: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(WEIGHTS, 1.0))

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise TuneError.unknown(f"objective {self.name!r}", self.name, NAMES)
        if not 0.0 < self.restricted_to_s < float("inf"):
            raise TuneError(
                f"restricted_to_s: above 0, not {self.restricted_to_s:g}",
                place="restricted_to_s",
                value=self.restricted_to_s,
                legal="above 0",
            )
        for key, weight in self.weights.items():
            if key not in WEIGHTS:
                raise TuneError.unknown(f"weights.{key}", key, WEIGHTS)
            is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
            if not is_number or not 0.0 <= weight < float("inf"):
                raise TuneError(f"weights.{key}: at least 0, not {quoted(weight)}")
        if not any(self.weights.values()):
            raise TuneError("weights: at least one above 0")
        self._require_used("weights", self.weights != dict.fromkeys(WEIGHTS, 1.0), (WEIGHTED,))
        limited = tuple(name for name in NAMES if name != RPM)
        self._require_used("restricted_to_s", self.restricted_to_s != RESTRICTED_TO_S, limited)

    def _require_used(self, argument: str, is_given: bool, by: tuple[str, ...]) -> None:
        if is_given and self.name not in by:
            raise TuneError(
                f"{argument}: not used by objective {self.name}; legal: objective {', '.join(by)}",
                place=argument,
                legal=f"objective {', '.join(by)}",
            )

    def cost(self, figures: Figures) -> float:
        """The cost of one run."""
        if self.name in _SHARES:
            return _SHARES[self.name](figures)
        if self.name in OF_PEOPLE:
            return _known(figures, OF_PEOPLE[self.name].figure)
        if self.name == RPM:
            return _rpm_cost_ms(figures)
        if self.name in PAGES:
            return min(_known(figures, PAGES[self.name].name), _known(figures, "measured_s"))
        response_s = _known(figures, restricted_mean_name(self.restricted_to_s))
        if self.name == RESPONSE:
            return response_s
        terms = {
            "response": response_s,
            "idle": _idle_share(figures),
            "loss": _loss_ratio(figures),
        }
        return sum(self.weights.get(key, 0.0) * term for key, term in terms.items())

    def scenario_of(self, scenario: Scenario) -> Scenario:
        """What is run of a candidate: its scenario, or a test of its line."""
        return _rpm_test_of(scenario) if self.name == RPM else scenario

    def figures_of(self, result: Result, scenario: Scenario) -> Figures:
        """What it needs of a candidate's run beside the figures that every run has."""
        if self.name == RPM:
            return _rpm_figures_of(result, scenario)
        of_people = OF_PEOPLE.get(self.name)
        return {} if of_people is None else {of_people.figure: of_people.cost(result)}

    def require_in(self, scenario: Scenario) -> None:
        """Checks that the scenario has those whose numbers are sought."""
        legal = [name for name in NAMES if _is_in(name, scenario)]
        if self.name not in legal:
            whom = _MISSING.get(self.name) or " or ".join(
                f"{kind.name}s" for kind in OF_PEOPLE[self.name].kinds
            )
            raise TuneError(
                f"objective {self.name}: {scenario.name} has no {whom}; legal here: {', '.join(legal)}",
                place="objective",
                value=self.name,
                legal=", ".join(legal),
            )

    def trade_off(self, figures: Figures) -> tuple[float, float, float]:
        """Restricted mean response time (s), idle share and loss ratio: each smaller is better.

        The first is not a number in a run without response times.
        """
        response_s = figures[restricted_mean_name(self.restricted_to_s)]
        return (
            math.nan if response_s is None else float(response_s),
            _idle_share(figures),
            _loss_ratio(figures),
        )

    @property
    def is_own_column(self) -> bool:
        """Whether its cost is none of the figures that every run has."""
        return self.name == RPM or self.name in OF_PEOPLE

    @property
    def unit(self) -> str:
        """The unit of the cost."""
        if self.name in OF_PEOPLE:
            return OF_PEOPLE[self.name].unit
        of_pages = dict.fromkeys(PAGES, "s")
        units = {RESPONSE: "s", UTILIZATION: "idle share", LOSS: "loss ratio"}
        units |= {WEIGHTED: "weighted s", RPM: _RPM_UNIT}
        return {**units, **of_pages}[self.name]


_USERS = (RESPONSE, WEIGHTED, *PAGES)
_MISSING = {**dict.fromkeys(_USERS, "users"), RPM: "[line] or [dumbbell]"}


def _is_in(name: str, scenario: Scenario) -> bool:
    """Whether a scenario has those whose numbers are sought by an objective."""
    if name in OF_PEOPLE:
        return bool(OF_PEOPLE[name].groups_in(scenario.resolved))
    if name == RPM:
        return _has_line(scenario)
    return name not in _USERS or any(part.unit == USERS and part.size for part in parts_of(scenario))


def _idle_share(figures: Figures) -> float:
    return 1.0 - _known(figures, "utilization_percent") / 100.0


def _loss_ratio(figures: Figures) -> float:
    return _known(figures, "loss_percent") / 100.0


_SHARES = {UTILIZATION: _idle_share, LOSS: _loss_ratio}


def _known(figures: Figures, name: str) -> float:
    value = figures[name]
    if value is None:
        raise TuneError(
            f"a run has no {name} in the measured {float(figures['measured_s'] or 0.0):g} s; legal: a longer "
            "window (duration_s, warm_up_s, cool_down_s), users, record.responses other than none, or "
            "another objective"
        )
    return float(value)
