"""One self-contained HTML file from a finished study, and the tables and figures beside it.

Every number in it is computed from the results given; published numbers stand beside them and are marked as
the paper's. A study with other hosts is no reproduction: its report compares no number with the paper's, and
has the paper's statements with both kinds of hosts instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aqmlab.comparison import Comparison
from aqmlab.files.folders import write_whole
from aqmlab.papers import scorecard, today
from aqmlab.papers.claims import evaluate
from aqmlab.papers.tables import claims, runs
from aqmlab.papers.tables.published import fill
from aqmlab.papers.tables.runs import REPLICATIONS, loads, replications
from aqmlab.show.figures.drawn import files_of_figure
from aqmlab.show.papers.figures import draw, line_of
from aqmlab.show.report.comparison import of_pages
from aqmlab.show.report.page import (
    Facts,
    Figure,
    Folded,
    Page,
    Section,
    TableShown,
    Text,
    Words,
)
from aqmlab.show.report.page import render as rendered
from aqmlab.show.words.comparison import answer
from aqmlab.tables import save
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aqmlab.papers.claims import Outcome
    from aqmlab.papers.documents import Tolerance
    from aqmlab.papers.experiment import Experiment
    from aqmlab.papers.scorecard import Scored
    from aqmlab.papers.study import Study
    from aqmlab.papers.tables.published import Filled
    from aqmlab.papers.today import OtherHosts
    from aqmlab.show.figures.drawn import Drawn
    from aqmlab.show.figures.looks import Line
    from aqmlab.show.report.page import Part
    from aqmlab.tables import Table

SHOWN_WARNINGS = 40
FULL_PERCENT = 100.0


@dataclass(frozen=True)
class Parts:
    """Everything a report shows, computed once."""

    study: Study
    filled: Sequence[Filled]
    ablations: Table
    responses: Table
    outcomes: Sequence[Outcome]
    drawn: Sequence[Drawn]
    scored: Sequence[Scored]
    hosts: OtherHosts | None = None


def parts_of(study: Study) -> Parts:
    """Computes the tables, the claims and the figures of a study."""
    outcomes, filled = evaluate(study), fill(study)
    return Parts(
        study=study,
        filled=filled,
        ablations=runs.ablations(study),
        responses=runs.responses(study),
        outcomes=outcomes,
        drawn=draw(study),
        scored=scorecard.scored(study, filled, outcomes),
    )


REPORT, CLAIMS, STATEMENTS = "report.html", "claims.csv", "statements.csv"
ABLATIONS, LOADS, CALIBRATION, FIGURES = "ablations.csv", "loads.csv", "calibration.json", "figures"


def files_of(experiment: Experiment) -> set[str]:
    """Everything that reports of a study may write, as names in their folder; the runs are not among it."""
    return {
        *(REPORT, CLAIMS, STATEMENTS, ABLATIONS, LOADS, CALIBRATION),
        *(scorecard.FILE, today.FILE, runs.RESPONSES, REPLICATIONS),
        *(table.file_name for table in experiment.published.tables),
        *(f"{FIGURES}/{name}" for figure in experiment.figures for name in files_of_figure(figure.id)),
    }


def write_report(parts: Parts, output: Path) -> dict[str, Path]:
    """Writes report, tables and figures into a folder; what was written, by what it is.

    It takes the place of an earlier report there: what only that one wrote is removed.
    """
    output.mkdir(parents=True, exist_ok=True)
    # Without an earlier report a file of one of these names is somebody else's, such as a `calibration.json`.
    earlier = any((output / each).is_file() for each in (scorecard.FILE, today.FILE))
    files = _write_tables(parts, output)
    figures = [file for drawn in parts.drawn for file in drawn.save(output / FIGURES)]
    if earlier:
        written = {*files.values(), *figures}
        for file in {output / name for name in files_of(parts.study.experiment)} - written:
            file.unlink(missing_ok=True)
    return {**files, "figures": output / FIGURES} if figures else files


def _write_tables(parts: Parts, output: Path) -> dict[str, Path]:
    """Writes the report and what stands beside it without the figures."""
    study = parts.study
    files = {"report": write_whole(output / REPORT, render(parts))}
    if parts.hosts is None:
        files |= _beside_the_paper(parts, output)
    else:
        files["statements with hosts of today"] = save(parts.hosts.kept(study), output / today.FILE)
    if parts.ablations.rows:
        files["ablations"] = save(parts.ablations, output / ABLATIONS)
    if parts.responses.rows:
        files["responses"] = save(parts.responses, output / runs.RESPONSES)
    if study.experiment.published.tables:
        files["replications"] = save(replications(study), output / REPLICATIONS)
    if study.loads:
        files["loads"] = save(loads(study.loads.values()), output / LOADS)
    if study.calibration is not None:
        files["calibration"] = study.calibration.save(output / CALIBRATION)
    return files


def _beside_the_paper(parts: Parts, output: Path) -> dict[str, Path]:
    """Writes the paper's tables with ours, its claims and the scorecard."""
    return {
        **{
            f"table {filled.published.identifier}": save(filled.table, output / filled.published.file_name)
            for filled in parts.filled
        },
        "claims": save(claims.table_of(parts.outcomes), output / CLAIMS),
        "statements": save(claims.statements_of(parts.outcomes), output / STATEMENTS),
        "scorecard": save(scorecard.table_of(parts.scored), output / scorecard.FILE),
    }


def render(parts: Parts) -> str:
    return rendered(page_of(parts))


def page_of(parts: Parts) -> Page:
    """The report as a page: what happens to people first, then how much of the paper is reproduced."""
    study = parts.study
    load, found = _comparison(study)
    at = f"Offered load {load:g} % of the link" if found else "no cells to compare"
    seen = found is not None and found.tells_pages
    return Page(
        title=study.experiment.title + _with_hosts(parts),
        under_title=f"{study.experiment.paper} · in simulation at scale {study.scale.name} · {at}",
        answer=answer(found) if found and seen else [_by_response_times(study)],
        first=[*of_pages(found, _looks(study))] if found else [],
        sections=[
            *(_reproduced(parts) if parts.hosts is None else _with_both_hosts(parts.hosts)),
            *([Section("Ablations", [TableShown(parts.ablations)])] if parts.ablations.rows else []),
            *([Section("Response times", [TableShown(parts.responses)])] if parts.responses.rows else []),
            Section("Figures", [*_figures(parts)]),
            *([Section("Claims", [*_claims(parts)], folded=True)] if parts.hosts is None else []),
            Section("Provenance", [*_provenance(parts)], folded=True),
        ],
    )


def _with_hosts(parts: Parts) -> str:
    """Whose hosts ran, for a title; nothing where it was the study's own."""
    return "" if parts.hosts is None else f", with {parts.hosts.profile} hosts"


def _reproduced(parts: Parts) -> Iterator[Section]:
    """How much of the paper is reproduced, and its tables with ours."""
    yield Section("How much of it is reproduced", [*_summary(parts)])
    for filled in parts.filled:
        yield Section(_capital(filled.heading), [*_table(parts, filled)])


def _with_both_hosts(hosts: OtherHosts) -> Iterator[Section]:
    table = today.printed(hosts.statements, hosts.profile)
    note = Text(
        f"The hosts are {hosts.profile}, not the paper's: no number here is compared with the paper's. "
        f"Each statement is checked with these hosts and with the study's own; {today.FILE} has all of them.",
        soft=True,
    )
    yield Section(table.title, [TableShown(table), note])


def _looks(study: Study) -> dict[str, Line]:
    """How each configuration looks, in the first figure as in the paper's."""
    return {each.label: line_of(name) for name, each in study.experiment.configurations.items()}


MOST_SHOWN = 8
"""So many configurations have room on a first screen."""


def _comparison(study: Study) -> tuple[float, Comparison | None]:
    """The paper's own configurations beside its baseline, at the highest load that the link can carry."""
    chosen = study.experiment.comparisons
    if chosen is None:
        return 0.0, None
    for load in sorted(study.loads_percent, key=lambda load: (load <= FULL_PERCENT, load), reverse=True):
        if not study.has(chosen.baseline, load):
            continue
        first = study.results(chosen.baseline, load)
        seeds = [result.run["seed"] for result in first]
        others = {
            configuration.label: study.results(name, load)
            for name, configuration in study.experiment.configurations.items()
            if name != chosen.baseline and configuration.group in chosen.groups and study.has(name, load)
            if [result.run["seed"] for result in study.results(name, load)] == seeds
        }
        if others:
            shown = dict(list(others.items())[: MOST_SHOWN - 1])
            return load, Comparison.of({study.configuration(chosen.baseline).label: first, **shown})
    return 0.0, None


def _by_response_times(study: Study) -> str:
    chosen = study.experiment.comparisons
    table = runs.comparisons(study)
    (place,) = [place for place, column in enumerate(table.columns) if column.name == "verdict"]
    verdicts = [str(row[place].value) for row in table.rows]
    if chosen is None or not verdicts:
        return "No cells were run that can be compared by response times."
    counts = ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))
    baseline = study.configuration(chosen.baseline).label
    return (
        f"Of {counted(len(verdicts), 'cell')} compared with {baseline} by how long responses take: {counts}."
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _summary(parts: Parts) -> Iterator[Part]:
    study = parts.study
    yield Text(scorecard.reproduced(parts.scored))
    yield Text(f"{_capital(claims.table_of(parts.outcomes).caption)}.")
    for filled in parts.filled:
        yield Text(f"{_capital(filled.published.title)}: {filled.table.caption}.")
    yield Text(
        "All numbers here come from the runs listed under provenance, except the paper's own.",
        soft=True,
    )
    table = runs.comparisons(study)
    if table.rows and study.experiment.comparisons is not None:
        baseline = study.configuration(study.experiment.comparisons.baseline).label
        yield Folded(f"Every scheme compared with {baseline}, by response times", [TableShown(table)])


def _table(parts: Parts, filled: Filled) -> Iterator[Part]:
    published = filled.published
    yield TableShown(filled.table)
    tolerances = [
        f"{column.quantity.title} {_tolerance(parts.study.experiment.tolerances[column.tolerance])}"
        for column in published.columns
    ]
    said = [published.note]
    if tolerances:
        said.append(
            f"Tolerances were fixed before the runs: {'; '.join(tolerances)}; of two, the larger applies."
        )
    if published.at_length.measured:
        said.append(f"At the paper's length: {published.at_length.measured}.")
    said.append(f"All numbers are in {published.file_name}.")
    yield Text(" ".join(filter(None, said)), soft=True)


def _tolerance(tolerance: Tolerance) -> str:
    absolute = [f"{tolerance.absolute}"] if tolerance.absolute else []
    return " or ".join([*absolute, *([f"{100 * tolerance.relative:g} %"] if tolerance.relative else [])])


def _figures(parts: Parts) -> Iterator[Part]:
    for drawn in parts.drawn:
        number = drawn.identifier
        whose = f"As the paper's figure {number}{_with_hosts(parts)}. " if number.isdigit() else ""
        yield Figure(replace(drawn, caption=f"{whose}{drawn.title}. {drawn.caption}"))
    if not parts.drawn:
        yield Text("The cells that were run are not enough for any figure of the paper.")


def _claims(parts: Parts) -> Iterator[Part]:
    yield TableShown(claims.table_of(claims.run(parts.outcomes)))
    missing = claims.not_run(parts.outcomes)
    yield Text(
        "Fractions: judged statements that hold. Strength: the factor by which the interval could widen "
        "without changing the finding; below 1, the largest interval that would decide, relative to the "
        "present one. "
        "Scale cannot judge: the runs are too few or too short to decide. Differs: the runs exclude it."
        + (f" Not run at this scale: {missing}." if missing else ""),
        soft=True,
    )


def _provenance(parts: Parts) -> Iterator[Part]:
    study = parts.study
    yield Facts(provenance(study))
    offered = loads(study.loads.values())
    if offered.rows:
        yield Folded("Offered load of every replication", [TableShown(offered)])
    warnings = warnings_of(study)
    yield Folded(f"Warnings ({len(warnings)})", [Words(warnings or ["none"])])
    replaced = "" if parts.hosts is None else f"; {parts.hosts.profile} replaces its hosts"
    yield Folded(f"The study's scenario{replaced}", verbatim=study.experiment.scenario_toml)
    yield Folded("Notes: what the paper leaves open", verbatim=study.experiment.notes)


def provenance(study: Study) -> dict[str, str]:
    runs = [result.run for result in study.runs]
    users = [run["scenario"].get("users") or {} for run in runs]
    profiles = {
        str(entry.get("profile")) for entry in users if isinstance(entry, dict) and "profile" in entry
    }
    window = {(run["measured_from_s"], run["measured_until_s"]) for run in runs}
    broken = [law["name"] for run in runs for law in run["invariants"] if not law["holds"]]
    return {
        "version": study.version,
        "scale": f"{study.scale.name}: {study.scale.description}",
        "runs": f"{len(runs)} of {counted(len(study.cells), 'cell')}",
        "seeds": ", ".join(map(str, study.seeds)),
        "measured window": "; ".join(f"{start:g} s to {end:g} s" for start, end in sorted(window)),
        "start of users": study.scale.start,
        "host profile": ", ".join(sorted(profiles)) or "not recorded",
        "offered load": _load_rule(study),
        "invariants": f"violated: {', '.join(sorted(set(broken)))}" if broken else "hold in every run",
    }


def warnings_of(study: Study) -> list[str]:
    """Warnings of the runs and of load matching, each once with how many runs it concerns.

    Those of uncongested twins are left out: that nothing is congested there is their purpose.
    """
    counts: dict[str, int] = {}
    for (name, load), results in study.cells.items():
        for result in results:
            for warning in [] if study.configuration(name).twin else result.run["warnings"]:
                text = f"{study.label((name, load))}: {warning}"
                counts[text] = counts.get(text, 0) + 1
    matched = [warning for match in study.loads.values() for warning in match.warnings]
    texts = matched + [f"{text} ({count} runs)" if count > 1 else text for text, count in counts.items()]
    if len(texts) <= SHOWN_WARNINGS:
        return texts
    return [*texts[:SHOWN_WARNINGS], f"and {len(texts) - SHOWN_WARNINGS} more, in the runs' run.json"]


def _load_rule(study: Study) -> str:
    if study.loads:
        worst = max(abs(match.mean_error) for match in study.loads.values())
        return f"each seed matched to its own uncongested twin; largest error of the mean {worst:.2%}"
    if study.calibration is not None and study.scale.users_from == "calibration":
        return "users from our calibration"
    return "users from the published calibration"
