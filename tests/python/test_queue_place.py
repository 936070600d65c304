"""Where a queue stands on a line: in whose box, and what that changes."""

from __future__ import annotations

import pytest

import aqmlab
from aqmlab.errors import ComparisonError, RefusalError
from aqmlab.load.queue_place import PLACES, own_links, place_named
from aqmlab.load.queues import Queues
from aqmlab.presets import TECHNOLOGIES
from aqmlab.presets.home_line import as_line
from aqmlab.presets.household import household
from aqmlab.scenario import Scenario
from aqmlab.show.words.line import boxes_in_words
from small import HOME_ON_A_DUMBBELL

HOME = household(20.0, 2.0, "vdsl")


@pytest.mark.parametrize("technology", TECHNOLOGIES)
@pytest.mark.parametrize("queue_in", PLACES)
def test_a_household_is_on_every_line_with_its_queues_in_every_place(technology: str, queue_in: str) -> None:
    scenario = Scenario.of(str(aqmlab.new("home", technology=technology, queue_in=queue_in)))
    names = [link.name for link in scenario.core.monitored_links()]
    assert sorted(names) == ["down", "router-down", "router-up", "up"]
    assert set(scenario.core.shapers()) == (set(PLACES["router"].links) if queue_in == "router" else set())


def test_rates_places_and_technologies_are_refused_by_name() -> None:
    with pytest.raises(RefusalError, match="technology") as refused:
        household(technology="vdls")
    assert refused.value.nearest == "vdsl"
    with pytest.raises(RefusalError, match=r"up_mbps: 0\.1 is out of range"):
        household(10.0, 0.1)
    with pytest.raises(RefusalError, match='did you mean "modem"') as refused:
        place_named("modm")
    assert refused.value.place == "queue_in"


def test_a_dumbbell_as_a_line_carries_the_same_people_with_the_same_rates() -> None:
    """One machine behind it instead of two routers: pages, flows and packets are those of the dumbbell."""
    home = Scenario.of(HOME_ON_A_DUMBBELL)
    line = as_line(home)
    assert as_line(line) == line
    before, after = (aqmlab.run(each, seed=3) for each in (home, line))
    first, second = (_whole_pages(result) for result in (before, after))
    both = first.keys() & second.keys()
    assert len(both) > 5
    assert {page: first[page] for page in both} == {page: second[page] for page in both}
    for quantity, tolerance in (
        ("goodput_mbps/flows.backup", 0.02),
        ("delay_p50_ms/datagrams.call-up", 0.05),
    ):
        assert after.value(quantity) == pytest.approx(before.value(quantity), rel=tolerance), quantity


def _whole_pages(result: aqmlab.Result) -> dict[tuple[int, int], tuple[int, int]]:
    """Objects and bytes of each page that was loaded, by its user and its place among the user's."""
    return {
        (row["user"], row["page"]): (row["objects"], row["response_bytes"])
        for row in result.pages.to_pylist()
        if row["ended"] == 1
    }


def test_users_on_the_internets_side_are_no_home() -> None:
    home = Scenario.of(HOME_ON_A_DUMBBELL)
    with pytest.raises(RefusalError, match="5 users browse on the left"):
        as_line(home.with_overrides({"users.left": 5}))
    with pytest.raises(RefusalError, match="a line has no transmit_ring_packets"):
        as_line(home.with_overrides({"dumbbell.transmit_ring_packets": 5}))


def test_the_queues_of_a_line_are_those_that_act() -> None:
    home = Scenario.of(HOME)
    assert own_links(home) == ("down", "up")
    shaped = PLACES["router"].at(home, 0.9)
    assert own_links(shaped) == PLACES["router"].links
    assert Queues.of(shaped).keys == ("line.router_queue_down", "line.router_queue_up")
    assert PLACES["line"].at(shaped) == home
    # Who names a share means it; without one the scenario's own stays.
    assert PLACES["router"].at(shaped, 0.5).core.shapers()["router-up"][0] == pytest.approx(1.0)
    assert PLACES["router"].at(shaped).core.shapers()["router-up"][0] == pytest.approx(1.8)
    with pytest.raises(RefusalError, match="only a router shapes"):
        PLACES["modem"].at(home, 0.5)
    with pytest.raises(RefusalError, match=r"1\.5 is out of range; legal: 0\.01 to 1"):
        PLACES["router"].at(home, 1.5)


def test_a_comparison_puts_queues_where_it_is_asked_and_begins_with_the_line_as_it_is() -> None:
    short = {"duration_s": 20.0, "warm_up_s": 5.0, "cool_down_s": 2.0}
    found = aqmlab.compare(HOME, schemes=["cake"], queue_in="router", seeds="1", overrides=short)
    assert found.names == ("as it is", "cake")
    own, cake = (found.level(name, "delay_p95_ms/datagrams.call-up").mean for name in found.names)
    assert own is not None
    assert cake is not None
    assert cake < 0.5 * own
    # Whose boxes: what a reader may set, and what not.
    at_line = "at the provider (down) and in the modem (up)"
    held = "in the router, which holds the line to 95 %"
    assert boxes_in_words(found) == [f"Where queues fill: as it is {at_line}; with CAKE {held}."]
    with pytest.raises(ComparisonError, match="shaped_share: only a router shapes"):
        aqmlab.compare(HOME, schemes=["cake", "pie"], shaped_share=0.9)
    with pytest.raises(ComparisonError, match="of one scenario"):
        aqmlab.compare({"a": HOME, "b": HOME}, queue_in="router")
