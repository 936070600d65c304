"""Results as one archive: scenarios, runs, tables, figures, report, and the commands that repeat them."""

from __future__ import annotations

import csv
import io
import tempfile
import warnings
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast

from aqmlab import arguments
from aqmlab.comparison import Comparison, read_first_stage, require_one_comparison, unfinished
from aqmlab.comparison.kept import kept_in
from aqmlab.comparison.reading import results_of
from aqmlab.errors import MissingDataError, PlotError, RefusalError, ResultError, UnknownLinkError
from aqmlab.files.archive import checksums_of, digest, write_files
from aqmlab.files.folders import folder_name, folder_names
from aqmlab.show.bundle import readme
from aqmlab.show.bundle.readme import Described
from aqmlab.show.bundle.repeating import comparing, is_repeatable, repeated
from aqmlab.show.figures.plots import plot
from aqmlab.show.report import render
from aqmlab.show.report.comparison import page_of
from aqmlab.show.tables.comparison import comparison_records
from aqmlab.show.words import citation
from aqmlab.statistics.tidy import plain_rows
from aqmlab.tables.stored import to_csv

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
            "README.md": readme.page(described),
            readme.SCRIPT: readme.script(described),
            citation.FILE: citation.bibtex(", ".join(described.versions)),
            "report.html": render(page_of(compared, title=title)),
            "tables/comparison.csv": to_csv(comparison_records(compared)),
            "tables/numbers.csv": _numbers(compared),
            **{each.file: each.text for each in described.repeated},
            **{f"figures/{file.name}": file for file in sorted(Path(drawn).iterdir())},
        }
        if described.checkable:
            files[readme.RUNS] = checksums_of((path, digest(content)) for path, content in runs.items())
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


def _numbers(compared: Comparison) -> str:
    """Every number of every run, a row each."""
    table = compared.to_arrow()
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(row.values() for row in plain_rows(table))
    return file.getvalue()
