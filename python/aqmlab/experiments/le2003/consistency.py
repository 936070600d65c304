"""What table 2 says of itself: requests that are missing, the loss that explains them, and bytes per request.

Packet mode treats every packet alike, so what a point of loss costs the users is the same under drop-tail and
under ARED. The paper's own drop-tail rows (24 and 240 elements) give that price; ARED's missing requests then
need a loss that can be held against the counted one. No run of ours is involved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aqmlab.papers.published import PublishedRow

LOSS, COMPLETED, THROUGHPUT = "loss_percent", "completed_millions", "throughput_mbps"
UNCONGESTED = "uncongested"
PACKET_MODE = ("drop-tail-24", "drop-tail-240")
"""Rows that tell the price of a loss: queues in packets that do not add seconds of delay."""


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
