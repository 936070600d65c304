"""The verdicts on a paper's claims, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.reproduce.claims import Outcome, Verdict
from aqmlab.tables.model import Column, Medium, Standing, Table, TableCell, text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    columns: Sequence[tuple[Column, Callable[[Outcome], TableCell]]] = [
        (Column("id", "id", heads_row=True), lambda claim: text(claim.identifier)),
        (Column("where", media=Medium.CSV), lambda claim: text(claim.where)),
        (Column("claim", media=Medium.CSV), lambda claim: text(claim.claim)),
        (
            Column("verdict", "verdict", words=True),
            lambda claim: text(claim.verdict, STANDINGS[claim.verdict]),
        ),
        (Column("effect", media=Medium.CSV), lambda claim: text(claim.effect)),
        (Column("reason", "why", words=True, wraps=True), lambda claim: _shortened(claim.reason)),
        (
            Column("", "strongest evidence", words=True, wraps=True, media=Medium.TERMINAL),
            lambda claim: _shortened(claim.effect),
        ),
    ]
    told = ", ".join(f"{count} {verdict}" for verdict, count in tally(outcomes).items())
    return Table.of(outcomes, columns, title="Claims", caption=told)


def _shortened(words: str) -> TableCell:
    short = words if len(words) <= LONGEST_PRINTED else f"{words[: LONGEST_PRINTED - 1]}…"
    return text(words, short=short)
