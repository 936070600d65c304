"""`make bench-check`: refuses figures of instructions that grew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import counting
import programs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from figures import Figure

COMMITTED = Path(__file__).with_name("instructions.json")

ALLOWED_GROWTH = 0.05
ALLOWED_INSTRUCTIONS = 3.0
"""Beside the share: in cases of some ten instructions one more spill is no regression."""

Committed = dict[str, dict[str, float]]
"""Instructions per step, by step and name."""


def check(figures: Sequence[Figure], workers: int, *, partly: bool) -> int:
    """Compares with the committed figures; 1 when one grew, or is on one side only.

    Args:
        figures: What to count.
        workers: Processes at a time.
        partly: Whether figures were left out on purpose.
    """
    found = _by_step(figures, counting.per_step(figures, workers))
    file = json.loads(COMMITTED.read_text(encoding="utf-8"))
    committed: Committed = file["instructions_per_step"]
    if (ours := programs.compiler()) != file["compiler"]:
        print(
            f"note: the committed figures are of {file['compiler']}, these of {ours}: it may be the compiler"
        )
    failed = [name for name in _names(found) if _is_refused(name, found, committed)]
    if not partly:
        gone = sorted(set(_names(committed)) - set(_names(found)))
        for step, name in gone:
            print(f"{step}: {name}: committed, but no longer there; `make bench-check UPDATE=1`")
        failed += gone
    print(f"{len(failed)} of {len(_names(found))} refused" if failed else f"{len(_names(found))} hold")
    return int(bool(failed))


def update(figures: Sequence[Figure], workers: int, *, partly: bool) -> None:
    """Commits to the figures counted now; those left out on purpose stay."""
    found = _by_step(figures, counting.per_step(figures, workers))
    if partly:
        kept: Committed = json.loads(COMMITTED.read_text(encoding="utf-8"))["instructions_per_step"]
        found = {step: {**kept.get(step, {}), **found.get(step, {})} for step in {**kept, **found}}
    file = {"compiler": programs.compiler(), "instructions_per_step": found}
    COMMITTED.write_text(json.dumps(file, indent=2) + "\n", encoding="utf-8")


def _by_step(figures: Sequence[Figure], counted: Sequence[float]) -> Committed:
    found: Committed = {}
    for figure, instructions in zip(figures, counted, strict=True):
        found.setdefault(figure.step, {})[figure.name] = round(instructions, 1)
    return found


def _names(figures: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str]]:
    return [(step, name) for step, names in figures.items() for name in names]


def _is_refused(place: tuple[str, str], found: Committed, committed: Committed) -> bool:
    """Prints one line; whether the figure is new or grew by more than is allowed."""
    step, name = place
    now, before = found[step][name], committed.get(step, {}).get(name)
    label = f"{step}: {name}"
    if before is None:
        print(f"{label:68} {now:8.1f}  NOT COMMITTED: `make bench-check UPDATE=1`")
        return True
    grew = now > before * (1 + ALLOWED_GROWTH) + ALLOWED_INSTRUCTIONS
    shrank = now < before * (1 - ALLOWED_GROWTH) - ALLOWED_INSTRUCTIONS
    verdict = "  REGRESSION" if grew else "  better: `make bench-check UPDATE=1` keeps it" if shrank else ""
    print(f"{label:68} {now:8.1f} {now / before - 1:+8.1%}{verdict}")
    return grew
