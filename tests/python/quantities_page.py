"""The table of every quantity in `docs/explanation/testing.md`, with its second computation: a program."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import naive_quantities as naive
from aqmlab.statistics.quantities import QUANTITIES
from aqmlab.statistics.stretches import OF_STRETCHES
from aqmlab.statistics.traffic import OF_TRAFFIC
from synthetic_results import SyntheticResult
from test_naive_quantities import made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aqmlab.statistics import Recorded

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "testing.md"
BEGINS, ENDS = "<!-- quantities: generated -->\n", "<!-- quantities: end -->"
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
        except naive.NoNumberError:
            continue
    of_run = [f"`{each}` of `run.json`" for each in _TRACED if each in summary and each != "measured_from_s"]
    window = ["the window"] if "measured_from_s" in summary else []
    return [*(f"`{each}`" for each in sorted(set(tables))), *of_run, *window]


def _of_part(compute: Callable[..., float], *part: object) -> Callable[[Recorded], float]:
    return lambda result: compute(result, *part)


def table() -> str:
    """The table as Markdown."""
    return "\n".join(["| quantity | what it is | computed again from |", "| --- | --- | --- |", *_rows()])


def _rows() -> Iterator[str]:
    for name, each in QUANTITIES.items():
        yield f"| `{name}` | {each.title} | {', '.join(read_by(naive.NAIVE[name]))} |"
    examples = {"populations": "left", "flows": "bulk", "datagrams": "calls"}
    for kind, makes in OF_TRAFFIC.items():
        for what, make in makes.items():
            again = naive.NAIVE_OF_TRAFFIC[kind][what]
            sources = dict.fromkeys(read_by(_of_part(again, f"{kind}.{examples[kind]}")))
            title = make("PART").title.replace("PART", f"a part of the {kind}")
            yield f"| `{what}/{kind}.NAME` | {title} | {', '.join(sources)} |"
    pairs = [(11.0, 13.0)]
    parts = {"links": "links.left-to-right", "populations": "populations.left"}
    for what, numbers in OF_STRETCHES.items():
        again_then, part = naive.NAIVE_OF_STRETCHES[what], parts[numbers.kinds[0]]
        read = read_by(_of_part(again_then, part, pairs))
        yield f"| `{what}/PART@FROM-UNTIL` | {numbers.title}, {numbers.unit} | {', '.join(read)} |"


def page() -> str:
    """The page with the table anew."""
    generated = f"{BEGINS}{table()}\n{ENDS}"
    text = PAGE.read_text(encoding="utf-8")
    return re.sub(f"{re.escape(BEGINS)}.*?{re.escape(ENDS)}", lambda _: generated, text, flags=re.DOTALL)


if __name__ == "__main__":
    sys.path.insert(0, str(PAGE.parents[2] / "python"))
    PAGE.write_text(page(), encoding="utf-8")
