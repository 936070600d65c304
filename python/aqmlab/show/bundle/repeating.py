"""The commands that repeat results, and the scenarios that they need.

A configuration has one scenario for most of its seeds. Where some record more, as the first seed of a
comparison does, each such seed has a scenario and a command of its own.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.errors import ScenarioError
from aqmlab.files.folders import folder_names
from aqmlab.files.toml_text import to_toml
from aqmlab.load.offered import OWN_TWIN
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.result import Result

AGAIN = "again"
"""The folder that the commands write to."""


@dataclass(frozen=True)
class Repeated:
    """One scenario of a configuration, and the seeds that ran it.

    Attributes:
        file: The scenario's file in the bundle.
        text: What is in it.
        folder: The folder of the configuration below `again`.
        seeds: The seeds.
        live: The options of `aqmlab live` with which they ran over Linux TCP; None of simulated ones.
        loaded: Whether they have their offered load, which takes a second run beside each.
        refused: Why the scenario is none of this version, if so.
    """

    file: str
    text: str
    folder: str
    seeds: Seeds
    live: str | None
    loaded: bool
    refused: str

    @property
    def command(self) -> str:
        """What is typed to run it again; of live runs a line for each seed."""
        place, many = f"{AGAIN}/{self.folder}", len(self.seeds) > 1
        if self.live is not None:
            return "\n".join(
                f"aqmlab live {self.file} --seed {seed} {self.live} --output {place}/seed-{seed}"
                for seed in self.seeds
            )
        words = ["aqmlab", "run", self.file]
        words.append(f"--seeds {self.seeds}" if many else f"--seed {self.seeds[0]}")
        if not self.loaded:
            words.append("--no-offered-load")
        words.append(f"--output {place if many else f'{place}/seed-{self.seeds[0]}'}")
        return " ".join(words)


def repeated(results: Mapping[str, Sequence[Result]]) -> Iterator[Repeated]:
    """The scenarios of all configurations with their seeds; those of most seeds first."""
    for name, folder in folder_names(results).items():
        yield from _of_configuration(folder, results[name])


def comparing(results: Mapping[str, Sequence[Result]], links: Sequence[str]) -> str:
    """The command that compares what was repeated; empty where there is one configuration."""
    if len(results) < 2:
        return ""
    places = folder_names(results)
    words = ["aqmlab", "compare", *(f"{AGAIN}/{folder}" for folder in places.values())]
    # A name with a comma cannot be listed: its folder then stands for it.
    if any(name != folder for name, folder in places.items()) and not any("," in name for name in places):
        words += ["--names", ",".join(places)]
    if links:
        words += ["--links", ",".join(links)]
    return shlex.join(words)


def is_repeatable(result: Result) -> bool:
    """Whether the same version makes the same bytes of it by `aqmlab run`.

    Not of a live run, nor of one that a program changed, whose load was matched, or with captured packets.
    """
    load = result.offered_load
    alone = load is None or load.get("measured_on") == OWN_TWIN
    return result.live is None and not result.actions and alone and not result.captured


def _of_configuration(folder: str, results: Sequence[Result]) -> Iterator[Repeated]:
    groups: dict[tuple[str, bool, str | None], list[Result]] = {}
    for result in results:
        written = json.dumps(result.scenario, sort_keys=True)
        alike = written, result.offered_load is not None, _live_options(result)
        groups.setdefault(alike, []).append(result)
    # Only one command may write several seeds into a folder: that of another scenario goes elsewhere.
    ordered = sorted(groups.values(), key=len, reverse=True)
    for place, group in enumerate(ordered):
        for part in [group] if place == 0 else [[each] for each in group]:
            seeds = Seeds.of(sorted(each.seed for each in part))
            named = folder if place == 0 else f"{folder}-seed-{seeds[0]}"
            text, refused = _scenario_of(part[0])
            yield Repeated(
                f"scenarios/{named}.toml",
                text,
                folder,
                seeds,
                _live_options(part[0]),
                part[0].offered_load is not None,
                refused,
            )


def _live_options(result: Result) -> str | None:
    """Whose queues and which hosts a live run had, as `aqmlab live` takes them; None of a simulated one."""
    if result.live is None:
        return None
    kernel = " --kernel this-machine" if result.live.get("kernel_queues") else ""
    if result.live.get("user_mode") is not None:
        kernel = " --kernel user-mode"
    return f"--hosts {result.live['hosts']}{kernel}"


def _scenario_of(result: Result) -> tuple[str, str]:
    """The scenario as TOML, and why this version refuses it; an older version may have had other keys."""
    try:
        read = Scenario.of(result.scenario)
    except ScenarioError as error:
        return to_toml(result.scenario), str(error).splitlines()[0]
    return read.as_toml(), ""
