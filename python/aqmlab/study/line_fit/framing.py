"""How a technology counts bytes on the line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from aqmlab.presets.household import usual_line

_PTM = 65 / 64
_HEADERS_BYTES = 52
"""IPv4 and TCP with its timestamps; full packets without them, or over IPv6, have 1,500 bytes too."""
FULL_PACKET_BYTES = 1500


@dataclass(frozen=True)
class Framing:
    """Bytes of a packet on the line.

    Attributes:
        line: The table `[line]` of the technology, with every default.
    """

    line: dict[str, object]

    @classmethod
    def of(cls, technology: str) -> Self:
        """That of a technology."""
        return cls(dict(usual_line(technology).resolved["line"]))

    def number(self, key: str) -> float:
        """A number of the table."""
        return float(str(self.line[key]))

    def on_line(self, ip_bytes: float) -> float:
        """What a packet takes of the line."""
        framed = max(ip_bytes + self.number("overhead_bytes"), self.number("minimum_frame_bytes"))
        if self.line["framing"] == "atm":
            return float(-(-framed // 48) * 53)
        return framed * (_PTM if self.line["framing"] == "ptm" else 1.0)

    def mbps_of(self, payload_mbps: float, segment_bytes: float) -> float:
        """The line's rate at which full packets carry so much."""
        size = (
            FULL_PACKET_BYTES if segment_bytes >= FULL_PACKET_BYTES - 72 else segment_bytes + _HEADERS_BYTES
        )
        return payload_mbps * self.on_line(size) / segment_bytes

    def bytes_in(self, milliseconds: float, rate_mbps: float) -> int:
        """IP bytes of full packets that the line sends in this time."""
        share = FULL_PACKET_BYTES / self.on_line(FULL_PACKET_BYTES)
        return max(FULL_PACKET_BYTES, round(milliseconds * rate_mbps * 125 * share))
