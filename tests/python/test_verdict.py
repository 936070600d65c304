"""The verdict: a word and a number for each application, the same wherever it is shown."""

from __future__ import annotations

import math
from typing import cast

import pytest

import aqmlab
from aqmlab.comparison import Values
from aqmlab.comparison.change import Inference, Level
from aqmlab.comparison.verdict import PAGES, Fares, grades_within, verdict
from aqmlab.show.tables.render import as_plain_text, parts_within
from aqmlab.show.tables.verdict import bare_table, verdict_table
from aqmlab.show.words.verdict import fares_in_words, what_changes_most
from aqmlab.statistics.catalogue import LOADED_MEDIAN
from aqmlab.statistics.datagrams import delay_ms_of, loss_percent_of_datagrams
from aqmlab.statistics.experience import GAME, Grade, grade_of
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


class _Of:
    """A comparison of one configuration with these values of one number, seed by seed."""

    def __init__(self, *values: float) -> None:
        self._values = Values.of(values)

    def values(self, _name: str, _quantity: object) -> Values:
        return self._values

    def level(self, _name: str, _quantity: object) -> Level:
        return Level.of(self._values, Inference(0.95))


@pytest.mark.parametrize(
    ("values_ms", "words"),
    [
        # Mean 100, deviation 7.07, Student's quantile of 5 degrees of freedom 2.571: 92.6 to 107.4.
        ((90.0, 110.0, 95.0, 105.0, 100.0, 100.0), "fair to poor"),
        # Deviation 2.16: 86.7 to 91.3.
        ((87.0, 91.0, 86.0, 91.0, 90.0, 89.0), "fair"),
        ((90.0, 100.0, 110.0), "fair to poor"),
        ((40.0, 100.0, 210.0), "good to unusable"),
        ((90.0, 100.0), "fair"),
        ((110.0,), "poor"),
    ],
)
def test_a_grade_whose_interval_spans_several_is_told_with_both_ends(
    values_ms: tuple[float, ...], words: str
) -> None:
    """A game is good up to 50 ms, fair up to 100, poor up to 200. Five seeds or fewer have no interval."""
    found = cast("aqmlab.Comparison", _Of(*values_ms))
    criterion, quantity = GAME.criteria[0], delay_ms_of(95)("datagrams.game-up")
    own = grade_of(criterion.badness(sum(values_ms) / len(values_ms)))
    within = grades_within(found, "drop-tail", [(criterion, quantity)], own)
    told = Fares("game-up", quantity, Observation.exact(100.0), own, within=within)
    assert fares_in_words(told) == f"{words} 100 ms"


def test_videos_are_not_judged_by_less_than_their_player_holds(found: aqmlab.Comparison) -> None:
    """20 s are measured; the player holds 25 s."""
    television = next(each for each in verdict(found) if each.name == "television")
    assert {fares_in_words(each) for each in television.fares.values()} == {"too short"}
    assert {each.grade for each in television.fares.values()} == {None}
    said = str(found).replace("\n", " ")
    assert (
        "the television may play for 25 s what arrived before; measure so long or longer (now 20 s)" in said
    )
    longer = aqmlab.compare(
        aqmlab.new("home"), schemes=["fq-codel"], seeds="1", overrides={**SHORT, "duration_s": 35.0}
    )
    television = next(each for each in verdict(longer) if each.name == "television")
    assert fares_in_words(television.fares["fq-codel"]).startswith("plays ")
    assert "Too short" not in str(longer)


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
