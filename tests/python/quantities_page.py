"""The reference of the quantities, `docs/reference/quantities.md`, made of the registry: a program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import naive_quantities as naive
import naive_rows
from aqmlab.statistics.quantities import QUANTITIES
from aqmlab.statistics.quantity import Scope
from aqmlab.statistics.stretches import OF_STRETCHES
from aqmlab.statistics.traffic import OF_TRAFFIC
from aqmlab.statistics.transfers import OF_TRANSFERS
from synthetic_results import SyntheticResult
from test_naive_quantities import made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aqmlab.statistics import Recorded

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "quantities.md"
_SCOPES = {Scope.LINKS: "judged links", Scope.USERS: "users", Scope.RUN: "run"}
_HEAD = """# Quantities

Generated from the registry of quantities. A name is what tables, claims, `Result` and the columns of CSV
files use; `aqmlab.quantity(NAME)` finds it in Python. The unit is part of the name;
without a unit it is a count or a ratio.

*Of*: **judged links** are the monitored links that carry data, or those of `--links`; throughput,
utilization and queue are means over several links, loss and marks are taken over all their packets.
**Users** are all populations, or the one that is named. **Run** is the run as a whole.

*Ended exchanges* completed or failed in the measured window. *Packets at risk* are those that the queue
could discard or mark in the window: arrivals and, under schemes that decide about waiting packets
(`codel`), those that waited when it began. *Computed from* are the tables and the parts of
[`run.json`](results.md) that the number needs, and `record` must keep; a second computation by plain loops
over them is compared with each quantity ([how](../explanation/testing.md#every-quantity-computed-twice)).

## Of a run

| quantity | unit | of | definition | computed from |
| --- | --- | --- | --- | --- |
{runs}

## Of a part of the traffic

A population, a group of flows or a group of datagrams, by its name: `loss_percent/flows.bulk`.

| quantity | unit | definition | computed from |
| --- | --- | --- | --- |
{parts}

## Of stretches of a run

Between instants in seconds: `throughput_mbps/links.left-to-right@200-400`; several stretches are taken
together, `@200-400+1600-1800`. A stretch consists of whole intervals inside the measured window. Of a
population, of flows or of datagrams the senders' packets count, and their route must cross exactly one
monitored link.

| quantity | unit | part | definition | computed from |
| --- | --- | --- | --- | --- |
{stretches}
"""
_TRACED = ("links", "populations", "flows", "tcp", "measured_from_s")


class _Asked(dict[str, Any]):
    """A mapping that notes which of its keys were asked for."""

    def __init__(self, values: dict[str, Any], noted: list[str]) -> None:
        super().__init__(values)
        self.noted = noted

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401
        self.noted.append(key)
        return super().__getitem__(key)


def read_by(compute: Callable[[Recorded], float]) -> list[str]:
    """The tables and the parts of `run.json` that a computation reads, over some random runs."""
    tables: list[str] = []
    summary: list[str] = []
    for seed in range(30):
        result = made(seed)
        traced = SyntheticResult(_Asked(result.run, summary), _Asked(dict(result.tables), tables))
        try:
            compute(traced)
        except naive_rows.NoNumberError:
            continue
    of_run = [f"`{each}` of `run.json`" for each in _TRACED if each in summary and each != "measured_from_s"]
    window = ["the window"] if "measured_from_s" in summary else []
    return [*(f"`{each}`" for each in sorted(set(tables))), *of_run, *window]


def _of_part(compute: Callable[..., float], *part: object) -> Callable[[Recorded], float]:
    return lambda result: compute(result, *part)


def page() -> str:
    """The page as it should be."""
    return _HEAD.format(
        runs="\n".join(_of_runs()), parts="\n".join(_of_parts()), stretches="\n".join(_of_stretches())
    )


def _of_runs() -> Iterator[str]:
    for name, each in QUANTITIES.items():
        sources = ", ".join(read_by(naive.NAIVE[name]))
        yield f"| `{name}` | {each.unit} | {_SCOPES[each.scope]} | {each.definition} | {sources} |"


def _of_parts() -> Iterator[str]:
    examples = {"populations": "left", "flows": "bulk", "datagrams": "calls", "devices": "phone"}
    for kind, makes in OF_TRAFFIC.items():
        for what, make in makes.items():
            again = naive.NAIVE_OF_TRAFFIC[kind][what]
            others = {"video": "tv", "call": "meeting"}
            others |= dict.fromkeys((name.partition("_")[0] for name in OF_TRANSFERS), "short")
            example = others.get(what.partition("_")[0], examples[kind])
            if (kind, what) == ("devices", "jain_index"):
                example = "down"
            sources = ", ".join(dict.fromkeys(read_by(_of_part(again, f"{kind}.{example}"))))
            each = make(f"{kind}.NAME")
            yield f"| `{what}/{kind}.NAME` | {each.unit} | {each.definition} | {sources} |"


def _of_stretches() -> Iterator[str]:
    parts = {"links": "links.left-to-right", "populations": "populations.left"}
    for what, numbers in OF_STRETCHES.items():
        again, part = naive.NAIVE_OF_STRETCHES[what], parts[numbers.kinds[0]]
        sources = ", ".join(read_by(_of_part(again, part, [(11.0, 13.0)])))
        kinds = ", ".join(f"`{kind}`" for kind in numbers.kinds)
        yield f"| `{what}/PART@FROM-UNTIL` | {numbers.unit} | {kinds} | {numbers.definition} | {sources} |"


if __name__ == "__main__":
    sys.path.insert(0, str(PAGE.parents[2] / "python"))
    PAGE.write_text(page(), encoding="utf-8")
