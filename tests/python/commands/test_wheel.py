"""The wheel holds what its users need and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from documented import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from commands.installation import Installation


@pytest.fixture(name="wheel", scope="module")
def what_was_installed(bare: Installation) -> Path:
    """The wheel that `tools/bare_install.sh` built, beside the installation that it made of it."""
    (wheel,) = (bare.programs.parent / "wheels").glob("*.whl")
    return wheel


def tracked_files() -> set[str]:
    """The files of the package that the repository has."""
    return {
        *subprocess.run(
            ["git", "ls-files", "python/aqmlab"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout.splitlines()
    }


def test_the_wheel_serves_every_python_from_3_11_on(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name


def test_the_wheel_holds_every_file_of_the_package_and_of_the_experiments(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("aqmlab/")}
    # What was tried, by date, is for who works on the source.
    used = {name.removeprefix("python/") for name in tracked_files() if "/notes/" not in name}
    assert used <= held
    assert not [name for name in held if "/notes/" in name]
    assert {name for name in held if name.endswith(".so")} == {"aqmlab/_core.abi3.so"}
    assert not [name for name in held if "__pycache__" in name]


def test_the_source_distribution_holds_every_file_of_the_package_and_no_link(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "maturin", "sdist", "--out", tmp_path],
        cwd=ROOT,
        capture_output=True,
        timeout=300,
        check=True,
    )
    (file,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        members = archive.getmembers()
    held = {member.name.partition("/")[2] for member in members}
    assert tracked_files() <= held
    # Windows makes no symbolic link without a privilege.
    assert not [member.name for member in members if member.issym() or member.islnk()]


def test_the_repository_has_no_symbolic_link() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    ).stdout.splitlines()
    assert not [line for line in listed if line.startswith("120000")]
