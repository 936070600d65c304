"""What a run leaves behind: `run.json` and tables of columns, in memory or in a folder.

The columns, their units and their meaning are in `docs/reference/results.md`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from aqmlab import _core, arguments, shown
from aqmlab.errors import FolderError, ResultError, TableError, UnknownQuantityError
from aqmlab.files.columns import of_numbers, of_texts
from aqmlab.files.folders import complete_or_absent, folder_name
from aqmlab.files.reading import parse_json
from aqmlab.files.run_shape import RUN, as_written_today
from aqmlab.files.shape import conform
from aqmlab.files.table_file import read_table, table_bytes, table_names
from aqmlab.terminal.spelling import counted, quoted

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from aqmlab.statistics.quantity import Quantity
    from aqmlab.statistics.run_summary import RunSummary

    _Column = np.ndarray[Any, Any] | tuple[np.ndarray[Any, Any], list[str]]

_RUN = "run.json"
_CHECKSUMS = "SHA256SUMS"
_TABLES = "tables.arrow"
_PARQUET = ".parquet"
"""The ending of the tables of results that were written before there was a file of all tables."""
_CAPTURE = ".pcapng"
_LONGEST_NAME = 256

_HOW_TO_RECORD = {
    "responses": 'set record.responses = "rows"',
    "response_histogram": 'set record.responses to "auto", "rows" or "histogram"',
    "response_scatter": 'set record.responses to "auto", "rows" or "histogram"',
    "pages": 'set record.responses = "rows"',
    "page_histogram": 'set record.responses to "auto", "rows" or "histogram"',
    "arrivals": "set record.arrivals = true",
    "flows": "set record.flows = true",
    "scheme_state": "set record.scheme_state_interval_ms",
    "congestion_windows": "give [[flows]] and set record.congestion_window_interval_ms",
    "users": "set record.users = true",
    "packets": "set record.packets = true",
    "datagrams": "give [[datagrams]] in the scenario",
    "datagram_arrivals": "give [[datagrams]] and set record.datagrams = true",
    "transfers": "give [[flows]] with bytes in the scenario",
    "queues": 'give a monitored link several queues, as with scheme = "fq-codel"',
}


class Tables(Mapping[str, pa.Table]):
    """Tables by name; the error for a missing one explains how to record it."""

    def __init__(self, tables: Mapping[str, pa.Table] | None = None) -> None:
        self._tables = dict(tables or {})

    def __getitem__(self, name: str) -> pa.Table:
        if name not in self._tables:
            raise TableError(_missing_table(name, self))
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


class RecentTables:
    """Tables that were asked for last, kept because a comparison asks for many numbers of each of its runs.

    A run's small tables take some ten kilobytes, so those of hundreds of runs have room; a table that takes
    a quarter of the room alone is not kept.
    """

    def __init__(self, *, room_bytes: int) -> None:
        self._room_bytes = room_bytes
        self._kept_bytes = 0
        self._tables: OrderedDict[int, pa.Table] = OrderedDict()  # by identity; asked for last stands last
        self._changing = threading.Lock()  # a page that is played asks from several threads

    def note(self, table: pa.Table) -> None:
        """The table was asked for: it goes behind all others, of which the first make room."""
        with self._changing:
            if id(table) in self._tables:
                self._tables.move_to_end(id(table))
            elif table.nbytes <= self._room_bytes // 4:
                self._tables[id(table)] = table
                self._kept_bytes += _memory_bytes(table)
            while self._kept_bytes > self._room_bytes:
                self._kept_bytes -= _memory_bytes(self._tables.popitem(last=False)[1])


def _memory_bytes(table: pa.Table) -> int:
    # A table takes some 16 KiB beside its values, which count nothing in `nbytes`: measured with 12 columns.
    return int(table.nbytes) + 16_384


_RECENT = RecentTables(room_bytes=64_000_000)


class StoredTables(Mapping[str, pa.Table]):
    """Tables in a folder, read when asked for and kept only as long as someone uses them.

    Those asked for last are kept a little longer.
    """

    def __init__(self, folder: Path, files: Sequence[str]) -> None:
        """Takes the folder, and the names of the files in it that were written with the result."""
        self._folder = folder
        self._files = _files_of_tables(folder, files)
        self._names = sorted(self._files)
        self._in_use: weakref.WeakValueDictionary[str, pa.Table] = weakref.WeakValueDictionary()

    def __getitem__(self, name: str) -> pa.Table:
        if name not in self._names:
            raise TableError(_missing_table(name, self))
        table = self._in_use.get(name)
        if table is None:
            file = self._folder / self._files[name]
            try:
                table = _read_parquet(file) if file.suffix == _PARQUET else read_table(file, name)
            except (pa.ArrowException, OSError) as error:
                raise ResultError(f"{file}: is no table: {quoted(str(error))}") from None
            self._in_use[name] = table
        _RECENT.note(table)
        return table

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of one run.

    Attributes:
        run: The content of `run.json`: scenario as resolved, seed, version, counters, invariants, warnings.
        tables: Columns by table, as Arrow tables.
        folder: The folder of the result; none while it is only in memory.
    """

    run: dict[str, Any]
    tables: Mapping[str, pa.Table] = field(default_factory=Tables)
    folder: Path | None = None
    _captured: _core.Run | _core.LiveRun | None = field(default=None, repr=False)

    @classmethod
    def from_core(cls, run: _core.Run | _core.LiveRun, *, content_address: str) -> Self:
        """The result of a finished run of the core, without copying columns."""
        tables = Tables({name: _arrow(run.table(name)) for name in run.tables()})
        summary = json.loads(run.summary())
        facts = {"aqmlab_version": _core.version(), "content_address": content_address}
        whole = {"format": summary["format"], **facts, **summary, **facts}
        captured = run if run.captures() else None
        return cls(run=whole, tables=tables, _captured=captured)

    @classmethod
    @arguments.checked(ResultError, folder=arguments.path)
    def load(cls, folder: str | Path) -> Self:
        """Opens the result in `folder` after checking its checksums.

        Raises:
            ResultError: There is no result, it is damaged, or too old or too new.
        """
        folder = Path(folder)
        files = _verify(folder)
        run = _read_run(folder)
        return cls(run=run, tables=StoredTables(folder, files), folder=folder)

    def in_memory(self) -> Self:
        """The same result with its tables in memory, without its folder."""
        return type(self)(run=self.run, tables=Tables({name: self.tables[name] for name in self.tables}))

    @arguments.checked(FolderError, folder=arguments.path)
    def save(self, folder: str | Path) -> Path:
        """Writes the result atomically to a new folder.

        Raises:
            FolderError: The folder exists or cannot be made.
            StorageError: The disk is full or failed; nothing is left behind.
        """
        folder = Path(folder)
        with complete_or_absent(folder) as temporary:
            (temporary / _RUN).write_bytes(self._run_text())
            if self.tables:
                (temporary / _TABLES).write_bytes(table_bytes(self.tables))
            if self._captured is not None:
                for port in self._captured.captures():
                    self._captured.write_capture(port, temporary / capture_name(port))
            digests = {file.name: _digest(file) for file in temporary.iterdir()}
            (temporary / _CHECKSUMS).write_bytes(_checksums_of(digests))
        return folder

    @arguments.checked(FolderError, folder=arguments.path)
    def save_parquet(self, folder: str | Path) -> Path:
        """Writes `run.json` and a Parquet file for each table atomically to a new folder.

        `load` opens it, too.

        Raises:
            FolderError: The folder exists or cannot be made.
            StorageError: The disk is full or failed; nothing is left behind.
        """
        folder = Path(folder)
        with complete_or_absent(folder) as temporary:
            (temporary / _RUN).write_bytes(self._run_text())
            for name, table in self.tables.items():
                _write_parquet(table, temporary / f"{name}{_PARQUET}")
            digests = {file.name: _digest(file) for file in temporary.iterdir()}
            (temporary / _CHECKSUMS).write_bytes(_checksums_of(digests))
        return folder

    def files(self) -> dict[str, bytes]:
        """What `save` writes, by the names of the files; captured packets are not among them.

        Written to a folder, on any machine, they are the result that `load` opens.
        """
        files = {_RUN: self._run_text()}
        if self.tables:
            files[_TABLES] = table_bytes(self.tables).to_pybytes()
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        return {**files, _CHECKSUMS: _checksums_of(digests)}

    def written_files(self) -> list[Path]:
        """The files in the folder of the result that were written with it, checksums last.

        Raises:
            ResultError: It is only in memory.
        """
        if self.folder is None:
            raise ResultError(f"{self!r}: is only in memory; legal: the result of a folder")
        names = [name for _, _, name in _checksums(self.folder)]
        return [self.folder / name for name in [*names, _CHECKSUMS]]

    def _run_text(self) -> bytes:
        return (json.dumps(self.run, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return int(self.run["seed"])

    @property
    def version(self) -> str:
        """Version of aqmlab that made the run, with a digest of the simulator's sources."""
        return str(self.run["aqmlab_version"])

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario as resolved."""
        scenario: dict[str, Any] = self.run["scenario"]
        return scenario

    @property
    def content_address(self) -> str:
        """Hash of all that the run depends on (`Scenario.content_address`); its place in a store."""
        return str(self.run["content_address"])

    @property
    def warnings(self) -> list[str]:
        """Warnings about the run."""
        return [str(warning) for warning in self.run["warnings"]]

    @property
    def summary(self) -> RunSummary:
        """What the run measured, as typed numbers: its links, its users, its TCP."""
        from aqmlab.statistics.run_summary import RunSummary  # noqa: PLC0415 (statistics stand on results)

        return RunSummary.of(self)

    @arguments.checked(UnknownQuantityError, quantity=arguments.quantity)
    def value(self, quantity: Quantity | str, *, links: Sequence[str] = ()) -> float:
        """One number of the run, by its quantity or its name (`aqmlab.quantities` lists them).

        Infinite where the run has only a lower bound of it, the lower one where it has two bounds:
        `aqmlab.frame` gives both.

        Args:
            quantity: Such as `page_p95_s` or `loss_percent/flows.bulk`.
            links: The links that loss, throughput and so on are of; by default those that carry data.

        Raises:
            UnknownQuantityError: There is none of this name, or the run has no such group; the message lists
                them.
            MissingDataError: The run did not record what it takes.
            UnknownLinkError: A link is not monitored.
        """
        from aqmlab.statistics.tidy import known_quantities  # noqa: PLC0415

        (wanted,) = known_quantities([quantity], [self])
        return wanted(self, links)

    @arguments.checked(UnknownQuantityError)
    def to_arrow(
        self, quantities: Sequence[Quantity | str] | None = None, *, links: Sequence[str] = ()
    ) -> pa.Table:
        """The numbers of the run, a row each: `aqmlab.frame` of this result.

        Args:
            quantities: Quantities by name (`aqmlab.quantities` lists them); by default those that `compare`
                shows.
            links: The links that loss, throughput and so on are of; by default those that carry data.

        Raises:
            UnknownQuantityError: There is none of this name, or the run has no such group; the message lists
                them.
            UnknownLinkError: A link is not monitored.
        """
        from aqmlab.statistics.catalogue import shown_of_all  # noqa: PLC0415 (statistics stand on results)
        from aqmlab.statistics.tidy import tidy_table_of  # noqa: PLC0415

        wanted = shown_of_all([self], links) if quantities is None else quantities
        return tidy_table_of({str(self.scenario["name"]): [self]}, wanted, links=links)

    def to_pandas(
        self, quantities: Sequence[Quantity | str] | None = None, *, links: Sequence[str] = ()
    ) -> pd.DataFrame:
        """`to_arrow` as a data frame of pandas."""
        from aqmlab.statistics.tidy import as_pandas  # noqa: PLC0415

        return as_pandas(self.to_arrow(quantities, links=links))

    @property
    def offered_load(self) -> dict[str, Any] | None:
        """The offered load if known: measured, or nominal and realised if it was matched."""
        return self.run.get("offered_load")

    @property
    def responses(self) -> pa.Table:
        """One row per completed exchange, if recorded.

        Raises:
            TableError: They were not.
        """
        return self.tables["responses"]

    @property
    def pages(self) -> pa.Table:
        """One row per page that was loading in the measured window, if recorded.

        Raises:
            TableError: They were not.
        """
        return self.tables["pages"]

    @property
    def queue(self) -> pa.Table:
        """Samples of the monitored queues."""
        return self.tables["queue"]

    @property
    def link(self) -> pa.Table:
        """Throughput of the monitored links over time."""
        return self.tables["link"]

    @property
    def datagrams(self) -> pa.Table:
        """One row per UDP source: packets sent, delivered and lost, and delays.

        Raises:
            TableError: The scenario has none.
        """
        return self.tables["datagrams"]

    @property
    def transfers(self) -> pa.Table:
        """One row per started flow with a number of bytes: end time and duration.

        Raises:
            TableError: The scenario has none.
        """
        return self.tables["transfers"]

    @property
    def traffic(self) -> pa.Table:
        """Packets sent, marked and discarded, per link and population or group of flows.

        Raises:
            TableError: The scenario does not record it (`record.traffic`).
        """
        return self.tables["traffic"]

    @property
    def queues(self) -> pa.Table:
        """One row per used queue of monitored ports with several queues.

        Raises:
            TableError: No monitored port has several.
        """
        return self.tables["queues"]

    if not TYPE_CHECKING:  # so that type checkers still find names that nothing has

        def __getattr__(self, name: str) -> pa.Table:
            """Any other table by its name, as `result.packets`.

            Raises:
                TableError: It was not recorded; the message says how to record it.
            """
            tables = self.__dict__.get("tables", {})
            if name in _HOW_TO_RECORD or name in tables:
                return tables[name]
            raise AttributeError(
                f"a Result has no {name!r}; its tables: {', '.join(tables)}", name=name, obj=self
            )

    @property
    def live(self) -> dict[str, Any] | None:
        """The audit of a live run, with its verdict; none for a simulation."""
        return self.run.get("live")

    def with_live(self, audit: Mapping[str, Any]) -> Result:
        """The same as a live run with this audit and a content address of its own."""
        kind = "live, queues of the kernel" if audit.get("kernel_queues") else "live"
        named = f"{kind} {self.content_address}".encode()
        address = hashlib.sha1(named, usedforsecurity=False).hexdigest()
        return replace(self, run={**self.run, "content_address": address, "live": dict(audit)})

    @property
    def captured(self) -> bool:
        """Whether packets were captured, which a folder has as .pcapng."""
        if self.folder is not None:
            return any(file.suffix == _CAPTURE for file in self.written_files())
        return self._captured is not None

    @property
    def actions(self) -> list[dict[str, Any]]:
        """What was changed during the run (`Simulation.act`), in the order of time."""
        return [dict(action) for action in self.run.get("actions", ())]

    def with_actions(self, actions: Sequence[Mapping[str, Any]]) -> Result:
        """The same as a run with these actions and a content address of its own."""
        named = f"{self.content_address} {json.dumps(actions, sort_keys=True)}".encode()
        address = hashlib.sha1(named, usedforsecurity=False).hexdigest()
        places = (str(action.get("link", action.get("group"))) for action in actions)
        changed = ", ".join(dict.fromkeys(places))
        warning = f"{counted(len(actions), 'action')} during the run changed {changed}: see actions"
        facts = {"content_address": address, "actions": [dict(action) for action in actions]}
        return replace(self, run={**self.run, **facts, "warnings": [*self.warnings, warning]})

    def with_offered_load(self, offered_load: Mapping[str, Any]) -> Result:
        """The same result with its offered load."""
        return replace(self, run={**self.run, "offered_load": dict(offered_load)})

    def _repr_html_(self) -> str:
        """What notebooks show: what its users waited for, and what its links carried."""
        return shown.html(self)

    def __repr__(self) -> str:
        place = f", {str(self.folder)!r}" if self.folder else ""
        return f"Result({self.scenario.get('name')!r}, seed {self.seed}{place})"


def save_files(files: Mapping[str, bytes], folder: Path) -> Path:
    """Writes the files of a result (`Result.files`) atomically to a new folder."""
    with complete_or_absent(folder) as temporary:
        for name, content in files.items():
            (temporary / name).write_bytes(content)
    return folder


def link_files(source: Path, folder: Path, *, may_copy: bool) -> Path:
    """Makes the result in `source` the one in the new `folder` as well, atomically.

    The files are the same ones where the disk allows it; they never change, so neither place minds the other.
    """
    with complete_or_absent(folder) as temporary:
        for name in [*(name for _, _, name in _checksums(source)), _CHECKSUMS]:
            try:
                (temporary / name).hardlink_to(source / name)
            except OSError:
                if not may_copy:
                    raise
                shutil.copyfile(source / name, temporary / name)
    return folder


def capture_name(port: str) -> str:
    """What the file with the packets of a port is called."""
    return f"{folder_name(port)}{_CAPTURE}"


def holds_remains(folder: Path) -> bool:
    """Whether the folder holds a result of ours, sound or damaged."""
    return (folder / _RUN).is_file() or (folder / _CHECKSUMS).is_file()


def _arrow(columns: Mapping[str, _Column]) -> pa.Table:
    return pa.table({name: _arrow_column(values) for name, values in columns.items()})


def _arrow_column(values: _Column) -> pa.Array:
    if not isinstance(values, tuple):
        return of_numbers(values)
    # The highest unsigned code is no name; as signed numbers, which Parquet gives back, it is negative.
    codes, names = values[0].view("int32"), values[1]
    nameless = codes < 0
    indices = of_numbers(codes, missing=nameless if nameless.any() else None)
    return pa.DictionaryArray.from_arrays(indices, of_texts(names))


def _write_parquet(table: pa.Table, file: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415 (results need none)

    # Names are few and stand once. Samples hardly repeat: a dictionary of them is larger than they are. Real
    # numbers are stored byte place by byte place, so that signs, exponents and even steps compress; no bit is
    # lost. The same encoding of whole numbers is newer than many readers.
    real = [column.name for column in table.schema if pa.types.is_floating(column.type)]
    names = [column.name for column in table.schema if pa.types.is_dictionary(column.type)]
    parquet.write_table(
        table,
        file,
        compression="zstd",
        compression_level=3,
        use_dictionary=names or False,
        use_byte_stream_split=real,
    )


def _files_of_tables(folder: Path, files: Sequence[str]) -> dict[str, str]:
    """The file that holds each table."""
    found = {Path(name).stem: name for name in files if name.endswith(_PARQUET)}
    if _TABLES in files:
        try:
            found |= dict.fromkeys(table_names(folder / _TABLES), _TABLES)
        except (pa.ArrowException, OSError) as error:
            raise ResultError(f"{folder / _TABLES}: holds no tables: {quoted(str(error))}") from None
    return found


def _read_parquet(file: Path) -> pa.Table:
    from pyarrow import parquet  # noqa: PLC0415 (only older results need it)

    with parquet.ParquetFile(file) as stored:  # read_table would load pyarrow.dataset first
        return stored.read()


def _missing_table(name: str, present: Mapping[str, pa.Table]) -> str:
    remedy = _HOW_TO_RECORD.get(name)
    there = ", ".join(present) or "none"
    message = f"this run has no table {name!r} (it has: {there})"
    return f"{message}; to record it, {remedy}" if remedy else message


def _digest(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _checksums_of(digests: Mapping[str, str]) -> bytes:
    # The format of sha256sum: `sha256sum --check SHA256SUMS` works without aqmlab.
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode("ascii")


def unlisted_files(folder: Path) -> list[str]:
    """Files in a sound result's folder that were not written with it; nothing reads them."""
    listed = {name for _, _, name in _checksums(folder)}
    return sorted(entry.name for entry in folder.iterdir() if entry.name not in listed | {_CHECKSUMS})


def _read_run(folder: Path) -> dict[str, Any]:
    try:  # whatever its size: a run of very many links says something of each
        text = (folder / _RUN).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ResultError(f"{folder}: {_RUN} is not UTF-8 text") from None
    run = parse_json(text, f"{folder}: {_RUN}", ResultError)
    run = as_written_today(run, str(folder))
    conform(run, RUN, f"{folder}: {_RUN}", ResultError)
    return run


def _checksums(folder: Path) -> list[tuple[str, str, str]]:
    try:
        listed = (folder / _CHECKSUMS).read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        raise ResultError(f"{folder}: holds no result (no readable {_CHECKSUMS})") from None
    return [line.partition("  ") for line in listed]


def _shown(name: str) -> str:
    return (name if len(name) < _LONGEST_NAME else "a file of an endless name") or f"the end of {_CHECKSUMS}"


def _verify(folder: Path) -> list[str]:
    """The files that were written there, after checking that they are what was written."""
    lines = _checksums(folder)
    names = [name for _, _, name in lines]
    if _RUN not in names:
        raise ResultError(f"{folder}: holds no result ({_CHECKSUMS} does not list {_RUN})")
    there = {entry.name for entry in folder.iterdir() if entry.is_file()}
    for digest, _, name in lines:
        if name not in there:
            raise ResultError(f"{folder}: damaged: {_shown(name)} is missing")
        if _digest(folder / name) != digest:
            raise ResultError(f"{folder}: damaged: {name} is not what was written")
    # A table without a checksum: foreign, or the list of checksums lost its last lines.
    for file in sorted([*folder.glob(f"*{_PARQUET}"), folder / _TABLES]):
        if file.name in there and file.name not in names:
            raise ResultError(f"{folder}: damaged: {_CHECKSUMS} does not list {file.name}")
    return names
