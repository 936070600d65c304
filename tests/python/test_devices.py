"""What devices of a line get, and how they share it."""

from __future__ import annotations

import pytest

import aqmlab
from aqmlab.errors import MissingDataError, TooLittleDataError, UnknownQuantityError

TWO = """
name = "two"
duration_s = 12.0
warm_up_s = 4.0
[line]
technology = "other"
down_mbps = 20.0
up_mbps = 4.0
[[devices]]
name = "laptop"
[[devices]]
name = "console"
[[devices]]
name = "phone"
[[flows]]
name = "downloads"
count = 3
direction = "down"
device = "laptop"
profile = "linux6-cubic"
[[flows]]
name = "update"
count = 1
direction = "down"
device = "console"
profile = "linux6-cubic"
[[flows]]
name = "backup"
count = 1
direction = "up"
device = "laptop"
profile = "linux6-cubic"
[[datagrams]]
name = "call"
count = 1
direction = "up"
device = "phone"
packet_bytes = 200
rate_mbps = 0.08
[[populations]]
name = "readers"
browsers = "phone"
servers = "internet"
count = 1
model = { model = "pages", think_time_median_seconds = 1.0 }
"""


@pytest.fixture(scope="module")
def result() -> aqmlab.Result:
    return aqmlab.run(TWO, seed=2)


def test_a_device_gets_what_its_traffic_gets(result: aqmlab.Result) -> None:
    of = result.value
    assert of("goodput_down_mbps/devices.laptop") == of("goodput_mbps/flows.downloads")
    assert of("goodput_up_mbps/devices.laptop") == of("goodput_mbps/flows.backup")
    assert of("goodput_up_mbps/devices.phone") == of("goodput_mbps/datagrams.call")
    assert of("goodput_down_mbps/devices.phone") == of("goodput_mbps/populations.readers") > 0.0
    assert of("goodput_up_mbps/devices.console") == 0.0


def test_jains_index_is_of_the_devices_that_take_all_they_can(result: aqmlab.Result) -> None:
    shares = [result.value(f"goodput_mbps/flows.{group}") for group in ("downloads", "update")]
    # (a + b)^2 / 2 (a^2 + b^2); the phone, which reads now and then, does not count.
    expected = sum(shares) ** 2 / (2 * sum(share**2 for share in shares))
    assert result.value("jain_index/devices.down") == pytest.approx(expected, rel=1e-12)
    with pytest.raises(TooLittleDataError):
        result.value("jain_index/devices.up")


def test_cake_shares_by_device_where_fq_codel_shares_by_flow() -> None:
    """Three flows against one: by flow (3 + 1)^2 / (2 (9 + 1)) = 0.8, by device 1."""
    cake = {"line.provider_queue": {"scheme": "cake", "isolation": "dual_destination"}}
    found = {
        name: aqmlab.run(TWO, seed=1, overrides=queue).value("jain_index/devices.down")
        for name, queue in (("cake", cake), ("fq", {"line.provider_queue": {"scheme": "fq-codel"}}))
    }
    assert found["cake"] > 0.98
    assert found["fq"] == pytest.approx(0.8, abs=0.05)


def test_what_is_no_device_is_refused(result: aqmlab.Result) -> None:
    with pytest.raises((MissingDataError, UnknownQuantityError), match="laptop"):
        result.value("goodput_up_mbps/devices.fridge")
    with pytest.raises(MissingDataError, match="down or up"):
        result.value("jain_index/devices.sideways")
