"""README and the tutorial, followed from first line to last, in one folder, with what `pip install .` gives.

What they show of what commands print is compared with what these print; `make shown` writes it anew.
The examples of help that are about published studies come after them, because they read the same runs.

Every test here needs what the one before it left: one process runs this file (`--dist loadfile`).
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from commands.shown_commands import FOLLOWED, Step, helps, steps
from commands.shown_output import (
    UPDATES,
    Picture,
    Shown,
    as_shown,
    pictures,
    shown,
    take,
    words_in,
    words_of,
    write_block,
)
from commands.trying import of_studies
from documented import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from commands.trying import Trial

ELSEWHERE = ("make ", "pip ", "python3 -m venv ", ". .venv/")
"""Of the checkout: `make` is what runs this, and an environment with `pip install .` is what is tried."""

MAKING = ("aqmlab new ", "aqmlab compare ")
"""What is shown is of these commands."""

SHOWN = [block for page in FOLLOWED for block in shown(page)]
PICTURES = [picture for page in FOLLOWED for picture in pictures(page)]


def _followed() -> list[Step]:
    """What is done: everything, or for `make shown` what makes scenarios and compares them."""
    every = [step for page in FOLLOWED for step in steps(page)]
    return [step for step in every if not UPDATES or step.kind == "file" or step.text.startswith(MAKING)]


@pytest.fixture(name="folder", scope="module")
def a_newcomers_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newcomer")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.fixture(name="printed", scope="module")
def what_commands_printed() -> dict[str, str]:
    return {}


@pytest.mark.parametrize("step", _followed(), ids=str)
def test_what_a_page_says_next_can_be_done(
    step: Step, folder: Path, trial: Trial, printed: dict[str, str]
) -> None:
    match step.kind:
        case "file":
            (folder / step.name).write_text(step.text, encoding="utf-8")
        case "python":
            trial.try_python(step.text, folder)
        case _ if not step.text.startswith(ELSEWHERE):
            printed[step.text] = trial.try_line(step.text, folder)


@pytest.mark.parametrize("block", SHOWN, ids=str)
def test_what_is_shown_is_what_is_printed(block: Shown, printed: dict[str, str]) -> None:
    assert block.command in printed, f"{block}: no line of the page is this command, or it failed"
    if UPDATES:
        write_block(block, printed[block.command])
    else:
        assert block.text == as_shown(printed[block.command]), "make shown writes it anew"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.file)
def test_a_picture_is_of_the_report_that_is_made(
    picture: Picture, folder: Path, chromium: Browser | None
) -> None:
    report = folder / picture.report
    assert report.exists(), f"{picture.page}: no command has left {picture.report}"
    if UPDATES:
        assert chromium is not None, "a picture needs Chromium"
        take(chromium, report, ROOT / picture.file)
    assert words_in(ROOT / picture.file) == words_of(report), "make shown takes it anew"


HELP_OF_STUDIES = dict.fromkeys(line for lines in helps().values() for line in lines if of_studies(line))
OF_STUDIES = [] if UPDATES else list(HELP_OF_STUDIES)


@pytest.mark.parametrize("line", OF_STUDIES)
def test_an_example_of_help_about_a_study_runs_to_its_end(line: str, folder: Path, trial: Trial) -> None:
    trial.try_line(line, folder)
