"""The reference of the quantities, `docs/reference/quantities.md`, made of the registry: a program."""

from __future__ import annotations

import re
import sys
from itertools import groupby
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
    from collections.abc import Callable, Iterable, Iterator

    from aqmlab.statistics import Recorded

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "quantities.md"
_SCOPES = {Scope.LINKS: "judged links", Scope.USERS: "users", Scope.RUN: "run"}
_HEAD = """# Quantities

Names that tables, claims, `Result` and CSV columns use; `aqmlab.quantity(NAME)` finds them in Python. The
unit is part of the name; without one it is a count or a ratio.

*Of*: **judged links** are the monitored links that carry data, or those of `--links`; throughput,
utilization and queue are means over several links, loss and marks are taken over all their packets.
**Users** are all populations, or the one that is named.

*Ended exchanges* completed or failed in the measured window. *Packets at risk* are those that the queue
could discard or mark in the window: arrivals and, under schemes that decide about waiting packets
(`codel`), those that waited when it began. N is the number in the name. *Computed from* are the tables, and
as `run.NAME` the parts of [`run.json`](results.md), that the number needs and `record` must keep. Each is
[computed twice](../explanation/testing.md#every-quantity-computed-twice).

## Of a run

| quantity | unit | of | definition | computed from |
| --- | --- | --- | --- | --- |
{runs}

## Of a part of the traffic

Of a population or a group, by its name: `loss_percent/flows.bulk`.

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
    of_run = [f"`run.{each}`" for each in _TRACED if each in summary and each != "measured_from_s"]
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
    rows = [
        (name, each.unit, _SCOPES[each.scope], each.definition, ", ".join(read_by(naive.NAIVE[name])))
        for name, each in QUANTITIES.items()
    ]
    return _together(rows)


def _together(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A line for each row, and one for neighbours that differ only in name, unit and percentile."""
    for (_, several), alike in groupby(((row, _in_general(row)) for row in rows), key=lambda each: each[1]):
        found = [row for row, _ in alike]
        names = ", ".join(f"`{row[0]}`" for row in found)
        units = ", ".join(dict.fromkeys(row[1] for row in found))
        *others, definition, sources = found[0][2:]
        said = definition if len(found) == 1 else several
        yield " | ".join([f"| {names}", units, *others, said, f"{sources} |"])


def _in_general(row: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """What neighbours have to share to stand together, and their definition."""
    *others, definition, sources = row[2:]
    said = re.sub(r"\d+(?= %|th percentile)", "N", definition)
    return (*others, sources), said


def _of_parts() -> Iterator[str]:
    return _together(_rows_of_parts())


def _rows_of_parts() -> Iterator[tuple[str, ...]]:
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
            yield f"{what}/{kind}.NAME", each.unit, each.definition, sources


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
