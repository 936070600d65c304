"""What holds for all tests."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from playwright.sync_api import Browser

# Shells start background jobs with SIGINT ignored, nohup ignores SIGHUP; so would what a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

_BROWSERS_OF_THE_SYSTEM = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome")


LIMIT_S = float(os.environ.get("AQMLAB_TEST_LIMIT_S", "10"))
"""Processor time of a test of `make test`: three times what a test should take, for slower machines."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Refuses a test that takes long and is not marked, or `make test` grows unseen."""
    before = _processor_time_s()
    made = yield
    used = _processor_time_s() - before
    if used > LIMIT_S and not any(item.iter_markers("exhaustive")) and not any(item.iter_markers("commands")):
        pytest.fail(
            f"took {used:.1f} s of processor time, the limit is {LIMIT_S:g}: make it cheaper, or mark it "
            f"`exhaustive` (docs/explanation/testing.md)"
        )
    return made


def _processor_time_s() -> float:
    """Of this process and of those that it has waited for."""
    return sum(os.times()[:4])


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
