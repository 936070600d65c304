"""What `run` says of the offered load: where flows have no size, that they are not in it."""

import aqmlab
from aqmlab.show.words.line import offered_load
from small import HOME_ON_A_DUMBBELL


def said(**changes: object) -> str | None:
    scenario = aqmlab.Scenario.from_toml(HOME_ON_A_DUMBBELL).with_overrides(
        {"duration_s": 20.0, "warm_up_s": 5.0, "cool_down_s": 5.0, **changes}
    )
    return offered_load(aqmlab.run(scenario, seed=1, measure_offered_load=True))


def test_flows_without_a_size_are_named_as_left_out() -> None:
    sentence = said()
    assert sentence is not None
    assert sentence.startswith("offered load: ")
    assert sentence.endswith(" Mbit/s) without the backup and the download, which send as fast as they can")


def test_nothing_is_left_out_where_every_flow_has_a_size() -> None:
    sentence = said(**{"flows.0.bytes": 100_000, "flows.1.bytes": 100_000})
    assert sentence is not None
    assert sentence.endswith(" Mbit/s)")
