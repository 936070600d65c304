"""The paper in JOSS's form, `paper/paper.md`: its text, with every number counted or read where it stands."""

from __future__ import annotations

import csv
import re
from importlib import resources
from pathlib import Path
from statistics import median

from aqmlab import _core
from aqmlab.papers import experiments
from aqmlab.show.words.explained import traffic_models
from aqmlab.statistics.quantities import QUANTITIES

ROOT = Path(__file__).parents[2]
PAGE, BIBLIOGRAPHY = ROOT / "paper" / "paper.md", ROOT / "paper" / "paper.bib"
REPRODUCED = ROOT / "docs" / "explanation" / "reproduction.md"
TEXT = (ROOT / "paper" / "paper.md.in").read_text(encoding="utf-8")
"""The text with the names of numbers in braces."""
_CAN_FAIL = re.compile(r"^\| (\w+), \w+ \| numbers that can fail \| (\d+) \| (\d+) \|", re.MULTILINE)


def numbers() -> dict[str, str]:
    """Every number of the text, from where it is kept."""
    studies = [experiments.load(name) for name in experiments.names()]
    claims = [claim for study in studies for claim in study.published_claims]
    counted = _CAN_FAIL.findall(REPRODUCED.read_text(encoding="utf-8"))
    if {name for name, _, _ in counted} != {study.name for study in studies}:
        raise AssertionError(f"{REPRODUCED}: has not every study")
    ledger = resources.files("aqmlab") / "experiments" / "strangers" / "quick.csv"
    with ledger.open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    shares = [abs(float(row["error"])) for row in rows if row["measure"] == "share"]
    found = {
        "schemes": len(_core.scheme_names()),
        "profiles": len(_core.profile_names()),
        "models": len(traffic_models()),
        "quantities": len(QUANTITIES),
        "studies": len(studies),
        "configurations": sum(len(study.configurations) for study in studies),
        "claims": len(claims),
        "statements": sum(len(claim.statements) for claim in claims),
        "can_fail": sum(int(numbers) for _, numbers, _ in counted),
        "reproduced": sum(int(held) for _, _, held in counted),
        "cells": sum(row["measure"] in {"share", "jain_index"} for row in rows),
    }
    return {**{name: str(count) for name, count in found.items()}, "share_error": f"{median(shares):.3f}"}


def page() -> str:
    """The paper."""
    return TEXT.format(**numbers())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
