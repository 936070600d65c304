"""A traffic model tried outside of any scenario: its pages, and what a page costs."""

from __future__ import annotations

from pathlib import Path

from aqmlab import _core


def check(name: str, *, folder: str | Path = ".") -> _core.SampledPages:
    """Draws the 200 pages that a scenario draws when it is read, each twice, with the model's defaults."""
    return _core.sample_model(Path(folder).absolute(), name)
