"""`aqmlab report`."""

from __future__ import annotations

from pathlib import Path

import click

from aqmlab.cli.options import REPORT, links_option
from aqmlab.errors import ResultError
from aqmlab.files.folders import write_whole
from aqmlab.terminal.console import say
from aqmlab.terminal.spelling import nearest


@click.command
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--baseline", metavar="NAME", help="The configuration that differences are against; by default the first."
)
@click.option("--title", default="", metavar="TEXT", help="What stands at the top of the page.")
@links_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Where to write the page; by default report.html in the first folder's own.",
)
def report(
    *,
    results: tuple[Path, ...],
    baseline: str | None,
    title: str,
    links: tuple[str, ...],
    output: Path | None,
) -> None:
    """Say what happens to people, on one page that opens anywhere.

    Takes what `aqmlab run` and `aqmlab compare` left: folders of one result, of several seeds, or of several
    configurations. The seeds of one scenario are one configuration. Results that do not belong together are
    refused: other seeds, people, windows or versions, and in the folder of a comparison runs of another
    scenario. If not only the queue differs, the page says what else. It is one HTML file that needs no
    network.

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
    )
    from aqmlab.report import render
    from aqmlab.report.comparison import page_of
    from aqmlab.statistics import MissingDataError, UnknownLinkError
    from aqmlab.terminal.progress import waiting

    found = read_configurations(results)
    first_stage = read_first_stage(results, found)
    if baseline is not None and baseline not in found:
        raise click.BadParameter(
            f'no configuration is called "{baseline}"; there are: {", ".join(found)}'
            f"{nearest(baseline, found)}",
            param_hint="--baseline",
        )
    try:
        with waiting("drawing the report"):
            compared = Comparison.of(found, baseline=baseline, links=links, first_stage=first_stage)
            require_one_comparison(results, compared)
            page = render(page_of(compared, title=title))
    except (UnknownLinkError, MissingDataError) as error:
        raise ResultError(f"{', '.join(map(str, results))}: {error}") from None
    say(str(write_whole(output or results[0] / REPORT, page)))
