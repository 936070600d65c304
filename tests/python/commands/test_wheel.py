"""The wheel holds what its users need and nothing else."""

from __future__ import annotations

import subprocess
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


def test_the_wheel_serves_every_python_from_3_11_on(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name


def test_the_wheel_holds_every_file_of_the_package_and_of_the_experiments(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("aqmlab/")}
    tracked = subprocess.run(
        ["git", "ls-files", "python/aqmlab", "experiments"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout.splitlines()
    package = {name.removeprefix("python/") for name in tracked if name.startswith("python/")}
    package.discard("aqmlab/experiments")  # the link to where the experiments are
    # What was tried, by date, is for who works on the source.
    used = [name for name in tracked if "/notes/" not in name]
    experiments = {f"aqmlab/{name}" for name in used if name.startswith("experiments/")}
    assert package | experiments <= held
    assert {name for name in held if name.endswith(".so")} == {"aqmlab/_core.abi3.so"}
    assert not [name for name in held if "__pycache__" in name]
