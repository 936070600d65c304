"""What a calibrated demand looks like: printed, and in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.show.words.calibration import lines_in_words, sizes_in_words
from aqmlab.study.calibration import CalibratedDemand

if TYPE_CHECKING:
    from collections.abc import Iterator


@shown.text.register(CalibratedDemand)
def _text(found: CalibratedDemand) -> str:
    return "\n".join(_said(found))


@shown.html.register(CalibratedDemand)
def _html(found: CalibratedDemand) -> str:
    return f"<pre>{html.escape(_text(found))}</pre>\n"


@shown.facts.register(CalibratedDemand)
def _facts(found: CalibratedDemand) -> dict[str, Any]:
    """The line of each bottleneck, and the sizes that cause the loads."""
    return {"demand": str(found.demand), "sentences": list(_said(found))}


def _said(found: CalibratedDemand) -> Iterator[str]:
    yield from lines_in_words(found.demand, found.calibration)
    if any(each.rises for each in found.calibration.bottlenecks):
        yield from sizes_in_words(found.demand, found.calibration, found.loads_percent)
