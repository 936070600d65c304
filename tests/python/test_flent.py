"""Results as Flent data files: by the documented structure, and by Flent itself where it is installed."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import ResultError
from aqmlab.show.tables.flent import flent_document, save_flent
from small import CALLS, aqmlab_run, bulk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def result() -> aqmlab.Result:
    return aqmlab.run(FULL, seed=2)


FULL = bulk(dumbbell__rate_mbps=5.0, dumbbell__queue__limit_packets=20)
"""A link that two flows keep full."""


def read(file: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    return document


def test_the_file_has_the_documented_structure(result: aqmlab.Result, tmp_path: Path) -> None:
    save_flent(result, tmp_path / "two.flent.gz")
    document = read(tmp_path / "two.flent.gz")
    assert set(document) == {"version", "metadata", "x_values", "results", "raw_values"}
    instants = document["x_values"]
    # 3 s in intervals of 100 ms.
    assert instants == pytest.approx([0.1 * tick for tick in range(1, 31)])
    assert set(document["results"]) == {"TCP download", "TCP upload", "Ping (ms) ICMP"}
    assert all(len(values) == len(instants) for values in document["results"].values())
    metadata = document["metadata"]
    for key in (
        "NAME",
        "TITLE",
        "HOSTS",
        "LOCAL_HOST",
        "LENGTH",
        "TOTAL_LENGTH",
        "STEP_SIZE",
        "TIME",
        "NOTE",
    ):
        assert metadata[key] is not None, key
    assert (metadata["LENGTH"], metadata["STEP_SIZE"]) == (pytest.approx(3.0), pytest.approx(0.1))
    for name, values in document["results"].items():
        assert [raw["val"] for raw in document["raw_values"][name]] == values


def test_the_numbers_are_those_of_the_tables(result: aqmlab.Result) -> None:
    document = flent_document(result)
    link = result.tables["link"].to_pandas()
    frames = link[link["link"] == "left-to-right"]["frame_bytes"].sum()
    download = document["results"]["TCP download"]
    # Mbit/s over 30 intervals of 0.1 s, back to bytes.
    assert sum(download) * 0.1e6 / 8 == pytest.approx(frames)
    assert 4.0 < max(download) < 5.01
    # 50 packets of 1500 bytes take 60 ms at 10 Mbit/s; acknowledgements do not queue.
    ping = document["results"]["Ping (ms) ICMP"]
    queue = result.tables["queue"].to_pandas()
    bytes_waiting = queue.groupby("link")["bytes"].max().sum()
    packets_waiting = queue.groupby("link")["packets"].max().sum()
    # Ethernet: 18 bytes of headers and 20 of gap to each packet.
    assert 0.0 < max(ping) <= (bytes_waiting + 38 * packets_waiting) * 8e-3 / 5.0


def test_directions_can_be_chosen_and_are_checked(result: aqmlab.Result) -> None:
    turned = flent_document(result, download="right-to-left", upload="left-to-right")
    straight = flent_document(result)
    assert turned["results"]["TCP upload"] == straight["results"]["TCP download"]
    with pytest.raises(ResultError, match=r"link 'left': .*left-to-right"):
        flent_document(result, download="left")


def test_equal_results_give_equal_files(result: aqmlab.Result, tmp_path: Path) -> None:
    save_flent(result, tmp_path / "a.flent.gz")
    save_flent(aqmlab.run(FULL, seed=2), tmp_path / "b" / "a.flent.gz")
    assert (tmp_path / "a.flent.gz").read_bytes() == (tmp_path / "b" / "a.flent.gz").read_bytes()


def test_the_command_writes_it(tmp_path: Path) -> None:
    aqmlab.run(CALLS).save(tmp_path / "calls")
    ran = aqmlab_run("export", "flent", "calls", "-o", "calls.flent.gz", cwd=tmp_path)
    assert (ran.returncode, ran.stdout.strip()) == (0, "calls.flent.gz"), ran.stderr
    assert read(tmp_path / "calls.flent.gz")["metadata"]["TITLE"] == "two flows, seed 1"
    ran = aqmlab_run("export", "flent", "nowhere", "-o", "calls.flent.gz", cwd=tmp_path)
    assert ran.returncode == 2


@pytest.mark.filterwarnings("ignore")
def test_flent_itself_reads_and_plots_it(result: aqmlab.Result, tmp_path: Path) -> None:
    resultset = pytest.importorskip("flent.resultset")
    save_flent(result, tmp_path / "two.flent.gz")
    loaded = resultset.load(str(tmp_path / "two.flent.gz"))
    document = flent_document(result)
    assert loaded.meta("NAME") == "tcp_bidirectional"
    assert list(loaded.get_x_values()) == document["x_values"]
    assert list(loaded.series("TCP download")) == document["results"]["TCP download"]
    assert len(list(loaded.raw_series("Ping (ms) ICMP"))) == 30
