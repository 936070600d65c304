"""`docs/reference/api.md` says what the docstrings say."""

from api_page import PAGE, page


def test_the_reference_is_that_of_the_docstrings() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python tests/python/api_page.py writes it anew"
