"""What a plain install can do: no command needs the extra of another, and each starts by itself."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest

from aqmlab.cli import commands
from documented import ROOT
from line_files import ping_log
from small import BULK, WEB, command

pytestmark = pytest.mark.exhaustive  # a process for every command

PACKAGE = Path(__file__).parents[2] / "python/aqmlab"
EXTRAS = ("optuna", "pandas", "distributed", "dask")
# Python runs a module of this name when it starts, before anything else is imported.
WITHOUT_EXTRAS = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
NAMES = commands.list_commands(click.Context(commands))
MADE = "results/two-flows/seed-1"
SHORT = {
    "new": ("home",),
    "pages": ("--help",),
    "run": ("bulk.toml", "--output", "again"),
    "live": ("bulk.toml",),
    "crossvalidate": ("bulk.toml", "--seeds", "1"),
    "play": ("web.toml", "--no-browser", "--seconds", "5", "--port", "PORT"),
    "bloat": ("--down", "4", "--up", "1", "--schemes", "fq-codel", "--seeds", "1"),
    "sqm": ("--technology", "adsl", "--down", "4", "--up", "0.5", "--shares", "0.9", "--seeds", "1"),
    "line": ("ping.log",),
    "rpm": ("--down", "4", "--up", "1", "--schemes", "fq-codel", "--load", "up"),
    "flent": ("tcp_nup", "--down", "4", "--up", "1", "--schemes", "fq-codel", "--length", "5"),
    "compare": ("web.toml", "--schemes", "drop-tail,red", "--seeds", "1-2"),
    "report": (MADE,),
    "results": ("results",),
    "plot": (MADE, "--what", "state", "--quantity", "average_packets"),
    "draw": ("bulk.toml",),
    "sweep": ("sweep.toml",),
    "tune": ("web.toml",),
    "design": ("pie", "--rtt-ms", "50"),
    "calibrate": ("web.toml", "--sizes", "20,40", "--seeds", "1"),
    "reproduce": ("le2003", "--costs"),
    "scorecard": (),
    "list": (),
    "explain": ("red",),
    "schema": (),
    "controller": ("check", f"{ROOT / 'examples/my_aimd.py'}:Aimd"),
    "model": ("check", f"{ROOT / 'examples/my_pages.py'}:News"),
    "scheme": ("cost", "red"),
    "evaluate": ("red", "--only", "5.1.1", "--schemes", "drop-tail", "--seeds", "1"),
    "export": ("flent", MADE, "-o", "made.flent.gz"),
    "bundle": (MADE, "-o", "made.zip"),
    "doctor": (),
}
SWEEP = """
name = "limits"
scenario = "bulk.toml"
seeds = "1"

[grid]
"dumbbell.queue.limit_packets" = [20, 40]
"""


@pytest.fixture(name="plain", scope="module")
def without_extras(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    (folder / "site").mkdir()
    (folder / "site/sitecustomize.py").write_text(WITHOUT_EXTRAS)
    recorded = BULK.replace('"drop-tail"', '"red"') + "[record]\nscheme_state_interval_ms = 100.0\n"
    (folder / "bulk.toml").write_text(recorded)
    (folder / "web.toml").write_text(WEB)
    (folder / "ping.log").write_text(ping_log([0.0] * 6))
    (folder / "sweep.toml").write_text(SWEEP)
    ran = without(folder, "run", "bulk.toml")
    assert ran.returncode == 0, ran.stderr
    return folder


def without(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "site")}
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_extras_are_out_of_reach(plain: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(plain / "site")}
    for extra in EXTRAS:
        tried = [sys.executable, "-c", f"import {extra}"]
        assert subprocess.run(tried, env=environment, capture_output=True, check=False).returncode == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_every_command_needs_no_extra(name: str, plain: Path) -> None:
    done = without(plain, name, "--help")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", NAMES)
def test_no_command_needs_the_extra_of_another(name: str, plain: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = without(plain, name, *(port if word == "PORT" else word for word in SHORT[name]))
    assert "Traceback" not in done.stderr
    if name == "tune":
        assert done.returncode == 2
        assert "pip install optuna" in done.stderr
        assert "PyPI" in done.stderr
    else:
        assert not [extra for extra in EXTRAS if extra in done.stderr]
        assert done.returncode in LEAVES.get(name, {0}), done.stderr


LEAVES = {"doctor": {0, 1}, "live": {0, 1, 2}, "crossvalidate": {0, 1, 2}, "play": {2}, "scorecard": {2}}
"""What needs more of the machine or of the folder; `play` ends at a port that is taken."""


def test_what_a_cluster_needs_is_named(plain: Path) -> None:
    done = without(plain, "sweep", "sweep.toml", "--executor", "dask")
    assert done.returncode == 2
    assert "pip install distributed" in done.stderr
    assert "PyPI" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("arc", "--flows", "60", "--rtt-ms", "500", "--link-mbps", "10", "--alpha", "1.42e-5"),
        ("sfg", "--link-mbps", "10", "--rtt-ms", "300", "--misbehaving", "5"),
        ("pi", "--flows", "60", "--rtt-ms", "246", "--link-mbps", "15"),
        ("pie", "--rtt-ms", "50"),
    ],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.parametrize("plot", [(), ("--plot", "design.svg")], ids=["printed", "drawn"])
def test_every_design_is_a_process_of_its_own(
    arguments: tuple[str, ...], plot: tuple[str, ...], plain: Path
) -> None:
    """In one process with other tests a circle of imports is not seen: another import has gone round it."""
    done = without(plain, "design", *arguments, *plot)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_every_module_can_be_the_first_one_imported() -> None:
    """A circle of imports is seen from one side alone, so that each module begins once in a fresh process."""
    modules = [
        f"aqmlab.{'.'.join(file.relative_to(PACKAGE).with_suffix('').parts)}".removesuffix(".__init__")
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.name != "__main__.py"
    ]
    program = (
        "import importlib, os, sys\n"
        "failed = 0\n"
        "for name in sys.argv[1:]:\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        try:\n"
        "            importlib.import_module(name)\n"
        "        except BaseException as error:\n"
        "            print(name, type(error).__name__, error, flush=True)\n"
        "            os._exit(1)\n"
        "        os._exit(0)\n"
        "    failed += os.waitpid(child, 0)[1] != 0\n"
        "sys.exit(failed != 0)\n"
    )
    # What is slow and none of ours is imported once, before the processes part; it imports nothing of ours.
    others = "import numpy, pyarrow, scipy.stats, matplotlib.figure, tornado.web, jinja2, rich, click\n"
    done = subprocess.run(
        [sys.executable, "-c", others + program, *modules],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 0)
