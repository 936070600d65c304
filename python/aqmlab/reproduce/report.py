"""One self-contained HTML file from a finished study, and the tables and figures beside it.

Every number in it is computed from the results given; published numbers stand beside them and are marked as
the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from aqmlab import figures, tables
from aqmlab.files.folders import write_whole
from aqmlab.reproduce.claims import evaluate
from aqmlab.tables import ablations, claims, loads, save, scorecard, to_html
from aqmlab.tables.comparisons import comparisons

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aqmlab.reproduce.claims import Outcome
    from aqmlab.reproduce.study import Study
    from aqmlab.tables import Table

SHOWN_WARNINGS = 40


@dataclass(frozen=True)
class Parts:
    """Everything a report shows, computed once."""

    study: Study
    filled: Sequence[tables.Filled]
    ablations: Table
    outcomes: Sequence[Outcome]
    drawn: Sequence[figures.Drawn]


def parts_of(study: Study) -> Parts:
    """Computes the tables, the claims and the figures of a study."""
    outcomes = evaluate(study)
    return Parts(
        study=study,
        filled=tables.fill(study),
        ablations=ablations.table_of(tables.ablation_rows(study)),
        outcomes=outcomes,
        drawn=figures.draw(study),
    )


def write_report(parts: Parts, output: Path) -> dict[str, Path]:
    """Writes report, tables and figures into a folder; what was written, by what it is."""
    study = parts.study
    output.mkdir(parents=True, exist_ok=True)
    files = {
        "report": write_whole(output / "report.html", render(parts)),
        **{
            f"table {filled.published.identifier}": save(filled.table, output / filled.published.file_name)
            for filled in parts.filled
        },
        "claims": save(claims.table_of(parts.outcomes), output / "claims.csv"),
        "statements": save(claims.statements_of(parts.outcomes), output / "statements.csv"),
    }
    scored = scorecard.scored(study, parts.filled, parts.outcomes)
    files["scorecard"] = save(scorecard.table_of(scored), output / scorecard.FILE)
    if parts.ablations.rows:
        files["ablations"] = save(parts.ablations, output / "ablations.csv")
    if study.loads:
        files["loads"] = save(loads.table_of(study.loads.values()), output / "loads.csv")
    if study.calibration is not None:
        files["calibration"] = study.calibration.save(output / "calibration.json")
    for drawn in parts.drawn:
        drawn.save(output / "figures")
    if parts.drawn:
        files["figures"] = output / "figures"
    return files


def render(parts: Parts) -> str:
    """The report as HTML."""
    folder = resources.files("aqmlab").joinpath("reproduce", "templates")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["strength"] = claims.strength_told
    environment.filters["table"] = lambda table: Markup(to_html(table))  # noqa: S704  (it escapes every cell)
    study = parts.study
    return environment.get_template("report.html").render(
        study=study,
        experiment=study.experiment,
        scale=study.scale,
        tables=parts.filled,
        ablations=parts.ablations,
        outcomes=claims.run(parts.outcomes),
        not_run=claims.not_run(parts.outcomes),
        told=claims.table_of(parts.outcomes).caption,
        drawn=parts.drawn,
        comparisons=comparisons(study),
        loads=loads.table_of(study.loads.values()),
        provenance=provenance(study),
        warnings=warnings_of(study),
        scenario=study.experiment.scenario_toml,
    )


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


def _load_rule(study: Study) -> str:
    if study.loads:
        worst = max(abs(match.mean_error) for match in study.loads.values())
        return f"each seed matched to its own uncongested twin; largest error of the mean {worst:.2%}"
    if study.calibration is not None and study.scale.users_from == "calibration":
        return "users from our calibration"
    return "users from the published calibration"
