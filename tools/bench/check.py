"""`make bench-check`: refuses figures that are above those of the last release.

`counts.json` has the counts of the release that `release.txt` names, and of what is new since those of the
commit that added it. What is counted may be so much above them and no more, however many commits it took.
Somebody who has to be slower raises the ceiling of a figure's counts, with the reason, in `raised` there:
`"packet of a scenario: bulk red": {"instructions": 0.04, "code_misses": 0.2, "reason": "why"}`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import counting
import programs
import released
from figures import PACKET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from counting import Counts
    from figures import Figure

COMMITTED = Path(__file__).with_name("counts.json")


@dataclass(frozen=True)
class Allowed:
    """How far a count may grow: by this share and so much more, because one more spill is no regression."""

    share: float
    more: float

    def is_more(self, now: float, before: float) -> bool:
        """Whether it grew by more than this."""
        return now > before * (1 + self.share) + self.more

    def is_less(self, now: float, before: float) -> bool:
        """Whether it shrank by more than this."""
        return now < before * (1 - self.share) - self.more


# Misses depend on where the linker puts a function, so they may move a little with any change. What users run
# is whole scenarios: single steps may pay for one another.
SCENARIO_INSTRUCTIONS = Allowed(0.02, 3.0)
ALLOWED = {
    "instructions": Allowed(0.05, 3.0),
    "code_misses": Allowed(0.10, 1.0),
    "mispredictions": Allowed(0.10, 1.0),
}

DIGITS = {"instructions": 1, "code_misses": 2, "mispredictions": 2}

Row = dict[str, float]
"""Each count per step, by its name."""

Committed = dict[str, dict[str, Row]]
"""Rows by step and name of the figure."""


Raised = dict[str, dict[str, float | str]]
"""Ceilings above the usual one, by figure: the share of the release's count, by count, and the reason."""


def check(figures: Sequence[Figure], workers: int, *, partly: bool) -> int:
    """Compares with the counts of the release; 1 when one is above its ceiling, or is on one side only.

    Args:
        figures: What to count.
        workers: Processes at a time.
        partly: Whether figures were left out on purpose.
    """
    file = json.loads(COMMITTED.read_text(encoding="utf-8"))
    if file["release"] != released.commit():
        print(f"counts of {file['release']}, release {released.commit()}: make bench-check UPDATE=1")
        return 1
    found = _by_step(figures, counting.per_step(figures, workers))
    committed: Committed = file["per_step"]
    if (ours := programs.compiler()) != file["compiler"]:
        print(
            f"note: the committed figures are of {file['compiler']}, these of {ours}: it may be the compiler"
        )
    raised: Raised = file["raised"]
    failed = [name for name in _names(found) if _is_refused(name, found, committed, raised)]
    if not partly:
        gone = sorted(set(_names(committed)) - set(_names(found)))
        for step, name in gone:
            print(f"{step}: {name}: committed, but no longer there; `make bench-check UPDATE=1`")
        failed += gone
    print(f"{len(failed)} of {len(_names(found))} refused" if failed else f"{len(_names(found))} hold")
    return int(bool(failed))


def update(figures: Sequence[Figure], workers: int, *, partly: bool) -> None:
    """Commits to figures that are new, and forgets those that are gone; of another release to all.

    The counts of the release stay what they are, and so does what was raised, until the release is another.
    """
    file = json.loads(COMMITTED.read_text(encoding="utf-8"))
    found = _by_step(figures, counting.per_step(figures, workers))
    before: Committed = file["per_step"]
    if file["release"] == released.commit():
        found = {
            step: {name: before.get(step, {}).get(name, row) for name, row in rows.items()}
            for step, rows in found.items()
        }
        if partly:
            found = {step: {**before.get(step, {}), **found.get(step, {})} for step in {**before, **found}}
        file |= {"per_step": found}
    elif partly:
        raise SystemExit("another release: count all figures, without --only")
    else:
        file = {
            "release": released.commit(),
            "compiler": programs.compiler(),
            "raised": {},
            "per_step": found,
        }
    COMMITTED.write_text(json.dumps(file, indent=2) + "\n", encoding="utf-8")


def _by_step(figures: Sequence[Figure], counted: Sequence[Counts]) -> Committed:
    found: Committed = {}
    for figure, counts in zip(figures, counted, strict=True):
        row = {count: round(value, DIGITS[count]) for count, value in asdict(counts).items()}
        found.setdefault(figure.step, {})[figure.name] = row
    return found


def _names(figures: Mapping[str, Mapping[str, Row]]) -> list[tuple[str, str]]:
    return [(step, name) for step, names in figures.items() for name in names]


def _is_refused(place: tuple[str, str], found: Committed, committed: Committed, raised: Raised) -> bool:
    """Prints a figure's lines; whether it is new or one of its counts is above its ceiling."""
    step, name = place
    now, before = found[step][name], committed.get(step, {}).get(name)
    label = f"{step}: {name}"
    if before is None:
        print(f"{label:68} {now['instructions']:9.1f}  NOT COMMITTED: `make bench-check UPDATE=1`")
        return True
    allowed = ALLOWED | ({"instructions": SCENARIO_INSTRUCTIONS} if step == PACKET else {})
    higher = raised.get(label, {})
    allowed |= {count: Allowed(float(higher[count]), 0.0) for count in allowed if count in higher}
    grown = [_grew(label, count, now[count], before[count], allowed[count]) for count in allowed]
    return any(grown)


def _grew(label: str, count: str, now: float, before: float, allowed: Allowed) -> bool:
    """Prints the line of one count: instructions always, the others where they moved."""
    grew, shrank = allowed.is_more(now, before), allowed.is_less(now, before)
    if grew or shrank or count == "instructions":
        what = label if count == "instructions" else f"  {count.replace('_', ' ')}"
        change = f"{now / before - 1:+8.1%}" if before else f"{now - before:+8.2f}"
        verdict = "  ABOVE THE RELEASE" if grew else "  better" if shrank else ""
        print(f"{what:68} {now:9.1f} {change}{verdict}")
    return grew
