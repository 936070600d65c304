"""What the tests of shown commands share: installations, and a look at pages in a browser."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands.installation import Installation
from commands.trying import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything below this folder is run by `make test-all` alone."""
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker("commands")


@pytest.fixture(name="bare", scope="session")
def an_installation_without_extras() -> Installation:
    """What `pip install .` gives."""
    programs = os.environ.get("AQMLAB_BARE")
    if programs is None:
        pytest.fail("no bare installation: make test-commands makes one, and says where in AQMLAB_BARE")
    return Installation(Path(programs).absolute())


@pytest.fixture(name="complete", scope="session")
def an_installation_with_every_extra() -> Installation:
    """The environment of the tests."""
    return Installation(Path(sys.executable).parent)


@pytest.fixture(name="chromium", scope="session")
def the_only_browser() -> Iterator[Browser | None]:
    """Chromium, where there is one."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


@pytest.fixture(name="errors_of_page", scope="session")
def what_a_browser_says_of_a_page(chromium: Browser | None) -> Callable[[Path], list[str]]:
    """Errors of a page in Chromium; none where there is no browser."""

    def errors(file: Path) -> list[str]:
        wrong: list[str] = []
        if chromium is None:
            return wrong
        page = chromium.new_page()
        page.set_default_timeout(0)  # the test has a limit of its own; beside studies a page takes any time
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.goto(file.absolute().as_uri())
        page.close()
        return wrong

    return errors


@pytest.fixture(name="trial", scope="session")
def where_commands_are_tried(
    bare: Installation,
    complete: Installation,
    errors_of_page: Callable[[Path], list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Trial:
    """Installations, a browser if there is one, and whether live runs can be made."""
    doctor = bare.run("aqmlab doctor", tmp_path_factory.mktemp("doctor"))
    missing = [line for line in doctor.stdout.splitlines() if line.startswith("MISSING")]
    return Trial(
        bare,
        complete,
        errors_of_page,
        f"no live runs here: {missing[0]}" if missing else "",
    )
