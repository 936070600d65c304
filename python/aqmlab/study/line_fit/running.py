"""`aqmlab.line_from`: one's own line, fitted to what other programs have measured of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from aqmlab import arguments, shown
from aqmlab.errors import FolderError, RefusalError
from aqmlab.files.line_records.reading import LEGAL, read_line_records
from aqmlab.files.line_records.record import WAYS
from aqmlab.presets import TECHNOLOGIES
from aqmlab.presets.starting import Preset
from aqmlab.statistics.tidy import Tidy, tidy_estimates
from aqmlab.study.line_fit.fitting import FittedWay, fitted_round_trip, fitted_way
from aqmlab.study.line_fit.framing import Framing
from aqmlab.study.line_fit.loads import seen_in, sessions_of
from aqmlab.study.line_fit.scenario_text import scenario_text
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aqmlab.scenario import Scenario
    from aqmlab.study.line_fit.resampling import Fitted


@dataclass(frozen=True, repr=False)
class FittedLine(shown.Shown, Tidy):
    """A line as measurements show it.

    Attributes:
        sources: The files, each with what it is.
        technology: The kind of line that was given; none if none was.
        round_trip_ms: The idle line's round trip to the server; none without round trips.
        ways: Rate, queue and buffer, `down` and `up`.
        text: The scenario, with comments: what `run`, `compare`, `sqm` and `bloat` take.
    """

    sources: tuple[str, ...]
    technology: str | None
    round_trip_ms: Fitted | None
    ways: Mapping[str, FittedWay]
    text: Preset

    @property
    def scenario(self) -> Scenario:
        """The scenario: a household on the line."""
        return self.text.scenario

    @property
    def numbers(self) -> dict[str, Fitted]:
        """Every number that was fitted, by its name with its unit."""
        found = {"round_trip_ms": self.round_trip_ms}
        for way, each in self.ways.items():
            found |= {
                f"{way}_mbps": each.rate_mbps,
                f"buffer_{way}_ms": each.buffer_ms,
                f"queue_{way}_keeps_ms": each.kept_ms,
            }
        return {name: each for name, each in found.items() if each is not None}

    def to_arrow(self) -> pa.Table:
        """One row for each number, with the ends of its bound."""
        found = self.numbers
        columns = {of: [getattr(each, of) for each in found.values()] for of in ("value", "low", "high")}
        return pa.table({"quantity": list(found), **columns})

    def tidy(self) -> pa.Table:
        """The numbers in the columns of `aqmlab.frame`, of the configuration `line`."""
        return tidy_estimates(
            "line", {name: (each.value, each.low, each.high) for name, each in self.numbers.items()}
        )

    def save(self, file: str | Path) -> Path:
        """Writes the scenario to a new file, or the numbers to a .csv or .parquet file.

        Raises:
            FolderError: The file exists, or cannot be written.
        """
        if Path(file).suffix in arguments.TABLE_ENDINGS:
            return shown.save(self, Path(file))["table"]
        return self.text.save(file)

    def __repr__(self) -> str:
        return f"FittedLine({', '.join(f'{name}={each.value:.4g}' for name, each in self.numbers.items())})"


@arguments.checked(
    RefusalError,
    files=arguments.listed("['rrul.flent.gz']"),
    technology=arguments.optional(arguments.one_of(*TECHNOLOGIES)),
    output=arguments.optional(arguments.path),
    table=arguments.optional(arguments.table_file),
)
def line_from(
    files: Iterable[str | Path],
    *,
    technology: str | None = None,
    output: str | Path | None = None,
    table: str | Path | None = None,
) -> FittedLine:
    """Fits a line to what other programs have measured of it.

    Args:
        files: Of one line: data files of Flent, results of crusader (`crusader export`), CSV of Waveform's
            bufferbloat test, logs of ping, `iperf3 --json`, packet captures, each recognised by its content.
            Logs of `ping -D`, iperf3 and captures are put together by their times.
        technology: cable, vdsl, adsl, fibre, lte, 5g or starlink: how the line counts bytes, and what is
            usual where nothing was measured. Without it rates count IP packets.
        output: File for the scenario, which must not exist.
        table: Also write the numbers and their bounds, a row each.

    Returns:
        The numbers with their bounds, the kinds of queues, and the scenario.

    Raises:
        RefusalError: A file cannot be read or says nothing of a line, or files contradict one another.
        FolderError: The file exists, or cannot be written.
    """
    if table is not None:
        require_form(Path(table))
    if output is not None and Path(output).exists():
        raise FolderError(f"{output}: exists already; choose another file or remove this one")
    named = list(dict.fromkeys(arguments.path("files", each, RefusalError) for each in files))
    if not named:
        raise RefusalError(f"files: none given; legal: {LEGAL}", place="files", legal=LEGAL)
    records = read_line_records(named)
    seen = [seen_in(each) for each in sessions_of(records)]
    framing = Framing.of(technology or "other")
    round_trip = fitted_round_trip(seen)
    ways = {way: fitted_way(seen, way, framing) for way in WAYS}
    if round_trip is None and all(each.rate_mbps is None for each in ways.values()):
        notes = dict.fromkeys(note for each in ways.values() for note in each.notes)
        why = "; ".join(notes) or "no load, no round trips"
        raise RefusalError(
            f"{', '.join(map(str, named))}: nothing of a line can be fitted ({why})", place=str(named[0])
        )
    text = Preset(
        scenario_text([Path(each.source).name for each in records], technology, framing, round_trip, ways)
    )
    line = FittedLine(
        tuple(f"{each.source} ({each.kind})" for each in records), technology, round_trip, ways, text
    )
    if output is not None:
        text.save(output)
    if table is not None:
        line.save(table)
    return line
