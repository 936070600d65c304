"""Queue disciplines by RFC 7928: how a scheme takes its place in a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import ScenarioError
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.load.queues import Queues
from aqmlab.scenario import Scenario
from aqmlab.study.evaluation.evaluation import NotRun, Trial
from aqmlab.study.evaluation.guideline import Method
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT, metrics_of
from aqmlab.study.evaluation.network import (
    BUFFER_PACKETS,
    DATA,
    RATE_MBPS,
    ROUND_TRIP_MS,
    scenario,
    tcp,
)
from aqmlab.study.evaluation.scheme_guidelines import GUIDELINES
from aqmlab.study.evaluation.variations import NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.study.evaluation.guideline import Case, Guideline


def _require_legal(schemes: Sequence[str]) -> None:
    """Refuses a scheme before anything is run."""
    plain = Scenario.of(scenario(tcp("bulk")))
    for scheme in schemes:
        Queues.of(plain, (DATA,)).with_scheme(plain, scheme)


def _trials(guideline: Guideline, case: Case, scheme: str) -> Iterator[Trial | NotRun]:
    """The scheme at the links of the case, as often as it is varied there."""
    title = guideline.title(case)

    def refused(title: str, reason: Exception) -> NotRun:
        return NotRun(guideline.section, title, scheme, str(reason))

    own = Scenario.of(dict(case.document))
    queues = Queues.of(own, case.placed or case.links)
    metrics = tuple(metrics_of(case))
    try:
        variations = case.variation(scheme, queues.with_scheme(own, scheme), queues)
    except (NotApplicableError, ScenarioError) as error:
        yield refused(title, error)
        return
    for change, varied in variations.items():
        name, own_title = (change, change) if change else (case.name, title)
        try:
            changed = queues.with_scheme(own, varied)
        except ScenarioError as error:
            yield refused(own_title, error)
        else:
            yield Trial(guideline, case, name, own_title, scheme, changed, metrics)


SCHEMES = Method(
    document="RFC 7928",
    kind="scheme",
    guidelines=GUIDELINES,
    beside=("pie", "codel", "drop-tail"),
    line=f"a link of {RATE_MBPS:g} Mbit/s, round trips of {ROUND_TRIP_MS:g} ms, a buffer of {BUFFER_PACKETS} "
    "packets",
    require_legal=_require_legal,
    trials=_trials,
    spelt=spelt,
    shown={DELAY: "delay ms", GOODPUT: "Mbit/s"},
)
"""Queue disciplines by RFC 7928."""
