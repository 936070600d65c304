"""The named parts of runs: links, populations, groups of flows and of datagrams.

A group that some run has is legitimately absent from another one, and its number is missing there. A name
that no run has is misspelt, and refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import UnknownQuantityError
from aqmlab.statistics.datagrams import datagram_groups
from aqmlab.terminal.spelling import closest, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aqmlab.statistics.quantity import Quantity
    from aqmlab.statistics.recorded import Recorded

_IN_RUN = ("links", "populations", "flows")
_KINDS = (*_IN_RUN, "datagrams")


def require_known_part(quantity: Quantity, results: Iterable[Recorded]) -> None:
    """Checks that some run has the part of the traffic that a quantity is of, if it is of one.

    Raises:
        UnknownQuantityError: None has; the message lists the parts of this kind and the nearest one.
    """
    part = quantity.name.partition("/")[2].partition("@")[0]
    kind, _, name = part.partition(".")
    if kind not in _KINDS:
        return
    known = list(dict.fromkeys(each for result in results for each in _names(result, kind)))
    if name in known:
        return
    parts = [f"{kind}.{each}" for each in known]
    legal = ", ".join(parts)
    raise UnknownQuantityError(
        f'quantity "{quantity.name}": no run has {part}; there are: {legal or "none"}{nearest(part, parts)}',
        place="quantity",
        value=part,
        legal=legal,
        nearest=closest(part, parts),
    )


def _names(result: Recorded, kind: str) -> list[str]:
    if kind in _IN_RUN:
        return [str(each["name"]) for each in result.run.get(kind, ())]
    return datagram_groups(result)
