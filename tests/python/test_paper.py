"""The paper has no number that nobody counted, and cites what its bibliography has."""

from __future__ import annotations

import re

from paper_page import BIBLIOGRAPHY, PAGE, TEXT, numbers, page

NAMES = re.compile(r"ns-[23]|RFC \d+|SIGCOMM 2000 and 2003|Apache 2\.0|@\w+|`[^`]*`")
"""What has digits and is no number of ours."""


def test_the_paper_is_that_of_its_text_and_numbers() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python tests/python/paper_page.py writes it anew"


def test_every_number_of_the_text_is_counted() -> None:
    head, _, body = TEXT.partition("---\n")[2].partition("---\n")
    assert re.findall(r"\d+", head) == ["1", "1", "30", "2026"]  # affiliations and the date
    assert not re.findall(r"\d", NAMES.sub("", body))
    assert set(re.findall(r"\{(\w+)\}", TEXT)) == set(numbers())


def test_citations_and_bibliography_have_the_same_keys() -> None:
    cited = set(re.findall(r"@(\w+)", TEXT))
    kept = set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.MULTILINE))
    assert cited == kept


def test_the_paper_has_the_sections_and_the_length_that_joss_asks_for() -> None:
    headings = re.findall(r"^# (.*)$", TEXT, re.MULTILINE)
    assert {"Summary", "Statement of need", "State of the field", "References"} <= set(headings)
    assert 250 <= len(page().split()) <= 1750
