"""What a file says of a line, whichever program wrote it: round trips, and what was carried each way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import RefusalError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

WAYS = ("down", "up")


@dataclass(frozen=True)
class Probes:
    """Round trips in the order in which they began.

    Attributes:
        at_s: When each began.
        round_trip_ms: How long it took; not a number where no answer came.
        up_ms: How long the way up took, by clocks that differ by something constant; none if not known.
    """

    at_s: NDArray[np.float64]
    round_trip_ms: NDArray[np.float64]
    up_ms: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, at_s: object, round_trip_ms: object, up_ms: object = None) -> Probes:
        """Of numbers in any order."""
        at = np.asarray(at_s, dtype=np.float64)
        order = np.argsort(at, kind="stable")
        round_trip = np.asarray(round_trip_ms, dtype=np.float64)[order]
        up = None if up_ms is None else np.asarray(up_ms, dtype=np.float64)[order]
        return cls(at[order], round_trip, up)


@dataclass(frozen=True)
class Carried:
    """What TCP connections have carried one way, without headers, since they began.

    Attributes:
        at_s: Instants.
        megabits: How much had arrived, or was acknowledged, at each.
        segment_bytes: What a full packet carries; none if not known.
        single_figure: Whether the file has one rate only, and not how it varied.
        in_jumps: Whether these are acknowledgements, which stand still while a loss is repaired.
    """

    at_s: NDArray[np.float64]
    megabits: NDArray[np.float64]
    segment_bytes: float | None = None
    single_figure: bool = False
    in_jumps: bool = False

    @classmethod
    def of_rates(
        cls, begins_s: object, ends_s: object, mbps: object, *, segment_bytes: float | None = None
    ) -> Carried:
        """Of rates in intervals that follow one another; between them nothing was carried."""
        begins, ends = (np.asarray(each, dtype=np.float64) for each in (begins_s, ends_s))
        sums = np.cumsum(np.asarray(mbps, dtype=np.float64) * (ends - begins))
        at_s = np.column_stack([begins, ends]).ravel()
        megabits = np.column_stack([np.concatenate([[0.0], sums[:-1]]), sums]).ravel()
        return cls(at_s, megabits, segment_bytes)

    def until(self, at_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much was carried until each instant."""
        found: NDArray[np.float64] = np.interp(at_s, self.at_s, self.megabits)
        return found


@dataclass(frozen=True)
class LineRecord:
    """What is in a file.

    Attributes:
        source: The file.
        kind: What it is, in words.
        probes: Round trips of packets that belong to no transfer.
        carried: What was carried each way, by way; several where transfers followed one another.
        flow_probes: Round trips of the transfers' own packets, by the way that they fill.
        dated: Whether its times count from 1970, so that files on one clock belong together.
        timed: Whether its times are known at all; of untimed probes only the order and the spacing are.
    """

    source: str
    kind: str
    probes: Probes | None = None
    carried: Mapping[str, tuple[Carried, ...]] = field(default_factory=dict)
    flow_probes: Mapping[str, Probes] = field(default_factory=dict)
    dated: bool = False
    timed: bool = True

    def __post_init__(self) -> None:
        """Refuses what no program measures: falling sums, endless times or rates, negative round trips."""
        carried = [each for of in self.carried.values() for each in of]
        probes = [each for each in (self.probes, *self.flow_probes.values()) if each is not None]
        sound = all(
            np.isfinite(each.at_s).all()
            and np.isfinite(each.megabits).all()
            and (np.diff(each.megabits) >= 0).all()
            for each in carried
        ) and all(
            np.isfinite(each.at_s).all()
            and not ((each.round_trip_ms < 0) | np.isinf(each.round_trip_ms)).any()
            for each in probes
        )
        if not sound:
            raise RefusalError(
                f"{self.source}: what was carried falls, a round trip is negative, or a number is too large",
                place=self.source,
            )
