"""What does this queue management do to the people browsing the web through this link?

>>> import aqmlab
>>> result = aqmlab.run("pi.toml", seed=1)  # doctest: +SKIP
>>> result.responses.to_pandas()["response_time_s"].median()  # doctest: +SKIP

A scenario is checked whole before anything runs; a result is `run.json` and tables of columns whose names
carry their units. Many runs, on all cores, interruptible and resumable: `run_many`.
"""

from aqmlab import _startup  # noqa: F401  (first: it hears Ctrl-C during the imports below)

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING, Any

from aqmlab._core import version as _version

if TYPE_CHECKING:
    from aqmlab.comparison import Comparison, compare
    from aqmlab.errors import (
        Cancelled,
        FolderError,
        ResultError,
        RunError,
        ScenarioError,
        StorageError,
        TableError,
    )
    from aqmlab.result import Result
    from aqmlab.runs import Job, run, run_each, run_many
    from aqmlab.scenario import Scenario
    from aqmlab.simulation import LinkObservation, Observation, Simulation

__version__ = _version()

__all__ = [
    "Cancelled",
    "Comparison",
    "FolderError",
    "Job",
    "LinkObservation",
    "Observation",
    "Result",
    "ResultError",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "StorageError",
    "TableError",
    "__version__",
    "compare",
    "run",
    "run_each",
    "run_many",
]

# Imported when first asked for: statistics bring SciPy, results Arrow, and `aqmlab --version` needs neither.
_ERRORS = (
    "Cancelled",
    "FolderError",
    "ResultError",
    "RunError",
    "ScenarioError",
    "StorageError",
    "TableError",
)
_HOMES = {
    **dict.fromkeys(_ERRORS, "aqmlab.errors"),
    **dict.fromkeys(("Job", "run", "run_each", "run_many"), "aqmlab.runs"),
    "Result": "aqmlab.result",
    "Scenario": "aqmlab.scenario",
    **dict.fromkeys(("LinkObservation", "Observation", "Simulation"), "aqmlab.simulation"),
    **dict.fromkeys(("Comparison", "compare"), "aqmlab.comparison"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
