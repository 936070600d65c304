"""What must not change a number: a group that does nothing, a rate hardly another, the mirror image."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import aqmlab
from aqmlab.statistics.catalogue import shown_of_all
from aqmlab.statistics.quantities import Measured

LEFT, RIGHT = "left-to-right", "right-to-left"
# Nothing of it is random, so that its mirror image is the same run.
STEADY: dict[str, Any] = {
    "name": "steady",
    "duration_s": 12.0,
    "warm_up_s": 2.0,
    "cool_down_s": 1.0,
    "dumbbell": {
        "rate_mbps": 6.0,
        "rate_right_to_left_mbps": 2.0,
        "queue": {"scheme": "drop-tail", "limit_packets": 40},
        "queue_right_to_left": {"scheme": "drop-tail", "limit_packets": 30},
    },
    "flows": [
        {
            "name": "down",
            "count": 2,
            "direction": LEFT,
            "base_rtt_ms": 30.0,
            "profile": "linux6-cubic",
            "start_spread_s": 0.0,
        },
        {
            "name": "up",
            "count": 1,
            "direction": RIGHT,
            "base_rtt_ms": 20.0,
            "profile": "linux6-reno",
            "start_spread_s": 0.0,
        },
    ],
    "datagrams": [
        {
            "name": "call",
            "count": 1,
            "direction": RIGHT,
            "packet_bytes": 200,
            "rate_mbps": 0.08,
            "start_spread_s": 0.0,
        }
    ],
}
READERS: dict[str, Any] = {
    "name": "readers",
    "duration_s": 30.0,
    "warm_up_s": 5.0,
    "dumbbell": {
        "rate_mbps": 6.0,
        "rate_right_to_left_mbps": 6.0,
        "queue": {"scheme": "drop-tail", "limit_packets": 60},
    },
    "users": {
        "left": 1,
        "right": 4,
        "model": {"model": "pages", "think_time_median_seconds": 2.0},
        "profile": "linux6-cubic",
    },
}


def numbers(result: aqmlab.Result) -> dict[str, tuple[float, float]]:
    """Both ends of every number that is shown of a run, by its name."""
    links = [str(link["name"]) for link in result.run["links"]]
    seen = {each.name: each.observed(Measured(result, links)) for each in shown_of_all([result], links)}
    return {name: (each.lower, each.upper) for name, each in seen.items() if each.is_known}


def mirrored(scenario: dict[str, Any]) -> dict[str, Any]:
    """Left and right changed for each other."""
    image = copy.deepcopy(scenario)
    line = image["dumbbell"]
    line["rate_mbps"], line["rate_right_to_left_mbps"] = line["rate_right_to_left_mbps"], line["rate_mbps"]
    line["queue"], line["queue_right_to_left"] = line["queue_right_to_left"], line["queue"]
    for group in (*image["flows"], *image["datagrams"]):
        group["direction"] = RIGHT if group["direction"] == LEFT else LEFT
    return image


def test_the_mirror_image_has_the_same_numbers_on_the_other_side() -> None:
    ours, image = (numbers(aqmlab.run(each)) for each in (STEADY, mirrored(STEADY)))
    other_side = {LEFT: RIGHT, RIGHT: LEFT}
    for name, ends in ours.items():
        what, _, part = name.partition("/links.")
        twin = f"{what}/links.{other_side[part]}" if part else name
        assert image[twin] == pytest.approx(ends, rel=1e-9), name
    assert len(ours) == len(image) > 15


@pytest.mark.parametrize("direction", [LEFT, RIGHT])
@pytest.mark.parametrize("kind", ["flows", "datagrams"])
def test_a_group_that_never_begins_changes_nothing_of_the_others(kind: str, direction: str) -> None:
    alone = numbers(aqmlab.run(STEADY))
    beside = copy.deepcopy(STEADY)
    idle: dict[str, Any] = {"name": "idle", "count": 1, "direction": direction, "start_spread_s": 0.0}
    if kind == "datagrams":
        idle |= {"packet_bytes": 100, "rate_mbps": 0.01, "start_s": 11.9}
    else:
        idle |= {"bytes": 1000, "starts_s": [11.9], "base_rtt_ms": 20.0, "profile": "linux6-cubic"}
        del idle["start_spread_s"]
    beside[kind] = [*beside[kind], idle]
    found = numbers(aqmlab.run(beside))
    for name, ends in alone.items():
        assert found[name] == pytest.approx(ends, rel=1e-9), name


def test_a_rate_that_is_hardly_another_hardly_changes_the_load() -> None:
    """Of two equal directions a mean was taken, of two that differ the fuller one: a jump of a half."""
    loads = []
    for up_mbps in (6.0, 6.0006):
        own = copy.deepcopy(READERS)
        own["dumbbell"]["rate_right_to_left_mbps"] = up_mbps
        load = aqmlab.run(own, measure_offered_load=True).offered_load
        assert load is not None
        assert load["bottleneck"] == [LEFT]
        loads.append(load["realised_percent"])
    assert loads[1] == pytest.approx(loads[0], rel=0.01)


def test_a_reader_who_looks_the_other_way_takes_no_load_from_the_fuller_direction() -> None:
    loads = []
    for left in (0, 1):
        own = copy.deepcopy(READERS)
        own["users"]["left"] = left
        load = aqmlab.run(own, measure_offered_load=True).offered_load
        assert load is not None
        loads.append(load["realised_percent"])
    # Her requests and acknowledgements come on top.
    assert loads[0] <= loads[1] < 1.1 * loads[0]


def test_a_viewer_whose_server_is_away_changes_no_response_of_readers() -> None:
    line = {"rate_mbps": 50.0, "queue": {"scheme": "drop-tail", "limit_packets": 500}}
    ends = {"browsers": "browsers-right", "servers": "servers-left"}
    readers = {"name": "readers", "count": 2, "model": {"model": "pages"}, "profile": "linux6-cubic", **ends}
    viewers = {
        "name": "tv",
        "count": 5,
        "model": {"model": "video-streaming"},
        "delay_box": {"loss_probability": 1.0},
        **ends,
    }
    base = {"name": "readers", "duration_s": 60.0, "dumbbell": line}
    alone, beside = (
        numbers(aqmlab.run({**base, "populations": populations}))
        for populations in ([readers], [readers, viewers])
    )
    for name in ("response_p50_s", "response_p95_s", "page_followed_p50_s"):
        assert beside[name] == pytest.approx(alone[name], rel=0.02), name
