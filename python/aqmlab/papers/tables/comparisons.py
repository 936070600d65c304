"""Every configuration of an experiment's groups against its baseline, load by load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.tables.model import Column, Table, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.comparison import CurveDifference
    from aqmlab.papers.study import Study

    Compared = tuple[str, float, CurveDifference, float | None]


def comparisons(study: Study) -> Table:
    """The comparisons that the experiment lists, of cells that were run; no rows where it lists none."""
    columns: list[Column[Compared]] = [
        Column("cell", lambda found: text(found[0]), "configuration", heads_row=True),
        Column("load_percent", lambda found: number(found[1], unit=" %"), "load"),
        Column("realised_load_percent", lambda found: number(found[3], ".1f", unit=" %"), "offered"),
        Column("verdict", lambda found: text(found[2].judgement.verdict), "verdict", words=True),
        Column("reason", lambda found: text(found[2].judgement.reason), "why", words=True),
        Column(
            "sign_flip_p_value", lambda found: number(found[2].sign_flip_p_value, ".3g"), "p (sign changes)"
        ),
    ]
    return Table.of(_compared(study), columns)


def _compared(study: Study) -> Iterator[Compared]:
    chosen = study.experiment.comparisons
    if chosen is None:
        return
    for load in study.loads_percent:
        for name, configuration in study.experiment.configurations.items():
            wanted = configuration.group in chosen.groups and name != chosen.baseline
            if wanted and study.has(name, load) and study.has(chosen.baseline, load):
                curve = study.curve(name, chosen.baseline, load)
                yield configuration.label, load, curve, study.realised_percent(name, load)
