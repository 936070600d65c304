"""What is sought, as a cost per run: smaller is better."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aqmlab.errors import TuneError
from aqmlab.load.demand import USERS, parts_of
from aqmlab.statistics.pages import Pages
from aqmlab.statistics.quantities import PAGE_QUANTILES, RESTRICTED_TO_S, page_quantile_s
from aqmlab.statistics.run_summary import restricted_mean_name
from aqmlab.study.tuning import of_line
from aqmlab.study.tuning.of_line import RPM
from aqmlab.study.tuning.of_people import OF_PEOPLE
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.statistics.run_summary import Figures

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
            return of_line.cost_ms(figures)
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
        return of_line.loaded(scenario) if self.name == RPM else scenario

    def figures_of(self, result: Result, scenario: Scenario) -> Figures:
        """What it needs of a candidate's run beside the figures that every run has."""
        if self.name == RPM:
            return of_line.figures_of(result, scenario)
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
        units |= {WEIGHTED: "weighted s", RPM: of_line.UNIT}
        return {**units, **of_pages}[self.name]


_USERS = (RESPONSE, WEIGHTED, *PAGES)
_MISSING = {**dict.fromkeys(_USERS, "users"), RPM: "[line] or [dumbbell]"}


def _is_in(name: str, scenario: Scenario) -> bool:
    """Whether a scenario has those whose numbers are sought by an objective."""
    if name in OF_PEOPLE:
        return bool(OF_PEOPLE[name].groups_in(scenario.resolved))
    if name == RPM:
        return of_line.is_line(scenario)
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
