"""`docs/reference/command-line.md` says what `--help` says."""

from command_page import PAGE, page


def test_the_reference_is_that_of_the_help_texts() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python tests/python/command_page.py writes it anew"
