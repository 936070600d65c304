"""Names of cells of this paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.reproduce.claims import claims_of

if TYPE_CHECKING:
    from aqmlab.reproduce.study import Study

UNCONGESTED = "uncongested"
christiansen2000 = claims_of("christiansen2000")
"""Registers the check of a claim of this paper."""

LOADS = (50.0, 70.0, 80.0, 90.0, 98.0, 110.0)
USERS_AT_100_PERCENT = 3400
"""Section 3.3."""

RECOMMENDED = "red-30-90"
TUNED_FOR_98 = "red-5-90-w128-p20"
"""Table 4: best overall response at 98 %."""

FRESH = ("fresh-3500", 102.941)
"""The unconstrained network with 3,500 users from a fresh start."""


def fifo(packets: int) -> str:
    """The name of a drop-tail configuration."""
    return f"drop-tail-{packets}"


def red(min_th: int, max_th: int) -> str:
    """The name of a RED configuration with w_q = 1/512, max_p = 1/10 and 480 packets."""
    return f"red-{min_th}-{max_th}"


def red_cells(study: Study, load_percent: float) -> list[str]:
    """Every RED configuration of the paper's search that was run at a load."""
    return [
        name
        for name, configuration in study.experiment.configurations.items()
        if name.startswith("red-") and configuration.extends is None and study.has(name, load_percent)
    ]
