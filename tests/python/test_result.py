"""Results in memory and in folders."""

from __future__ import annotations

import copy
import json
import subprocess
import weakref
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather

import aqmlab
from aqmlab import Result, ResultError, TableError
from aqmlab.errors import FolderError, LayoutError
from aqmlab.result import RecentTables, Tables, save_files
from aqmlab.runs import Job, run_many
from small import CALLS, bulk, contents

if TYPE_CHECKING:
    from pathlib import Path


def made_up(**run: object) -> Result:
    """A result that no simulator made."""
    facts = {
        "format": 3, "aqmlab_version": "1", "scenario": {"name": "x"}, "seed": 3, "warnings": [],
        "measured_from_s": 0.0, "measured_until_s": 1.0, "links": [], "populations": [],
        "flows": [], "tcp": {},
    }  # fmt: skip
    queue = pa.table({"time_s": np.arange(3.0), "packets": np.array([1, 2, 3], dtype=np.uint32)})
    return Result(run={**facts, **run}, tables=Tables({"queue": queue}))


def test_a_saved_result_loads_as_it_was(tmp_path: Path) -> None:
    result = made_up(warnings=["naïve"])
    loaded = Result.load(result.save(tmp_path / "result"))
    assert loaded.run == result.run
    assert list(loaded.tables) == ["queue"]
    assert loaded.queue.equals(result.queue)
    assert loaded.folder == tmp_path / "result"


def test_every_kind_of_column_is_read_back_bit_for_bit(tmp_path: Path) -> None:
    reals = [0.0, -0.0, 5e-324, 1e-45, 0.1, float("inf"), float("nan"), -1.7e308]
    numbers = [0, 1, 2**7, 2**8 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
    kinds = {kind: np.array(numbers, dtype=np.uint64).astype(kind) for kind in ("uint8", "uint32", "uint64")}
    with np.errstate(over="ignore"):
        kinds |= {kind: np.array(reals, dtype=np.float64).astype(kind) for kind in ("float32", "float64")}
    result = Result(run=made_up().run, tables=Tables({"kinds": pa.table(kinds)}))
    kept = Result.load(result.save(tmp_path / "result")).tables["kinds"]
    assert kept.schema == pa.table(kinds).schema
    for kind, values in kinds.items():
        assert kept[kind].to_numpy().tobytes() == values.tobytes(), kind


def test_names_are_categories_in_pandas_and_names_in_parquet(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    result = aqmlab.run(bulk(record__flows=True, record__packets=True))
    folder = result.save(tmp_path / "result")
    kept = Result.load(folder).tables
    for name, table in result.tables.items():
        assert kept[name].schema == table.schema
        for column in table.schema:
            if pa.types.is_dictionary(column.type):
                assert kept[name][column.name].equals(table[column.name]), (name, column.name)
    exported = result.save_parquet(tmp_path / "exported")
    packets = pandas.read_parquet(exported / "packets.parquet")
    assert list(packets["link"].cat.categories) == ["left-to-right", "right-to-left"]
    assert set(packets["event"]) == {"arrival", "departure"}
    assert set(packets["class"]) >= {"data", "pure_ack", "syn", "syn_ack"}
    assert set(packets["flags"]) == {"ACK", "SYN", "SYN+ACK"}
    flows = pandas.read_parquet(exported / "flows.parquet")
    assert list(flows["flow_group"]) == ["flows-0", "flows-0"]
    assert flows["population"].isna().all()
    joined = packets.merge(flows, on="connection", validate="many_to_one")
    assert len(joined) == len(packets)


def test_the_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    made_up().save(tmp_path / "result")
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    subprocess.run(check, cwd=tmp_path / "result", check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("file", ["run.json", "tables.arrow"])
def test_a_changed_file_is_named(tmp_path: Path, file: str) -> None:
    folder = made_up().save(tmp_path / "result")
    content = bytearray((folder / file).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / file).write_bytes(content)
    with pytest.raises(ResultError, match=rf"result: damaged: {file} is not what was written"):
        Result.load(folder)


def test_a_missing_table_file_is_named(tmp_path: Path) -> None:
    folder = made_up().save(tmp_path / "result")
    (folder / "tables.arrow").unlink()
    with pytest.raises(ResultError, match=r"damaged: tables\.arrow is missing"):
        Result.load(folder)


def test_a_folder_without_a_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="holds no result"):
        Result.load(tmp_path)


def test_a_layout_from_the_future_is_refused(tmp_path: Path) -> None:
    folder = made_up(format=4).save(tmp_path / "result")
    newer = r"layout 4 of aqmlab 1, which is newer; this one, .*, reads layouts 2 to 3; open it with a newer"
    with pytest.raises(LayoutError, match=newer):
        Result.load(folder)


def test_a_sound_result_of_an_older_layout_is_refused_and_never_removed(tmp_path: Path) -> None:
    folder = made_up(format=1, content_address="0" * 40).save(tmp_path / "result")
    before = contents(folder)
    with pytest.raises(FolderError, match="layout 1 of aqmlab 1, which is too old"):
        run_many([Job(bulk(), 1, folder=folder)], progress=False)
    assert contents(folder) == before


def test_a_table_that_was_not_kept_says_how_to_keep_it(tmp_path: Path) -> None:
    result = made_up()
    for kept in (result, Result.load(result.save(tmp_path / "result"))):
        with pytest.raises(TableError) as refused:
            kept.tables["arrivals"]
        assert str(refused.value) == (
            "this run has no table 'arrivals' (it has: queue); to record it, set record.arrivals = true"
        )


def test_a_table_is_an_attribute_or_its_error_says_how_to_keep_it(tmp_path: Path) -> None:
    made = made_up()
    rows = pa.table({"time_s": [0.5]})
    kept = Result(run=made.run, tables=Tables({**made.tables, "packets": rows}))
    loaded = Result.load(kept.save(tmp_path / "result"))
    assert getattr(loaded, "packets").equals(rows)  # noqa: B009 (types know the usual tables alone)
    with pytest.raises(TableError, match=r"to record it, set record\.packets = true"):
        getattr(made, "packets")  # noqa: B009
    with pytest.raises(AttributeError, match="a Result has no 'packet'; its tables: queue"):
        getattr(made, "packet")  # noqa: B009
    assert copy.copy(kept).tables is kept.tables


def test_datagrams_and_queues_are_tables_of_their_own() -> None:
    result = aqmlab.run(aqmlab.Scenario.from_toml(CALLS), seed=1)
    calls = result.datagrams.to_pandas()
    assert list(calls["group"].unique()) == ["calls"]
    assert list(calls["sent_packets"]) == [100] * 21
    assert (calls["delay_p50_s"] <= calls["delay_p99_s"]).all()
    queues = result.queues.to_pandas()
    assert len(queues) > 20
    assert list(queues["link"].unique()) == ["left-to-right", "right-to-left"]
    with pytest.raises(
        TableError, match=r"'datagrams'.*to record it, give \[\[datagrams\]\] in the scenario"
    ):
        _ = aqmlab.run(bulk(), seed=1).datagrams
    with pytest.raises(TableError, match=r"to record it, give a monitored link several queues"):
        _ = aqmlab.run(bulk(), seed=1).queues


def test_a_result_is_frozen() -> None:
    with pytest.raises(AttributeError):
        made_up().run = {}  # type: ignore[misc]


def test_what_is_known_of_the_load_is_added_to_a_copy() -> None:
    result = made_up()
    known = result.with_offered_load({"nominal_percent": 90.0})
    assert known.offered_load == {"nominal_percent": 90.0}
    assert result.offered_load is None


def test_columns_of_a_run_are_the_memory_that_the_core_filled() -> None:
    run = aqmlab._core.Run(bulk().core, 1)
    run.execute()
    assert {"queue", "link"} <= set(run.tables())
    for name in run.tables():
        first, again = run.table(name), run.table(name)
        assert all(first[column] is again[column] for column in first)
        arrays = [values[0] if isinstance(values, tuple) else values for values in first.values()]
        assert not any(values.flags.owndata for values in arrays)


def test_other_programs_read_the_tables(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    result = aqmlab.run(bulk())
    as_it_is = feather.read_table(result.save(tmp_path / "result") / "tables.arrow")
    assert set(as_it_is.column_names) == set(result.tables)
    assert as_it_is["queue"].to_pylist() == [result.queue.to_pylist()]
    frame = pandas.read_parquet(result.save_parquet(tmp_path / "exported") / "queue.parquet")
    assert list(frame["time_s"]) == result.queue["time_s"].to_pylist()


def test_a_result_of_parquet_files_is_read_as_before(tmp_path: Path) -> None:
    result = aqmlab.run(bulk(record__flows=True, record__packets=True))
    older, newer = (
        Result.load(save(tmp_path / name))
        for name, save in (("older", result.save_parquet), ("newer", result.save))
    )
    assert older.run == newer.run == result.run
    assert set(older.tables) == set(newer.tables) == set(result.tables)
    for name, table in result.tables.items():
        for kept in (older.tables[name], newer.tables[name]):
            assert kept.schema == table.schema
            assert repr(kept.to_pydict()) == repr(table.to_pydict()), name  # also what is not a number


def test_a_table_without_rows_is_read_back(tmp_path: Path) -> None:
    empty = pa.table({"time_s": pa.array([], pa.float64()), "link": pa.array([], pa.int32())})
    kept = Result.load(Result(run=made_up().run, tables=Tables({"queue": empty})).save(tmp_path / "result"))
    assert kept.queue.schema == empty.schema
    assert kept.queue.num_rows == 0


def test_the_files_of_a_result_are_what_is_saved_and_load_where_they_are_written(tmp_path: Path) -> None:
    result = aqmlab.run(bulk(), seed=3)
    saved = result.save(tmp_path / "saved")
    files = result.files()
    assert files == {file.name: file.read_bytes() for file in saved.iterdir()}
    Result.load(save_files(files, tmp_path / "elsewhere"))
    with pytest.raises(FolderError, match="exists already"):
        save_files(files, tmp_path / "elsewhere")


def test_the_same_run_leaves_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "other"):
        aqmlab.run(bulk(), seed=7).save(tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_a_result_names_its_seed_version_scenario_and_window() -> None:
    result = aqmlab.run(bulk(), seed=7)
    assert result.seed == 7
    assert result.version == aqmlab.__version__
    assert result.scenario == bulk().resolved
    assert (result.run["measured_from_s"], result.run["measured_until_s"]) == (1.0, 3.0)
    assert [law["holds"] for law in result.run["invariants"]] == [True, True, True]
    assert json.loads(json.dumps(result.run)) == result.run


def test_tables_asked_for_last_are_kept_and_the_first_make_room() -> None:
    recent = RecentTables(room_bytes=80_000)  # of four tables, each 80 bytes and some 16 KiB beside them
    tables = {name: pa.table({"number": np.arange(10)}) for name in "abcd"}
    held = {name: weakref.ref(table) for name, table in tables.items()}
    for table in tables.values():
        recent.note(table)
    recent.note(tables["a"])  # is behind the others now
    large = pa.table({"number": np.arange(2_501)})  # more than a quarter of the room
    recent.note(large)
    tables.clear()
    del table
    assert all(reference() is not None for reference in held.values())
    recent.note(pa.table({"number": np.arange(10)}))
    assert {name for name, reference in held.items() if reference() is None} == {"b"}
    large_is = weakref.ref(large)
    del large
    assert large_is() is None
