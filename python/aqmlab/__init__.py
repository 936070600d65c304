"""See what your router's queue does to calls, games and web pages.

    import aqmlab

    found = aqmlab.compare("my-link.toml", schemes=["drop-tail", "pie", "fq-codel"], seeds=range(1, 9))
    print(found)                    # how long people wait under each, with confidence intervals
    found.to_arrow()                # tidy: configuration, seed, who, quantity, value
    found.report("report.html")

A scenario is a TOML file, its text, or a dict, checked before anything runs. `run` makes one run, `compare`,
`sweep` and `tune` make many, `live` makes one over Linux TCP. `frame`, `plot` and `quantities` read results.
Every error is an `AqmlabError`.
"""

from aqmlab import _startup  # noqa: F401  (first: it hears Ctrl-C during the imports below)

# isort: split
from typing import TYPE_CHECKING

from aqmlab import shown as _shown
from aqmlab._core import version as _version
from aqmlab._lazily import lazily as _lazily

if TYPE_CHECKING:
    from aqmlab.comparison import Comparison, compare
    from aqmlab.comparison.reading import frame
    from aqmlab.errors import (
        AqmlabError,
        CalibrationError,
        Cancelled,
        ComparisonError,
        DemandError,
        ExperimentError,
        FolderError,
        MissingDataError,
        Mistake,
        PlotError,
        RefusalError,
        ResultError,
        RunError,
        RunsFailed,
        ScenarioError,
        StorageError,
        SweepError,
        TableError,
        TuneError,
        UnknownLinkError,
        UnknownQuantityError,
    )
    from aqmlab.presets.starting import Preset, new
    from aqmlab.result import Result
    from aqmlab.runs import Job, run, run_each, run_many
    from aqmlab.runs.live.running import live
    from aqmlab.scenario import Scenario
    from aqmlab.show.bundle import bundle
    from aqmlab.show.figures.plots import Plot, plot
    from aqmlab.show.papers.reproduce import Reproduction, reproduce
    from aqmlab.show.papers.strangers import Strangers, strangers
    from aqmlab.simulation import GroupObservation, LinkObservation, Observation, Simulation
    from aqmlab.statistics.quantities import Quantity, quantities, quantity
    from aqmlab.statistics.run_summary import FlowsSummary, LinkSummary, PopulationSummary, RunSummary
    from aqmlab.study.bloat import Bufferbloat, bloat
    from aqmlab.study.calibration import CalibratedDemand, calibrate
    from aqmlab.study.crossvalidation import CrossValidation, crossvalidate
    from aqmlab.study.evaluation import Evaluation, evaluate
    from aqmlab.study.flent_tests import FlentResults, flent
    from aqmlab.study.line_fit import FittedLine, line_from
    from aqmlab.study.responsiveness import RoundTripsPerMinute, rpm
    from aqmlab.study.senders import SenderMatrix, senders
    from aqmlab.study.sqm import RouterAdvice, sqm
    from aqmlab.study.sweeps import Sweep, SweepResults, sweep
    from aqmlab.study.tuning import Outcome, tune

__version__ = _version()

# Imported when first asked for: statistics bring SciPy, results Arrow, and `aqmlab --version` needs neither.
__getattr__ = _lazily(
    __name__,
    {
        "aqmlab.errors": "AqmlabError CalibrationError Cancelled ComparisonError DemandError "
        "ExperimentError FolderError Mistake MissingDataError PlotError RefusalError "
        "ResultError RunError RunsFailed ScenarioError StorageError SweepError "
        "TableError TuneError UnknownLinkError UnknownQuantityError",
        "aqmlab.runs": "Job run run_each run_many",
        "aqmlab.result": "Result",
        "aqmlab.statistics.run_summary": "FlowsSummary LinkSummary PopulationSummary RunSummary",
        "aqmlab.scenario": "Scenario",
        "aqmlab.simulation": "GroupObservation LinkObservation Observation Simulation",
        "aqmlab.comparison": "Comparison compare",
        "aqmlab.study.sweeps": "Sweep SweepResults sweep",
        "aqmlab.study.tuning": "Outcome tune",
        "aqmlab.study.evaluation": "Evaluation evaluate",
        "aqmlab.study.bloat": "Bufferbloat bloat",
        "aqmlab.study.responsiveness": "RoundTripsPerMinute rpm",
        "aqmlab.study.flent_tests": "FlentResults flent",
        "aqmlab.study.senders": "SenderMatrix senders",
        "aqmlab.study.sqm": "RouterAdvice sqm",
        "aqmlab.study.line_fit": "FittedLine line_from",
        "aqmlab.study.calibration": "CalibratedDemand calibrate",
        "aqmlab.study.crossvalidation": "CrossValidation crossvalidate",
        "aqmlab.presets.starting": "Preset new",
        "aqmlab.show.papers.reproduce": "Reproduction reproduce",
        "aqmlab.show.papers.strangers": "Strangers strangers",
        "aqmlab.show.figures.plots": "Plot plot",
        "aqmlab.show.bundle": "bundle",
        "aqmlab.comparison.reading": "frame",
        "aqmlab.runs.live.running": "live",
        "aqmlab.statistics.quantities": "Quantity quantities quantity",
    },
)
# What objects look like that show themselves, by their class: loaded when one is first shown.
_SHOWN_BY = {
    **dict.fromkeys(("Comparison", "CurveDifference"), "aqmlab.show.objects.comparison"),
    **dict.fromkeys(("Result", "RunSummary"), "aqmlab.show.objects.results"),
    "Bufferbloat": "aqmlab.show.objects.bloat",
    "CalibratedDemand": "aqmlab.show.objects.calibration",
    "CrossValidation": "aqmlab.show.objects.crossvalidation",
    "Evaluation": "aqmlab.show.objects.evaluation",
    "FittedLine": "aqmlab.show.objects.line_fit",
    "FlentResults": "aqmlab.show.objects.flent_tests",
    "Outcome": "aqmlab.show.objects.search",
    "RoundTripsPerMinute": "aqmlab.show.objects.responsiveness",
    "RouterAdvice": "aqmlab.show.objects.sqm",
    "Scenario": "aqmlab.show.figures.network",
    "SenderMatrix": "aqmlab.show.objects.senders",
    "SweepResults": "aqmlab.show.objects.sweep",
}
_shown.answered_by(_SHOWN_BY)

__all__ = [
    "AqmlabError",
    "Bufferbloat",
    "CalibratedDemand",
    "CalibrationError",
    "Cancelled",
    "Comparison",
    "ComparisonError",
    "CrossValidation",
    "DemandError",
    "Evaluation",
    "ExperimentError",
    "FittedLine",
    "FlentResults",
    "FlowsSummary",
    "FolderError",
    "GroupObservation",
    "Job",
    "LinkObservation",
    "LinkSummary",
    "MissingDataError",
    "Mistake",
    "Observation",
    "Outcome",
    "Plot",
    "PlotError",
    "PopulationSummary",
    "Preset",
    "Quantity",
    "RefusalError",
    "Reproduction",
    "Result",
    "ResultError",
    "RoundTripsPerMinute",
    "RouterAdvice",
    "RunError",
    "RunSummary",
    "RunsFailed",
    "Scenario",
    "ScenarioError",
    "SenderMatrix",
    "Simulation",
    "StorageError",
    "Strangers",
    "Sweep",
    "SweepError",
    "SweepResults",
    "TableError",
    "TuneError",
    "UnknownLinkError",
    "UnknownQuantityError",
    "__version__",
    "bloat",
    "bundle",
    "calibrate",
    "compare",
    "crossvalidate",
    "evaluate",
    "flent",
    "frame",
    "line_from",
    "live",
    "new",
    "plot",
    "quantities",
    "quantity",
    "reproduce",
    "rpm",
    "run",
    "run_each",
    "run_many",
    "senders",
    "sqm",
    "strangers",
    "sweep",
    "tune",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
