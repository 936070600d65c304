"""What a statistic needs of a result, as a protocol, and the one way to say that something is not there.

`aqmlab.Result` satisfies the protocol; so does anything else with the two mappings, which is how the
statistics are tested without a simulator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa


class Recorded(Protocol):
    """One finished run: its summary (the content of `run.json`) and its tables."""

    @property
    def run(self) -> Mapping[str, Any]:
        """The run's summary as plain data."""

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """The run's tables by name."""


class MissingDataError(LookupError):
    """A statistic asks for something that the runs at hand did not record.

    The message says what is missing and how to get it, because it is shown to the reader of a report.
    """


def table(result: Recorded, name: str, *, setting: str) -> pa.Table:
    """The table `name`; `setting` is the scenario setting that would have recorded it."""
    if name not in result.tables:
        raise MissingDataError(f"table `{name}` was not recorded (needs {setting})")
    return result.tables[name]


def monitored_links(result: Recorded) -> list[Mapping[str, Any]]:
    """The summaries of the links under study, in the order of the scenario."""
    links = [link for link in result.run["links"] if link.get("monitored", True)]
    if not links:
        raise MissingDataError("no monitored link in this run")
    return links


def data_links(result: Recorded) -> list[Mapping[str, Any]]:
    """The monitored links that carry what users asked for; all of them, where that cannot be told.

    A dumbbell whose users all sit on one side has one link that carries data; the other carries
    acknowledgements, and counting it in would halve every figure.
    """
    links = monitored_links(result)
    users = result.run["scenario"].get("users")
    if "dumbbell" not in result.run["scenario"] or not users or result.run["scenario"].get("flows"):
        return links
    # People on the left browse servers on the right, and the other way round.
    towards = {"right-to-left": users.get("left"), "left-to-right": users.get("right")}
    chosen = [link for link in links if towards.get(link["name"]) != 0]
    return chosen or links


def seed(result: Recorded) -> int:
    """The seed that names the replication."""
    return int(result.run["seed"])
