"""The option by which a test on a line is made over Linux TCP too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from aqmlab.terminal.console import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aqmlab.result import Result
    from aqmlab.runs import Job

    Run = Callable[[Sequence[Job]], Iterable[Result]]

Row = TypeVar("Row")


def live_option(how_long: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--live`; `how_long` says what each run takes in real time."""
    return click.option(
        "--live",
        is_flag=True,
        help=f"Also do all of it over Linux TCP, in real time: {how_long}. Needs what aqmlab doctor asks "
        "for.",
    )


def over_linux(measure: Callable[[Run], list[Row]], *, progress: bool) -> list[Row]:
    """What a test finds over the kernel's TCP, with a warning where the timing of a run is suspect."""
    from aqmlab.runs.live.several import run_live_in_turn, suspect_reasons

    results: list[Result] = []

    def run(jobs: Sequence[Job]) -> list[Result]:
        results.extend(run_live_in_turn(jobs, progress=progress))
        return results

    found = measure(run)
    if reasons := suspect_reasons(results):
        say(f"timing suspect in {len(reasons)} of {len(results)} live runs; the last: {reasons[-1]}")
    return found


def live_name(queue: str) -> str:
    """What a queue is called in a row that was measured over Linux TCP."""
    return f"{queue} (live)"
