"""One self-contained HTML file from a finished study, and the tables and figures beside it.

Every number in it is computed from the results given; published numbers stand beside them and are marked as
the paper's.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

import jinja2
from rich.text import Text

from aqmlab import figures, tables
from aqmlab.claims import Outcome, Verdict, evaluate
from aqmlab.folders import write_whole
from aqmlab.terminal import Table as RichTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab.study import Study

SHOWN_WARNINGS = 40
LONGEST_PRINTED = 120


@dataclass(frozen=True)
class Parts:
    """Everything a report shows, computed once."""

    study: Study
    filled: Sequence[tables.Filled]
    ablations: Sequence[tables.AblationRow]
    outcomes: Sequence[Outcome]
    drawn: Sequence[figures.Drawn]


def parts_of(study: Study) -> Parts:
    """Computes the tables, the claims and the figures of a study."""
    return Parts(
        study=study,
        filled=tables.fill(study),
        ablations=tables.ablation_rows(study),
        outcomes=evaluate(study),
        drawn=figures.draw(study),
    )


def write_report(parts: Parts, output: Path) -> dict[str, Path]:
    """Writes report, tables and figures into a folder; what was written, by what it is."""
    study = parts.study
    output.mkdir(parents=True, exist_ok=True)
    files = {
        "report": write_whole(output / "report.html", render(parts)),
        **{
            f"table {filled.table.identifier}": write_whole(output / filled.table.file_name, filled.csv())
            for filled in parts.filled
        },
        "claims": write_whole(output / "claims.csv", claims_csv(parts.outcomes)),
    }
    if parts.ablations:
        files["ablations"] = write_whole(output / "ablations.csv", tables.ablations_to_csv(parts.ablations))
    if study.loads:
        files["loads"] = write_whole(output / "loads.csv", tables.loads_to_csv(study.loads.values()))
    if study.calibration is not None:
        files["calibration"] = study.calibration.save(output / "calibration.json")
    for drawn in parts.drawn:
        drawn.save(output / "figures")
    if parts.drawn:
        files["figures"] = output / "figures"
    return files


def render(parts: Parts) -> str:
    """The report as HTML."""
    folder = resources.files("aqmlab") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    study = parts.study
    return environment.get_template("report.html").render(
        study=study,
        experiment=study.experiment,
        scale=study.scale,
        tables=parts.filled,
        ablations=tables.ablations_to_html(parts.ablations) if parts.ablations else "",
        outcomes=parts.outcomes,
        tally=tally(parts.outcomes),
        drawn=parts.drawn,
        comparisons=comparisons(study),
        loads=list(study.loads.values()),
        provenance=provenance(study),
        warnings=warnings_of(study),
        scenario=study.experiment.scenario_toml,
    )


def tally(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {str(verdict): sum(1 for outcome in outcomes if outcome.verdict == verdict) for verdict in Verdict}


def comparisons(study: Study) -> list[dict[str, Any]]:
    """Every configuration of the experiment's groups against its baseline, load by load."""
    chosen = study.experiment.comparisons
    found: list[dict[str, Any]] = []
    if chosen is None:
        return found
    baseline = chosen.baseline
    for load in study.loads_percent:
        for name in study.experiment.configurations:
            compared = study.configuration(name).group in chosen.groups
            if name == baseline or not (compared and study.has(name, load) and study.has(baseline, load)):
                continue
            comparison = study.comparison(name, baseline, load)
            found.append({"label": study.configuration(name).label, "load": load, **comparison.to_dict()})
    return found


def provenance(study: Study) -> dict[str, str]:
    """What a reader needs to repeat the study."""
    runs = [result.run for results in study.cells.values() for result in results]
    users = [run["scenario"].get("users") or {} for run in runs]
    profiles = {
        str(entry.get("profile")) for entry in users if isinstance(entry, dict) and "profile" in entry
    }
    window = {(run["measured_from_s"], run["measured_until_s"]) for run in runs}
    broken = [law["name"] for run in runs for law in run["invariants"] if not law["holds"]]
    return {
        "version": ", ".join(sorted({str(run["aqmlab_version"]) for run in runs})),
        "scale": f"{study.scale.name}: {study.scale.description}",
        "runs": f"{len(runs)} of {len(study.cells)} cells",
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


def claims_csv(outcomes: Sequence[Outcome]) -> str:
    """Verdicts as CSV, one row per claim."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "where", "claim", "verdict", "effect", "reason"])
    for outcome in outcomes:
        writer.writerow(
            [
                outcome.identifier,
                outcome.where,
                outcome.claim,
                outcome.verdict,
                outcome.effect,
                outcome.reason,
            ]
        )
    return text.getvalue()


def claims_table(outcomes: Sequence[Outcome]) -> RichTable:
    """The verdicts for the terminal."""
    counted = ", ".join(f"{count} {verdict}" for verdict, count in tally(outcomes).items())
    table = RichTable(title="Claims", caption=counted, header_style="bold")
    for column in ("id", "verdict", "why", "strongest evidence"):
        table.add_column(column)
    styles = {
        Verdict.REPRODUCED: "green",
        Verdict.PARTLY: "yellow",
        Verdict.NOT: "red",
        Verdict.CANNOT_BE_JUDGED: "dim",
    }
    for outcome in outcomes:
        style = styles[outcome.verdict]
        verdict, reason = Text(outcome.verdict, style=style), Text(_shortened(outcome.reason))
        table.add_row(outcome.identifier, verdict, reason, Text(_shortened(outcome.effect)))
    return table


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_PRINTED else f"{text[: LONGEST_PRINTED - 1]}…"


def _load_rule(study: Study) -> str:
    if study.loads:
        worst = max(abs(match.mean_error) for match in study.loads.values())
        return f"each seed matched to its own uncongested twin; largest error of the mean {worst:.2%}"
    if study.calibration is not None and study.scale.users_from == "calibration":
        return "users from our calibration"
    return "users from the published calibration"
