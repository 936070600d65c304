"""The verdict: a word and a number for each application, the same wherever it is shown."""

from __future__ import annotations

import math

import pytest

import aqmlab
from aqmlab.comparison.verdict import PAGES, Fares, verdict
from aqmlab.show.tables.render import as_plain_text, parts_within
from aqmlab.show.tables.verdict import bare_table, verdict_table
from aqmlab.show.words.verdict import fares_in_words, what_changes_most
from aqmlab.statistics.catalogue import LOADED_MEDIAN
from aqmlab.statistics.datagrams import delay_ms_of, loss_percent_of_datagrams
from aqmlab.statistics.experience import Grade
from aqmlab.statistics.observation import Observation

SHORT = {"duration_s": 30.0, "warm_up_s": 5.0, "cool_down_s": 5.0}


@pytest.fixture(scope="module")
def found() -> aqmlab.Comparison:
    home = aqmlab.new("home")
    return aqmlab.compare(home, schemes=["drop-tail", "fq-codel"], seeds="1-6", overrides=SHORT)


def test_both_ways_of_a_call_are_one_application_and_the_worse_is_told(found: aqmlab.Comparison) -> None:
    call = next(each for each in verdict(found) if each.name == "call")
    up, down = (
        found.level("drop-tail", f"delay_p95_ms/datagrams.call-{way}").observed.lower
        for way in ("up", "down")
    )
    assert call.fares["drop-tail"].way == ("up" if up > down else "down")
    assert call.fares["drop-tail"].number.lower == max(up, down)
    # ITU-T G.114: up to 150 ms good, up to 400 ms fair.
    assert call.fares["drop-tail"].grade is Grade.FAIR
    assert call.fares["fq-codel"].grade is Grade.GOOD
    assert call.fares["fq-codel"].differs
    assert not call.fares["drop-tail"].differs


def test_every_application_of_a_household_has_a_row(found: aqmlab.Comparison) -> None:
    names = [each.name for each in found.verdict()]
    assert names[:5] == ["call", "game", "meeting", "meeting picture up", "meeting picture down"]
    assert set(names[5:]) == {"pages", "television", "backup", "download"}


def test_the_table_and_the_sentence_say_the_same(found: aqmlab.Comparison) -> None:
    table = verdict_table(found)
    cells = {row[0].lines[0].text: [cell.lines[0].text for cell in row[1:]] for row in table.rows}
    game = next(each for each in verdict(found) if each.name == "game")
    assert cells["game"][0] == fares_in_words(game.fares["drop-tail"])
    assert cells["game"][1] == f"{fares_in_words(game.fares['fq-codel'])}*"
    assert what_changes_most(found, verdict(found)) in str(found).replace("\n", " ")


def test_with_few_seeds_what_changes_most_may_be_chance(found: aqmlab.Comparison) -> None:
    few = aqmlab.Comparison.of({name: each[:1] for name, each in found.results.items()})
    assert what_changes_most(few, few.verdict()).endswith("with FQ-CoDel (1 seed: may be chance).")
    assert "chance" not in what_changes_most(found, found.verdict()), "six seeds tell"


def test_of_many_queues_the_first_the_best_and_the_worst_are_in_the_sentence(
    found: aqmlab.Comparison,
) -> None:
    drop_tail, fq_codel = found.results["drop-tail"], found.results["fq-codel"]
    many = aqmlab.Comparison.of({
        "drop-tail": drop_tail, "red": drop_tail, **dict.fromkeys(("codel", "pie", "pi2", "cake"), fq_codel),
    })  # fmt: skip
    said = what_changes_most(many, many.verdict())
    assert said.startswith("The game changes most: unusable (")
    assert " with drop-tail, of 5 others from good (" in said
    assert said.endswith(" with RED.")
    assert said.count(" with ") == 3


def test_the_printed_verdict_fits_eighty_columns(found: aqmlab.Comparison) -> None:
    table = bare_table(found)
    assert max(map(len, as_plain_text(table, width=80).splitlines())) <= 80
    assert [len(parts_within(table, width)) for width in (80, 40)] == [1, 2]


@pytest.mark.parametrize(
    ("seconds", "word"),
    # Web Vitals: good up to 2.5 s, poor from 4 s on; Nielsen: lost from 10 s on.
    [(2.5, Grade.GOOD), (2.6, Grade.FAIR), (4.0, Grade.FAIR), (4.1, Grade.POOR), (10.1, Grade.UNUSABLE)],
)
def test_pages_are_judged_by_published_limits(seconds: float, word: Grade) -> None:
    badness = PAGES.criteria[0].badness(seconds)
    assert math.ceil(max(badness - 1.0, 0.0)) == word.value


def test_bounds_and_silence_are_said() -> None:
    late = Fares("pages", LOADED_MEDIAN, Observation.at_least(12.0), Grade.UNUSABLE, 3.5)
    assert fares_in_words(late) == "unusable > 12 s"
    delay, loss = delay_ms_of(95)("datagrams.call-up"), loss_percent_of_datagrams("datagrams.call-up")
    silent = Fares("call-up", delay, Observation.at_least(1.0), Grade.UNUSABLE, math.inf)
    assert fares_in_words(silent) == "unusable nothing arrives"
    lossy = Fares("call-up", loss, Observation.exact(8.0), Grade.POOR, 2.2)
    assert fares_in_words(lossy) == "poor loss 8.0 %"


def test_a_bound_leaves_a_worse_grade_open() -> None:
    late = Fares("pages", LOADED_MEDIAN, Observation.at_least(6.8), Grade.POOR, 2.4, may_be_worse=True)
    assert fares_in_words(late) == "poor or worse > 6.8 s"


def test_an_application_differs_although_another_part_of_it_suffers_then() -> None:
    """Jitter on the way down stays; the way up, which was far worse, is mended: that is a difference."""
    down = {"line.netem_down": {"jitter_ms": 35.0}, "line.provider_queue": {"scheme": "fq-codel"}}
    home, schemes = aqmlab.new("home"), ["drop-tail", "cake"]
    found = aqmlab.compare(home, schemes=schemes, queues=["up"], seeds="1-6", overrides={**SHORT, **down})
    game = next(each for each in found.verdict() if each.name == "game")
    before, after = (game.fares[name] for name in ("drop-tail", "cake"))
    assert (before.way, after.way) == ("up", "down")
    assert found.change("cake", after.quantity).direction == 0
    assert after.differs
    assert what_changes_most(found, found.verdict()).startswith("The game changes most: unusable (")
    assert "chance" not in what_changes_most(found, found.verdict()), "six seeds tell"
