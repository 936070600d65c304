"""`tools/fuzz/properties.sh`: rounds of the property tests with other cases."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools/fuzz/properties.sh"


def test_a_round_has_every_property_test() -> None:
    text = SCRIPT.read_text()
    found = [file for file in (ROOT / "crates").rglob("*.rs") if "proptest! {" in file.read_text()]
    assert len(found) > 5
    for file in found:
        crate, folder, *_ = file.relative_to(ROOT / "crates").parts
        assert f"--package aqmlab-{crate} " in text.replace("\n", " "), file
        assert (f"--test {file.stem}" if folder == "tests" else "--lib") in text, file


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("x", "--rounds", "1"),
        ("1", "--rounds", "0"),
        ("1", "--rounds", "1.5"),
        ("1", "--hours", "0"),
        ("1", "--days", "1"),
    ],
)
def test_other_arguments_are_refused(arguments: tuple[str, ...]) -> None:
    made = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert (made.returncode, made.stdout) == (2, "")
    assert "usage: properties.sh SEED --rounds N" in made.stderr
