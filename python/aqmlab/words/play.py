"""What the page of `aqmlab play` shows of one run, and of a comparison under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.words.amounts import counted, delay, duration, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    Measurement = Mapping[str, Any]

_UNKNOWN = "–"
_USUAL, _SLOW = 0.5, 0.95


def of_run(run: Measurement, *, simulated_s: float) -> dict[str, Any]:
    """All words on one run.

    Args:
        run: What `aqmlab.play.measured.measurement` returns.
        simulated_s: The length of the run in seconds.

    Returns:
        `headline`; `before`, which is added to the headline of the next run; `rows` of the table, each a
        title and a value; `scope`: what one run can show.
    """
    length = f"one run of {duration(simulated_s)}, measured for {duration(run['measured_s'])}"
    return {
        "headline": _headline(run),
        "before": _before(run),
        "rows": [list(row) for row in _rows(run)],
        "scope": (
            f"This is {length}: too short to compare settings. Another seed changes these numbers; the "
            "comparison below shows by how much."
        ),
    }


def of_comparison(status: Mapping[str, Any]) -> str:
    """How far a comparison of two settings is, from what `FullComparison.status` returns."""
    state = status["state"]
    if state not in ("running", "done", "cancelled"):
        return ""
    before, now = status["names"]
    what = f"{now} compared with {before}, {counted(status['seeds'], 'seed')}"
    if state == "cancelled":
        return f"{what}: cancelled."
    if status["simulated_s"] is None:
        return f"{what}: measuring the time of a run …"
    shortened = " (shorter than the scenario, to end within about a minute)" if status["shortened"] else ""
    what += f" of {status['simulated_s']:,g} simulated seconds each{shortened}"
    return f"{what}: done." if state == "done" else f"{what}: {status['finished']} of {status['runs']} runs"


def _headline(run: Measurement) -> str:
    queue = (
        f"A packet waits {delay(mean_wait_ms(run))} in the queue on average; the link is busy "
        f"{run['numbers']['utilization_percent']:.0f} % of the time."
    )
    if not run["pages"]:
        return queue
    slow = _quantile(run["pages"], _SLOW)
    takes = "longer than the run" if slow is None else f"longer than {duration(slow)}"
    return f"Half of the pages load within {_time(run['pages'], _USUAL)}, 5 % take {takes}. {queue}"


def _before(run: Measurement) -> str:
    if not run["pages"]:
        return ""
    return f"Before the change: {_time(run['pages'], _USUAL)} and {_time(run['pages'], _SLOW)}."


def _rows(run: Measurement) -> tuple[tuple[str, str], ...]:
    numbers = run["numbers"]
    return (
        ("half of the pages load within", _time(run["pages"], _USUAL)),
        ("95 % of the pages load within", _time(run["pages"], _SLOW)),
        ("pages that began", _count(numbers["pages_begun"])),
        ("of these not loaded at the end", _count(numbers["pages_unfinished"])),
        ("half of the objects load within", _time(run["responses"], _USUAL)),
        ("mean wait in the queue", delay(mean_wait_ms(run))),
        ("link busy", percent(numbers["utilization_percent"])),
        ("packets lost", percent(numbers["loss_percent"])),
        ("packets marked (ECN)", percent(numbers["marked_percent"])),
    )


def mean_wait_ms(run: Measurement) -> float:
    """The mean of the samples of the wait in the measured window, in milliseconds; 0 without samples."""
    begin = run["warm_up_s"]
    end = begin + run["measured_s"]
    samples = zip(run["queue"]["time_s"], run["queue"]["delay_ms"], strict=True)
    inside = [wait_ms for time_s, wait_ms in samples if begin <= time_s <= end]
    return sum(inside) / len(inside) if inside else 0.0


def _quantile(curve: Mapping[str, Any], share: float) -> float | None:
    seconds: float | None = dict(zip(curve["share"], curve["seconds"], strict=True))[share]
    return seconds


def _time(curve: Mapping[str, Any] | None, share: float) -> str:
    if curve is None:
        return _UNKNOWN
    seconds = _quantile(curve, share)
    return "longer than the run" if seconds is None else duration(seconds)


def _count(value: int | None) -> str:
    return _UNKNOWN if value is None else f"{value:,}"
