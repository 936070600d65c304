"""What an evaluation by RFC 7928 found, in sentences."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from aqmlab.statistics.replication import MINIMUM_REPLICATIONS
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.evaluation.summary import Standings

_CALLED = {"queue_mean_ms": "delay", "goodput_mbps": "goodput"}


def standings_in_words(scheme: str, standings: Sequence[Standings]) -> list[str]:
    """In how many cases a scheme has less delay and more goodput than each other one."""
    return [
        f"{scheme} beside {other}, in {counted(cases, 'case')}: {'; '.join(map(_against, found))}."
        for (other, cases), group in groupby(standings, key=lambda each: (each.other, each.cases))
        if cases
        for found in [list(group)]
    ]


def means_in_words(seeds: int) -> str:
    """What the numbers of the summary are."""
    certainty = " with 95 % intervals" if seeds >= MINIMUM_REPLICATIONS else ": too few for intervals"
    means = f"means over {counted(seeds, 'seed')}{certainty}"
    return f"delay: mean queueing delay; Mbit/s: goodput of all traffic; {means}"


def _against(standings: Standings) -> str:
    return f"{_CALLED[standings.number]} lower in {standings.less}, higher in {standings.more}"
