"""What table 2 says of itself: requests that are missing, the loss that explains them, and bytes per request.

Packet mode treats every packet alike, so what a point of loss costs the users is the same under drop-tail and
under ARED. The paper's own drop-tail rows (24 and 240 elements) give that price; ARED's missing requests then
need a loss that can be held against the counted one. No run of ours is involved.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aqmlab.papers import experiments
from aqmlab.papers.published import PublishedRow

if TYPE_CHECKING:
    from collections.abc import Iterable

LOSS, COMPLETED, THROUGHPUT = "loss_percent", "completed_millions", "throughput_mbps"
UNCONGESTED = "uncongested"
PACKET_MODE = ("drop-tail-24", "drop-tail-240")
"""Rows that tell the price of a loss: queues in packets that do not add seconds of delay."""
PAGE = Path(__file__).parents[2] / "python" / "aqmlab" / "experiments" / "le2003" / "notes" / "at-length.md"
LOADS = (80.0, 90.0, 98.0, 105.0)
ARED = ("ared-24", "ared-24-ecn", "ared-240", "ared-240-ecn")


class Consistency:
    """Table 2 against its own uncongested and drop-tail rows."""

    def __init__(self, rows: Iterable[PublishedRow]) -> None:
        self.rows = {(row.configuration, row.load_percent): row for row in rows}
        lossy = [row for row in self.rows.values() if row.configuration in PACKET_MODE]
        missing = [self.missing_requests_percent(row) for row in lossy]
        crossed = sum(few * row.values[LOSS] for few, row in zip(missing, lossy, strict=True))
        self.loss_per_missing_request = crossed / sum(few * few for few in missing)
        """Points of loss per cent of missing requests: a line through the origin by least squares."""

    def missing_requests_percent(self, row: PublishedRow) -> float:
        """By how much fewer requests were completed than on the uncongested network at the same load."""
        return 100.0 * (1.0 - row.values[COMPLETED] / self._uncongested(row).values[COMPLETED])

    def needed_loss_percent(self, row: PublishedRow) -> float:
        """The loss of a drop-tail queue with as many missing requests."""
        return self.loss_per_missing_request * self.missing_requests_percent(row)

    def more_bytes_per_request_percent(self, row: PublishedRow) -> float:
        """The surplus of bytes on the link per completed request over the uncongested network."""
        free = self._uncongested(row)
        ours, theirs = (each.values[THROUGHPUT] / each.values[COMPLETED] for each in (row, free))
        return 100.0 * (ours / theirs - 1.0)

    def _uncongested(self, row: PublishedRow) -> PublishedRow:
        return self.rows[UNCONGESTED, row.load_percent]


@pytest.fixture(name="table", scope="module")
def _table() -> Consistency:
    return Consistency(experiments.load("le2003").published.table("2").rows.values())


def printed(cell: str, load: float, loss: float, completed: float, throughput: float) -> PublishedRow:
    return PublishedRow(cell, load, {LOSS: loss, COMPLETED: completed, THROUGHPUT: throughput}, {})


def test_the_price_of_a_loss_by_hand() -> None:
    """Two drop-tail rows that miss 5 and 10 % of 10 million requests at losses of 3 and 8 %."""
    rows = [
        printed("uncongested", 90.0, 0.0, 10.0, 80.0),
        printed("drop-tail-24", 90.0, 3.0, 9.5, 77.9),
        printed("drop-tail-240", 90.0, 8.0, 9.0, 72.0),
        printed("ared-24", 90.0, 1.0, 8.0, 66.56),
    ]
    table = Consistency(rows)
    assert table.loss_per_missing_request == pytest.approx((5 * 3 + 10 * 8) / (5**2 + 10**2))
    assert table.missing_requests_percent(rows[3]) == pytest.approx(20.0)
    assert table.needed_loss_percent(rows[3]) == pytest.approx(20.0 * 95 / 125)
    assert [table.more_bytes_per_request_percent(row) for row in rows] == pytest.approx([0, 2.5, 0, 4.0])


def test_drop_tail_fits_its_own_line_and_ared_misses_it_everywhere(table: Consistency) -> None:
    def surplus(cell: str, load: float) -> float:
        row = table.rows[cell, load]
        return table.needed_loss_percent(row) - row.values[LOSS]

    for cell in ("drop-tail-24", "drop-tail-240"):
        assert all(abs(surplus(cell, load)) < 1.2 for load in LOADS)
    for cell in ARED:
        assert surplus(cell, 80.0) > 0.4
        assert all(surplus(cell, load) > 3.0 for load in LOADS[1:])
        # Rounding of the requests to 0.1 million is 0.4 % of them at most.
        assert table.more_bytes_per_request_percent(table.rows[cell, 98.0]) > 2.0


def test_no_scheme_but_ared_carries_more_bytes_for_a_request(table: Consistency) -> None:
    """Drop-tail and rounding reach 1.2 %; PI and REM lie below the uncongested network at 98 and 105 %."""
    others = [row for row in table.rows.values() if not row.configuration.startswith("ared")]
    assert max(map(table.more_bytes_per_request_percent, others)) < 1.3
    controlled = [
        row for row in others if row.configuration.startswith(("pi", "rem")) and row.load_percent > 90.0
    ]
    assert len(controlled) == 16
    assert all(-3.0 < table.more_bytes_per_request_percent(row) < 0.0 for row in controlled)


def test_the_page_prints_these_numbers(table: Consistency) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for cell in ARED:
        for load in LOADS:
            row = table.rows[cell, load]
            line = (
                f"| `{cell}` | {load:g} | {table.missing_requests_percent(row):.1f} "
                f"| {table.needed_loss_percent(row):.1f} | {row.values[LOSS]:g} "
                f"| {table.more_bytes_per_request_percent(row):+.1f} |"
            )
            assert line in page
    assert f"{table.loss_per_missing_request:.2f} points of loss" in page
