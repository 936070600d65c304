"""What one changed rule does: every configuration that the paper does not have against the one it extends."""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.statistics import Interval, NotEnoughReplications, loss_percent, throughput_mbps
from aqmlab.statistics.quantities import share_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.experiment import Configuration
    from aqmlab.study import Study


@dataclass(frozen=True)
class AblationRow:
    """A changed configuration against the one it was made from."""

    label: str
    against: str
    load_percent: float
    loss_percent: float
    throughput_mbps: float
    within_half_a_second: float
    restricted_mean_ms: Interval | NotEnoughReplications
    verdict: str
    reason: str


def ablation_rows(study: Study) -> list[AblationRow]:
    """Every configuration that extends another and is not the paper's own, where both were run."""
    return [
        _ablation_row(study, configuration.name, configuration.extends, load)
        for configuration in study.experiment.configurations.values()
        if configuration.extends is not None and not _has_a_row_of_its_own(study, configuration)
        for load in study.loads_percent
        if study.has(configuration.name, load) and study.has(configuration.extends, load)
    ]


def _has_a_row_of_its_own(study: Study, configuration: Configuration) -> bool:
    """Whether the paper has rows of it that are not those of the configuration that it extends."""
    if configuration.published is None or configuration.extends is None:
        return configuration.published is not None
    parent = study.configuration(configuration.extends).published or {}
    return any(parent.get(key) != value for key, value in configuration.published.items())


def _ablation_row(study: Study, name: str, parent: str, load: float) -> AblationRow:
    comparison = study.comparison(name, parent, load)
    return AblationRow(
        label=study.configuration(name).label,
        against=study.configuration(parent).label,
        load_percent=load,
        loss_percent=_mean(study.measure(name, load, loss_percent)),
        throughput_mbps=_mean(study.measure(name, load, throughput_mbps)),
        within_half_a_second=_mean(study.measure(name, load, share_within(0.5))),
        restricted_mean_ms=_scaled(comparison.restricted_mean_s, 1000.0),
        verdict=str(comparison.judgement.verdict),
        reason=comparison.judgement.reason,
    )


def ablations_to_csv(rows: Sequence[AblationRow]) -> str:
    """The ablation table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            "cell",
            "against",
            "load_percent",
            "loss_percent",
            "throughput_mbps",
            "within_0.5_s",
            "restricted_mean_difference_ms",
            "lower_ms",
            "upper_ms",
            "verdict",
            "reason",
        ]
    )
    for row in rows:
        difference = row.restricted_mean_ms
        bounds = (difference.lower, difference.upper) if isinstance(difference, Interval) else ("", "")
        writer.writerow(
            [
                row.label,
                row.against,
                row.load_percent,
                row.loss_percent,
                row.throughput_mbps,
                row.within_half_a_second,
                difference.mean,
                *bounds,
                row.verdict,
                row.reason,
            ]
        )
    return text.getvalue()


def ablations_to_html(rows: Sequence[AblationRow]) -> str:
    """The ablation table as an HTML fragment."""
    titles = (
        "configuration",
        "against",
        "load",
        "loss, %",
        "throughput, Mbit/s",
        "within 0.5 s",
        "mean up to 2 s, difference",
        "verdict",
    )
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "\n".join(_html_row(row) for row in rows)
    return f'<table class="cells">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n'


def _html_row(row: AblationRow) -> str:
    difference = f"{row.restricted_mean_ms.mean:+.0f}"
    if isinstance(row.restricted_mean_ms, Interval):
        difference += f" ± {row.restricted_mean_ms.half_width:.0f}"
    return (
        f"<tr><th>{html.escape(row.label)}</th><td>{html.escape(row.against)}</td>"
        f"<td>{row.load_percent:g} %</td>"
        f"<td>{row.loss_percent:.2f}</td><td>{row.throughput_mbps:.1f}</td>"
        f"<td>{row.within_half_a_second:.1%}</td><td>{difference} ms</td>"
        f'<td title="{html.escape(row.reason)}">{row.verdict}</td></tr>'
    )


def _mean(value: Interval | NotEnoughReplications) -> float:
    if value.mean is None:
        raise ValueError("a cell without any replication has no mean")
    return value.mean


def _scaled(value: Interval | NotEnoughReplications, factor: float) -> Interval | NotEnoughReplications:
    if isinstance(value, Interval):
        bounds = value.lower * factor, value.upper * factor
        return Interval(value.mean * factor, *bounds, value.replications, value.confidence)
    mean = None if value.mean is None else value.mean * factor
    return NotEnoughReplications(value.have, value.need, mean)
