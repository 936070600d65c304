"""The page that explains a bundle to whoever unpacks it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.files.archive import CHECKSUMS
from aqmlab.show.bundle.repeating import AGAIN
from aqmlab.show.words import citation
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.show.bundle.repeating import Repeated

_SEVERAL = (
    "Where a configuration has several scenarios, their seeds recorded different things (of a comparison the "
    "first seed records more, for figures) or ran with different settings: the files say which."
)
RUNS = "runs.sha256"
SCRIPT = "repeat.sh"


@dataclass(frozen=True)
class Described:
    """What the page says of a bundle.

    Attributes:
        title: What stands at its top.
        versions: The versions that made the results.
        repeated: The scenarios with their seeds.
        comparing: The command that compares what was repeated; empty without one.
        checkable: Whether the same version makes the same bytes of every run.
        with_runs: Whether the runs are in the bundle.
        figures: The names of the figures, by what they show.
        warnings: Warnings of the runs.
        unfinished: What an interrupted comparison lacks; empty if it lacks nothing.
    """

    title: str
    versions: Sequence[str]
    repeated: Sequence[Repeated]
    comparing: str
    checkable: bool
    with_runs: bool
    figures: Mapping[str, str]
    warnings: Sequence[str]
    unfinished: str


def commands(described: Described) -> list[str]:
    """The commands that repeat everything, in the folder of the bundle."""
    typed = [each.command for each in described.repeated]
    if described.checkable:
        typed.append(f"(cd {AGAIN} && sha256sum --check --quiet ../{RUNS})")
    return [*typed, *filter(None, [described.comparing])]


def script(described: Described) -> str:
    """The same as a program of the shell."""
    return "\n".join(
        ["#!/bin/sh", "# Repeats everything in this bundle: README.md", "set -eu", *_typed(described)]
    )


def page(described: Described) -> str:
    """The page, in Markdown."""
    version = ", ".join(described.versions)
    seeds = len({seed for each in described.repeated for seed in each.seeds})
    folders = len({each.folder for each in described.repeated})
    parts = [
        f"# {described.title}",
        f"{counted(folders, 'configuration')}, {counted(seeds, 'seed')}, made with aqmlab {version}.",
        *filter(None, [described.unfinished]),
        _scenarios(described.repeated),
        "## Repeat it",
        _how(described, version),
        "```sh\n" + "\n".join(_typed(described)) + "```",
        "## What is in here",
        _contents(described),
        *(["## Warnings of the runs", _listed(described.warnings)] if described.warnings else []),
        "## Cite it",
        f"`{citation.FILE}` has the entry for BibTeX.",
    ]
    return "\n\n".join(parts) + "\n"


def _typed(described: Described) -> list[str]:
    return [*commands(described), ""]


def _scenarios(repeated: Sequence[Repeated]) -> str:
    rows = [f"| {each.folder} | `{each.file}` | {each.seeds} |" for each in repeated]
    table = "\n".join(["| configuration | scenario | seeds |", "| --- | --- | --- |", *rows])
    files = Counter(each.folder for each in repeated)
    return f"{table}\n\n{_SEVERAL}" if max(files.values()) > 1 else table


def _how(described: Described, version: str) -> str:
    same = (
        f"The runs come out as the same bytes with the version that is named, which `{RUNS}` checks."
        if described.checkable
        else "The commands make new runs, which differ from these: some of these are live runs, were changed "
        "by a program, have captured packets, or a load that was matched."
    )
    said = (
        f"{same} With aqmlab {version} (`aqmlab --version`; after `+` stands a digest of the simulator's "
        f"sources), in this folder; `sh {SCRIPT}` runs all of it:"
    )
    refused = [
        f"`{each.file}`: this version refuses it: {each.refused}"
        for each in described.repeated
        if each.refused
    ]
    return said + ("\n\n" + _listed(refused) if refused else "")


def _contents(described: Described) -> str:
    rows = [
        ("`scenarios/`", "the scenarios, complete: every default, and the texts of all files that they name"),
        (f"`{SCRIPT}`", "the commands above"),
        (
            "`tables/numbers.csv`",
            "the numbers that are compared, run by run: configuration, seed, who, quantity, value, unit",
        ),
        ("`tables/comparison.csv`", "means, 95 % intervals and differences from the first configuration"),
        ("`report.html`", "the report; opens in any browser, without a network"),
    ]
    if described.figures:
        shown = ", ".join(f"{name} ({title})" for name, title in described.figures.items())
        rows.append(("`figures/`", f"figures as SVG and their numbers as CSV: {shown}"))
    if described.with_runs:
        rows.append(
            (
                "`runs/`",
                "the runs: `run.json` and tables in an Arrow file, for `aqmlab compare` and others",
            )
        )
    rows += [
        *([(f"`{RUNS}`", "digests of the runs' files")] if described.checkable else []),
        (f"`{CHECKSUMS}`", f"digests of all files here: `sha256sum --check {CHECKSUMS}`"),
    ]
    return "\n".join(
        ["| file | content |", "| --- | --- |", *(f"| {file} | {what} |" for file, what in rows)]
    )


def _listed(items: Sequence[str]) -> str:
    return "\n".join(f"- {' '.join(item.split())}" for item in items)
