"""The optimiser that proposes candidates: a tree-structured Parzen estimator of Optuna's, with a seed."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, cast

from aqmlab.errors import TuneError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial

    from aqmlab.study.tuning.running import Plan
    from aqmlab.study.tuning.space import Parameter, Space

_STARTUP = 10
"""Proposals drawn at random before the estimator has something to go by."""


def require_optuna() -> ModuleType:
    """Optuna, which only a search needs and a plain install does not bring."""
    try:
        import optuna  # noqa: PLC0415 (an optional dependency)
    except ImportError as missing:
        raise TuneError(
            f"aqmlab tune needs the package optuna, from PyPI ({missing}): pip install optuna, "
            "or pip install 'aqmlab[tune]'"
        ) from None
    return cast("ModuleType", optuna)


def optuna_version() -> str:
    """The version of the optimiser, on which the proposals depend."""
    return str(require_optuna().__version__)


class Proposals:
    """Proposes settings, and learns what became of them."""

    def __init__(self, space: Space, plan: Plan) -> None:
        self._optuna = optuna = require_optuna()
        self._distributions = {each.name: self._distribution(each) for each in space.parameters}
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            # Its options have kept their names and meaning for years, and are still called experimental.
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = optuna.samplers.TPESampler(
                seed=plan.optimiser_seed, multivariate=True, constant_liar=True, n_startup_trials=_STARTUP
            )
        self._study = optuna.create_study(sampler=sampler)
        self._open: list[Trial] = []

    def draw(self, size: int) -> list[dict[str, Any]]:
        """So many proposals at once, each as what was drawn for every parameter."""
        self._open = [self._study.ask(self._distributions) for _ in range(size)]
        return [trial.params for trial in self._open]

    def learn(self, costs: Sequence[float | None]) -> None:
        """What the proposals that were drawn last cost, in their order; none of one that was refused."""
        for trial, cost in zip(self._open, costs, strict=True):
            if cost is None:
                self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
            else:
                self._study.tell(trial, cost)

    def _distribution(self, parameter: Parameter) -> BaseDistribution:
        kinds = self._optuna.distributions
        if parameter.values:
            return kinds.CategoricalDistribution(parameter.values)
        if parameter.integer and not parameter.times:
            return kinds.IntDistribution(int(parameter.low), int(parameter.high), log=parameter.log)
        return kinds.FloatDistribution(parameter.low, parameter.high, log=parameter.log)
