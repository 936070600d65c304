"""Files that cannot be read, or hold what no reader follows, are told in one message that names them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from aqmlab import Scenario, ScenarioError
from aqmlab.errors import SweepError, TuneError
from aqmlab.files.reading import LARGEST_BYTES, read_json, read_text, read_toml
from aqmlab.study import sweeps
from aqmlab.study.tuning.space import read_ranges_file
from aqmlab.terminal.spelling import plain, plain_line, quoted, whole_numbers
from small import BULK

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = {
    "nothing there": (None, "there is no such file"),
    "bytes that are no text": (b"name = '\xff'", "not UTF-8 text (byte 8)"),
    "no TOML": (b"a = = 1", "line 1"),
    "a number of five thousand digits": (b"a = " + b"9" * 5000, "4300 digits"),
    "lists in lists without end": (b"a = " + b"[" * 5000, "nested too deeply"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_read_names_the_file_whoever_reads_it(what: str, tmp_path: Path) -> None:
    data, message = BROKEN[what]
    file = tmp_path / "given.toml"
    if data is not None:
        file.write_bytes(data)
    readers = (
        (lambda: read_toml(file, TuneError), TuneError),
        (lambda: sweeps.read(file), SweepError),
        (lambda: read_ranges_file(file, "red"), TuneError),
    )
    for read, error in readers:
        with pytest.raises(error) as refused:
            read()
        assert str(refused.value).startswith(f"{file}: ")
        assert message in str(refused.value)


def test_a_folder_a_device_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    for name, what in (("", "a folder"), ("pipe", "a pipe or a device"), ("zeros", "a pipe or a device")):
        with pytest.raises(ScenarioError, match=f"cannot be read: {what}, not a file"):
            Scenario.from_file(tmp_path / name)


def test_a_file_of_gigabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    file = tmp_path / "huge.toml"
    with file.open("wb") as handle:
        handle.truncate(100 * LARGEST_BYTES)
    with pytest.raises(ScenarioError, match=f"larger than {LARGEST_BYTES >> 20} MiB"):
        Scenario.from_file(file)


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    for name in ("nul\x00", "n" * 300):
        with pytest.raises(ScenarioError, match="cannot be read: "):
            Scenario.from_file(tmp_path / name)


def test_bytes_that_are_not_utf_8_in_a_name_or_a_value_are_told(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"\\udcff.toml: there is no such file"):
        Scenario.from_file(tmp_path / "\udcff.toml")
    with pytest.raises(ScenarioError, match=r"^name: not UTF-8 text: \\udcff"):
        Scenario.from_toml(BULK, overrides={"name": "\udcff"})


def test_json_is_an_object(tmp_path: Path) -> None:
    file = tmp_path / "given.json"
    for text, message in (("[1]", "no JSON object"), ("{", "line 1"), ("[" * 100_000, "nested too deeply")):
        file.write_text(text)
        with pytest.raises(TuneError, match=message):
            read_json(file, TuneError)


def test_lines_may_end_as_they_do_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "windows.toml"
    file.write_bytes(BULK.replace("\n", "\r\n").encode())
    assert read_text(file, ScenarioError) == BULK
    assert Scenario.from_file(file) == Scenario.from_toml(BULK)


def test_what_steers_a_terminal_is_written_out_and_everything_else_stays() -> None:
    assert plain("a\x1b[31m\x9b\x7f\u202e\udcff\n\tü 漢 [bold] $") == (
        "a\\x1b[31m\\x9b\\x7f\\u202e\\udcff\n\tü 漢 [bold] $"
    )
    assert plain_line("a\nb\tc") == "a\\nb\\tc"


def test_a_quoted_value_is_short_whatever_it_is() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (10**5000, -(10**5000), "x" * 10**6, [10**5000], deep):
        assert len(quoted(value)) <= 60
    assert (quoted("a"), quoted(2**64), quoted(None)) == ("'a'", "18446744073709551616", "None")


def test_whole_numbers_are_ascii_digits_of_no_more_than_64_bits() -> None:
    assert whole_numbers("3-5") == range(3, 6)
    assert whole_numbers("7") == range(7, 8)
    for text in ("", "-", "1-", "-1", "1.0", "1_0", "٣", "²", "9" * 5000, "1-" + "9" * 5000, " 1"):
        assert whole_numbers(text) is None
