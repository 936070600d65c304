"""`aqmlab report`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import click

from aqmlab.cli.options import REPORT, links_option, output_option, results_argument
from aqmlab.errors import ResultError
from aqmlab.files.folders import write_whole
from aqmlab.terminal.console import say
from aqmlab.terminal.spelling import nearest

if TYPE_CHECKING:
    from pathlib import Path


@click.command
@results_argument
@click.option(
    "--baseline", metavar="NAME", help="Baseline configuration for the differences; by default the first."
)
@click.option("--title", default="", metavar="TEXT", help="Title of the page.")
@links_option
@output_option("FILE.html", "Output file; by default report.html in the first folder.")
def report(
    *,
    results: tuple[Path, ...],
    baseline: str | None,
    title: str,
    links: tuple[str, ...],
    output: Path | None,
) -> None:
    """Write a report: one HTML file that opens anywhere.

    Takes folders written by `aqmlab run` and `aqmlab compare`: one result, several seeds, or several
    configurations; the seeds of one scenario form one. Rejected are different seeds, people, windows or
    versions, and runs of another scenario in the folder of a comparison. The page needs no network, and lists
    all differing settings besides the queue.

    \b
    Examples:
      aqmlab report results/pi-24-90
      aqmlab report results/pi results/drop-tail --output pi.html
      aqmlab report results/compare-link --baseline drop-tail
    """
    from aqmlab.comparison import (
        Comparison,
        read_configurations,
        read_first_stage,
        require_one_comparison,
        unfinished,
    )
    from aqmlab.errors import MissingDataError, UnknownLinkError
    from aqmlab.show.report.comparison import page_of
    from aqmlab.show.report.page import render
    from aqmlab.terminal.progress import waiting

    found = read_configurations(results)
    first_stage, lacks = read_first_stage(results, found), unfinished(results, found)
    if baseline is not None and baseline not in found:
        raise click.BadParameter(
            f'no configuration is called "{baseline}"; legal: {", ".join(found)}{nearest(baseline, found)}',
            param_hint="--baseline",
        )
    try:
        with waiting("drawing the report"):
            compared = Comparison.of(
                found, baseline=baseline, links=links, first_stage=first_stage, unfinished=lacks
            )
            require_one_comparison(results, compared)
            page = render(page_of(compared, title=title))
    except (UnknownLinkError, MissingDataError) as error:
        raise ResultError(f"{', '.join(map(str, results))}: {error}") from None
    if lacks:
        warnings.warn(lacks, stacklevel=2)
    say(str(write_whole(output or results[0] / REPORT, page)))
