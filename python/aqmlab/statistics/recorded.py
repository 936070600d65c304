"""What a statistic needs of a result, as a protocol, and the one way to say that something is not there.

`aqmlab.Result` satisfies the protocol; so does anything else with the two mappings, which is how the
statistics are tested without a simulator. Live runs whose timing is suspect, by the verdict of their audit
(docs/explanation/live-runs.md), are marked on every figure and table of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from aqmlab.errors import MissingDataError, UnknownLinkError
from aqmlab.files.columns import codes_of, of_numbers
from aqmlab.terminal.spelling import closest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    BoolArray = NDArray[np.bool_]
    Results = Mapping[str, Sequence["Recorded"]]

_WATCHES = "video-streaming"
"""The traffic model whose users watch videos."""


class Recorded(Protocol):
    """One finished run: its summary (the content of `run.json`) and its tables."""

    @property
    def run(self) -> Mapping[str, Any]:
        """The run's summary as plain data."""

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """The run's tables by name."""


def table(result: Recorded, name: str, *, setting: str) -> pa.Table:
    """The table `name`; `setting` is the scenario setting that would have recorded it."""
    if name not in result.tables:
        raise MissingDataError(f"table `{name}` was not recorded (needs {setting})")
    return result.tables[name]


def measured_window(result: Recorded) -> tuple[float, float]:
    """From when to when a run was measured, in simulated seconds."""
    return float(result.run["measured_from_s"]), float(result.run["measured_until_s"])


def measured_window_s(result: Recorded) -> float:
    """Length of the measured window in simulated seconds."""
    begin_s, end_s = measured_window(result)
    return end_s - begin_s


def overlap_s(begin_s: float, end_s: float, window: tuple[float, float]) -> float:
    """For how long something lasts within a window."""
    return max(0.0, min(end_s, window[1]) - max(begin_s, window[0]))


def ended_s(result: Recorded) -> float:
    """When a run ended, in simulated seconds: at its duration, or earlier.

    It ends earlier with enough exchanges, or in its cool-down, once nothing that is measured can change.
    """
    scenario = result.run["scenario"]
    if scenario.get("end_after") is not None:
        return float(result.run["measured_until_s"])
    return float(result.run.get("ended_s", scenario["duration_s"]))


def monitored_links(result: Recorded) -> list[Mapping[str, Any]]:
    """The summaries of the monitored links, in the order of the scenario."""
    links = list(result.run["links"])
    if not links:
        raise MissingDataError("no monitored link in this run")
    return links


def data_links(result: Recorded) -> list[Mapping[str, Any]]:
    """The monitored links that carry data of users or flows, according to the run's routes.

    The return link of a conversation carries requests and acknowledgements; counting it in would halve every
    figure.
    """
    links = [link for link in monitored_links(result) if link["carries_data"]]
    if not links:
        raise MissingDataError("no monitored link carries data")
    return links


def judged_links(result: Recorded, names: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    """The links that figures are of: those chosen by name, or without a choice those that carry data.

    Raises:
        UnknownLinkError: A name is not that of a monitored link.
        MissingDataError: None is chosen, and no monitored link carries data.
    """
    UnknownLinkError.require_list("links", names, "['left-to-right']")
    if not names:
        return data_links(result)
    by_name = {link["name"]: link for link in monitored_links(result)}
    for name in names:
        if name not in by_name:
            legal = ", ".join(by_name)
            raise UnknownLinkError(
                f'links: no monitored link "{name}"; there are: {legal}',
                place="links",
                value=name,
                legal=legal,
                nearest=closest(name, by_name),
            )
    return [by_name[name] for name in dict.fromkeys(names)]


def said_of_links(judged: Iterable[str]) -> str:
    """Which links figures were taken over, and how several of them are put together; of lists of names."""
    lists = [names for names in dict.fromkeys(judged) if names]
    together = "; of several links: means, and loss over all their packets" if ", " in "".join(lists) else ""
    return f"links judged: {' or '.join(lists) or 'none'}{together}"


def traffic_model(result: Recorded, population: str) -> Mapping[str, Any]:
    """The traffic model of a population with its parameters; the sides of a dumbbell share one."""
    scenario: Mapping[str, Any] = result.run["scenario"]
    own = [each for each in scenario.get("populations") or () if each["name"] == population]
    found: Mapping[str, Any] = (own[0] if own else scenario.get("users") or {}).get("model") or {}
    return found


def viewers(result: Recorded) -> list[str]:
    """The populations that watch videos, in the order of the run; none where it recorded no segments."""
    if "video_segments" not in result.tables:
        return []
    names = (str(each["name"]) for each in result.run["populations"])
    return [name for name in names if traffic_model(result, name).get("model") == _WATCHES]


def has_name(rows: pa.Table, column: str, name: str) -> BoolArray:
    """Of each row whether it has this name in a column of names (`link`, `population`)."""
    chunks = rows[column].chunks
    return np.concatenate([_has_name(chunk, name) for chunk in chunks] or [np.zeros(0, dtype=np.bool_)])


def rows_named(rows: pa.Table, column: str, name: str) -> pa.Table:
    """The rows that have this name in a column of names."""
    return rows.filter(of_numbers(has_name(rows, column, name)))


def _has_name(chunk: pa.DictionaryArray, name: str) -> BoolArray:
    names = chunk.dictionary.to_pylist()
    if name not in names:
        return np.zeros(len(chunk), dtype=np.bool_)
    return np.asarray(codes_of(chunk) == names.index(name))


def seed(result: Recorded) -> int:
    """The seed that names the replication."""
    return int(result.run["seed"])


SAID = "live run, timing suspect: "
"""The start of the corresponding warning of a run (`crates/live/src/output.rs`)."""


def suspect_because(results: Results) -> dict[str, list[str]]:
    """Of each alternative with a suspect run the reasons, run by run."""
    found = {
        name: [
            f"seed {run.run['seed']}: {'; '.join(audit['reasons'])}"
            for run in runs
            if (audit := run.run.get("live")) is not None and audit["verdict"] != "valid"
        ]
        for name, runs in results.items()
    }
    return {name: reasons for name, reasons in found.items() if reasons}


def mark_of(results: Results) -> str:
    """What each figure and table of these results carries: nothing where no run is suspect."""
    suspect = suspect_because(results)
    if not suspect:
        return ""
    whose = "" if len(suspect) == len(results) else f" of {', '.join(suspect)}"
    return f"timing{whose} suspect"


def marked(title: str, mark: str) -> str:
    """A title with its mark, if there is one."""
    return f"{title} ({mark})" if mark else title
