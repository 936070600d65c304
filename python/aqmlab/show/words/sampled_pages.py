"""What the pages of a traffic model of one's own consist of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.show.words.amounts import counted, duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab import _core


def sample_in_words(sample: _core.SampledPages) -> Iterator[str]:
    """The objects of the pages, their sizes, the think times, and what a page costs."""
    yield f"{counted(len(sample.objects), 'page')}, each drawn twice"
    yield f"objects per page: {_distribution(sample.objects, _number)}"
    yield f"bytes per object: {_distribution(sample.response_bytes, _number)}"
    yield f"think time: {_distribution(sample.think_s, duration)}"
    yield f"time to draw a page: {duration(sample.page_cost_s)}"


def numbers_of(sample: _core.SampledPages) -> dict[str, float | None]:
    """The same by names that end in their units."""
    found: dict[str, float | None] = {"pages": float(len(sample.objects)), "page_cost_s": sample.page_cost_s}
    for name, values in (
        ("objects_{}", sample.objects),
        ("object_{}_bytes", sample.response_bytes),
        ("think_{}_s", sample.think_s),
    ):
        found |= {
            name.format(of): value for of, value in zip(("p50", "p90", "mean"), _summary(values), strict=True)
        }
    return found


def _summary(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, 90th percentile and mean."""
    median, high = np.quantile(values, (0.5, 0.9), method="inverted_cdf")
    return float(median), float(high), float(np.mean(values))


def _distribution(values: Sequence[float], shown: Callable[[float], str]) -> str:
    median, high, mean = map(shown, _summary(values))
    return f"median {median}, 90th percentile {high}, mean {mean}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 or value == round(value) else f"{value:.1f}"
