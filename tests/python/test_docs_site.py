"""The site of the documentation: every page is in it, and no link of it leads nowhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CONFIGURATION = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]


def pages(entries: list[Any]) -> list[str]:
    """The pages of a navigation, in its order."""
    found: list[str] = []
    for entry in entries:
        for target in entry.values():
            found += pages(target) if isinstance(target, list) else [target]
    return found


def test_every_page_is_in_the_navigation_once() -> None:
    there = sorted(str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md"))
    assert sorted(pages(CONFIGURATION["nav"])) == there


@pytest.mark.exhaustive  # builds the site
def test_the_site_builds_and_fetches_nothing_from_elsewhere(tmp_path: Path) -> None:
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    site = tmp_path / CONFIGURATION["site_dir"]
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    assert len(texts) == len(pages(CONFIGURATION["nav"])) + 1  # and the page for addresses that are none
    for page, text in texts.items():
        for asked in ('<script src="http', '<link rel="stylesheet" href="http', '<img src="http', "fonts.g"):
            assert asked not in text, page


@pytest.mark.exhaustive  # builds the site
def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    with (tmp_path / "docs" / "how-to" / "play.md").open("a", encoding="utf-8") as page:
        page.write("\n[nowhere](nothing.md)\n")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode != 0
