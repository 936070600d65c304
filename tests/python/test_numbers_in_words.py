"""Numbers in sentences: the unit that people use, on the line of its number, and a minus that is one."""

from __future__ import annotations

import pytest

from aqmlab.comparison.run_warnings import warnings_in_words
from aqmlab.inference import Interval
from aqmlab.show.tables.render import to_html
from aqmlab.show.words.amounts import delay, duration, is_nothing
from aqmlab.tables.model import Column, Line, Table, TableCell, with_half_width
from aqmlab.terminal.console import wrapped
from aqmlab.terminal.spelling import unbroken


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [
        (6.6, "6.6 ms"),
        (190.2, "190 ms"),
        (999.4, "999 ms"),
        (999.6, "1.0 s"),
        (2_650.0, "2.6 s"),
        (18_488.0, "18 s"),
    ],
)
def test_a_delay_of_a_second_is_in_seconds(milliseconds: float, said: str) -> None:
    assert delay(milliseconds) == said


def test_a_number_stays_with_its_unit() -> None:
    joined = unbroken("95 % in 7.1 s, 31 ms at 10 Mbit/s; 8 seeds, 2 sources, 5 s/page")
    space = "\N{NO-BREAK SPACE}"
    assert joined == (
        f"95{space}% in 7.1{space}s, 31{space}ms at 10{space}Mbit/s; 8 seeds, 2 sources, 5 s/page"
    )
    assert wrapped("a call takes 190 ms", 16).plain == "a call takes\n190 ms"
    assert wrapped("a call takes 190 ms", 80).plain == "a call takes 190 ms"


def test_negative_numbers_of_a_page_have_a_minus_sign() -> None:
    cell = TableCell(lines=(Line("fq-codel 1-2, 1e-3"), Line("-3.93±1.60"), Line("[-0.1, 2]")))
    html = to_html(Table.of([0], [Column("what", lambda _: cell, "what")]))
    assert "fq-codel 1-2, 1e-3<br>\N{MINUS SIGN}3.93±1.60<br>[\N{MINUS SIGN}0.1, 2]" in html


def test_a_warning_that_begins_with_the_configuration_does_not_repeat_its_name() -> None:
    text = "drop-tail at down has a deep buffer"
    assert warnings_in_words({"drop-tail": [[text]], "red": [[]]}) == [text]
    assert warnings_in_words({"today": [[text]], "red": [[]]}) == [f"today: {text}"]


def test_zero_has_no_minus() -> None:
    assert (duration(-0.0), duration(-1e-7), duration(-1e-5)) == ("0.0 ms", "0.00 ms", "-0.01 ms")
    small = Interval(-0.001, -0.002, 0.0, 6, 0.95)
    assert with_half_width(small, 2, sign="+") == "+0.00 ± 0.00"


@pytest.mark.parametrize(
    ("lower_s", "upper_s", "nothing"),
    [
        (-0.0, 0.0, True),
        (-1e-6, 1e-6, True),
        (-1e-4, 0.0, False),
        (0.0, 5.0, False),
        (0.0, float("inf"), False),
    ],
)
def test_a_difference_that_print_shows_as_zero_is_none(lower_s: float, upper_s: float, nothing: bool) -> None:
    assert is_nothing(lower_s, upper_s) == nothing
