"""What users offer, and what was left out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.show.words.amounts import listed
from aqmlab.show.words.configurations import the
from aqmlab.statistics.catalogue import greedy_groups

if TYPE_CHECKING:
    from aqmlab.result import Result


def offered_load(result: Result) -> str | None:
    """The offered load of a run: its share of the bottleneck, each link's Mbit/s; none if it is not known.

    Flows without a size would fill any link, so the uncongested twin has none, and the sentence says so: a
    link full of backups may have an offered load of 4 %.
    """
    if (load := result.offered_load) is None:
        return None
    by_link = ", ".join(f"{name} {mbps:.2f}" for name, mbps in load["realised_mbps"].items())
    of_some = len(load["realised_mbps"]) > len(load["bottleneck"])
    where = ", ".join(load["bottleneck"]) if of_some else "the bottleneck"
    least = "at least " if load.get("held_back") else ""
    said = f"offered load: {least}{load['realised_percent']:.1f} % of {where} ({by_link} Mbit/s)"
    greedy = greedy_groups(result)
    return (
        f"{said} without {listed([the(each) for each in greedy])}, which send as fast as they can"
        if greedy
        else said
    )
