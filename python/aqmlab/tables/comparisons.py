"""Every configuration of an experiment's groups against its baseline, load by load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.tables.model import Column, Table, TableCell, number, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab.compare import Comparison
    from aqmlab.reproduce.study import Study

    Compared = tuple[str, float, Comparison]


def comparisons(study: Study) -> Table:
    """The comparisons that the experiment lists, of cells that were run; no rows where it lists none."""
    columns: Sequence[tuple[Column, Callable[[Compared], TableCell]]] = [
        (Column("cell", "configuration", heads_row=True), lambda found: text(found[0])),
        (Column("load_percent", "load"), lambda found: number(found[1], unit=" %")),
        (Column("verdict", "verdict", words=True), lambda found: text(found[2].judgement.verdict)),
        (Column("reason", "why", words=True), lambda found: text(found[2].judgement.reason)),
        (
            Column("sign_flip_p_value", "p (sign changes)"),
            lambda found: number(found[2].sign_flip_p_value, ".3g"),
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
                yield configuration.label, load, study.comparison(name, chosen.baseline, load)
