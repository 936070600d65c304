"""What links carry whose queues hold classes to ceilings: loads, demands and waiting times."""

from __future__ import annotations

import pytest

from aqmlab import Scenario
from aqmlab.load.demand import Demand, monitored_links
from aqmlab.load.offered import offering_twin

PLANS = """
name = "plans"
duration_s = 1.0
[topology]
nodes = [
  { name = "server", kind = "host" },
  { name = "provider", kind = "router" },
  { name = "site", kind = "router" },
  { name = "ann", kind = "host" },
  { name = "ben", kind = "host" },
]
[[topology.links]]
from = "provider"
to = "site"
both_ways = true
rate_mbps = 120.0
uncongested_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
monitored = true
[topology.links.queue]
scheme = "htb"
classes = [
  { name = "site", rate_mbps = 100.0 },
  { parent = "site", rate_mbps = 40.0, ceil_mbps = 80.0, hosts = ["ann"] },
  { parent = "site", rate_mbps = 20.0, ceil_mbps = 50.0, hosts = ["ben"] },
]
[[topology.links]]
from = "server"
to = "provider"
rate_mbps = 1000.0
[[topology.links]]
from = "site"
to = "ann"
rate_mbps = 1000.0
[[topology.links]]
from = "site"
to = "ben"
rate_mbps = 1000.0
[[populations]]
name = "ann"
browsers = "ann"
servers = "server"
count = 2
model = { model = "pages" }
minimum_delay_ms = { low = 10, high = 60 }
[[populations]]
name = "ben"
browsers = "ben"
servers = "server"
count = 2
model = { model = "pages" }
minimum_delay_ms = { low = 10, high = 60 }
"""


@pytest.mark.parametrize(
    ("names", "carried"),
    [(["populations.ann"], 80.0), (["populations.ben"], 50.0), (["users"], 100.0)],
)
def test_a_demand_is_judged_by_what_its_classes_let_go(names: list[str], carried: float) -> None:
    """Plans of 80 and 50 Mbit/s, together no more than the site's 100, on a link of 120."""
    scenario = Scenario.of(PLANS)
    found = {link.name: link for each in Demand.of(scenario, names).bottlenecks() for link in each.links}
    assert found["provider-to-site"].capacity_mbps == carried
    named = Demand.of(scenario, names, links=["provider-to-site"]).bottlenecks()
    assert [each.capacity_mbps for each in named] == [carried]
    # 40 Mbit/s are half of a plan of 80.
    assert named[0].load({"provider-to-site": 40.0}) == pytest.approx(40.0 / carried)


def test_the_twin_is_not_held_back_by_classes() -> None:
    twin = offering_twin(Scenario.of(PLANS))
    assert twin is not None
    assert {link.name: link.capacity_mbps for link in monitored_links(twin)}["provider-to-site"] == 1000.0


@pytest.mark.parametrize(
    "queue", ['{ scheme = "cake", rate_mbps = 10.0 }', '{ scheme = "htb", classes = [{ rate_mbps = 10.0 }] }']
)
def test_what_waits_behind_a_queues_own_shaper_is_timed_at_its_rate(queue: str) -> None:
    text = PLANS.partition("[topology.links.queue]")
    rest = text[2].partition("[[topology.links]]")
    scenario = Scenario.of(f"{text[0]}queue = {queue}\n[[topology.links]]{rest[2]}")
    # Ten packets of 1,500 bytes are 120,000 bits.
    waits = scenario.core.backlog_ms("provider-to-site", 1, [0.5], [10], [15_000])
    assert waits == [pytest.approx(12.0)]
    assert [link.capacity_mbps for link in monitored_links(scenario)] == [10.0, 10.0]
