"""A run that ends in its cool-down shows what the run with all of it shows, in every quantity."""

import pytest

import aqmlab
from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.presets.household import household
from aqmlab.statistics.catalogue import shown_of_all
from aqmlab.statistics.quantities import Quantity
from aqmlab.statistics.quantity import Measured
from aqmlab.statistics.recorded import ended_s

SHORT: dict[str, object] = {"duration_s": 60.0, "warm_up_s": 10.0, "cool_down_s": 20.0}


def observed(quantity: Quantity, result: aqmlab.Result) -> str:
    """What is known of a quantity, or why nothing is."""
    try:
        return repr(quantity.observed(Measured(result)))
    except (MissingDataError, TooLittleDataError) as error:
        return str(error)


@pytest.mark.parametrize(
    "queue",
    [
        {"scheme": "drop-tail", "limit_packets": 300},
        {"scheme": "pie", "limit_packets": 300},
        {"scheme": "fq-codel"},
        {"scheme": "cake"},
    ],
    ids=lambda queue: str(queue["scheme"]),
)
def test_every_quantity_that_is_shown_of_a_household_is_the_same(queue: dict[str, object]) -> None:
    at_both_ends: dict[str, object] = {"line.provider_queue": queue, "line.modem_queue": queue}
    home = aqmlab.Scenario.of(household(30.0, 6.0)).with_overrides(SHORT | at_both_ends)
    ended, whole = aqmlab.run(home, seed=3), aqmlab.run(home, seed=3, overrides={"record.cool_down": True})
    assert 40.0 <= ended_s(ended) < ended_s(whole) == 60.0
    shown = shown_of_all([whole])
    assert len(shown) > 40
    for quantity in shown:
        assert observed(quantity, ended) == observed(quantity, whole), quantity.name
    assert ended.warnings == whole.warnings
