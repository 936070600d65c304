"""A folder is complete or absent."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aqmlab.errors import FolderError, StorageError
from aqmlab.files.folders import (
    PARTIAL_PREFIX,
    complete_or_absent,
    remove_abandoned,
    require_writable,
    whole_file,
    write_whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def test_a_folder_appears_under_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "result"
    with complete_or_absent(folder) as temporary:
        (temporary / "a").write_text("1")
        assert not folder.exists()
    assert (folder / "a").read_text() == "1"
    assert [path.name for path in folder.parent.iterdir()] == ["result"]


@pytest.mark.parametrize("interruption", [ValueError, KeyboardInterrupt])
def test_nothing_is_left_when_the_writer_is_interrupted(
    tmp_path: Path, interruption: type[BaseException]
) -> None:
    def write() -> None:
        with complete_or_absent(tmp_path / "result") as temporary:
            (temporary / "a").write_text("1")
            raise interruption

    with pytest.raises(interruption):
        write()
    assert list(tmp_path.iterdir()) == []


def _written(place: Path) -> None:
    with complete_or_absent(place) as temporary:
        (temporary / "a").write_text("1")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what was open then
@pytest.mark.parametrize("work", [_written, require_writable])
def test_nothing_is_left_by_an_interruption_wherever_it_comes(
    work: Callable[[Path], None], tmp_path: Path
) -> None:
    """Ctrl-C is raised between any two instructions: after each of them once, until the work gets through."""
    files = {each.__code__.co_filename for each in (require_writable, contextlib.ExitStack.close)}

    def interrupted_after(instructions: int, folder: Path) -> bool:
        passed = 0

        def trace(frame: FrameType, event: str, _: object) -> Any:  # noqa: ANN401 (as `settrace` has it)
            nonlocal passed
            if frame.f_code.co_filename not in files:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                passed += 1
                if passed == instructions:
                    raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            work(folder / "result")
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    for instructions in range(1, 100_000):
        folder = tmp_path / str(instructions)
        folder.mkdir()
        interrupted = interrupted_after(instructions, folder)
        assert {path.name for path in folder.iterdir()} <= {"result"}, instructions
        if not interrupted:
            break
    else:
        pytest.fail("it never got through")
    assert instructions > 20


def test_an_existing_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "result").mkdir()
    with pytest.raises(FolderError, match="exists already"), complete_or_absent(tmp_path / "result"):
        pytest.fail("the block must not run")
    assert list(tmp_path.iterdir()) == [tmp_path / "result"]


def test_what_a_dead_writer_left_is_removed_and_what_a_live_one_writes_is_kept(tmp_path: Path) -> None:
    dead = tmp_path / f"{PARTIAL_PREFIX}dead"
    dead.mkdir()
    (dead / "half").write_text("x")
    with complete_or_absent(tmp_path / "live") as temporary:
        assert not dead.exists()
        remove_abandoned(tmp_path)
        assert temporary.exists()


def test_a_folder_below_a_file_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match=r"/file is a file"):
        require_writable(tmp_path / "file" / "result")


def test_a_folder_that_forbids_writing_is_refused_before_anything_is_made() -> None:
    # Not even root may make a folder here.
    with pytest.raises(FolderError, match="cannot write in /proc"):
        require_writable(Path("/proc/aqmlab/result"))


def test_asking_whether_a_folder_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    require_writable(tmp_path / "deep" / "result")
    assert list(tmp_path.iterdir()) == []


def test_a_link_stands_for_what_it_leads_to(tmp_path: Path) -> None:
    for name, target in (("dangling", "nowhere/deep"), ("chain", "dangling2"), ("dangling2", "else")):
        (tmp_path / name).symlink_to(tmp_path / target)
    for name, target in (("dangling", "nowhere/deep"), ("chain", "else"), ("dangling2/below", "else/below")):
        with complete_or_absent(tmp_path / name) as temporary:
            (temporary / "a").write_text("1")
        assert (tmp_path / target / "a").read_text() == "1"
    assert (tmp_path / "dangling").is_symlink()
    assert not list(tmp_path.rglob(PARTIAL_PREFIX + "*"))


def test_a_link_to_a_file_or_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(FolderError, match="exists already"), complete_or_absent(tmp_path / "link"):
        pytest.fail("the block must not run")
    circle = complete_or_absent(tmp_path / "circle" / "result")
    with pytest.raises((FolderError, StorageError), match="circle"), circle:
        pytest.fail("the block must not run")


def test_a_name_too_long_for_the_disk_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="File name too long"):
        require_writable(tmp_path / ("n" * 300) / "result")


def test_a_file_is_whole_or_what_it_was(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "table.csv"
    assert write_whole(file, "one") == file

    def interrupted() -> None:
        with whole_file(file) as partial:
            partial.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_text() == "one"
    assert [path.name for path in file.parent.iterdir()] == ["table.csv"]
    with pytest.raises(StorageError, match="the file was not written"):
        write_whole(Path("/proc/table.csv"), "one")


def test_a_file_beyond_the_limit_of_its_size_is_an_error_that_leaves_nothing(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with (
            pytest.raises(StorageError, match="no space left"),
            complete_or_absent(tmp_path / "result") as temporary,
        ):
            (temporary / "large").write_bytes(bytes(2000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_a_killed_writer_leaves_a_remainder_that_the_next_one_removes(tmp_path: Path) -> None:
    program = f"""
        import os, pathlib
        from aqmlab.files.folders import complete_or_absent
        with complete_or_absent(pathlib.Path({str(tmp_path / "result")!r})) as temporary:
            (temporary / "half").write_text("x")
            os.kill(os.getpid(), 9)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False, timeout=60)
    assert [path.name.startswith(PARTIAL_PREFIX) for path in tmp_path.iterdir()] == [True]
    with complete_or_absent(tmp_path / "result") as temporary:
        (temporary / "whole").write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == ["result"]
