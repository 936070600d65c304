"""What holds for all tests."""

from __future__ import annotations

import shutil
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

# Shells start background jobs with SIGINT ignored, nohup ignores SIGHUP; so would what a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

_BROWSERS_OF_THE_SYSTEM = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome")


@pytest.fixture(name="browser", scope="module")
def a_headless_chromium() -> Iterator[Browser]:
    """Playwright's own Chromium, or that of the system; without either the tests are skipped, and say so."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="no playwright: pip install playwright && playwright install chromium"
    )
    with playwright.sync_playwright() as started:
        found = next(filter(None, map(shutil.which, _BROWSERS_OF_THE_SYSTEM)), None)
        try:
            browser = started.chromium.launch(executable_path=found)
        except playwright.Error as error:
            pytest.skip(
                f"no Chromium (playwright install chromium, or one of {_BROWSERS_OF_THE_SYSTEM}): {error}"
            )
        yield browser
        browser.close()
