"""`aqmlab compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab._startup import keep_nothing
from aqmlab.cli.folders import RESULTS, shared_store
from aqmlab.cli.from_api import from_api
from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.cli.options import REPORT, execution_options, read_names, read_schemes
from aqmlab.errors import ResultError
from aqmlab.files.folders import folder_name, require_writable, write_whole
from aqmlab.terminal.console import console, say, shown
from aqmlab.terminal.spelling import counted, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.files.toml_text import TomlText
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario


@from_api(
    "compare",
    after={"names": "seeds"},
    what={"metavar": "SCENARIO.toml|FOLDER...", "nargs": -1, "required": False},
    schemes={"callback": read_schemes, "metavar": "NAME[:KEY=VALUE...],..."},
    queues={"metavar": "LINK,..."},
    output={
        "help": "Where to keep results, comparison.csv and report.html; by default results/compare-<name of "
        "the scenario>, with -<seconds>s where --until-width lengthens the runs. If it holds another "
        "comparison, FOLDER-2 and so on."
    },
    **dict.fromkeys(("baseline", "population", "same_users", "store")),
)
@click.option(
    "--names",
    callback=read_names,
    metavar="A,B",
    help="Labels for the folders; by default their names.",
)
@click.option(
    "--report/--no-report",
    "with_report",
    default=True,
    help="Write report.html (takes a second); `aqmlab report FOLDER` writes it later.",
)
@click.option(
    "--senders",
    callback=read_names,
    metavar="NAME,...",
    help="Instead, downloads by these congestion controls, such as cubic,reno,bbr-linux-v3: "
    "alone and in pairs, in each queue, over the transport of the scenario's downloads.",
)
@click.option("--details", is_flag=True, help="Print every number, with intervals, in place of the verdict.")
@numbers_options
@execution_options("threads")
def compare(
    *,
    what: tuple[Path, ...],
    schemes: tuple[str, ...],
    seeds: tuple[int, ...],
    names: tuple[str, ...],
    queues: tuple[str, ...],
    queue_in: str | None,
    shaped_share: float | None,
    until_width_s: float | None,
    within_s: float | None,
    links: tuple[str, ...],
    overrides: dict[str, TomlText],
    output: Path | None,
    with_report: bool,
    senders: tuple[str, ...],
    details: bool,
    executor: Executor,
    quiet: bool,
) -> Numbers:
    """Compare queue disciplines with the same users.

    One scenario is compared with itself under other queue disciplines (--schemes; by default PIE, FQ-CoDel
    and CAKE), several scenarios (whole configurations) with each other. With the same seeds, the same users
    request the same pages. It prints a verdict, a line for each application with its worst number and a word
    (with --details every number), and writes report.html. Interrupted commands resume. No comparison is
    replaced: with an edited scenario, other schemes or other seeds it goes to a folder beside the other, and
    finds the runs that both share.

    Of folders that `aqmlab run --output FOLDER` wrote nothing is run: results are paired by seed, and
    differences are against the first folder. One folder is that of an earlier comparison. Other windows or
    other users on one side are refused. From six seeds on there are intervals and a verdict
    (docs/explanation/statistics.md).

    \b
    Examples:
      aqmlab compare my-link.toml --within 20s --output results/as-it-is
      aqmlab compare link.toml --schemes drop-tail,red,pi --seeds 1-8
      aqmlab compare link.toml --schemes codel,codel:target_ms=20
      aqmlab compare my-link.toml --schemes fq-codel --queue-in router
      aqmlab compare link.toml --schemes "pie,fq_codel target 14ms"
      aqmlab compare link.toml --schemes pie --until-width 5 -o results/until
      aqmlab compare pi-24.toml pi-240.toml --seeds 1-6 -o results/targets
      aqmlab compare results/drop-tail results/pi --links b-to-c
      aqmlab compare results/until --details
      aqmlab compare bulk.toml --senders cubic,bbr-linux-v3 -o results/senders
    """
    from aqmlab.errors import ComparisonError, MissingDataError
    from aqmlab.inference import MINIMUM_REPLICATIONS

    if senders:
        others = _given(names=names, queues=queues, shaped_share=shaped_share, until_width=until_width_s)
        others += _given(within=within_s, links=links, details=details)
        asked: dict[str, Any] = {"senders": senders, "schemes": schemes, "seeds": seeds, "queue_in": queue_in}
        asked |= {"overrides": overrides, "executor": executor}
        return _compare_senders([*what], others, output, quiet=quiet, **asked)
    if until_width_s is not None and len(seeds) < MINIMUM_REPLICATIONS:
        raise click.UsageError(f"--until-width needs {MINIMUM_REPLICATIONS} seeds or more to begin with")
    _require_existing(what)
    if what and not schemes and all(map(Path.is_dir, what)):
        if until_width_s is not None:
            raise click.UsageError("--until-width adds runs; folders are only read")
        return _compare_folders(what, names, links, details=details)
    if names:
        raise click.UsageError("--names is for folders; scenarios have names of their own")
    placed = (queue_in, shaped_share)
    scenarios = _scenarios(what, schemes, queues, overrides, placed)
    name = f"compare-{folder_name(next(iter(scenarios.values())).name)}"
    if until_width_s is not None:
        name += _longer(scenarios, quiet=quiet)
    folder = output or RESULTS / name
    try:
        found = aqmlab.compare(
            scenarios,
            seeds=seeds,
            links=links,
            until_width_s=until_width_s,
            within_s=within_s,
            output=folder,
            store=shared_store(folder),
            executor=executor,
            progress=not quiet,
        )
    except MissingDataError as error:
        raise ResultError(f"{folder}: {error}") from None
    except ComparisonError as error:
        if error.place != "until_width_s":
            raise
        said = str(error).replace("until_width_s: ", "--until-width: ")
        raise ResultError.of(error, said) from None
    return _tell(found, found.folder or folder, with_report=with_report, details=details, quiet=quiet)


def _given(**options: object) -> list[str]:
    """Those options that were given, as they are typed."""
    return [f"--{name.replace('_', '-')}" for name, value in options.items() if value]


_BESIDE_SENDERS = "--schemes, --queue-in, --seeds, --set and --output"


def _compare_senders(
    what: Sequence[Path],
    others: Sequence[str],
    output: Path | None,
    *,
    quiet: bool,
    **asked: Any,  # noqa: ANN401 (as `aqmlab.senders` takes it)
) -> Numbers:
    """Which queue for which sender: the table, and a figure beside the runs."""
    from aqmlab import shown as shows
    from aqmlab.scenario import Scenario
    from aqmlab.show.objects.senders import table_of
    from aqmlab.show.tables.render import to_terminal
    from aqmlab.tables import save

    if others:
        raise click.UsageError(f"{others[0]} is not of --senders; legal: {_BESIDE_SENDERS}")
    if len(what) != 1 or what[0].is_dir():
        raise click.UsageError(f"--senders is of one scenario; legal beside it: {_BESIDE_SENDERS}")
    _require_existing(what)
    own = Scenario.from_file(what[0], overrides=asked.pop("overrides"))
    folder = output or RESULTS / f"senders-{folder_name(own.name)}"
    require_writable(folder / "senders.csv")
    if (store := shared_store(folder)) is None:
        keep_nothing()
    found = aqmlab.senders(own, **asked, store=store, progress=not quiet)
    folder.mkdir(parents=True, exist_ok=True)
    files = {"table": save(table_of(found), folder / "senders.csv"), **shows.save(found, folder)}
    if quiet:
        say(str(folder))
    else:
        console().print(to_terminal(table_of(found)))
        for name, file in files.items():
            say(f"{name}: {file}")
    return Numbers.of(found, folder=str(folder))


def _require_existing(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise click.UsageError(f"{path}: there is no such file or folder{_nearby(path)}")


def _scenarios(
    paths: Sequence[Path],
    schemes: Sequence[str],
    queues: Sequence[str],
    overrides: Mapping[str, TomlText],
    placed: tuple[str | None, float | None],
) -> dict[str, Scenario]:
    """The scenarios to compare, by name; all are checked before anything runs."""
    from aqmlab.comparison import configurations
    from aqmlab.presets.line import warn_of_assumed_rates
    from aqmlab.scenario import Scenario

    for path in paths:
        if path.is_dir():
            raise click.UsageError(f"{path} is a folder; legal: only folders, or only scenario files")
    if not paths or (schemes and len(paths) > 1):
        raise click.UsageError(
            "one scenario, perhaps with --schemes NAME,NAME,..., two or more scenarios, or folders of results"
        )
    read = [Scenario.from_file(path, overrides=overrides) for path in paths]
    for scenario in read:
        warn_of_assumed_rates(scenario)
    if len(read) > 1:
        if queues:
            raise click.UsageError("--queues is of one scenario: it names the links that get the schemes")
        if any(placed):
            raise click.UsageError("--queue-in and --shaped-share are of one scenario")
        if len(set(paths)) < len(paths):
            raise click.UsageError("a scenario is listed twice; legal: two or more different ones")
        named = {scenario.name: scenario for scenario in read}
        return named if len(named) == len(read) else dict(zip(map(str, paths), read, strict=True))
    return configurations(read[0], schemes, queues, *placed)


def _nearby(path: Path) -> str:
    """The scenario in the same folder whose name is most like that of a file that is not there."""
    return nearest(path.name, [each.name for each in sorted(path.parent.glob("*.toml"))])


def _longer(scenarios: Mapping[str, Scenario], *, quiet: bool) -> str:
    """What names the folder where runs are lengthened before seeds are added."""
    from aqmlab.comparison import lengthened

    longer = [lengthened(scenario) for scenario in scenarios.values()]
    before_s, after_s = (max(each.duration_s for each in side) for side in (scenarios.values(), longer))
    if before_s == after_s:
        return ""
    if not quiet:
        say(f"runs of {after_s:g} s instead of {before_s:g} s: longer runs before more seeds")
    return f"-{after_s:g}s"


def _tell(found: Comparison, folder: Path, *, with_report: bool, details: bool, quiet: bool) -> Numbers:
    """Numbers and report into the folder; then, for whoever reads on, what happens to people."""
    from aqmlab.show.tables.comparison import comparison_records
    from aqmlab.tables import save

    save(comparison_records(found), folder / "comparison.csv")
    if with_report:
        _draw_report(found, folder, quiet=quiet)
    numbers = Numbers.of(found, folder=str(folder))
    if quiet:
        say(str(folder))
        return numbers
    _print(found, details=details)
    report = folder / REPORT
    to_draw = f"kept in {folder}; aqmlab report {folder} draws its report"
    console().print(shown(f"Report: {report}" if report.exists() else to_draw), soft_wrap=True)
    return numbers


def _print(found: Comparison, *, details: bool) -> None:
    from aqmlab.show.tables import printed
    from aqmlab.show.tables.comparison import printed as parts

    printed.on(console(), parts(found, details=details))


def _draw_report(found: Comparison, folder: Path, *, quiet: bool) -> None:
    from aqmlab.show.report.comparison import page_of
    from aqmlab.show.report.page import render
    from aqmlab.terminal.progress import waiting

    with waiting("drawing the report", hidden=quiet):
        write_whole(folder / REPORT, render(page_of(found)))


def _compare_folders(
    folders: Sequence[Path], names: Sequence[str], links: Sequence[str], *, details: bool
) -> Numbers:
    """Results at hand: nothing is run, and nothing written."""
    from aqmlab.comparison import Comparison, read_first_stage, require_one_comparison, unfinished
    from aqmlab.errors import MissingDataError, UnknownLinkError

    results = _configurations_in(folders, names)
    # The folders of single configurations lie in that of their comparison.
    whole = (
        [folders[0]] if len(folders) == 1 else list(dict.fromkeys(each.resolve().parent for each in folders))
    )
    first_stage = read_first_stage(whole, results) if len(whole) == 1 else 0
    try:
        lacks = unfinished(folders, results)
        found = Comparison.of(results, links=links, first_stage=first_stage, unfinished=lacks)
        require_one_comparison(folders, found)
        _print(found, details=details)
        return Numbers.of(found)
    except (UnknownLinkError, MissingDataError) as error:
        raise ResultError(f"{', '.join(map(str, folders))}: {error}") from None


def _configurations_in(folders: Sequence[Path], names: Sequence[str]) -> dict[str, list[Result]]:
    """Of each folder its configuration; of a single folder those of the comparison that it is of."""
    from aqmlab.comparison import read_configurations, unfinished
    from aqmlab.comparison.reading import read_each

    if names and len(names) != len(folders):
        raise click.BadParameter(
            f"{counted(len(names), 'name')} for {counted(len(folders), 'folder')}; legal: one each",
            param_hint="--names",
        )
    if len(folders) == 1:
        found = read_configurations(folders)
        if len(found) < 2:
            raise click.UsageError(
                f"{folders[0]} holds one configuration; legal: two or more folders, or that of a comparison"
                f"{f'. {lacks}' if (lacks := unfinished(folders, found)) else ''}"
            )
        return found
    return read_each(folders, names)
