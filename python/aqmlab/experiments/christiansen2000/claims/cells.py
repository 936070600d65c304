"""The cells that the checks of this paper's claims look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aqmlab.papers.study import Study

UNCONGESTED = "uncongested"


def red_cells(study: Study, load_percent: float) -> list[str]:
    """Every RED configuration of the paper's search that was run at a load."""
    return [
        name
        for name, configuration in study.experiment.configurations.items()
        if name.startswith("red-") and configuration.extends is None and study.has(name, load_percent)
    ]
