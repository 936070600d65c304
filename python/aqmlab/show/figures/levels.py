"""Levels of a comparison as bars: how long pages take, and who got how much."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError
from aqmlab.show.figures.bars import Bar, BarGroup, BarRow, Bars
from aqmlab.show.figures.chart import Axis
from aqmlab.show.figures.delay import bar_of, group_in_words
from aqmlab.show.figures.looks import looks_of_names
from aqmlab.show.words.amounts import bit_rate, duration
from aqmlab.statistics.datagrams import datagram_groups
from aqmlab.statistics.traffic import OF_TRAFFIC, WAYS, devices, goodput_mbps_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics.quantity import OfRun

USUAL, SLOW = "half of the pages loaded within", "19 of 20 within"
NO_PAGE = "no page"


def page_bars(found: Comparison, looks: Mapping[str, Line] | None = None) -> Bars:
    """How long people wait for a page under each configuration: half of them, and 19 of 20.

    Raises:
        MissingDataError: Nobody waited for a page.
    """
    if not found.tells_pages:
        raise MissingDataError("nobody waited for a page in the measured window")
    looks = looks or looks_of_names(found.names)
    rows = []
    for name in found.names:
        bars = tuple(bar_of(found.level(name, each)) for each in found.of_people)
        unknown = all(math.isnan(bar.value) for bar in bars)
        rows.append(BarRow(name, looks[name], bars, NO_PAGE if unknown else ""))
    title, axis = "How long people wait for a page", Axis("time after the click, s")
    return Bars(title, axis, (USUAL, SLOW), (BarGroup("", tuple(rows)),), duration)


def share_bars(found: Comparison) -> Bars:
    """What each device got, down and up; without devices what each group of flows did.

    Raises:
        MissingDataError: There are neither devices nor flows.
    """
    names = devices(next(iter(found.runs.values()))[0].result)
    if not names:
        return goodput_bars(found)
    of = OF_TRAFFIC["devices"]
    groups = {device: [of[f"goodput_{way}_mbps"](f"devices.{device}") for way in WAYS] for device in names}
    return _goodput(found, "Goodput of each device", WAYS, groups)


def goodput_bars(found: Comparison) -> Bars:
    """What each group of flows and of datagrams got.

    Raises:
        MissingDataError: There is no such group.
    """
    groups = {each: [goodput_mbps_of(f"flows.{each}")] for each in found.flow_groups}
    if not groups:
        result = next(iter(found.runs.values()))[0].result
        own = OF_TRAFFIC["datagrams"]["goodput_mbps"]
        groups = {group_in_words(each): [own(f"datagrams.{each}")] for each in datagram_groups(result)}
    if not groups:
        raise MissingDataError("the scenario has no devices, no flows and no datagrams")
    return _goodput(found, "Goodput", ("",), groups)


def _goodput(
    found: Comparison, title: str, keys: Sequence[str], groups: Mapping[str, Sequence[OfRun]]
) -> Bars:
    looks, made = looks_of_names(found.names), []
    for group, quantities in groups.items():
        rows = []
        for name in found.names:
            bars = tuple(_known(found, name, each) for each in quantities)
            rows.append(BarRow(name, looks[name], bars))
        # A way on which nobody gets anything is none that the device uses.
        used = [any(row.bars[place].value > 0.0 for row in rows) for place in range(len(keys))]
        if any(used):
            made.append(BarGroup(group, tuple(_of_used(row, used) for row in rows)))
    if not made:
        raise MissingDataError("what devices got was not recorded")
    return Bars(title, Axis("goodput, Mbit/s"), tuple(keys), tuple(made), bit_rate)


def _of_used(row: BarRow, used: Sequence[bool]) -> BarRow:
    bars = (bar if is_used else Bar(math.nan) for bar, is_used in zip(row.bars, used, strict=True))
    return replace(row, bars=tuple(bars))


def _known(found: Comparison, name: str, quantity: OfRun) -> Bar:
    try:
        return bar_of(found.level(name, quantity))
    except MissingDataError:
        return Bar(math.nan)
