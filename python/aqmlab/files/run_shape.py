"""The layout of `run.json`: its shape, and how this version reads what older ones wrote.

The shape is what its readers rely on; meanings of the keys: `docs/reference/results.md`. A layout is a
promise about names and meanings. A key that a later version added changes no layout: who needs it says that
it is missing. Each step below makes one layout of the one before. What is no run at all passes as it is: its
shape is checked afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import LayoutError
from aqmlab.files.shape import ANY, FLAG, NUMBER, TEXT, WHOLE, ListOf, Table, TableOf
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    _Run = dict[str, Any]

_AMOUNT = Table({"packets": WHOLE, "bytes": WHOLE}, open=True)

_COUNTS = Table(
    {
        "arrived_packets": WHOLE,
        "at_risk_packets": WHOLE,
        "marked_packets": WHOLE,
        "discarded_packets": WHOLE,
    },
    open=True,
)

_LINK = Table(
    {
        "name": TEXT,
        "from": TEXT,
        "to": TEXT,
        "rate_mbps": NUMBER,
        "scheme": TEXT,
        "carries_data": FLAG,
        "throughput_mbps": NUMBER,
        "throughput_ip_mbps": NUMBER,
        "busy_share": NUMBER,
        "queue_packets_mean": NUMBER,
        "loss_ratio": NUMBER,
        "mark_ratio": NUMBER,
        "counters": Table(
            {
                "arrived": _AMOUNT,
                "at_risk": _AMOUNT,
                "departed": _AMOUNT,
                "marked": _AMOUNT,
                "discarded": TableOf(_AMOUNT),
                "by_class": TableOf(_COUNTS),
                "by_codepoint": TableOf(_COUNTS),
            },
            open=True,
        ),
    },
    open=True,
)

_POPULATION = Table(
    {"name": TEXT, "users": WHOLE, "completed": WHOLE, "failed": WHOLE, "unfinished": WHOLE}, open=True
)

RUN = Table(
    required={
        "aqmlab_version": TEXT,
        "scenario": TableOf(ANY),
        "seed": WHOLE,
        "measured_from_s": NUMBER,
        "measured_until_s": NUMBER,
        "links": ListOf(_LINK),
        "populations": ListOf(_POPULATION),
        "flows": ListOf(Table({"name": TEXT, "delivered_bytes": ListOf(WHOLE)}, open=True)),
        "tcp": TableOf(WHOLE),
        "warnings": ListOf(TEXT),
    },
    optional={
        "content_address": TEXT,
        "ended_s": NUMBER,
        "offered_load": TableOf(ANY),
        "live": TableOf(ANY),
        "actions": ListOf(TableOf(ANY)),
    },
    open=True,
)
"""A run as its folder holds it; other keys are kept and not read."""


FORMAT = 3
"""Version of the layout of `run.json` and of the tables that this package writes."""
OLDEST = 2
"""The first layout that it reads: the one before has numbers in its tables where later ones have names."""


def as_written_today(run: dict[str, Any], place: str) -> dict[str, Any]:
    """A run in today's layout, with a warning for each thing that its own layout did not have."""
    layout = run.get("format")
    # A flag is a whole number for Python.
    if type(layout) is not int or not OLDEST <= layout <= FORMAT:
        raise LayoutError(f"{place}: {_refused(layout, run)}")
    made, notes = dict(run), []
    for before in range(layout, FORMAT):
        made, note = _STEPS[before](made)
        notes.append(note)
    if _lacks_capacity(made):
        made = _with_each_link(made, lambda link: {"capacity_mbps": link.get("rate_mbps"), **link})
        notes.append("written before links had a capacity: loads are shares of their rates")
    if not notes:
        return made
    warnings = made.get("warnings")
    return {**made, "format": FORMAT, "warnings": [*(warnings if isinstance(warnings, list) else []), *notes]}


def _refused(layout: object, run: dict[str, Any]) -> str:
    """Why a layout is not read, and what can be done."""
    by = (
        f"aqmlab {run['aqmlab_version']}" if isinstance(run.get("aqmlab_version"), str) else "another version"
    )
    reads = f"this one, {_core.version()}, reads layouts {OLDEST} to {FORMAT}"
    if type(layout) is int and layout > FORMAT:
        return f"layout {layout} of {by}, which is newer; {reads}; open it with a newer aqmlab"
    if type(layout) is int and layout >= 0:
        return (
            f"layout {layout} of {by}, which is too old; {reads}; run its scenario again, which its run.json "
            "has with the seed"
        )
    return f"layout {quoted(layout)}, which no version of aqmlab wrote; {reads}"


def _lacks_capacity(run: dict[str, Any]) -> bool:
    links = run.get("links")
    each = links if isinstance(links, list) else []
    return any(isinstance(link, dict) and "capacity_mbps" not in link for link in each)


def _with_each_link(run: _Run, change: Callable[[_Run], _Run]) -> _Run:
    """The run with its links changed; whatever is no link stays."""
    links = run.get("links")
    if not isinstance(links, list):
        return run
    return {**run, "links": [change(link) if isinstance(link, dict) else link for link in links]}


def _with_packets_at_risk(run: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Layout 2 took shares of the packets that arrived; layout 3 of those at risk."""
    note = "written in layout 2: shares of lost and marked packets are of those that arrived in the window"
    return _with_each_link(run, lambda link: {**link, **_at_risk(link.get("counters"))}), note


def _at_risk(counters: object) -> dict[str, Any]:
    """The counters of a link with those of packets at risk, as its key."""
    if not isinstance(counters, dict):
        return {}
    made = {"at_risk": counters.get("arrived"), **counters}
    for kinds in ("by_class", "by_codepoint"):
        if isinstance(counts := counters.get(kinds), dict):
            made[kinds] = {
                name: {"at_risk_packets": each.get("arrived_packets"), **each}
                if isinstance(each, dict)
                else each
                for name, each in counts.items()
            }
    return {"counters": made}


_STEPS: dict[int, Callable[[dict[str, Any]], tuple[dict[str, Any], str]]] = {2: _with_packets_at_risk}
"""What makes of each layout the next."""
