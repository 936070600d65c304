"""What other programs wrote is named for what it is wherever it is given, with what can be done with it."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from aqmlab import Scenario, ScenarioError, cli
from aqmlab.errors import SweepError
from aqmlab.files.har import HarError, read_recording
from aqmlab.files.recognised import what_it_is
from aqmlab.study import sweeps

if TYPE_CHECKING:
    from pathlib import Path

HAR = json.dumps({"log": {"version": "1.2", "creator": {"name": "hand"}, "entries": []}}).encode()
FLENT = json.dumps({"metadata": {"NAME": "rrul"}, "results": {}, "x_values": []}).encode()
IPERF3 = json.dumps({"start": {"connected": []}, "intervals": [], "end": {}}).encode()
PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1)
PCAPNG = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)


def zipped(name: str, content: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, content)
    return data.getvalue()


GIVEN = {
    "a capture": (PCAP, "a packet capture (pcap); "),
    "a capture of today": (PCAPNG, "a packet capture (pcap); "),
    "results of Flent": (gzip.compress(FLENT), "a data file of Flent; "),
    "a packed HAR file": (gzip.compress(HAR), "compressed; gunzip it first, and it is a HAR file; "),
    "a damaged packed file": (b"\x1f\x8b" + b"\xff" * 20, "compressed; unpack it first"),
    "an archive": (zipped("own.har", HAR), "a zip archive; "),
    "rates": (b"time,mbps\n0.0,12.5\n0.5,3.0\n", "a table of times and rates; "),
    "a rate trace": (b"0\n3\n3\n9\n", "a rate trace; "),
    "a distribution": (b"0 0\n1000 0.5\n2000 1\n", "a table of values and cumulative shares; "),
    "pages": (b"# page, wave\n0,0,0,480,31200\n", "a page file; "),
}


@pytest.mark.parametrize("what", GIVEN)
def test_it_is_named_where_a_scenario_a_sweep_or_a_recording_belongs(what: str, tmp_path: Path) -> None:
    content, said = GIVEN[what]
    file = tmp_path / "given.toml"  # the name does not tell
    file.write_bytes(content)
    readers = (
        (lambda: Scenario.from_file(file), ScenarioError),
        (lambda: sweeps.read(file), SweepError),
        (lambda: read_recording(file), HarError),
    )
    for read, error in readers:
        with pytest.raises(error) as refused:
            read()
        assert str(refused.value).startswith(f"{file}: ")
        assert said in str(refused.value)


@pytest.mark.parametrize(
    ("content", "said"), [(HAR, "a HAR file; aqmlab pages import"), (IPERF3, "results of iperf3; aqmlab ")]
)
def test_json_of_others_is_no_scenario(
    content: bytes, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "given.json").write_bytes(content)
    with pytest.raises(SystemExit) as left:
        cli.main(["run", str(tmp_path / "given.json")])
    assert left.value.code == 2
    assert said in " ".join(capfd.readouterr().err.split())


def test_what_is_expected_or_unknown_is_not_named() -> None:
    assert what_it_is("own.har", HAR, expected=["har"]) is None
    assert what_it_is("own.har", b"") is None
    assert what_it_is("own.toml", b'name = "a"\n') is None


@pytest.mark.parametrize(("content", "said"), [GIVEN["rates"], GIVEN["a capture"], GIVEN["an archive"]])
def test_a_file_that_a_scenario_names_is_named(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "phone.trace").write_bytes(content)
    (tmp_path / "phone.toml").write_text(
        """name = "phone"
duration_s = 5.0
[dumbbell]
rate_mbps = 10.0
rate_trace_file = "phone.trace"
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
left = 0
right = 2
model = { model = "unc" }
"""
    )
    with pytest.raises(ScenarioError) as refused:
        Scenario.from_file(tmp_path / "phone.toml")
    assert f"is {said}" in str(refused.value)
    assert "rate_trace_file" in str(refused.value)
