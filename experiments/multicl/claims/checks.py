"""Where this study's checks are registered."""

from __future__ import annotations

from aqmlab.papers.claims import checks_of

multicl = checks_of("multicl")
"""Registers what statements of this paper may name."""
