"""Live runs whose timing is suspect: what stands on every figure and table of them, and why.

The verdict is the run's own, made by its audit (docs/explanation/live-runs.md); simulations have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.statistics.recorded import Recorded

    Results = Mapping[str, Sequence[Recorded]]


SAID = "live run, timing suspect: "
"""The start of the corresponding warning of a run (`crates/live/src/output.rs`)."""


def suspect_because(results: Results) -> dict[str, list[str]]:
    """Of each alternative with a suspect run the reasons, run by run."""
    found = {
        name: [
            f"seed {run.run['seed']}: {'; '.join(audit['reasons'])}"
            for run in runs
            if (audit := run.run.get("live")) is not None and audit["verdict"] != "valid"
        ]
        for name, runs in results.items()
    }
    return {name: reasons for name, reasons in found.items() if reasons}


def mark_of(results: Results) -> str:
    """What each figure and table of these results carries: nothing where no run is suspect."""
    suspect = suspect_because(results)
    if not suspect:
        return ""
    whose = "" if len(suspect) == len(results) else f" of {', '.join(suspect)}"
    return f"timing{whose} suspect"


def marked(title: str, mark: str) -> str:
    """A title with its mark, if there is one."""
    return f"{title} ({mark})" if mark else title
