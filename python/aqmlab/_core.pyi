"""The compiled core: conversions between Rust and Python, nothing else."""

from os import PathLike
from typing import Any, final

import numpy as np

__all__ = [
    "Cancelled",
    "Run",
    "RunError",
    "ScenarioError",
    "demand_links",
    "demands",
    "explain",
    "json_schema",
    "memory_estimate",
    "monitored_links",
    "offering_twin",
    "override_resolved",
    "profile_names",
    "resolve",
    "scheme_names",
    "sources_of",
    "uncongested_twin",
    "version",
]

class ScenarioError(ValueError):
    """A scenario is refused: the message names the place, the legal values and the nearest name."""

class RunError(RuntimeError):
    """A run failed, by the simulator's fault."""

class Cancelled(Exception):
    """The run was cancelled before it ended."""

@final
class Run:
    """One run of a resolved scenario."""

    def __new__(cls, scenario_json: str, seed: int) -> Run: ...
    def execute(self) -> None: ...
    def progress(self) -> float: ...
    def cancel(self) -> None: ...
    def summary(self) -> str: ...
    def tables(self) -> list[str]: ...
    def table(
        self, name: str
    ) -> dict[str, np.ndarray[Any, Any] | tuple[np.ndarray[Any, Any], list[str]]]: ...

def resolve(
    text: str, source_name: str, folder: str | PathLike[str], overrides: list[tuple[str, str]]
) -> str: ...
def override_resolved(
    scenario_json: str, folder: str | PathLike[str], overrides: list[tuple[str, str]]
) -> str: ...
def uncongested_twin(scenario_json: str) -> str: ...
def offering_twin(scenario_json: str, kept: list[str]) -> str: ...
def demands(scenario_json: str) -> list[tuple[str, str, str, int, bool]]: ...
def demand_links(
    scenario_json: str, names: list[str]
) -> list[tuple[str, tuple[str, str], float, str, str]]: ...
def monitored_links(scenario_json: str) -> list[tuple[str, tuple[str, str], float, str, str]]: ...
def memory_estimate(scenario_json: str) -> float: ...
def json_schema() -> str: ...
def scheme_names() -> list[str]: ...
def profile_names() -> list[str]: ...
def explain(scheme: str) -> str: ...
def sources_of(scenario_json: str) -> str: ...
def version() -> str: ...
