"""On which line of a TOML file a key is set."""

import time

import pytest

from aqmlab.files.toml_lines import line_of

TEXT = '''# a comment
name = "x"

seeds = [
    1,
    2,
]
text = """
grid = 3
"""
[grid]
"users.right" = { low = 1, high = 2 }
[[list]]
"a.b" = 1

[[list]]
"a.b" = 2
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("name", 2),
        ("seeds", 4),
        ("seeds[2]", 4),  # a value of several lines begins where its key is
        ("text", 8),
        ("grid", 11),
        ('grid."users.right"', 12),
        ('grid."users.right".high', 12),
        ('grid."users.right".points', 12),  # which is not there
        ("list[1]", 13),
        ('list[2]."a.b"', 17),
        ("list[2]", 16),
        ("random", None),
        ("", None),
    ],
)
def test_a_place_begins_on_the_line_of_its_key(place: str, line: int | None) -> None:
    assert line_of(TEXT, place) == line


def test_a_file_that_takes_long_to_search_is_told_without_a_line() -> None:
    points = "".join(f'[[list]]\n"a.b" = {number}\n' for number in range(1, 1001))
    assert line_of(points, 'list[900]."a.b"') == 1800
    before = time.process_time()
    ones = "1,\n" * 30_000
    assert line_of(f"x = [\n{ones}]\ny = 1\n", "y") is None
    assert time.process_time() - before < 20.0, "read line by line it would be hours"
