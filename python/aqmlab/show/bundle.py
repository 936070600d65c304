"""Results as one archive: scenarios, runs, tables, figures, report, and the commands that repeat them."""

from __future__ import annotations

import json
import shlex
import tempfile
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast

from aqmlab import arguments
from aqmlab.comparison import Comparison, read_first_stage, require_one_comparison, unfinished
from aqmlab.comparison.kept import kept_in
from aqmlab.comparison.reading import results_of
from aqmlab.errors import (
    MissingDataError,
    PlotError,
    RefusalError,
    ResultError,
    ScenarioError,
    UnknownLinkError,
)
from aqmlab.files.archive import CHECKSUMS, checksums_of, digest, write_files
from aqmlab.files.folders import folder_name, folder_names
from aqmlab.files.toml_text import to_toml
from aqmlab.load.offered import OWN_TWIN
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds
from aqmlab.show.figures.plots import plot
from aqmlab.show.report.comparison import page_of
from aqmlab.show.report.page import render
from aqmlab.show.tables.comparison import comparison_records
from aqmlab.show.words import citation
from aqmlab.statistics.tidy import csv_of
from aqmlab.tables.stored import to_csv
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.comparison.reading import Results
    from aqmlab.files.archive import Content
    from aqmlab.result import Result


FIGURES = (
    "delay", "delay-ccdf", "delay-bars", "jitter", "mos", "pages", "page-bars", "cdf", "goodput", "shares",
    "waiting", "utilization",
)  # fmt: skip
"""The figures that a bundle has where the runs recorded what they show."""


@arguments.checked(
    RefusalError,
    output=arguments.optional(arguments.path),
    baseline=arguments.optional(arguments.text),
    with_runs=arguments.flag,
)
def bundle(
    results: Results,
    *,
    output: str | Path | None = None,
    baseline: str | None = None,
    links: Sequence[str] = (),
    title: str = "",
    with_runs: bool = True,
) -> Path:
    """Packs results for publication, with the commands that repeat them; nothing is run.

    The same results and the same version make the same bytes.

    Args:
        results: The folder of a comparison, folders of runs, results, or a `Comparison`.
        output: A path that ends in .zip, which is replaced, or a new folder; by default, in the current
            folder, the name of the folder or scenario with .zip.
        baseline: Configuration that differences are from; by default the first.
        links: Links to judge by; by default those that carry data.
        title: What stands at the top of README.md and of the report.
        with_runs: Whether the runs are packed; without them there are their digests.

    Returns:
        The archive or folder.

    Raises:
        ResultError: A folder contains no result, or a damaged one.
        ComparisonError: The results cannot be compared.
        FolderError: The output is a folder that exists, or cannot be written.
        RefusalError: There is no such baseline; an argument is of another kind.
    """
    found = cast("dict[str, list[Result]]", results_of(results, RefusalError))
    if left_out := _left_out(results, found):
        warnings.warn(f"not packed, no runs or comparison: {', '.join(left_out)}", stacklevel=3)
    if baseline is not None and baseline not in found:
        raise RefusalError.unknown(f'baseline "{baseline}"', baseline, found)
    compared = _compared(results, found, baseline, links)
    if compared.unfinished:
        warnings.warn(compared.unfinished, stacklevel=3)
    in_order = {name: found[name] for name in compared.names}
    name = _name(results, in_order)
    runs = _runs_of(in_order)
    title = " ".join(title.split())
    with tempfile.TemporaryDirectory() as drawn:
        figures = _draw(compared, Path(drawn))
        described = _described(
            compared, in_order, links=links, title=title or name, figures=figures, with_runs=with_runs
        )
        files: dict[str, Content] = {
            "README.md": _page(described),
            SCRIPT: _script(described),
            citation.FILE: citation.bibtex(", ".join(described.versions)),
            "report.html": render(page_of(compared, title=title)),
            "tables/comparison.csv": to_csv(comparison_records(compared)),
            "tables/numbers.csv": csv_of(compared.to_arrow()),
            **{each.file: each.text for each in described.repeated},
            **{f"figures/{file.name}": file for file in sorted(Path(drawn).iterdir())},
        }
        if described.checkable:
            files[RUNS] = checksums_of((path, digest(content)) for path, content in runs.items())
        if with_runs:
            files |= {f"runs/{path}": content for path, content in runs.items()}
        return write_files(files, Path(output or f"{name}.zip"), name)


def _left_out(results: Results, found: Mapping[str, Sequence[Result]]) -> list[str]:
    """What else is kept below the one folder: searches, reproductions and stores of runs."""
    if not isinstance(results, str | Path) or not Path(results).is_dir():
        return []
    packed = [each.folder.resolve() for each in chain.from_iterable(found.values()) if each.folder]
    return [
        f"{kept.folder} ({kept.what})"
        for kept in kept_in(Path(results))
        if not any(place.is_relative_to(kept.folder.resolve()) for place in packed)
    ]


def _compared(
    results: Results, found: Mapping[str, Sequence[Result]], baseline: str | None, links: Sequence[str]
) -> Comparison:
    """The results as one comparison; of folders with what stands beside the runs."""
    folders = [Path(results)] if isinstance(results, str | Path) else []
    first_stage, lacks = (
        (read_first_stage(folders, found), unfinished(folders, found)) if folders else (0, "")
    )
    try:
        compared = Comparison.of(
            found, baseline=baseline, links=links, first_stage=first_stage, unfinished=lacks
        )
        if folders:
            require_one_comparison(folders, compared)
    except (UnknownLinkError, MissingDataError) as error:
        raise ResultError(str(error)) from None
    return compared


def _name(results: Results, found: Mapping[str, Sequence[Result]]) -> str:
    """What the bundle is called: as the one folder is, else as the scenario."""
    if isinstance(results, str | Path) and (called := Path(results).resolve().name):
        return folder_name(called)
    return folder_name(str(next(iter(found.values()))[0].scenario["name"]))


def _described(
    compared: Comparison,
    found: Mapping[str, Sequence[Result]],
    *,
    links: Sequence[str],
    title: str,
    figures: Mapping[str, str],
    with_runs: bool,
) -> Described:
    each = list(chain.from_iterable(found.values()))
    return Described(
        title=title,
        versions=list(dict.fromkeys(result.version for result in each)),
        repeated=list(repeated(found)),
        comparing=comparing(found, links),
        checkable=all(map(is_repeatable, each)),
        with_runs=with_runs,
        figures=figures,
        warnings=compared.warnings(),
        unfinished=compared.unfinished,
    )


def _runs_of(found: Mapping[str, Sequence[Result]]) -> dict[str, Content]:
    """The files of all runs, by where they are put: those of a folder as they are there."""
    files: dict[str, Content] = {}
    for name, folder in folder_names(found).items():
        for result in found[name]:
            place = f"{folder}/seed-{result.seed}"
            if result.folder is None:
                files |= {f"{place}/{file}": content for file, content in result.files().items()}
            else:
                files |= {f"{place}/{file.name}": file for file in result.written_files()}
    return files


def _draw(compared: Comparison, folder: Path) -> dict[str, str]:
    """Draws every figure that there is something for; their titles by their names."""
    titles: dict[str, str] = {}
    for what in FIGURES:
        with suppress(MissingDataError, PlotError):
            figure = plot(compared, what)
            if figure.chart.title in titles.values():  # shares of devices, where there are no devices
                continue
            figure.save(folder / f"{what}.svg")
            figure.save(folder / f"{what}.csv")
            titles[what] = figure.chart.title
    return titles


AGAIN = "again"
"""The folder that the commands write to."""


@dataclass(frozen=True)
class Repeated:
    """One scenario of a configuration, and the seeds that ran it."""

    file: str  # the scenario's file in the bundle
    text: str  # what is in it
    folder: str  # the folder of the configuration below `again`
    seeds: Seeds
    # the options of `aqmlab live` with which they ran over Linux TCP; None of simulated ones
    live: str | None
    loaded: bool  # whether they have their offered load, which takes a second run beside each
    refused: str  # why the scenario is none of this version, if so

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


_SEVERAL = (
    "Where a configuration has several scenarios, their seeds recorded different things (of a comparison the "
    "first seed records more, for figures) or ran with different settings: the files say which."
)
RUNS = "runs.sha256"
SCRIPT = "repeat.sh"


@dataclass(frozen=True)
class Described:
    """What the page says of a bundle."""

    title: str  # what stands at its top
    versions: Sequence[str]  # the versions that made the results
    repeated: Sequence[Repeated]  # the scenarios with their seeds
    comparing: str  # the command that compares what was repeated; empty without one
    checkable: bool  # whether the same version makes the same bytes of every run
    with_runs: bool  # whether the runs are in the bundle
    figures: Mapping[str, str]  # the names of the figures, by what they show
    warnings: Sequence[str]  # warnings of the runs
    unfinished: str  # what an interrupted comparison lacks; empty if it lacks nothing


def _commands(described: Described) -> list[str]:
    """The commands that repeat everything, in the folder of the bundle."""
    typed = [each.command for each in described.repeated]
    if described.checkable:
        typed.append(f"(cd {AGAIN} && sha256sum --check --quiet ../{RUNS})")
    return [*typed, *filter(None, [described.comparing])]


def _script(described: Described) -> str:
    return "\n".join(
        ["#!/bin/sh", "# Repeats everything in this bundle: README.md", "set -eu", *_typed(described)]
    )


def _page(described: Described) -> str:
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
    return [*_commands(described), ""]


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
