"""What does this queue management do to the people browsing the web through this link?

>>> import aqmlab
>>> result = aqmlab.run("pi.toml", seed=1)  # doctest: +SKIP
>>> result.responses.to_pandas()["response_time_s"].median()  # doctest: +SKIP

A scenario is checked whole before anything runs; a result is `run.json` and tables of columns whose names
carry their units. Many runs, on all cores, interruptible and resumable: `run_many`.
"""

from aqmlab import _startup  # noqa: F401  (first: it hears Ctrl-C during the imports below)

# isort: split
from aqmlab._core import version as _version
from aqmlab.compare import compare
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

__version__ = _version()

__all__ = [
    "Cancelled",
    "FolderError",
    "Job",
    "Result",
    "ResultError",
    "RunError",
    "Scenario",
    "ScenarioError",
    "StorageError",
    "TableError",
    "__version__",
    "compare",
    "run",
    "run_each",
    "run_many",
]
