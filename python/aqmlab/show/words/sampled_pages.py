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


def _distribution(values: Sequence[float], shown: Callable[[float], str]) -> str:
    median, high = np.quantile(values, (0.5, 0.9), method="inverted_cdf")
    return f"median {shown(median)}, 90th percentile {shown(high)}, mean {shown(float(np.mean(values)))}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 or value == round(value) else f"{value:.1f}"
