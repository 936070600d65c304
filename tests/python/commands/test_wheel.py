"""The wheel holds what its users need and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(name="wheel", scope="module")
def built_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # As what is tested was built: `.ci/run` builds nothing twice.
    profile = os.environ.get("MATURIN_PEP517_ARGS", "--release").split()
    build = [sys.executable, "-m", "maturin", "build", *profile, "--locked", "--out", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.slow
def test_the_wheel_serves_every_python_from_3_11_on(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name


@pytest.mark.slow
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
