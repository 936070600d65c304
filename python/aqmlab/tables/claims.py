"""The verdicts on a paper's claims, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.reproduce.claims import Outcome, Verdict
from aqmlab.tables.model import Column, Medium, Standing, Table, TableCell, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_PRINTED = 120
STANDINGS = {
    Verdict.REPRODUCED: Standing.WITHIN,
    Verdict.PARTLY: Standing.PARTLY,
    Verdict.NOT: Standing.OUTSIDE,
    Verdict.CANNOT_BE_JUDGED: Standing.ABSENT,
}


def tally(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {str(verdict): sum(1 for outcome in outcomes if outcome.verdict == verdict) for verdict in Verdict}


def table_of(outcomes: Sequence[Outcome]) -> Table:
    """Every claim with its verdict, the reason, and the strongest evidence."""
    columns: list[Column[Outcome]] = [
        Column("id", lambda claim: text(claim.identifier), "id", heads_row=True),
        in_csv("where", lambda claim: claim.where),
        in_csv("claim", lambda claim: claim.claim),
        Column("verdict", lambda claim: text(claim.verdict, STANDINGS[claim.verdict]), "verdict", words=True),
        in_csv("effect", lambda claim: claim.effect),
        Column("reason", lambda claim: _shortened(claim.reason), "why", words=True, wraps=True),
        Column(
            "",
            lambda claim: _shortened(claim.effect),
            "strongest evidence",
            words=True,
            wraps=True,
            media=Medium.TERMINAL,
        ),
    ]
    told = ", ".join(f"{count} {verdict}" for verdict, count in tally(outcomes).items())
    return Table.of(outcomes, columns, title="Claims", caption=told)


def _shortened(words: str) -> TableCell:
    short = words if len(words) <= LONGEST_PRINTED else f"{words[: LONGEST_PRINTED - 1]}…"
    return text(words, short=short)
