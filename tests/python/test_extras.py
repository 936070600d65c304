"""What works without an extra: all commands but those that say which extra they need."""

from __future__ import annotations

import subprocess
import sys

WITHOUT_EXTRAS = """
import sys
for extra in ("optuna", "distributed", "dask", "pandas"):
    sys.modules[extra] = None

from aqmlab.cli import commands
"""


def without_extras(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS + program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_playing_needs_no_search() -> None:
    done = without_extras("import aqmlab.play, aqmlab.play.comparing\n")
    assert done.returncode == 0, done.stderr


def test_the_search_says_what_to_install() -> None:
    done = without_extras(
        "from aqmlab.errors import TuneError\n"
        "try:\n    from aqmlab.tune import tune\n"
        "except TuneError as error:\n    print(error)\n"
    )
    assert "pip install 'aqmlab[tune]'" in done.stdout, done.stderr
