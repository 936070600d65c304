"""`docs/reference/errors.md` says what the error classes say, and the exit codes are those of the command."""

from __future__ import annotations

import re

import pytest

from aqmlab import cli, errors
from errors_page import PAGE, page

CODES = re.findall(r"^\| `(\w+)` \|.*\| (\d+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
"""The errors of the page that end a command, with the exit code beside each."""


def test_the_reference_is_that_of_the_classes() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python tests/python/errors_page.py writes it anew"


def test_the_page_has_errors_of_either_code() -> None:
    assert {code for _, code in CODES} == {"1", "2"}


@pytest.mark.parametrize(("name", "code"), CODES)
def test_a_command_that_ends_with_an_error_has_its_exit_code(
    name: str, code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = getattr(errors, name)
    raised = error({}, runs=0) if name == "RunsFailed" else error("it was refused")

    def refuse(**_: object) -> None:
        raise raised

    monkeypatch.setattr(cli.commands, "main", refuse)
    assert cli._exit_code([]) == int(code)
    assert capsys.readouterr().err
