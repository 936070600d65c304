"""The verdicts on a paper's claims: a row for each claim, and in another table one for each statement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aqmlab.inference.strength import WIDEST
from aqmlab.papers.claims import Finding, Outcome, Part, Verdict
from aqmlab.tables.model import Column, Line, Medium, Standing, Table, TableCell, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_PRINTED = 150
STANDINGS = {
    Verdict.REPRODUCED: Standing.WITHIN,
    Verdict.AS_FAR_AS_JUDGED: Standing.WITHIN,
    Verdict.PARTLY: Standing.PARTLY,
    Verdict.NOT: Standing.OUTSIDE,
    Verdict.SCALE_CANNOT_JUDGE: Standing.ABSENT,
    Verdict.NOT_RUN: Standing.ABSENT,
}


def tally(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {str(verdict): sum(1 for outcome in outcomes if outcome.verdict == verdict) for verdict in Verdict}


def statements_told(outcomes: Sequence[Outcome]) -> str:
    """How the statements of all claims together fared."""
    held, differing, unjudged, missing = (
        sum(outcome.count(finding) for outcome in outcomes) for finding in Finding
    )
    return (
        f"{held} of {held + differing} judged statements hold, "
        f"{unjudged} cannot be judged at this scale, and {missing} were not run"
    )


def run(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The claims with runs."""
    return [outcome for outcome in outcomes if outcome.verdict is not Verdict.NOT_RUN]


def not_run(outcomes: Sequence[Outcome]) -> str:
    """The numbers of the others, in print; empty where there is none."""
    return ", ".join(each.identifier for each in outcomes if each.verdict is Verdict.NOT_RUN)


def strength_told(strength: float | None) -> str:
    """A strength in print; nothing where no interval decides."""
    if strength is None:
        return ""
    return f"over {WIDEST:g}" if strength >= WIDEST else f"{strength:.2g}"


def printed(outcomes: Sequence[Outcome]) -> Table:
    """The table without claims that were not run; they are listed below it."""
    told, missing = table_of(outcomes).caption, not_run(outcomes)
    return replace(table_of(run(outcomes)), caption=f"{told}: {missing}" if missing else told)


def table_of(outcomes: Sequence[Outcome]) -> Table:
    """Every claim in its words, with the verdict, the share of its statements that hold, and the evidence."""
    columns: list[Column[Outcome]] = [
        Column("id", lambda claim: text(claim.identifier), "id", heads_row=True),
        in_csv("where", lambda claim: claim.where),
        Column(
            "", lambda claim: text(claim.where, Standing.REFERENCE), "where", words=True, media=Medium.HTML
        ),
        Column("claim", lambda claim: _shortened(claim.claim), "what the paper says", words=True, wraps=True),
        Column("verdict", _verdict, "verdict", words=True, wraps=True),
        in_csv("share_of_judged", lambda claim: claim.share),
        in_csv("statements", lambda claim: len(claim.parts)),
        *(in_csv(_NAMES[each], lambda claim, each=each: claim.count(each)) for each in Finding),  # type: ignore[misc]
        in_csv("weakest_strength", lambda claim: claim.weakest),
        in_csv("effect", lambda claim: claim.effect),
        Column("reason", lambda claim: text(claim.reason), "why", words=True, media=Medium.CSV),
        Column("", _why, "why", words=True, wraps=True, media=Medium.TERMINAL),
        Column("", _evidence, "evidence", words=True, media=Medium.HTML),
    ]
    told = ", ".join(f"{count} {verdict}" for verdict, count in tally(outcomes).items() if count)
    return Table.of(outcomes, columns, title="Claims", caption=f"{statements_told(outcomes)}; claims: {told}")


def statements_of(outcomes: Sequence[Outcome]) -> Table:
    """Every statement of every claim: what was found, how clearly, by which numbers."""
    stated = [(outcome.identifier, part) for outcome in outcomes for part in outcome.parts]
    columns: list[Column[tuple[str, Part]]] = [
        in_csv("claim", lambda each: each[0]),
        in_csv("statement", lambda each: each[1].statement),
        in_csv("finding", lambda each: str(each[1].finding)),
        in_csv("strength", lambda each: each[1].answer.strength),
        *(
            in_csv(name, lambda each, place=place: each[1].answer.bounds[place])  # type: ignore[misc]
            for place, name in enumerate(("effect", "lower", "upper"))
        ),
        in_csv("in_sample", lambda each: each[1].answer.in_sample),
        in_csv("evidence", lambda each: each[1].evidence),
    ]
    return Table.of(stated, columns)


_NAMES = {
    Finding.HOLDS: "hold",
    Finding.DIFFERS: "differ",
    Finding.SCALE_CANNOT_JUDGE: "scale_cannot_judge",
    Finding.NOT_RUN: "not_run",
}


def _verdict(claim: Outcome) -> TableCell:
    words = f"{claim.verdict} {claim.fraction}".strip()
    return text(words, STANDINGS[claim.verdict], value=str(claim.verdict))


def _why(claim: Outcome) -> TableCell:
    """The clearest statement with its strength, or what is missing."""
    if claim.clearest is None:
        return _shortened(claim.reason)
    part = claim.clearest
    clearly = _clearly(part, ", ")
    return _shortened(f"{part.finding}{clearly}: {part.statement} ({part.evidence})")


def _clearly(part: Part, before: str) -> str:
    strength = strength_told(part.answer.strength)
    return f"{before}strength {strength}" if strength else ""


def _evidence(claim: Outcome) -> TableCell:
    """The reason, then every statement with runs, its finding and its strength.

    A small scale leaves out most cells: the reason counts the statements on them, `statements.csv` lists all.
    """
    return TableCell(
        lines=(
            Line(claim.reason),
            *(_statement(part) for part in claim.parts if part.finding is not Finding.NOT_RUN),
        )
    )


def _statement(part: Part) -> Line:
    clearly = _clearly(part, "; ")
    fitted = f"; in-sample: {part.answer.in_sample}" if part.answer.in_sample else ""
    return Line(
        f"• {part.finding}: {part.statement}. {part.evidence}{clearly}{fitted}",
        Standing.OUTSIDE if part.finding is Finding.DIFFERS else Standing.PLAIN,
    )


def _shortened(words: str) -> TableCell:
    short = words if len(words) <= LONGEST_PRINTED else f"{words[: LONGEST_PRINTED - 1]}…"
    return text(words, short=short)
