"""The scorecard as a page in Markdown: each study with its counts, its causes, its numbers and its claims."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from aqmlab.papers.differences import Conclusion
from aqmlab.papers.scorecard import CLAIM, NUMBER, STATEMENT, counted, judging_scales, reproduced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aqmlab.papers.scorecard import Scored

PREFACE = """# What was reproduced, and what was not

`aqmlab scorecard` generates this page from the scorecards of reproductions.

| verdict | meaning |
| --- | --- |
| reproduced | a number lies within its tolerance with its whole 95 % interval; a statement holds |
| differs, cause known | ours differs, and runs show a switch that brings it inside; the note says which |
| not identifiable | ours differs, and runs show that print does not decide ([how](statistics.md#claims)) |
| differs, cause unknown | ours differs, and no runs show why; a note is a conjecture |
| scale cannot judge | the runs were too short or too few |
| not run | the cells were not run at this scale |

A number *can fail* if the paper's cell differs from the paper's network without a bottleneck at the same
load, in at least one of its numbers by more than the tolerance (in a study without this network: always), and
if no input of the models was chosen by it. The others are counted apart: they test the offered load. The runs
of a cause or reason are in `experiments/STUDY/proofs`; `aqmlab reproduce STUDY --proof NAME` repeats them.

† marks numbers that were used to choose an input of the models. [statistics.md](statistics.md#claims) defines
the verdicts of claims and their strength.
"""


def page(entries: Sequence[Scored]) -> str:
    """All studies of these entries."""
    judging = judging_scales(entries)
    parts = [PREFACE, "\n## All studies\n", _counts(entries)]
    for (experiment, scale), found in groupby(entries, key=lambda each: (each.experiment, each.scale)):
        study = list(found)
        judged_at = judging.get(experiment, scale)
        if judged_at != scale:
            study = [each for each in study if each.kind == NUMBER]
        notes = list(dict.fromkeys(_note(each) for each in study if each.because))
        parts += [
            f"\n## {experiment}, scale {scale}\n\n{_head(experiment, study, judged_at)}\n",
            _notes(notes),
            _numbers([each for each in study if each.kind == NUMBER], notes),
            _claims(study, notes),
        ]
    return "".join(parts)


def _head(experiment: str, study: Sequence[Scored], judged_at: str) -> str:
    if not study:
        return f"Claims: at scale {judged_at}."
    verdicts = Counter(each.verdict for each in study if each.kind == CLAIM)
    claims = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    told = f" Claims: {claims}." if claims else f" Claims: at scale {judged_at}."
    more = f"[experiments/{experiment}.md](experiments/{experiment}.md)"
    return f"**{reproduced(study)}**\n\nVersion {study[0].version}.{told} More: {more}."


def _note(entry: Scored) -> str:
    """The cause or reason of an entry with its proof, or its conjecture."""
    return f"{entry.because} (proof: `{entry.proof}`)" if entry.proof else f"conjecture: {entry.because}"


def _counts(entries: Sequence[Scored]) -> str:
    """How many numbers and statements of each study have which verdict."""
    rows = []
    for each in counted(entries):
        found = [str(each.conclusions[name]) for name in Conclusion]
        rows.append(_row(f"{each.experiment}, {each.scale}", each.of, str(each.conclusions.total()), *found))
    return _table(("study", "of", "count", *map(str, Conclusion)), rows)


def _notes(notes: Sequence[str]) -> str:
    """The causes and reasons that verdicts refer to by their numbers."""
    if not notes:
        return ""
    return "\n" + "".join(f"{place}. {says}\n" for place, says in enumerate(notes, start=1))


def _numbers(numbers: Sequence[Scored], notes: Sequence[str]) -> str:
    rows = []
    for each in numbers:
        interval = "" if each.lower is None else f" [{each.lower}, {each.upper}]"
        name = f"{each.name} †" if each.in_sample else each.name
        ours = f"{each.ours}{interval}"
        verdict = _with_notes(each.conclusion, [each], notes)
        rows.append(_row(name, each.says, str(each.published), ours, f"± {each.tolerance}", verdict))
    return _table(("cell", "quantity", "paper", "ours", "tolerance", "verdict"), rows)


def _claims(study: Sequence[Scored], notes: Sequence[str]) -> str:
    rows = []
    for each in (entry for entry in study if entry.kind == CLAIM):
        parts = [part for part in study if part.kind == STATEMENT and part.name.startswith(f"{each.name}.")]
        conclusions = Counter(part.conclusion for part in parts)
        told = [
            _with_notes(
                f"{conclusions[name]} {name}",
                (part for part in parts if part.conclusion == name),
                notes,
            )
            for name in Conclusion
            if conclusions[name]
        ]
        rows.append(_row(each.name, each.says, each.verdict, ", ".join(told), each.strength, each.evidence))
    head = ("claim", "what the paper says", "verdict", "statements", "strength", "evidence")
    return _table(head, rows)


def _with_notes(words: str, entries: Iterable[Scored], notes: Sequence[str]) -> str:
    places = sorted({notes.index(_note(each)) + 1 for each in entries if each.because})
    return f"{words} [{', '.join(map(str, places))}]" if places else words


def _table(head: Sequence[str], rows: Sequence[str]) -> str:
    if not rows:
        return ""
    return "\n".join(["", _row(*head), _row(*("---" for _ in head)), *rows]) + "\n"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
