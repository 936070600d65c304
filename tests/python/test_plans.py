"""A provider's plans, as the page on them has them: rates in any case, turns of what is left, ceilings."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

import aqmlab
from aqmlab.files.toml_text import to_toml
from documented import ROOT, blocks

PAYLOAD_SHARE = 1448 / 1500
"""Of a full packet with TCP's timestamps."""


def plans() -> dict[str, Any]:
    """The scenario of the page."""
    (block,) = (each for each in blocks(ROOT / "docs/how-to/plans.md") if each.kind == "scenario")
    return tomllib.loads(block.text)


@pytest.mark.parametrize(
    ("senders", "expected_mbps"),
    [
        # Of 100 Mbit/s 60 are theirs in any case; of the other 40 Ann's turns are twice as long as Ben's.
        (("to-ann", "to-ben"), (40 + 40 * 2 / 3, 20 + 40 / 3)),
        (("to-ann",), (80,)),
        (("to-ben",), (50,)),
    ],
)
def test_customers_get_their_rates_their_share_of_the_rest_and_no_more_than_their_ceilings(
    senders: tuple[str, ...], expected_mbps: tuple[float, ...]
) -> None:
    scenario = plans()
    scenario["flows"] = [each for each in scenario["flows"] if each["name"] in senders]
    result = aqmlab.run(to_toml(scenario))
    found = [result.value(f"goodput_mbps/flows.{name}") / PAYLOAD_SHARE for name in senders]
    assert found == pytest.approx(expected_mbps, rel=0.02)
